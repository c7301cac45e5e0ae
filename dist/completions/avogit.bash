# Completion of `avogit` and `git avogit` in bash. What there is to offer avogit
# itself says, from the tables that its --help is made of.

# Fills COMPREPLY: _avogit_offer WORD-AT-THE-CURSOR END COMMAND... END follows
# each word that is whole.
_avogit_offer()
{
	local now=$1 end=$2 cut= word why
	shift 2

	# Readline replaces only what follows the last of these.
	[[ $COMP_WORDBREAKS == *=* && $now == *=* ]] && cut=${now%"${now##*=}"}
	[[ $COMP_WORDBREAKS == *:* && $now == *:* ]] && cut=${now%"${now##*:}"}
	COMPREPLY=()
	while IFS=$'\t' read -r word why; do
		case $word in
		@file | @folder)
			compopt -o filenames 2>/dev/null
			local action=-f
			[[ $word == @folder ]] && action=-d
			while IFS= read -r word; do
				COMPREPLY+=("$word")
			done < <(compgen $action -- "${now#"$why"}")
			;;
		*) COMPREPLY+=("${word#"$cut"}$end") ;;
		esac
	done < <("$@" 2>/dev/null)
}

_avogit()
{
	local line=${COMP_LINE:0:COMP_POINT} word i
	local -a typed=()

	# COMP_WORDS has "--color=al" as three words: those without a space
	# between them are one.
	for ((i = 0; i <= COMP_CWORD; i++)); do
		word=${line#"${line%%[![:space:]]*}"}
		[[ $i -gt 0 && $word == "$line" && -n $word ]] || typed+=("")
		line=${word#"${COMP_WORDS[i]}"}
		[[ $i -lt COMP_CWORD ]] && word=${COMP_WORDS[i]}
		typed[${#typed[@]} - 1]+=$word
	done
	_avogit_offer "${typed[@]: -1}" "" "$1" help --complete -- "${typed[@]:1}"
}

# What git's own completion calls: cur, words and cword are its variables, and it
# lets readline add no space.
_git_avogit()
{
	local first=$((${__git_cmd_idx:-1} + 1))

	_avogit_offer "$cur" " " git "${__git_C_args[@]}" avogit help --complete -- \
		"${words[@]:first:cword-first}" "$cur"
}

complete -F _avogit avogit git-avogit
