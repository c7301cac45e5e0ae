#!/bin/sh
# test: parallel
test_description='avogit trust: what acts outside the sandbox waits for a word'
. "$(dirname "$0")/../lib-avogit.sh"

unset XDG_STATE_HOME
decisions="$HOME/.local/state/avogit/trust"

# Gives the task a last line, committed: add_to_task LINE
add_to_task () {
	printf '%s\n' "$1" >>avogit.yaml &&
	git commit -qam 'the task says more'
}

# Puts another last line in its place, committed.
change_task () {
	sed -i '$d' avogit.yaml && add_to_task "$1"
}

# Runs `avogit ARGS`; it must be refused with one line that names ITEM and the
# way out: untrusted ITEM ARGS
untrusted () {
	item=$1
	shift
	test_expect_code 128 avogit "$@" >../out 2>../err &&
	grep "$item would act outside the sandbox.*avogit trust" ../err &&
	test "$(wc -l <../err)" = 1
}

# Evolving goes on as far as the operator, whose program does not exist.
evolve_goes_on () {
	runs=$((runs + 1)) &&
	test_expect_code 128 avogit evolve --run run-$runs >../out 2>../err &&
	grep -e "operator.command: it could not be started" \
		-e "agent: cannot be executed" ../err
}

test_expect_success 'a task that stays in the sandbox needs no trust' '
	make_repo repo &&
	avogit trust </dev/null >../out &&
	grep "nothing in avogit.yaml waits for your trust" ../out &&
	! test -e "$decisions"
'

test_expect_success 'an operator command is refused, and named' '
	add_to_task "operator: {command: [agent, --fast]}" &&
	untrusted operator.command evolve &&
	test -z "$(git for-each-ref refs/avogit refs/heads/avo)"
'

test_expect_success 'score needs no operator and is not disturbed' '
	avogit score >../out 2>../err &&
	grep "pass, " ../out &&
	! grep trust ../err
'

test_expect_success 'an operator of the command line that uses none of it' '
	avogit evolve --operator tuner --run t --attempts 1 >../out &&
	grep "starting run t" ../out
'

test_expect_success 'without a terminal: shown, refused, what to say' '
	test_expect_code 128 avogit trust </dev/null >../out 2>../err &&
	grep -F "[\"agent\",\"--fast\"]" ../out &&
	grep "avogit trust --yes" ../err &&
	git config core.sshCommand /bin/true &&
	test_expect_code 128 avogit trust --git </dev/null 2>../err.git &&
	grep "avogit trust --git --yes" ../err.git &&
	git config --unset core.sshCommand &&
	test "$(wc -l <../err)" = 1 &&
	! test -e "$decisions"
'

test_expect_success TERMINAL 'at a terminal: no is an answer, and exit code 1' '
	test_expect_code 1 script -qec "\"$AVOGIT\" trust" /dev/null \
		<<-\EOF >../out &&
	n
	EOF
	grep "y/N" ../out &&
	grep "not trusted" ../out &&
	untrusted operator.command evolve
'

test_expect_success TERMINAL 'at a terminal: yes is kept' '
	script -qec "\"$AVOGIT\" trust" /dev/null <<-\EOF >../out &&
	y
	EOF
	evolve_goes_on &&
	avogit trust --revoke &&
	untrusted operator.command evolve
'

test_expect_success '--yes trusts, in a file that is only ours' '
	avogit trust --yes >../out &&
	grep -F "[\"agent\",\"--fast\"]" ../out &&
	evolve_goes_on &&
	test "$(stat -c %a "$decisions")" = 600 &&
	test "$(stat -c %a "$(dirname "$decisions")")" = 700
'

test_expect_success 'what is trusted is not asked again' '
	avogit trust </dev/null >../out &&
	grep "operator.command (trusted already)" ../out
'

test_expect_success 'one word changes: asked again' '
	change_task "operator: {command: [agent, --slow]}" &&
	untrusted operator.command evolve
