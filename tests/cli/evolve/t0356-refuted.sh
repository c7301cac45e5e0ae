#!/bin/sh
# test: parallel
test_description='a champion that is found wrong outside of its run loses its crown

It passes in the run, and crashes where a limit that nothing here counts on is
lowered: as one in which a sanitizer finds something later.'
. "$(dirname "$0")/../lib-avogit.sh"

# Of two measurements of one second it is not known which is the newer one.
next_second () {
	now=$(date +%s)
	while test "$(date +%s)" = "$now"
	do
		:
	done
}

test_expect_success 'setup: two champions, one after the other' '
	make_repo repo &&
	kernel_of_rounds 9000 && git commit -qam "slow" &&
	kernel_of_rounds 600 && avogit score --run r -m "fifteen times as fast" >../out &&
	grep "^\* #1 .*champion" ../out &&
	kernel_of_rounds 40 "$crashes_later" &&
	avogit score --run r -m "fifteen times as fast again" >../out &&
	grep "^\* #2 .*champion" ../out &&
	git checkout -q kernel.c &&
	second=$(avogit best --run r) && first=$(git rev-parse "$second^")
'

test_expect_success 'show has the comparison with the start, and the one that crowned it' '
	avogit show "$second" >../out && cat ../out &&
	grep "^  vs start .*\]  *faster" ../out &&
	grep "^  crowned over $(echo $first | cut -c1-10): [0-9.]*x its speed \[.*\], at 2" ../out &&
	avogit show --json "$second" | tr -d "[:space:]" >../json &&
	grep "\"crowned_over\":\"$first\",\"crowned_by\":[0-9.]*,\"crowned_low\"" ../json &&
	avogit show "$first" >../out && grep "^  vs start .*\]  *faster" ../out &&
	grep "^  crowned over $(git rev-parse "$first^" | cut -c1-10): " ../out
'

test_expect_success 'a pass outside of the run changes nothing' '
	avogit score --again "$second" >../out 2>../err &&
	test_must_be_empty ../err &&
	test "$(avogit best --run r)" = "$second"
'

test_expect_success 'a failure while the run is extended is said, and waits' '
	next_second &&
	test_expect_code 1 flock .git/avogit/r.lock prlimit --msgqueue=1000 \
		"$AVOGIT" score --again "$second" >../out 2>../err &&
	cat ../err && grep "run r keeps #2 until this is said again" ../err &&
	test "$(avogit best --run r)" = "$second"
'

test_expect_success 'a failure takes the crown, and the branches follow' '
	test_expect_code 1 avogit score "$second" >../out 2>../err &&
	grep "measured before" ../out &&
	cat ../err &&
	grep "^avogit: run r does not go on from #2 any more: #1 is its champion now" ../err &&
	test "$(avogit best --run r)" = "$first" &&
	test "$(git rev-parse avo/r/best)" = "$first" &&
	avogit log --run r >../log && cat ../log &&
	grep "#2 .*crashed" ../log && grep "#1 .*champion" ../log
'

test_expect_success 'said once, it is not said again' '
	test_expect_code 1 avogit score "$second" >../out 2>../err &&
	test_must_be_empty ../err
'

test_expect_success 'what is picked is the other' '
	avogit pick --run r --no-score &&
	grep "round < 600" kernel.c && git reset -q --hard HEAD^
'

test_expect_success 'and what comes next is held against the other' '
	kernel_of_rounds 40 &&
	avogit score --run r -m "as fast, and right" >../out &&
	grep "^\* #3 .*champion" ../out &&
	test "$(git rev-parse "$(avogit best --run r)^")" = "$first"
'

test_expect_success 'its claim is still the pass, with the failure beside it' '
	git checkout -q kernel.c &&
	test_expect_code 1 later verify "$second" >../out 2>../err &&
	cat ../out && grep "^claimed .* pass, " ../out && grep "^since .* crashed" ../out &&
	grep "fails: crashed, and pass was claimed" ../out
'

test_done
