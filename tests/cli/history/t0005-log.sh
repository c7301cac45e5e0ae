#!/bin/sh
# test: parallel long
test_description='avogit log: the tree of a run with its scores'
. "$(dirname "$0")/../lib-avogit.sh"

test_expect_success 'without a run it says what starts one' '
	make_repo repo &&
	test_expect_code 128 avogit log 2>err &&
	grep "avogit evolve" err
'

test_expect_success 'it marks the champion, what was kept and what failed' '
	sed -i "s|// avogit: 64 16 4 1|// avogit: 64 16|" kernel.c &&
	offer_modes 0 1 &&
	avogit evolve --seed 3 >/dev/null &&
	avogit log >out &&
	test "$(grep -c "^\*" out)" = 1 &&
	grep "champion" out &&
	grep "x .*wrong" out
'

test_expect_success 'newest first, the start last' '
	tail -n 1 out | grep "#0 .*start"
'

test_expect_success '-n limits it' '
	avogit log -n 2 >out &&
	test "$(grep -c "#[0-9]" out)" = 2
'

test_expect_success '--run names a run, --all shows every one' '
	avogit evolve --run other --attempts 1 >/dev/null &&
	avogit log --run other >out &&
	test "$(grep -c "#[0-9]" out)" = 2 &&
	avogit log --all >out &&
	grep "^run other" out &&
	grep "^run scale" out &&
	test_expect_code 128 avogit log --run nix 2>err &&
	grep "other, scale" err
'

test_expect_success 'colour only when it is asked for or on a terminal' '
	avogit log >plain &&
	! grep "$(printf "\033")" plain &&
	avogit log --color=always >coloured &&
	grep "$(printf "\033")" coloured &&
	git config color.ui always &&
	avogit log >out &&
	grep "$(printf "\033")" out &&
	NO_COLOR=1 avogit log >out &&
	test_cmp plain out &&
	test_expect_code 2 avogit log --color=maybe
'

test_expect_success 'JSON says its schema and has every attempt' '
	avogit log --json >out &&
	grep "\"schema\":[[:space:]]*1" out &&
	grep "\"outcome\":[[:space:]]*\"champion\"" out &&
	grep "\"speedup\"" out
'

test_done