'

test_expect_success 'two words are not one' '
	change_task "operator: {command: [\"agent --fast\"]}" &&
	untrusted operator.command evolve
'

test_expect_success 'something else that changes is no matter' '
	change_task "operator: {command: [agent, --fast]}" &&
	sed -i "s/timeout: 10s/timeout: 20s/" avogit.yaml &&
	git commit -qam "more time" &&
	evolve_goes_on
'

test_expect_success 'what is trusted in parts is not trusted together' '
	change_task "operator: {name: llm, base_url: \"https://a.example\", key_env: A}" &&
	avogit trust --yes >/dev/null &&
	change_task "operator: {name: llm, base_url: \"https://b.example\", key_env: B}" &&
	avogit trust --yes >/dev/null &&
	change_task "operator: {name: llm, base_url: \"https://b.example\", key_env: A}" &&
	untrusted "operator.base_url, operator.key_env" evolve &&
	change_task "operator: {command: [agent, --fast]}"
'

test_expect_success 'another clone has to be trusted on its own' '
	cd .. && git clone -q repo clone && cd clone &&
	untrusted operator.command evolve &&
	cd ../repo && evolve_goes_on
'

test_expect_success 'another work tree of the same repository has it' '
	git worktree add -q ../second &&
	cd ../second && evolve_goes_on &&
	cd ../repo
'

test_expect_success '--list shows the decisions of this repository' '
	avogit trust --list >../out &&
	test "$(wc -l <../out)" = 3 &&
	grep "operator  *avogit.yaml" ../out &&
	cd ../clone && avogit trust --list >../out &&
	test_must_be_empty ../out &&
	cd ../repo
'

test_expect_success '--revoke takes back those of this repository only' '
	cd ../clone && avogit trust --yes >/dev/null && cd ../repo &&
	echo "a line of a later version" >>"$decisions" &&
	avogit trust --revoke >../out &&
	grep "took back 3 decisions" ../out &&
	untrusted operator.command evolve &&
	grep "a line of a later version" "$decisions" &&
	cd ../clone && evolve_goes_on && avogit trust --revoke &&
	cd ../repo
'

test_expect_success 'a launcher command is asked for by score and evolve' '
	change_task "launcher: {command: [srun, --gres=gpu:1]}" &&
	untrusted launcher.command score &&
	untrusted launcher.command evolve &&
	avogit trust --yes >../out &&
	grep -F "[\"srun\",\"--gres=gpu:1\"]" ../out &&
	avogit score >../out &&
	grep "pass, " ../out
'

test_expect_success 'the task of --task is what is asked about' '
	mkdir deep && cp avogit.yaml kernel.c reference.c baseline.c deep &&
	sed -i "s/gpu:1/gpu:2/" deep/avogit.yaml &&
	git add deep && git commit -qm deep &&
	untrusted launcher.command score --task deep/avogit.yaml &&
	grep -e "avogit trust --task deep/avogit.yaml" ../err &&
	test_expect_code 128 avogit trust --task deep/avogit.yaml </dev/null 2>../err &&
	grep "avogit trust --task deep/avogit.yaml --yes" ../err &&
	avogit trust --yes --task deep/avogit.yaml >../out &&
	grep "gpu:2" ../out &&
	avogit score --task deep/avogit.yaml >../out &&
	grep "pass, " ../out &&
	avogit trust --revoke
'

test_expect_success 'a program of the repository cannot be a launcher' '
	for command in ./evil ../evil sub/evil "[]" "{a: b}" \
		"[\"srun\\ex\"]" "[\"srun\", \"a\\nb\"]"
	do
		change_task "launcher: {command: $command}" &&
		test_expect_code 128 avogit score 2>../err &&
		grep "avogit.yaml:[0-9]*: launcher.command: " ../err &&
		test "$(wc -l <../err)" = 1 || return 1
	done &&
	change_task "launcher: {comand: [srun]}" &&
	test_expect_code 128 avogit score 2>../err &&
	grep "comand.*command" ../err
