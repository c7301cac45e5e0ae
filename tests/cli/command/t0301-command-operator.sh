#!/bin/sh
# test: parallel long no-asan
test_description='operator: {command: [...]}: an agent of somebody else'"'"'s, in the sandbox'
. "$(dirname "$0")/../lib-avogit.sh"
. "$SHARNESS_TEST_SRCDIR/lib-operator.sh"

# A repository whose operator is the shell script on stdin, committed and
# trusted: make_agent NAME [MORE-SETTINGS] <SCRIPT. The flags, which the program is
# told, say whose folders in /var/tmp are whose.
make_agent () {
	make_light_repo "$1" &&
	sed -i "s/flags: \[-O2\]/flags: [-O2, -DOF_$$]/" avogit.yaml &&
	use_operator "${2:-silence: 60s}"
}

# The kernel of ./ takes 8 ms now, and 16 rounds are a gain; committed.
one_step () {
	cp "$SHARNESS_TEST_SRCDIR"/scale/kernel.c . &&
	git commit -qam slower
}

SECRET=not-for-the-agent
export SECRET

test_expect_success 'it needs trust' '
	make_repo untrusted &&
	echo "operator: {command: [sh, -c, true]}" >>avogit.yaml &&
	git commit -qam "an agent" &&
	test_expect_code 128 avogit evolve 2>../err &&
	grep "operator.command would act outside the sandbox" ../err &&
	echo "{\"avogit_recording\":1}" >../recording &&
	test_expect_code 128 avogit evolve --operator command --replay ../recording 2>../err &&
	grep "operator.command would act outside the sandbox" ../err &&
	cd ..
'

test_expect_success BUBBLEWRAP 'an agent that edits with sed and scores by MCP' '
	make_agent honest <<-EOF &&
	sed -i "s/ROUNDS 160 /ROUNDS 40 /" kernel.c
	score "fewer rounds" "a part of the work"
	sed -i "s/ROUNDS 40 /ROUNDS 10 /" kernel.c
	score "ten rounds" "less still"
	EOF
	two_steps &&
	users_state >../before &&
	avogit evolve --attempts 2 >../out &&
	users_state >../after &&
	test_cmp ../before ../after &&
	grep "#1 .*fewer rounds" ../out &&
	grep "^\* #2 .*ten rounds" ../out &&
	git log -1 --format=%B avo/scale/best | grep "Avogit-Operator: command" &&
	test "$(git log -1 --format=%s avo/scale/best^)" = "fewer rounds" &&
	cd ..
'

test_expect_success BUBBLEWRAP 'it has the knowledge base: the notes, and what was tried just now' '
	make_agent knows <<-EOF &&
	know () {
		call knowledge "\"query\":\"\$1\",\"count\":1"
	}
	if ! grep -q "ROUNDS 64 " kernel.c
	then
		echo "// more" >>kernel.c; score "a comment" "none"; exit
	fi
	know "wgmma serialized" >notes
	sed -i "s/ROUNDS 64 /ROUNDS 16 /" kernel.c
	score "sixteen rounds" "an antelope said so" >scored
	know "antelope" >tried
	grep -o "avogit/wgmma.md" notes
	grep -o "run scale: #1 sixteen rounds" tried
	EOF
	one_step &&
	avogit evolve --attempts 2 >../out &&
	grep "operator: sh: .*; its last words: run scale: #1 sixteen rounds$" ../out &&
	transcripts scale | grep "^avogit/wgmma.md$" &&
	cd ..
'

test_expect_success BUBBLEWRAP 'what it leaves unscored is scored' '
	make_agent quiet <<-EOF &&
	sed -i "s/ROUNDS 64 /ROUNDS 16 /" kernel.c
	echo "I made it sixteen rounds"
	EOF
	one_step &&
	avogit evolve --attempts 1 >../out &&
	grep "#1 .*What the agent left" ../out &&
	grep "operator: sh: it finished.*I made it sixteen rounds" ../out &&
	avogit log | grep "operator: sh: it finished" &&
	git log -1 --format=%b avo/scale/best | grep "I made it sixteen rounds" &&
	cd ..
'

