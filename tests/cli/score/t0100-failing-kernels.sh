#!/bin/sh
# test: parallel
test_description='a kernel that is wrong, crashes, hangs or does not compile

Each attempt is a commit with a note that says what happened, the run goes
on, and no branch contains one of them.'
. "$(dirname "$0")/../lib-avogit.sh"

test_expect_success 'a run over kernels that fail in every way goes on to its end' '
	make_repo repo &&
	sed -i "s|// avogit: 64 16 4 1|// avogit: 64 16|" kernel.c &&
	offer_modes 0 1 2 3 4 5 &&
	avogit evolve --seed 5 >out &&
	grep "^stopped: exhausted" out &&
	grep "^champion " out
'

for verdict in wrong crashed timed-out build-failed out-of-bounds
do
	test_expect_success "$verdict: two commits with a note that says so" '
		avogit log | grep "x [0-9a-f]* #.* $verdict " >lines &&
		test "$(wc -l <lines)" = 2 &&
		id=$(head -n 1 lines | sed "s/^[^0-9a-f]*\([0-9a-f]*\) .*/\1/") &&
		git notes --ref=avogit show "$id" >note &&
		grep " 000 .*verdict=$verdict" note &&
		grep "why=" note
	'
done

test_expect_success 'no branch contains a failure' '
	avogit log | grep "x [0-9a-f]* #" | sed "s/^[^0-9a-f]*\([0-9a-f]*\) .*/\1/" >ids &&
	test "$(wc -l <ids)" = 10 &&
	while read -r id
	do
		test -z "$(git branch -a --contains "$id")" || return 1
	done <ids
'

test_expect_success 'failures survive a gc' '
	git gc -q --prune=now &&
	while read -r id
	do
		git cat-file -e "$id^{commit}" || return 1
	done <ids &&
	git fsck --strict
'

# It need not be something that was kept, so that is not said.
test_expect_success 'one that crashes where its buffers are used again is told so, with the case' '
	make_light_repo ../again &&
	sed -i "s/^{\$/{ static const void *last; if (x == last) *(volatile int *)8 = 1; last = x;/" kernel.c &&
	git commit -qam "crashes at an address that it knows" &&
	test_expect_code 1 avogit score --time 1s >out &&
	grep "  crashed: .*, in case [^;]*; it was launched again in the buffers of an earlier launch, with other contents$" out
'

test_done