'

test_expect_success 'what would fool a terminal is shown for what it is' '
	change_task "operator: {command: [\"a\\e[2K\\rb\\x9bm\\u202ec\\x7f\", \"\\U0001f600\"]}" &&
	untrusted operator.command evolve &&
	avogit trust --yes >../out 2>&1 &&
	! LC_ALL=C grep "[^ -~]" ../out &&
	grep -F "\\u001b[2K\\rb\\u009bm\\u202ec\\u007f" ../out &&
	grep -F "\\ud83d\\ude00" ../out &&
	avogit trust --revoke
'

test_expect_success 'what nobody would read through is refused' '
	change_task "operator: {command: [agent, \"$(printf "%5000s" x)\"]}" &&
	test_expect_code 128 avogit trust --yes 2>../err &&
	grep "operator.command is longer than" ../err &&
	test_expect_code 128 avogit evolve 2>../err &&
	grep "operator.command is longer than" ../err &&
	change_task "operator: {command: [agent, --fast]}"
'

test_expect_success 'a trust file that the repository brings is not read' '
	avogit trust --yes >/dev/null &&
	for place in .git .git/avogit . .local/state/avogit
	do
		mkdir -p "$place" && cp "$decisions" "$place/trust" || return 1
	done &&
	git add -f trust .local && git commit -qm "trust me" &&
	avogit trust --revoke &&
	untrusted operator.command evolve
'

test_expect_success 'a trust file open to others is refused' '
	avogit trust --yes >/dev/null &&
	for mode in 666 620 602 644
	do
		chmod "$mode" "$decisions" &&
		test_expect_code 128 avogit evolve 2>../err &&
		grep "open to other users.*chmod 600" ../err &&
		test "$(wc -l <../err)" = 1 &&
		test_expect_code 128 avogit trust --yes 2>../err &&
		grep "open to other users" ../err || return 1
	done &&
	chmod 600 "$decisions" &&
	chmod 777 "$(dirname "$decisions")" &&
	test_expect_code 128 avogit evolve 2>../err &&
	grep "open to other users.*chmod 700" ../err &&
	chmod 700 "$(dirname "$decisions")" &&
	evolve_goes_on
'

test_expect_success ROOT 'a trust file of another user is refused' '
	chown 12345 "$decisions" &&
	test_expect_code 128 avogit evolve 2>../err &&
	grep "belongs to another user" ../err &&
	chown 0 "$decisions" &&
	evolve_goes_on
'

test_expect_success 'a trust file that is a link is refused' '
	mv "$decisions" ../elsewhere &&
	ln -s "$PWD/../elsewhere" "$decisions" &&
	test_expect_code 128 avogit evolve 2>../err &&
	grep "is a link" ../err &&
	rm "$decisions" && mv ../elsewhere "$decisions" &&
	evolve_goes_on
'

test_expect_success 'XDG_STATE_HOME is where it says' '
	(
		XDG_STATE_HOME=$HOME/other && export XDG_STATE_HOME &&
		untrusted operator.command evolve &&
		avogit trust --yes >/dev/null &&
		test -f "$HOME/other/avogit/trust" &&
		evolve_goes_on
	) &&
	(
		unset HOME && GIT_CONFIG_GLOBAL=/dev/null &&
		export GIT_CONFIG_GLOBAL &&
		test_expect_code 128 avogit evolve 2>../err &&
		grep "HOME must be set" ../err
	)
'

test_expect_success 'options that do not go together' '
	test_expect_code 2 avogit trust --list --revoke 2>../err &&
	test_expect_code 2 avogit trust --list --yes 2>../err &&
	test_expect_code 2 avogit trust --revoke --task avogit.yaml 2>../err &&
	test "$(wc -l <../err)" = 1
'

test_done
