# Completion of `avogit` and `git avogit` in fish. What there is to offer avogit
# itself says, from the tables that its --help is made of.

function __avogit_complete
    set -l typed (commandline -opc)
    set -l now (commandline -ct)
    set -l program $typed[1]
    if test $program = git
        set program git-avogit
        set -l at (contains -i -- avogit $typed)
        set typed $typed[$at..]
    end
    for line in ($program help --complete -- $typed[2..] $now 2>/dev/null)
        set -l part (string split -m 1 \t -- $line)
        set -l path (string replace -- "$part[2]" '' "$now")
        switch $part[1]
            case @file
                string replace -r -- '^' "$part[2]" (__fish_complete_path $path)
            case @folder
                string replace -r -- '^' "$part[2]" (__fish_complete_directories $path '')
            case '*'
                echo $line
        end
    end
end

complete -c avogit -f -a '(__avogit_complete)'
complete -c git-avogit -f -a '(__avogit_complete)'
# Not every fish asks git-avogit itself.
complete -c git -f -n '__fish_git_using_command avogit' -a '(__avogit_complete)'