test_expect_success BUBBLEWRAP 'what it said is a log of the run, without what a variable calls secret' '
	SCRATCH_TOKEN=hand-this-to-nobody TOKEN_NAME=SCRATCH_TOKEN &&
	export SCRATCH_TOKEN &&
	make_agent talks <<-EOF &&
	sed -i "s/ROUNDS 16 /ROUNDS 1 /" kernel.c
	echo "the token is \$SCRATCH_TOKEN here"
	printf "to stderr\\033[31m" >&2
	EOF
	unset TOKEN_NAME &&
	avogit evolve --attempts 1 >../out &&
	transcripts scale >../log &&
	grep "^avogit: on [0-9a-f]*, lineage 1, it was started as$" ../log &&
	grep "^ sh -c eval" ../log &&
	grep "^Make the kernel of this task faster" ../log &&
	grep "^the token is .key. here$" ../log &&
	grep "^to stderr^..31m$" ../log &&
	grep "^avogit: sh: it finished after .* s; what it left unscored was scored; 1 attempt$" ../log &&
	! grep hand-this-to-nobody ../log ../out &&
	git log --format=%s --glob="refs/avogit/scale/logs" | grep "step-.*txt" &&
	test -z "$(ls .git/avogit/logs/scale)" &&
	cd ..
'

test_expect_success BUBBLEWRAP 'of much output the log has the beginning and the end' '
	make_agent much <<-EOF &&
	sed -i "s/ROUNDS 16 /ROUNDS 1 /" kernel.c
	echo "the very first"
	seq 1000000 1400000
	echo "the very last"
	EOF
	avogit evolve --attempts 1 >../out &&
	transcripts scale >../log &&
	sed -n "/^avogit: what it said:/{n;p;}" ../log >../first &&
	echo "the very first" >../expected &&
	test_cmp ../expected ../first &&
	grep -B1 "^the very last$" ../log | grep "^1400000$" &&
	grep "^.avogit: [0-9]* bytes are left out here.$" ../log &&
	test "$(grep -c "^1[0-9]*$" ../log)" -lt 300000 &&
	cd ..
'

test_expect_success BUBBLEWRAP 'it sees its folder and no repository, secret or parent' '
	make_agent nosy <<-EOF &&
	ls -A; env | grep -c ^SECRET; test -e "$PWD/.git" && echo found-it
	ls /proc | grep -c "^[0-9]"; git rev-parse --git-dir
	echo end
	EOF
	avogit evolve >../out &&
	grep "operator: sh: " ../out >../words &&
	! grep -e not-for-the-agent -e found-it ../words &&
	grep "last words: end$" ../words &&
	transcripts scale >../said &&
	grep -A 1 "^kernel.c$" ../said | grep "^0$" && ! grep -e not-for-the-agent -e found-it ../said &&
	cd ..
'

test_expect_success BUBBLEWRAP 'one that hangs is ended, and that is recorded' '
	make_agent hangs "silence: 3s" <<-EOF &&
	sed -i "s/ROUNDS 16 /ROUNDS 1 /" kernel.c
	sleep 1000
	EOF
	avogit evolve --attempts 1 >../out &&
	grep "operator: sh: it said and asked nothing for 3 s, so it was ended; .* attempt" ../out &&
	avogit log | grep "it said and asked nothing" &&
	cd ..
'

test_expect_success BUBBLEWRAP 'one that goes on and on is ended at its time' '
	make_agent babbles "time: 3s" <<-EOF &&
	sed -i "s/ROUNDS 16 /ROUNDS 1 /" kernel.c
	while sleep 0.01; do echo more; done
	EOF
	avogit evolve --attempts 1 >../out &&
	grep "operator: sh: it took longer than 3 s" ../out &&
	cd ..
'

test_expect_success BUBBLEWRAP 'one that forks away leaves nothing behind' '
	make_agent forks <<-EOF &&
	mark=avogit-forked-away-$$
	setsid sh -c "exec -a \$mark sleep 1000" >/dev/null 2>&1 &
	(setsid setsid sleep 1000.$$ >/dev/null 2>&1 &) &
	echo gone
	EOF
	avogit evolve >../out &&
	grep "operator: sh: it finished" ../out &&
	! grep -l "1000.$$" /proc/[0-9]*/cmdline 2>/dev/null &&
	cd ..
'

