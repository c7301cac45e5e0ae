#!/bin/sh
# test: parallel long
test_description='avogit best: the champion alone, for scripts'
. "$(dirname "$0")/../lib-avogit.sh"

test_expect_success 'without a champion the answer is no' '
	make_repo repo &&
	sed -i "s|// avogit: 64 16 4 1|// avogit: 64|; s|// avogit: 0|// avogit: 0 1|" \
		kernel.c &&
	git commit -qam "nothing to gain" &&
	avogit evolve --run poor >/dev/null &&
	test_expect_code 1 avogit best --run poor >out 2>err &&
	test_must_be_empty out &&
	grep "no champion yet" err
'

test_expect_success 'the id of the champion and nothing else' '
	git checkout -q HEAD^ &&
	avogit evolve --run rich --seed 1 >/dev/null &&
	avogit best --run rich >out &&
	git rev-parse avo/rich/best >expect &&
	test_cmp expect out
'

test_expect_success 'with its figures as JSON' '
	avogit best --run rich --json >out &&
	grep "\"schema\":[[:space:]]*1" out &&
	grep "$(cat expect)" out &&
	grep "\"speedup\"" out
'

test_expect_success 'several runs and none meant: it asks which' '
	test_expect_code 2 avogit best 2>err &&
	grep "poor, rich" err
'

test_done
