#!/bin/sh
# test: parallel no-asan
test_description='completion in bash, zsh and fish'
. "$(dirname "$0")/../lib-avogit.sh"

top=$(cd "$SHARNESS_TEST_SRCDIR/../.." && pwd)
# bash is needed for more than this; `make deps-check` installs the others.
command -v zsh >/dev/null && test_set_prereq ZSH
command -v fish >/dev/null && test_set_prereq FISH

words () {
	"$AVOGIT" help --complete -- "$@"
}

# What a shell makes of a line, from where `make install` puts the scripts; avogit
# and git-avogit are programs in PATH.
mkdir bin home &&
ln -s "$AVOGIT" bin/avogit && ln -s "$AVOGIT" bin/git-avogit
PATH=$PWD/bin:$PATH HOME=$PWD/home
export PATH HOME
git config --global user.name 'A Tester' && git config --global user.email 'tester@example.org'
installed=$PWD/root/share
# Nothing is compiled: other tests use these programs now.
env -u MAKEFLAGS -u MAKELEVEL make -C "$top" -s -o all install BUILD="${AVOGIT%/*}" \
	DESTDIR= PREFIX="$PWD/root" >/dev/null

# A run and what else has a name.
git init -q -b main repository && cd repository && git commit -q --allow-empty -m one &&
git branch side && git branch 'x$(touch${IFS}hurt)' && git remote add upstream . &&
id=$(git rev-parse HEAD) && writer=$(printf %032d 1) &&
git update-ref "refs/avogit/saxpy/journal/0123456789abcdef" $id &&
git update-ref "refs/avogit/saxpy-2/journal/0123456789abcdef" $id

test_expect_success 'commands, options, and the values that options have' '
	words ev >out && printf "evolve\tstarts a run of evolution, or goes on with it\n" >expect &&
	test_cmp expect out &&
	words evolve --mon >out && grep "^--money	stop when" out &&
	words evolve --operator "" | cut -f 1 >out && printf "llm\ntuner\ncommand\nreplay\n" >expect &&
	test_cmp expect out &&
	words runs --color=a | cut -f 1 >out && printf -- "--color=always\n--color=auto\n" >expect &&
	test_cmp expect out &&
	words -C / report --format m >out && grep "^md	" out
'

test_expect_success 'names of runs, commits, remotes and launches' '
	git config --global avogit.launch.h200.ssh gpu.example.org &&
	words evolve -r sax | cut -f 1 >out && printf "saxpy-2\nsaxpy\n" >expect && test_cmp expect out &&
	words rm "" | cut -f 1 >out && test_cmp expect out &&
	words show s | cut -f 1 >out && printf "saxpy-2\nsaxpy\nside\n" >expect && test_cmp expect out &&
	words sync "" | cut -f 1 >out && echo upstream >expect && test_cmp expect out &&
	words score --pending --launch "" | cut -f 1 >out && echo h200 >expect && test_cmp expect out
'

test_expect_success 'paths where a file or a folder is meant' '
	words score --task "" >out && printf "@file\t\n" >expect && test_cmp expect out &&
	words init --output=a >out && printf "@file\t--output=\n" >expect && test_cmp expect out &&
	words import problem "" >out && printf "@folder\t\n" >expect && test_cmp expect out &&
	words -C "" >out && test_cmp expect out
'

test_expect_success 'a name that a shell would run is never offered' '
	words show x >out && test_must_be_empty out &&
	git branch "#12" && git branch "csi$(printf "\302\233")m" &&
	words show "#" >out && test_must_be_empty out &&
	words show c >out && ! grep csi out &&
	git branch -D "#12" "csi$(printf "\302\233")m"
'

test_expect_success 'outside of a repository, and after nonsense, there is nothing, without a word' '
	(cd / && words show "" && words evolve --run "" && words evolv "" && words) >out 2>err &&
	test_must_be_empty out && test_must_be_empty err
'

test_expect_success 'looking leaves nothing in a repository' '
	git init -q ../untouched && git -C ../untouched status >/dev/null && find ../untouched | sort >before &&
	words -C ../untouched show "" && find ../untouched | sort >after && test_cmp before after
'

