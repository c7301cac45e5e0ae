#!/bin/sh
# test: parallel
test_description='avogit log of a run that two kinds of machines measured'
. "$(dirname "$0")/../lib-avogit.sh"

made=$SHARNESS_TEST_SRCDIR/history/two-machines.pl

# The line of an attempt: line_of NUMBER
line_of () {
	grep "#$1 " ../out
}

test_expect_success 'a run on two machines' '
	make_light_repo repo &&
	perl "$made" "$(git rev-parse HEAD)"
'

test_expect_success 'ratios of two machines are not multiplied' '
	avogit log --run made >../out &&
	line_of 3 | grep " 12.0x" && line_of 4 | grep " 1.000x" &&
	line_of 2 | grep " - "
'

test_expect_success 'each has its champion, and log says so first' '
	head -n 2 ../out >../head &&
	grep "^champion 0* #1 2.000x on Card A, 8 cpus (aaaaaaaaaaaaaaaa)" ../head &&
	grep "^champion 0* #3 12.0x on Card B, 8 cpus (bbbbbbbbbbbbbbbb)" ../head
'

test_expect_success '--on: what one kind measured, with its champion' '
	avogit log --run made --on "card a" >../out &&
	grep -c "^champion" ../out >../n && test "$(cat ../n)" = 1 &&
	line_of 1 | grep "^\* .* 2.000x .*champion" &&
	line_of 4 | grep " 1.000x .*slower" &&
	line_of 0 | grep "start" &&
	! grep "change [23]" ../out &&
	avogit log --run made --on bbbb >../out &&
	line_of 3 | grep "^\* .* 12.0x .*champion" &&
	line_of 1 | grep " 10.0x" &&
	! grep "change 4" ../out
'

test_expect_success 'a word that fits none or both is refused, with their ids' '
	test_expect_code 2 avogit log --run made --on h200 2>../err &&
	grep "fits no kind of machine.*Card A, 8 cpus (aaaaaaaaaaaaaaaa); Card B" ../err &&
	test_expect_code 2 avogit log --run made --on card 2>../err &&
	grep "fits more than one" ../err &&
	test_expect_code 2 avogit log --all --on card 2>../err
'

test_expect_success 'programs see the machine of an attempt, and the champions' '
	avogit log --run made --json >../json &&
	grep "\"machines\"" ../json && grep "\"name\":.*\"Card B, 8 cpus\"" ../json &&
	test "$(grep -c "\"machine\":.*\"Card A, 8 cpus\"" ../json)" = 2
'

test_done