test_expect_success BUBBLEWRAP 'one that deletes its workspace has nothing to show' '
	make_agent deletes <<-EOF &&
	rm -rf ./* ../box
	exit 0
	EOF
	avogit evolve >../out &&
	grep "operator: sh: .*; what it left was not scored: none of the task.s sources" ../out &&
	git fsck --strict &&
	cd ..
'

test_expect_success BUBBLEWRAP 'one that leaves a link for a source is refused' '
	make_agent links <<-EOF &&
	ln -sf /etc/passwd kernel.c
	EOF
	avogit evolve >../out &&
	grep "operator: sh: .*kernel.c is a link" ../out &&
	cd ..
'

test_expect_success BUBBLEWRAP 'a program that is not there ends the run in a sentence' '
	make_repo missing &&
	echo "operator: {command: [no-such-agent]}" >>avogit.yaml &&
	git commit -qam "an agent" &&
	avogit trust --yes >/dev/null &&
	test_expect_code 128 avogit evolve >../out 2>../err &&
	test "$(wc -l <../err)" = 1 &&
	grep "no-such-agent" ../err &&
	cd ..
'

# Folders of agents of this test, and those that do not say whose they are: another
# test may be making one, or taking one away, at this moment.
left_over () {
	find /var/tmp -maxdepth 1 -name "avogit-??????" -newer "$HOME/doctor.out" |
	while read -r folder
	do
		test -e "$folder/run/prompt.md" &&
		! grep -qs "^compiler: .* -DOF_$$\$" "$folder/run/prompt.md" ||
		echo "$folder"
	done | sort
}

test_expect_success 'nothing of it is left in /var/tmp' '
	left_over >left &&
	for look in $(seq 100)
	do
		test -s left || break
		left_over | comm -12 left - >still &&
		mv still left || return 1
	done &&
	test_must_be_empty left
'

test_expect_success 'settings that are off are refused by name' '
	make_repo off &&
	cp avogit.yaml ../task &&
	for bad in "{command: []}" "{command: [a], silence: soon}" \
		"{command: [a], env: [\"A=1\"]}" "{command: [a], folders: [b]}" \
		"{command: [a], colour: red}"
	do
		cp ../task avogit.yaml &&
		echo "operator: $bad" >>avogit.yaml &&
		git commit -qam "$bad" &&
		avogit trust --yes >/dev/null &&
		test_expect_code 128 avogit evolve 2>../err &&
		grep "avogit.yaml: operator\\.[a-z]*: " ../err || return 1
	done
'

test_expect_success BUBBLEWRAP 'one that fails time after time stops the run, with its words' '
	make_agent fails <<-\EOF &&
	echo "no credit left"; exit 3
	EOF
	test_expect_code 1 avogit evolve >../out &&
	grep "^stopped: the operator failed 8 times: sh: it ended with exit code 3 .*its last words: no credit left" ../out &&
	avogit runs | grep "stopped: the operator failed 8 times" &&
	cd ..
'

test_expect_success BUBBLEWRAP 'so does one that is silent time after time' '
	make_agent silent "silence: 0.05s" <<-\EOF &&
	exec tail -f /dev/null
	EOF
	test_expect_code 1 avogit evolve >../out &&
	grep "^stopped: the operator failed 8 times: sh: it said and asked nothing for" ../out &&
	cd ..
'

test_expect_success BUBBLEWRAP 'one that ends well without an idea did not fail' '
	make_agent idle <<-\EOF &&
	exit 0
	EOF
	avogit evolve >../out &&
	grep "^stopped: 8 steps in a row made no attempt: sh: it finished after .*; 0 attempts$" ../out &&
	cd ..
'

test_expect_success BUBBLEWRAP 'one that only talks is quoted when the run stops' '
	make_agent talker <<-\EOF &&
	echo "you have not granted me the tool yet"
	EOF
	avogit evolve >../out &&
	grep "^stopped: 8 steps in a row made no attempt: .*its last words: you have not granted me the tool yet" ../out &&
	avogit runs | grep "8 steps in a row made no attempt" &&
	cd ..
'

test_expect_success BUBBLEWRAP 'of one that says much its last line is quoted, and no more than its beginning' '
	make_agent chatty <<-\EOF &&
	echo "files:"; ls -la /usr; echo "$(printf "%070d" 0) more than eighty characters"; echo
	EOF
	avogit evolve >../out &&
	grep "^operator: sh: .*; its last words: 0\{70\} more than\.\.\.$" ../out &&
	! grep "files:" ../out &&
	cd ..
'

test_expect_success BUBBLEWRAP 'programs of the given folders are found, and may end with their parents' '
	mkdir -p "$HOME/../tool/bin" &&
	tool=$(cd "$HOME/../tool" && pwd) &&
	case $tool in /tmp/*) tool=$(mktemp -d /var/tmp/avogit-tool.XXXXXX) && mkdir "$tool/bin" ;; esac &&
	chmod 755 "$tool" &&
	printf "#!/bin/sh\necho found-by-name\n" >"$tool/bin/its-own-tool" &&
	chmod 755 "$tool/bin" "$tool/bin/its-own-tool" &&
	make_agent path "folders: [$tool]" <<-\EOF &&
	its-own-tool; setpriv --pdeathsig TERM echo death-signal-set; exit 3
	EOF
	test_expect_code 1 avogit evolve >../out &&
	rm -r "$tool" &&
	grep "its last words: death-signal-set" ../out &&
	transcripts scale | grep "^found-by-name$" &&
	cd ..
'

test_expect_success BUBBLEWRAP 'after a kill -9 in a step all that was scored is there, also without saved steps' '
	make_agent ended "silence: 600s" <<-EOF &&
	if grep -q "ROUNDS 64 " kernel.c
	then
		sed -i "s/ROUNDS 64 /ROUNDS 16 /" kernel.c
		score "sixteen rounds" "a part of the work"
		sleep 600
	fi
	sed -i "s/ROUNDS 16 /ROUNDS 1 /" kernel.c
	score "one round" "less still"
	EOF
	one_step &&
	evolve_until 2 &&
	kill -9 $evolving &&
	{ evolve_rest || :; } &&
	avogit log >../killed &&
	grep "#1 .*sixteen rounds" ../killed &&
	rm -rf .git/avogit/steps &&
	avogit evolve --attempts 1 >../out &&
	avogit log >../after &&
	grep "#1 .*sixteen rounds" ../after &&
	grep "#2 .*one round" ../after &&
	git fsck --no-dangling &&
	cd ..
'

test_expect_success BUBBLEWRAP 'clients find the tools in the home that they have inside' '
	make_agent homes <<-\EOF &&
	grep -l "/run/avogit/mcp.sock" ~/.codex/config.toml ~/.gemini/settings.json \
		~/.config/opencode/opencode.json
	touch ~/.codex/more && echo "and room for more"; exit 3
	EOF
	test_expect_code 1 avogit evolve >../out &&
	grep "its last words: and room for more" ../out &&
	transcripts scale >../said && for file in codex/config.toml gemini/settings.json config/opencode/opencode.json
	do
		grep "^/.*/\.$file$" ../said || return 1
	done &&
	cd ..