test_expect_success 'every word that is offered for an option is in its help' '
	avogit help --list >commands && while read -r command
	do
		avogit "$command" --help >help
		words "$command" - >options
		for option in $(sed -En "s/^  (    |-., )(--[a-z-]+) (FORM|WHEN|CLIENT|LEVEL|NAME|WHAT|TOOL|cpu.cuda)( .*|\$)/\2/p" help)
		do
			grep -q "^$option	" options || echo "$command $option"
			grep -A 2 -- "$option" help >its
			for value in $(words "$command" "$option" "" | sed -n "s/	$//p")
			do
				# --effort has them as "low to max"
				test "$option" = --effort || grep -qw "$value" its || echo "$command $option $value"
			done
		done
	done <commands >lost && test_must_be_empty lost &&
	words runs - | grep "^--color	always, never or auto"
'

test_expect_success 'avogit gives the scripts that are installed' '
	avogit help --completion bash >out && test_cmp "$installed/bash-completion/completions/git-avogit" out &&
	avogit help --completion zsh >out && test_cmp "$installed/zsh/site-functions/_git-avogit" out &&
	avogit help --completion fish >out && test_cmp "$installed/fish/vendor_conf.d/avogit.fish" out &&
	test_expect_code 2 avogit help --completion tcsh 2>err && grep "bash, zsh or fish" err
'

# The keys (a bar for Tab) go to a shell at a terminal; ./typed has what its commands were.
tr '|' '\t' >keys <<'END'
avogit evo|--operator=tu|--task kern|-r saxpy-|
avogit show side|
git avogit repor|--for|svg saxpy-|
git avogit runs --color=alw|
END
cat >expect <<'END'
evolve --operator=tuner --task kernel.yaml -r saxpy-2
show side
report --format svg saxpy-2
runs --color=always
END
touch kernel.yaml
type_into () { # COMMAND: the shell says that it is ready by making ./ready
	rm -f ready typed
	(
		tries=0
		until test -e ready || test $((tries += 1)) -gt 600; do sleep 0.05; done
		cat keys
		printf 'exit\n'
		sleep 0.1
	) | script -qec "$1" log >/dev/null
	cat log
}
# A program in the place of avogit: it answers the shell and tells what was typed.
cat >../bin/recorder <<END
#!/bin/sh
[ "\$1" != help ] || exec "$AVOGIT" "\$@"
printf '%s\n' "\$*" >>typed
END
chmod +x ../bin/recorder && ln -sf recorder ../bin/avogit && ln -sf recorder ../bin/git-avogit

test_expect_success TERMINAL 'bash' '
	cat >../rc <<-EOF &&
	. /usr/share/bash-completion/completions/git
	. "$installed/bash-completion/completions/git-avogit"
	PROMPT_COMMAND=": >ready"
	EOF
	type_into "bash --rcfile ../rc -i" && test_cmp expect typed
'

test_expect_success TERMINAL,ZSH 'zsh' '
	cat >../home/.zshrc <<-EOF &&
	fpath=("$installed/zsh/site-functions" \$fpath)
	autoload -Uz compinit && compinit -u -D
	precmd() { : >ready }
	EOF
	type_into "zsh -i" && test_cmp expect typed
'

test_expect_success FISH 'fish' '
	try () { XDG_DATA_DIRS="$installed:/usr/share" fish -c "complete -C \"$1\"" | cut -f 1; } &&
	try "avogit evo" >out && echo evolve >wanted && test_cmp wanted out &&
	try "avogit evolve --operator=tu" >out && echo --operator=tuner >wanted && test_cmp wanted out &&
	try "avogit evolve --task kern" >out && echo kernel.yaml >wanted && test_cmp wanted out &&
	try "avogit evolve --task=kern" >out && echo --task=kernel.yaml >wanted && test_cmp wanted out &&
	try "avogit evolve -r saxpy-" >out && echo saxpy-2 >wanted && test_cmp wanted out &&
	try "git avogit report --for" >out && echo --format >wanted && test_cmp wanted out &&
	try "git avogit report --format svg saxpy-" >out && echo saxpy-2 >wanted && test_cmp wanted out
'

test_done
