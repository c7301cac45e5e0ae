#!/bin/sh
# test: parallel long
test_description='a gain that was not told at first: measured again, in the final and by hand'
. "$(dirname "$0")/../lib-avogit.sh"

# An attempt with a gain of five hundred that no comparison had the time to see.
hidden_gain () {
	make_repo "$1" &&
	sed -i "s|^#define ROUNDS .*|#define ROUNDS 64|; s|^\(#define MODE 0\).*|\1|" kernel.c &&
	git commit -q --amend --no-edit kernel.c &&
	sed -i "s/ROUNDS 64/ROUNDS 1/" kernel.c &&
	avogit score --run r -m "once is enough" --time 0.001s >../out &&
	hidden=$(avogit show --json "r#1" |
		sed -n "s/.*\"commit\":[[:space:]]*\"\([0-9a-f]*\)\".*/\1/p" | sed 1q) &&
	test_must_fail git rev-parse -q --verify avo/r/winner
}

test_expect_success 'a run that has nothing else to try holds a final' '
	hidden_gain final && git checkout -q kernel.c &&
	avogit evolve --run r --operator tuner >../out &&
	grep "final" ../out && grep "^. #1 .*champion" ../out &&
	grep "^stopped: .*nothing that the tuner could vary" ../out &&
	test "$(avogit best --run r)" = $hidden &&
	git rev-parse -q --verify avo/r/winner &&
	test "$(git rev-parse avo/r/best)" = $hidden &&
	git notes --ref=avogit show $hidden | grep "final=yes"
'

test_expect_success 'and is as it was in a clone that has the journal only' '
	git clone -q . ../clone && cd ../clone &&
	git fetch -q origin "refs/avogit/*:refs/avogit/*" &&
	test "$(avogit best --run r)" = $hidden
'

test_expect_success 'score --again --run compares an attempt again, and may crown it' '
	cd .. && hidden_gain by-hand && git checkout -q kernel.c &&
	avogit score --again --run r "r#1" >../out &&
	grep "^. #1 .*champion" ../out && grep "vs " ../out &&
	test "$(avogit best --run r)" = $hidden &&
	git rev-parse -q --verify avo/r/winner &&
	test "$(avogit log --run r --json | tr -d " \t" | grep -c "^\"attempt\":")" = 2
'

test_expect_success 'of the work tree, where it is an attempt; the champion, against the start' '
	sed -i "s/ROUNDS 64/ROUNDS 1/" kernel.c &&
	avogit score --again --run r >../out && grep "^\* #1 " ../out &&
	echo "// another" >>kernel.c &&
	test_expect_code 128 avogit score --again --run r 2>../err &&
	grep "the work tree is no attempt of run r" ../err &&
	git checkout -q kernel.c
'

test_expect_success 'a commit that is none of the run is refused' '
	git commit -q --allow-empty -m "another" &&
	test_expect_code 128 avogit score --again --run r HEAD 2>../err &&
	grep "is no attempt of run r" ../err &&
	test_expect_code 2 avogit score --again --run r -m "both" 2>../err &&
	test_expect_code 2 avogit score --run r "r#1" 2>../err
'

test_done
