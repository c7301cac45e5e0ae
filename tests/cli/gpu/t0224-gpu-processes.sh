#!/bin/sh
# test: parallel long no-asan
test_description='processes on a GPU: made ahead, replaced, gone afterwards'
. "$(dirname "$0")/lib-fake-gpu.sh"
fake_repo task || exit

# avogit is at work with a driver that hangs; it gets the signal. Its exit code
# is the result: signalled SIGNAL FAULT
signalled () {
	faults "$2" &&
	git commit -q --allow-empty -m "signal $1" || return
	"$AVOGIT" score --again HEAD >../out 2>../err &
	scoring=$!
	await at_work || return
	kill -s "$1" $scoring
	wait $scoring
}

test_expect_success 'nothing is left of a hang when avogit is killed' '
	for role in gpu-judge spare
	do
		test_expect_code 137 signalled KILL "$role init 1 hang" &&
		none_left &&
		test_expect_code 130 signalled TERM "$role init 1 hang" &&
		none_left || return 1
	done &&
	passes
'

test_expect_success 'launchers made while a kernel is built are those it gets' '
	building "made ahead" &&
	faults "spare init 1 46" &&
	goes_on
'

test_expect_success 'the reference is built while a kernel is' '
	kept=$XDG_CACHE_HOME/avogit/build &&
	rm -rf "$kept" && mkdir "$kept" &&
	building "beside" &&
	for i in $(seq 300)
	do
		test -z "$(ls "$kept")" || break
		sleep 0.1
	done &&
	ls "$kept" >../kept &&
	test "$(wc -l <../kept)" = 1 &&
	goes_on
'

test_expect_success 'host code is gone before anything is timed' '
	faults "launcher stream_wait 12 hang" &&
	sed -i "s/direction: in}/direction: in, fill: normal}/" avogit.yaml &&
	git commit -qam "hangs while it is timed, not in one of nine kinds" || return
	"$AVOGIT" score --again HEAD >../out 2>../err &
	scoring=$!
	await is_named hangs || return
	named capturer >../there
	wait $scoring
	test_must_be_empty ../there &&
	grep "timed-out" ../out &&
	none_left &&
	git checkout -q HEAD^ avogit.yaml && git commit -qm "all kinds"
'

# The states of spares that wait for the driver to open, once a launcher hangs while
# it is timed, for as long as a launch may take: opening
opening () {
	await is_named hangs || return
	for cmdline in $(grep -lsz '^spare$' /proc/[0-9]*/cmdline)
	do
		process=${cmdline%/cmdline}
		test "$(stat -Lc %s "$process/fd/13")" = $size || continue
		test "$(cat "$process/comm")" = waits || continue
		sed -n "s/^State:[[:space:]]*//p" "$process/status"
	done
}

test_expect_success 'what opens the card for the next candidate is stopped while this one is timed' '
	faults "spare init 1 waits" "launcher stream_wait 20 hang" &&
	sed -i "s/direction: in}/direction: in, fill: normal}/; s/timeout: 1s/timeout: 60s/" avogit.yaml &&
	echo "#define ANY 1 // avogit: 1 2" >>kernel.cu &&
	git commit -qam "has a next candidate" || return
	"$AVOGIT" evolve --run next -n 1 >../out 2>../err &
	scoring=$!
	opening >../states
	kill -s KILL $scoring
	cat ../states &&
	grep -q ^T ../states &&
	! grep -v ^T ../states &&
	none_left &&
	git checkout -q HEAD^ avogit.yaml kernel.cu && git commit -qm "as it was"
'

test_expect_success 'one that died is replaced' '
	building "one dies" &&
	kill -s KILL ${waiting%%[!0-9]*} &&
	goes_on &&
	building "all die" &&
	kill -s KILL $waiting &&
	goes_on
'

test_expect_success 'one that does not answer is replaced' '
	building "one stops" &&
	kill -s STOP ${waiting%%[!0-9]*} &&
	goes_on
'

test_expect_success 'one that ends or hangs when it is done is no loss' '
	for end in die hang
	do
		faults "launcher synchronize 2 $end" &&
		git commit -q --allow-empty -m "done: $end" &&
		score_again >../out &&
		grep " pass, " ../out &&
		none_left || return 1
	done
'

test_expect_success 'a trace says what a scoring waited for' '
	AVOGIT_TRACE=$PWD/../trace &&
	export AVOGIT_TRACE &&
	passes &&
	unset AVOGIT_TRACE &&
	! grep -Ev "^[0-9.]+ [0-9.]+ [0-9.]+ [0-9]+ [a-z-]+ [a-z-]+\$" ../trace &&
	awk "\$1 > \$3 || \$2 > \$3 { exit 1 }" ../trace &&
	for of in "gpu-judge compare" "spare start" "spare capture" "spare run"
	do
		grep -q " $of\$" ../trace || return 1
	done
'

test_expect_success 'launchers map what they write next while the judge looks at what they wrote' '
	awk "\$6 == \"arm\" { asked[++n] = \$1; waited[n] = \$2 }
		\$6 == \"compare\" { began[++m] = \$1; ended[m] = \$3 }
		END { for (i = 1; i <= n; i++)
			for (k = 1; k <= m; k++)
				all += asked[i] < began[k] && ended[k] < waited[i]
			print all + 0; exit !all }" ../trace
'

test_expect_success 'one process captures a candidate, for the comparison and then for the checks' '
	awk "/ spare capture\$/ { n[\$4]++ } END { for (i in n) print n[i] }" ../trace >../captures &&
	test "$(wc -l <../captures)" = 1 &&
	test "$(cat ../captures)" -ge 10
'

test_expect_success 'none is left when avogit is killed, or the kernel does not build' '
	building "killed" &&
	kill -s KILL $scoring &&
	none_left &&
	building "interrupted" &&
	kill -s TERM $scoring &&
	none_left &&
	: >"$CUDA_HOME/go" &&
	sed -i "s/^#define MODE.*/&\n#error HELD no/" kernel.cu &&
	git commit -qam broken &&
	test_expect_code 1 avogit score HEAD >../out &&
	grep "build-failed" ../out &&
	none_left &&
	git checkout -q HEAD~1 kernel.cu && git commit -qm mended
'

test_done
