#!/bin/sh
# test: parallel
test_description='Ctrl-C: once finishes the attempt, twice stops now'
. "$(dirname "$0")/../lib-avogit.sh"

test_expect_success 'once: it stops cleanly and says how to go on' '
	make_repo repo &&
	evolve_until 2 --seed 1 &&
	kill -INT $evolving &&
	test_expect_code 130 evolve_rest &&
	grep "^stopped: interrupted" rest &&
	grep "avogit evolve --run scale" rest &&
	grep "finishing the attempt" progress.err
'

test_expect_success 'nothing is in flight, the repository is sound' '
	avogit log >log &&
	! grep "in flight" log &&
	git fsck --strict
'

test_expect_success 'the same command goes on to the end' '
	before=$(attempts) &&
	avogit evolve >out &&
	grep "^resuming run scale .* $before attempts* so far" out &&
	grep "^stopped: exhausted" out &&
	grep "^champion" out
'

# Two different signals: two of a kind at once count as one.
test_expect_success 'twice: it stops in the middle of a hanging kernel' '
	sed -i "s|// avogit: 64 16 4 1|// avogit: 64|" kernel.c &&
	offer_modes 0 3 &&
	sed -i "s/^  timeout:.*/  timeout: 300s/" avogit.yaml &&
	git commit -qam "time to hang" &&
	evolve_until 1 --run hang &&
	kill -INT $evolving &&
	kill -TERM $evolving &&
	test_expect_code 130 evolve_rest
'

test_expect_success 'what was in flight is measured when the run goes on' '
	git fsck --strict &&
	avogit log --run hang >log &&
	grep "#0 " log
'

test_done
