#!/bin/sh
# test: parallel
test_description='avogit verify: what was claimed, measured again'
. "$(dirname "$0")/../lib-avogit.sh"

test_expect_success 'a run that crowns something' '
	make_repo repo &&
	sed -i "s|// avogit: 64 16 4 1|// avogit: 64 16|" kernel.c && git commit -qam "one gain" &&
	avogit evolve --seed 1 >out &&
	grep "^champion " out
'

# Rewrites the note of a commit with the sed script given.
forge () {
	git notes --ref=avogit show "$1" | grep -v verifies= | sed "$2" >forged &&
	git notes --ref=avogit add -f -F forged "$1"
}

# Claims far less than was measured, so that it holds on a busier machine too.
modest="s/bytes_per_s=[^ ]*/bytes_per_s=1e6/
/of=naive/s/told=faster/told=same/
/told=faster/s/ratio=[^ ]* low=[^ ]* high=[^ ]*/ratio=2.5 low=1.5 high=3.5/"

test_expect_success 'the champion holds its claim, and the record is kept' '
	forge avo/scale/best "$modest" &&
	avogit verify avo/scale/best >out &&
	grep "^the claim holds" out &&
	grep "holds: .*the speed of the" out &&
	git notes --ref=avogit show avo/scale/best >note &&
	grep " 900 .*verifies=.* claim=holds" note
'

test_expect_success 'verified again, the claim is the old one and not the check' '
	first=$(sed -n "s/.* verifies=\([^ ]*\).*/\1/p" note | head -n 1) &&
	avogit verify --json avo/scale/best >json &&
	test "$(grep -c "\"$first\"" json)" -ge 1
'

test_expect_success 'the winner holds too' '
	forge avo/scale/winner "$modest" &&
	avogit verify avo/scale/winner >out &&
	grep "^the claim holds" out
'

test_expect_success 'the start, beaten where a champion is compared else, is named as what it is' '
	start=$(git rev-parse --short=10 HEAD) &&
	sed -i "s/ROUNDS 64 /ROUNDS 16 /" kernel.c &&
	avogit score --run hand -m "fewer rounds" >out &&
	forge "$(git rev-parse avo/hand/best)" "$modest
s/against=start/against=champion/
s/vs=start/vs=champion/" &&
	avogit verify hand#1 >out &&
	grep "holds: .*the speed of the start ($start), where" out &&
	grep "  vs start" out && ! grep champion out &&
	git checkout -q .
'

test_expect_success 'a score made up by hand does not hold' '
	id=$(git rev-parse avo/scale/best) &&
	forge "$id" "s/bytes_per_s=[^ ]*/bytes_per_s=9e12/" &&
	test_expect_code 1 avogit verify "$id" >out &&
	grep "fails: .* where 9.00 TB/s was claimed" out &&
	grep "^the claim does not hold" out
'

test_expect_success 'nor does a win made up by hand' '
	avogit score --against avo/scale/best HEAD >out &&
	grep "slower" out &&
	forge HEAD "/ 500 /s/ratio=.*told=slower/ratio=9.5 low=9.4 high=9.6 told=faster/" &&
	test_expect_code 1 avogit verify HEAD >out &&
	grep "fails: .* where 9.500x \[9.400, 9.600\] was claimed" out
'

test_expect_success 'nor does a pass of what is wrong' '
	sed -i "s/#define MODE 0/#define MODE 1/" kernel.c &&
	git commit -qam "a wrong kernel" &&
	test_expect_code 1 avogit score HEAD &&
	forge HEAD "s/verdict=wrong/verdict=pass/" &&
	test_expect_code 1 avogit verify HEAD >out &&
	grep "fails: wrong, and pass was claimed: y\[8192\] is 1000" out
'

test_expect_success 'a failure that is claimed as one holds' '
	git commit -q --allow-empty -m "the same again" &&
	test_expect_code 1 avogit score --again HEAD &&
	avogit verify HEAD >out &&
	grep "holds: wrong, and wrong was claimed" out
'

test_expect_success 'without a claim there is nothing to verify' '
	git commit -q --allow-empty -m "never scored" &&
	git notes --ref=avogit remove --ignore-missing HEAD &&
	test_expect_code 128 avogit verify HEAD 2>err &&
	grep "nothing is claimed of .*avogit score" err
'

test_done
