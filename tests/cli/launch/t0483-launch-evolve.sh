#!/bin/sh
# test: parallel long
test_description='avogit evolve --launch: a run whose scores another machine makes'
. "$(dirname "$0")/../lib-avogit.sh"

. "$SHARNESS_TEST_SRCDIR/launch/lib-launch.sh"
far_side
speeds="10 20 30 40 50 60"

# Measurements that the far side made.
measured_far () {
	far=$(echo "$FAR"/cache/avogit/jobs/*) &&
	git --git-dir="$far" log --format=%s --glob="refs/avogit/@/journal/*" |
	grep -c "^measurement"
}

test_expect_success 'a launch that nothing configures, or the repository, is refused' '
	application repo "$speeds" "" 300000 &&
	test_expect_code 128 avogit evolve --launch far 2>../err &&
	grep "git config --global avogit.launch.far.command" ../err &&
	git config avogit.launch.far.command "touch $FAR/ran" &&
	test_expect_code 128 avogit evolve --launch far 2>../err &&
	grep "must be your own" ../err &&
	test ! -e ../ran &&
	git config --unset avogit.launch.far.command &&
	test_expect_code 2 avogit evolve --launch far --gpus 0 2>../err &&
	grep "another one measures" ../err
'

test_expect_success 'one that does not answer at the start, or declines, is said at once' '
	git config --global avogit.launch.far.command "\"\$FAR/far\"" &&
	behave "exit 3" &&
	test_expect_code 128 avogit evolve --launch far 2>../err &&
	grep "launch far: no answer: its command ended, exit code 3" ../err &&
	behave "XDG_CACHE_HOME= HOME= real" &&
	test_expect_code 128 avogit evolve --launch far 2>../err &&
	grep "does not measure: there is no folder to keep jobs in" ../err &&
	test -z "$(git for-each-ref refs/avogit/app)"
'

test_expect_success 'the run is as it would be here: same attempts, same champion' '
	(
		application ../here "$speeds" "" 300000 &&
		avogit evolve --seed 1 --attempts 5 >/dev/null &&
		avogit log | sed "s/ [0-9a-f]\{7\} / /" >../expect &&
		entries measurement >../expect.n
	) &&
	behave real &&
	: >../starts &&
	avogit evolve --seed 1 --attempts 5 --launch far >../out &&
	grep "^starting run app at .* of launch far" ../out &&
	avogit log | sed "s/ [0-9a-f]\{7\} / /" >../actual &&
	test_cmp ../expect ../actual &&
	entries measurement >../actual.n &&
	test_cmp ../expect.n ../actual.n &&
	test "$(entries measurement)" = "$(orders)" &&
	git log --format=%B --glob="refs/avogit/app/journal/*" >../entries &&
	test "$(grep -c "\"launch\":\"far\"" ../entries)" = "$(orders)"
'

test_expect_success 'what the other side has is not sent again' '
	test "$(awk "\$2 > 100000" ../starts | wc -l)" = 1 &&
	test "$(awk "\$2 < 3000" ../starts | wc -l)" -ge 7
'

# The start of a run that begins where another did is not measured again.

test_expect_success 'and if it lost that, all is sent again' '
	: >../starts &&
	behave "before lost || { real; rm -rf \"\$FAR/cache\"; exit 0; }; real" &&
	avogit evolve --run lost --seed 2 --attempts 3 --launch far >../out &&
	test "$(entries measurement lost)" = 5 &&
	test "$(awk "\$2 > 100000" ../starts | wc -l)" = 1
'

test_expect_success 'a line that is dead for a while, and one that is cut, lose nothing' '
	: >../starts && rm -rf ../cache &&
	behave "scores || { real; exit; }
		before dead || exit 255
		before dead2 || exit 255
		before cut || { real >\"\$FAR/whole\"; head -c 200 \"\$FAR/whole\"; exit 255; }
		real" &&
	AVOGIT_TEST_CLOCK=20 avogit evolve --run cut --seed 1 --attempts 5 --launch far >../out 2>../err &&
	grep "launch far: no answer: .*exit code 255" ../err >../said &&
	test "$(wc -l <../said)" = 1 &&
	grep "launch far: it answers again" ../err &&
	entries measurement cut >../actual.n &&
	test_cmp ../expect.n ../actual.n &&
	test "$(measured_far)" = "$(($(entries measurement cut) - 1))"
'

test_expect_success 'a server that is killed or told to stop, as before a restart, is asked again' '
	behave "stopped_by () {
			rm -f \"\$FAR/line\" && mkfifo \"\$FAR/line\"
			\"\$AVOGIT\" score --job <\"\$FAR/line\" &
			exec 9>\"\$FAR/line\"
			cat \"\$sent\" >&9
			for i in \$(seq 100)
			do
				file=\$(ls \"\$FAR\"/cache/avogit/jobs/*/*.bundle)
				test -s \"\$file\" && test \"\$file\" != \"\$(cat \"\$FAR/left\")\" && break
				sleep 0.1
			done
			test \$1 = KILL || { real >/dev/null; test -e \"\$file\" && echo yes >\"\$FAR/held\"; }
			kill -\$1 \$! && wait \$!
			echo \"\$file\" >\"\$FAR/left\"
			exit
		}
		scores || { real; exit; }
		before killed || stopped_by KILL 2>/dev/null
		before ended || stopped_by TERM 2>/dev/null
		real" &&
	: >../left &&
	AVOGIT_TEST_CLOCK=20 avogit evolve --run stopped --seed 1 --attempts 1 --launch far >../out 2>../err &&
	grep "launch far: no answer: .*exit code" ../err &&
	grep "launch far: it answers again" ../err &&
	test -e ../once.ended &&
	test "$(cat ../held)" = yes &&
	test "$(find ../cache -name "*.bundle")" = "" &&
	test "$(avogit log --run stopped | grep -c "in flight")" = 0
'

test_expect_success 'patience counts from the first silence, not from the order' '
	behave "scores || { real; exit; }
		before slow || { sleep 1.2; exit 255; }
		real" &&
	avogit evolve --run slow --seed 1 --attempts 1 --launch far --patience 1s >../out 2>../err &&
	grep "launch far: it answers again" ../err
'

test_expect_success 'one that stays dead is given up, and the same command goes on' '
	behave "scores && exit 255; real" &&
	test_expect_code 128 env AVOGIT_TEST_CLOCK=20 "$AVOGIT" evolve --run dead --seed 1 --attempts 2 \
		--launch far --patience 5s 2>../err &&
	grep "no answer for 5.0 s: .*exit code 255.*the same command goes on" ../err &&
	test "$(entries measurement dead)" = 1 &&
	behave real &&
	avogit evolve --run dead --attempts 2 --launch far >../out &&
	test "$(entries measurement dead)" = "$(($(entries attempt dead) + 2))"
'

# The far side changes its first answer to a score, and nothing of it is believed;
# the attempt is in flight, and is measured by the next call:
# refuses REASON SED-COMMANDS
refuses () {
	refusals=$((${refusals:-0} + 1)) &&
	behave "scores || { real; exit; }
		compares || { real; exit; }
		real | sed '$2'" &&
	test_expect_code 128 avogit evolve --run refuses --seed 1 --attempts 1 --launch far 2>../err &&
	grep "$1" ../err &&
	test "$(entries measurement refuses)" = 1
}

test_expect_success 'an answer to something else is not believed' '
	refuses "nothing of it is believed.*answers job 0123456789abcdef" \
		"1s/\"job\":\"[0-9a-f]*\"/\"job\":\"0123456789abcdef\"/" &&
	refuses "other sources" "1s/\"sources\":\"[0-9a-f]*\"/\"sources\":\"0123456789abcdef\"/" &&
	refuses "another kind of machine" "1s/\"machine\":\"[0-9a-f]*\"/\"machine\":\"0123456789abcdef\"/" &&
	refuses "what it was not asked to" "1s/\"rival\":\"incumbent\"/\"rival\":\"champion\"/" &&
	refuses "answers twice" "1p" &&
	refuses "no answer to what was asked" "1s/\"measurement\":/\"else\":/" &&
	refuses "no answer to what was asked" \
		"1s/\"measurement\":.*/\"rival_failed\":{\"rival\":1,\"verdict\":\"wrong\",\"gpu_seconds\":0}}/" &&
	behave real &&
	avogit evolve --run refuses --attempts 1 --launch far >../out &&
	test "$(entries attempt refuses)" = 2 &&
	test "$(entries measurement refuses)" = 4
'

test_expect_success 'texts of any length that come back take no more room than those of here' '
	cat >../forge.pl <<-\EOF &&
	BEGIN { ($key, $size) = splice @ARGV, 0, 2 }
	$text = "x" x $size;
	s/"environment":\{/"environment":{"forged":"$text",/ if $key eq "setting";
	s/"verdict":"pass"/"verdict":"wrong","why":"$text","log":"$text"/ if $key eq "why";
	EOF
	behave "scores || { real; exit; }
		compares && ! before long || { real; exit; }
		real | perl -p \"\$FAR/forge.pl\" why 3000000" &&
	avogit evolve --run long --seed 1 --attempts 2 --launch far >../out &&
	for ref in $(git for-each-ref --format="%(refname)" refs/avogit/long/journal)
	do
		git log --first-parent --format="%B" $ref
	done >../entries &&
	test "$(grep -o "\"why\":\"x*" ../entries | awk "{print length - 7}")" = 8192 &&
	test "$(grep -o "\"log\":\"x*" ../entries | awk "{print length - 7}")" = 65536 &&
	behave "scores || { real; exit; }
		compares || { real; exit; }
		real | perl -p \"\$FAR/forge.pl\" setting 3000000" &&
	test_expect_code 128 avogit evolve --run long --attempts 1 --launch far 2>../err &&
	grep "bytes, more than the 983040 that one can have" ../err &&
	behave real &&
	avogit evolve --run long --attempts 1 --launch far >../out &&
	test "$(avogit log --run long | grep -c "in flight")" = 0
'

test_expect_success 'a rival that fails there is scored there by itself, as it would be here' '
	behave "scores || { real; exit; }
		compares && ! before rival || { real; exit; }
		real | sed \"1s/\\\"measurement\\\":.*/\\\"rival_failed\\\":{\\\"rival\\\":0,\\\"verdict\\\":\\\"wrong\\\",\\\"why\\\":\\\"off by one\\\",\\\"gpu_seconds\\\":0}}/\"" &&
	avogit evolve --run rival --seed 1 --attempts 2 --launch far >../out &&
	grep "#0 failed as a rival (wrong: off by one); by itself it passes" ../out &&
	test "$(entries measurement rival)" = "$(($(entries attempt rival) + 2))"
'

test_expect_success 'after kill -9 all but the attempt at hand is there, and that is measured next' '
	behave "scores && before first && sleep 10; real" &&
	{ "$AVOGIT" evolve --run killed --seed 1 --attempts 4 --launch far >../out 2>../err & } &&
	pid=$! &&
	for i in $(seq 100)
	do
		test "$(entries attempt killed)" = 2 && break
		sleep 0.1
	done &&
	kill -9 $pid && test_expect_code 137 wait $pid &&
	test "$(entries attempt killed)" = 2 &&
	test "$(entries measurement killed)" = 2 &&
	behave real &&
	avogit evolve --run killed --attempts 2 --launch far >../out &&
	test "$(entries measurement killed)" = "$(($(entries attempt killed) + 2))" &&
	test "$(find .git/avogit -name "far-*")" = ""
'

test_expect_success 'several agents have as many measured at a time as the launch says' '
	git config --global avogit.launch.far.jobs 3 &&
	agent_is "echo \\\"#define SPEED 1\$AVOGIT_AGENT\$(date +%N | cut -c 1-4)\\\" >kernel.c" &&
	: >../busy &&
	behave "compares || { real; exit; }
		echo + >>\"\$FAR/busy\"
		for i in \$(seq 100); do test \$(grep -c + \"\$FAR/busy\") -ge 3 && break; sleep 0.1; done
		real; echo - >>\"\$FAR/busy\"" &&
	avogit evolve --run team --operator command --agents 3 --attempts 6 --launch far >../out &&

	test "$(entries attempt team)" = 6 &&
	test "$(entries measurement team)" -ge "$(($(entries attempt team) + 1))" &&
	awk "{n += \$1 == \"+\" ? 1 : -1; if (n > most) most = n} END {exit most != 3}" ../busy &&
	behave "scores && exit 255; real" &&
	test_expect_code 128 env AVOGIT_TEST_CLOCK=20 "$AVOGIT" evolve --run team --operator command \
		--agents 3 --attempts 6 --launch far --patience 5s 2>../err &&
	grep "no answer for 5.0 s" ../err
'

# In order, so that the run depends on nothing but what the agents do.
test_expect_success 'islands of a run that is measured elsewhere are those that it would have here' '
	git config --global avogit.launch.far.jobs 2 &&
	behave real &&
	application ../isles "$speeds" &&
	agent_is "read -r define name speed rest <kernel.c; echo \\\"#define SPEED \$((2 * speed + AVOGIT_AGENT))\\\" >kernel.c" &&
	echo "islands: {count: 2, attempts: 2}" >>avogit.yaml && git commit -qam "two islands" &&
	for where in near far
	do
		test $where = near || launch="--launch far"
		avogit evolve --run $where --seed 3 --operator command --agents 2 --in-order 2 --attempts 8 $launch >../out.$where &&
		avogit log --run $where | sed -n "s/^[^#]*#/#/p" | tr -s " " >../isles.$where || return 1
	done &&
	grep "^starting run far at .* of launch far, 2 islands" ../out.far &&
	grep "^islands: migration: #[0-9]* .* of island 2 to island 1" ../out.far &&
	grep "of island 2 to island 1" ../isles.far &&
	test_cmp ../isles.near ../isles.far &&
	avogit evolve --run free --operator command --agents 4 --islands 2 --attempts 12 --launch far >../out &&
	grep "of launch far, 2 islands" ../out &&
	grep "^islands: migration" ../out &&
	test "$(avogit log --run free | grep -c "in flight")" = 0
'

test_expect_success 'what is measured for a run that is stopped at once is cancelled there' '
	application ../slow "$speeds" "test \"\$speed\" = 10 || sleep 20" &&
	behave "scores && echo \$\$ >>\"\$FAR/pids\"; exec setsid \"\$AVOGIT\" score --job <\"\$sent\"" &&
	: >../pids &&
	{ "$AVOGIT" evolve --seed 1 --attempts 4 --launch far >../out 2>../err & } &&
	pid=$! &&
	for i in $(seq 100)
	do
		test "$(wc -l <../pids)" = 2 && break
		sleep 0.1
	done &&
	far_pid=$(sed -n 2p ../pids) &&
	sleep 0.5 &&
	kill -0 "$far_pid" &&
	kill -INT $pid && sleep 0.2 && kill -INT $pid &&
	test_expect_code 130 wait $pid &&
	for i in $(seq 50)
	do
		kill -0 "$far_pid" 2>/dev/null || break
		sleep 0.1
	done &&
	test_must_fail kill -0 "$far_pid" &&
	test "$(entries measurement)" = 1
'

test_done
