#!/bin/sh
# test: parallel long no-asan
test_description='a driver that fails while kernels are timed'
. "$(dirname "$0")/lib-fake-gpu.sh"
fake_repo task || exit

test_expect_success 'a launcher whose driver answers errors' '
	faults "launcher launch 1 700" &&
	git commit -q --allow-empty -m "a fault of launchers" &&
	score_again >../out && grep " pass, " ../out &&
	git notes --ref=avogit show HEAD >../note &&
	grep "isolated=\"replayed it is something else" ../note &&
	verdict "crashed: its kernels: a launch: CUDA_ERROR_LAUNCH_FAILED" \
		"launcher launch 3 719" &&
	verdict "crashed: it cannot be replayed: loading the cubin" \
		"launcher module_load 1 999"
'

test_expect_success 'one launch of a batch that does nothing is seen' '
	verdict "wrong: 16384 elements of \`y\` were not written" \
		"launcher scale_kernel 12 odd"
'

test_expect_success 'a launcher that dies' '
	verdict "crashed: its kernels: it ended by signal" \
		"launcher stream_wait 3 die" &&
	verdict "crashed: its kernels: it exited with status 3" \
		"launcher event_record 1 exit"
'

test_expect_success 'one launch of a batch that hangs is waited for once' '
	verdict "timed-out: its kernels did not end" \
		"launcher stream_wait 4 hang" &&
	verdict "timed-out: " "launcher event_wait 9 hang" &&
	passes
'

test_expect_success 'events that disagree with the clock' '
	verdict "forbidden: its events say 8.64e+04 s" \
		"launcher event_elapsed 1 odd" &&
	verdict "forbidden: its events say 0 s" \
		"launcher event_elapsed 1 short"
'

test_expect_success 'a host that is held up costs a batch, not a verdict' '
	faults "launcher stream_wait 1 late" "launcher stream_wait 3 late" &&
	git commit -q --allow-empty -m "held up" &&
	score_again >../out &&
	grep " pass, " ../out &&
	verdict "forbidden: its events say" "launcher stream_wait * late"
'

test_expect_success 'a driver that says too early that all is done is not believed' '
	faults "launcher stream_wait * odd" &&
	git commit -q --allow-empty -m "done too early" &&
	score_again >../out &&
	grep " pass, " ../out
'

test_expect_success 'a driver that waits for the card while it takes launches' '
	for n in 1 5
	do
		faults "launcher launch $n full" &&
		git commit -q --allow-empty -m "full at launch $n" &&
		score_again >../out &&
		grep " pass, " ../out || return 1
	done
'

test_expect_success 'launches of many steps that take long are waited for one by one' '
	mode 6 &&
	faults "capturer graph_edges * odd" \
		"launcher stream_wait 240 slow" \
		"launcher stream_wait 240 slow" \
		"launcher stream_wait 240 slow" &&
	git commit -q --allow-empty -m "many steps" &&
	{ score_again >../out || cat ../out; } &&
	grep " pass, " ../out &&
	mode 0
'

test_done