'

test_expect_success BUBBLEWRAP 'what it says that it used is the spend of the run' '
	make_agent spends <<-\EOF &&
	echo "{\"type\":\"result\",\"num_turns\":2,\"total_cost_usd\":0.25,\"usage\":{\"input_tokens\":1000,\"cache_read_input_tokens\":3000,\"output_tokens\":500}}"
	echo "{\"type\":\"step_finish\",\"part\":{\"cost\":0.125,\"tokens\":{\"input\":1000,\"output\":300,\"reasoning\":200,\"cache\":{\"read\":5000,\"write\":0}}}}"
	echo "{\"type\":\"step_finish\",\"part\":{\"cost\":-1e300,\"tokens\":[]}}"
	sed -i "s/ROUNDS 16 /ROUNDS 1 /" kernel.c
	EOF
	avogit evolve --attempts 1 >../out &&
	git log --format=%B --glob="refs/avogit/scale/journal" >../journal &&
	grep "0.375" ../journal &&
	grep "10000" ../journal &&
	cd ..
'

test_expect_success BUBBLEWRAP 'the money of a run ends it by what the program says' '
	make_agent money <<-\EOF &&
	echo "{\"type\":\"result\",\"num_turns\":1,\"total_cost_usd\":5,\"usage\":{\"input_tokens\":1,\"output_tokens\":1}}"
	exec tail -f /dev/null
	EOF
	avogit evolve --money 1 >../out &&
	grep "^stopped: .*money" ../out &&
	cd ..
'

test_expect_success BUBBLEWRAP 'after the last attempt it may write its notes' '
	make_agent notes <<-EOF &&
	sed -i "s/ROUNDS 16 /ROUNDS 1 /" kernel.c
	score "one round" "less"
	call notes "\"add\":\"an okapi was here\"" >/dev/null
	echo noted
	EOF
	avogit evolve --attempts 1 >../out &&
	grep "operator: sh: it finished after .*1 attempt; its last words: .*noted" ../out &&
	cd ..
'

test_done
