#!/bin/sh
# test: parallel long no-asan
test_description='a baseline on a GPU waits behind a gate, as a launcher does'
. "$(dirname "$0")/lib-fake-gpu.sh"
fake_repo packed || exit

# A scoring against the baseline passes with these faults, at least one pair of
# processes being compared as often as any are: beside [FAULT...]
beside () {
	faults "$@" || return
	for span in 4s 20s 80s
	do
		git commit -q --allow-empty -m "beside: $*" &&
		{ score_again >../out 2>../err ||
			{ cat ../out ../err; false; }; } &&
		grep " pass, " ../out &&
		git notes --ref=avogit show HEAD >../note &&
		grep "trust=replayed" ../note &&
		grep "vs=baseline" ../note &&
		none_left || return
		grep "against=baseline .* blocks=[1-9]" ../note && return
	done
	return 1
}

# It fails, and the scoring with it: not_beside FAULT...
not_beside () {
	span=80s
	no_verdict "cannot compare with packing: it fails itself: " "$@"
}

# Nothing is seen of the 600 us that the baseline's host takes, many times a
# launch: the last scoring was beside one behind a gate.
hidden () {
	tr " " "\n" <../note | awk -F= "
		\$1 == \"seconds\" { launch = \$2 }
		\$1 == \"worst\" { ratio = \$2 }
		END { exit !(ratio && launch * ratio < 600e-6) }"
}

test_expect_success 'the own baseline waits behind a gate, as a launcher does' '
	not_beside "resident stream_wait_value 1 1" &&
	not_beside "resident stream_wait_value 2 1" &&
	beside "resident stream_wait_value 30 1"
'

test_expect_success 'what its host takes for a launch is no part of it' '
	sed -i "s/LAUNCH(multiply_kernel/usleep(600); &/" baseline.cu &&
	git commit -qam "a slow host" &&
	beside && hidden
'

test_expect_success 'it still does where the driver waited once before it was timed' '
	beside "resident launch 3 full" && hidden
'

# A comparison that is decided soon has fewer than 30 gates; without pieces none
# has as many.
test_expect_success 'it does so in pieces where its launches fill the queue' '
	pieces () {
		not_beside "resident launch 80 full" "resident stream_wait_value 30 1"
	} &&
	{ pieces || pieces || pieces; }
'

test_expect_success 'and not at all where they do so again' '
	beside "resident launch 80 full" "resident launch 220 full" \
		"resident stream_wait_value 8 1"
'

test_expect_success 'nor where a call waits for the card itself' '
	sed -i "s/usleep(600); \(.*\)/\1 SYNCHRONIZE(stream);/" baseline.cu &&
	git commit -qam "a call that waits" &&
	not_beside "resident stream_wait_value 2 1" &&
	beside "resident stream_wait_value 3 1" &&
	sed -i "s/ SYNCHRONIZE(stream);//" baseline.cu &&
	git commit -qam "one that does not" && beside
'

test_done
