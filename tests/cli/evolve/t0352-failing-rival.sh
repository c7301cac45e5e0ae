#!/bin/sh
# test: parallel long
test_description='a run goes on where what its attempts are held against fails

The champion passes when it is scored first, and crashes from a moment on: it asks
for a limit that nothing here counts on, and that the test then lowers. It is forty
times as fast as the start, which is found where others have nine tenths of the CPU,
too.'
. "$(dirname "$0")/../lib-avogit.sh"

test_expect_success 'setup: a champion that will crash' '
	make_repo repo &&
	kernel_of_rounds 12000 && git commit -qam "slow" &&
	kernel_of_rounds 300 "$crashes_later" &&
	avogit score --run r -m "forty times as fast" >../out &&
	grep "^\* #1 .*champion" ../out
'

test_expect_success 'the next attempt is measured, and the champion loses its crown' '
	kernel_of_rounds 360 &&
	later score --run r -m "as fast, and right" >../out &&
	cat ../out &&
	grep "^scorer: #1 failed as a rival (crashed: .*); by itself it fails, too" ../out &&
	grep "^x #1 .*crashed" ../out &&
	grep "^\* #2 .*champion" ../out &&
	avogit log --run r >../log && cat ../log &&
	grep "#1 .*crashed" ../log &&
	grep -- "-- scorer: #1 failed as a rival" ../log
'

# Where others have most of the CPU this gain may be too small to be crowned for.
test_expect_success 'and the run goes on from the other' '
	kernel_of_rounds 30 &&
	later score --run r -m "twelve times as fast again" >../out &&
	cat ../out &&
	! grep "^scorer" ../out &&
	grep "^[*.] #3 .* \(champion\|kept\|undecided\|unsteady\|not faster\) " ../out &&
	avogit log --run r >../log && cat ../log &&
	grep "^\* .*#[23] .*champion" ../log
'

test_expect_success 'a baseline that fails is one clear sentence' '
	git checkout -q kernel.c &&
	sed -i "s|^{|{ __builtin_trap();|" baseline.c &&
	git commit -qam "a baseline that crashes" &&
	test_expect_code 128 avogit score HEAD >../out 2>../err &&
	cat ../err &&
	test_must_be_empty ../out &&
	test "$(wc -l <../err)" = 1 &&
	grep "cannot compare with naive: it fails itself: it ended by SIG" ../err
'

test_done
