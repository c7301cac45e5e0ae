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

test_expect_success 'one that is champion elsewhere says where' '
	avogit log --run made >../out &&
	line_of 1 | grep "kept .*change 1: champion on Card A, 8 cpus$" &&
	line_of 3 | grep "champion .*change 3$"
'

test_expect_success 'programs see the machine of an attempt, and the champions' '
	avogit log --run made --json >../json &&
	grep "\"machines\"" ../json && grep "\"name\":.*\"Card B, 8 cpus\"" ../json &&
	test "$(grep -c "\"machine\":.*\"Card A, 8 cpus\"" ../json)" = 2
'

# A copy of the run that more was done in, of a task that may ask for one winner.
test_expect_success 'a run that a third machine began' '
	cd .. && make_light_repo more &&
	perl "$made" "$(git rev-parse HEAD)" more &&
	git config user.name T && git config user.email t@localhost
'

test_expect_success 'log says of a machine that only began the run: no champion' '
	avogit log --run made >../out &&
	grep "^no champion on Card C, 8 cpus (cccccccccccccccc)" ../out &&
	grep "^champion 0* #6 6.000x on Card A" ../out &&
	grep "^champion 0* #3 12.0x on Card B" ../out &&
	! grep "portable" ../out
'

test_expect_success 'best --on: the champion of one kind, exit code 1 without one' '
	avogit best --run made --on "card a" >../out && grep "^0*6$" ../out &&
	avogit best --run made --on bbbb >../out && grep "^0*3$" ../out &&
	test_expect_code 1 avogit best --run made --on "card c" 2>../err &&
	grep "nothing was crowned there" ../err &&
	test_expect_code 2 avogit best --run made --on h200 2>../err
'

# On A 3 and 6 times the start, on B 4 and 2.5: the third is better at its worst.
test_expect_success 'one that was champion, and one that was faster, say so; rates that mislead are named' '
	avogit log --run made >../out &&
	line_of 1 | grep "kept .*change 1: was champion before$" &&
	line_of 2 | grep "not crowned .*change 2: faster, .*: another became champion meanwhile$" &&
	grep "^go by the speeds: .*(attempt [0-9] is faster than attempt [0-9], .* at a lower rate)" ../out
'

test_expect_success 'portable: the kept attempt with the best worst case' '
	avogit best --run made >../out && grep "^0*6$" ../out &&
	echo "portable: [card a, bbbb]" >>avogit.yaml &&
	git commit -q -a -m "Ask for one winner" &&
	avogit best --run made >../out && grep "^0*5$" ../out &&
	avogit best --run made --json >../json && grep "\"attempt\":.*5" ../json &&
	avogit log --run made >../out &&
	grep "^portable 0* #5 3.000x at least: 3.000x on Card A, 8 cpus (aaaaaaaaaaaaaaaa), 4.000x on Card B" ../out &&
	avogit log --run made -n 1 >../out && grep "^portable 0* #5 3.000x" ../out &&
	avogit log --run made --json >../json && grep "\"portable\"" ../json
'

test_expect_success 'pick takes it, and with --on the champion of one kind' '
	test_expect_code 128 avogit pick --run made >../out 2>../err &&
	grep "^portable: 3.000x on Card A" ../out &&
	grep "00005" ../err &&
	test_expect_code 128 avogit pick --run made --on bbbb >../out 2>../err &&
	! grep portable ../out && grep "00003" ../err &&
	test_expect_code 2 avogit pick --on bbbb made#1 2>../err
'

test_expect_success 'no portable winner is said, with the reason' '
	sed -i "s/^portable:.*/portable: [card a, card c]/" avogit.yaml &&
	git commit -q -a -m "Ask for another" &&
	test_expect_code 1 avogit best --run made 2>../err &&
	grep "no kept attempt is faster than the start on each of: card a, card c" ../err &&
	avogit log --run made >../out && grep "^no portable winner: no kept attempt" ../out &&
	sed -i "s/^portable:.*/portable: [card a, h200]/" avogit.yaml &&
	git commit -q -a -m "Ask for a third" &&
	test_expect_code 1 avogit best --run made 2>../err && grep "h200" ../err &&
	test_expect_code 128 avogit pick --run made 2>../err && grep "h200" ../err
'

test_expect_success 'a task that names one kind is refused' '
	sed -i "s/^portable:.*/portable: [card a]/" avogit.yaml &&
	git commit -q -a -m "One kind" &&
	test_expect_code 128 avogit score HEAD 2>../err &&
	grep "portable: found 1 word, allowed are 2 to 16 kinds" ../err
'

test_expect_success 'show --on: one candidate as one kind measured it' '
	avogit show made#0 >../newest && grep "Card B, 8 cpus" ../newest &&
	avogit show made#0 --on "card a" >../out && grep "Card A, 8 cpus" ../out &&
	! grep "Card B" ../out &&
	avogit show made#0 --on bbbb --json >../json && grep "Card B, 8 cpus" ../json &&
	test_expect_code 128 avogit show made#0 --on "card c" 2>../err &&
	grep "has not measured" ../err &&
	test_expect_code 2 avogit show made#0 --on h200 2>../err
'

test_expect_success 'report --on: what one kind measured' '
	avogit report made --on bbbb --format json >../json &&
	grep "\"machine\":.*Card B, 8 cpus" ../json &&
	! grep "change 4" ../json && grep "change 5" ../json &&
	grep "of what one kind of machine measured: Card B" ../json &&
	avogit report made --on "card a" --format md >../md &&
	grep "^6 attempts in\|^[0-9]* attempts in .*#6" ../md &&
	test_expect_code 2 avogit report made --on h200 2>../err
'

# On A it is 2, on B, which measured it last, 10 times as fast as the start.
test_expect_success 'pick --on says the gain on that kind' '
	cd .. && make_light_repo gain && base=$(git rev-parse HEAD) &&
	sed -i "s|ROUNDS 16 |ROUNDS 4 |" kernel.c && git commit -qam "four rounds" &&
	perl "$made" "$base" "" "$(git rev-parse HEAD)" && git reset -q --hard "$base" &&
	avogit pick --run made --on "card a" --no-score >../out &&
	grep " 2.0[0x]* .*start" ../out && ! grep "10.0x" ../out
'

test_done
