#!/bin/sh
# test: parallel long
test_description='avogit best: the champion alone, for scripts'
. "$(dirname "$0")/../lib-avogit.sh"

test_expect_success 'without a champion the answer is no' '
	make_repo repo &&
	sed -i "s|// avogit: 64 16 4 1|// avogit: 64 16|" kernel.c &&
	git commit -qam "one gain" &&
	sed -i "s|// avogit: 64 16|// avogit: 64|; s|// avogit: 0|// avogit: 0 1|" \
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
	echo "avogit: which run? Say --run NAME; there are poor, rich" >expect &&
	for command in best log diff show pick report export "export --t4 ../t4" \
		"show --on x" "best --points 2"
	do
		test_expect_code 2 avogit $command >out 2>err &&
		test_must_be_empty out && test_cmp expect err || return 1
	done
'

test_expect_success 'each command takes the run by --run, and says where none is called so' '
	for command in best log diff show "report --format md"
	do
		avogit $command --run rich >../with && test -s ../with &&
		avogit $command -r rich >out && test_cmp ../with out &&
		test_expect_code 128 avogit $command --run nix 2>err &&
		echo "avogit: no run is called nix; there are poor, rich" >expect &&
		test_cmp expect err || return 1
	done &&
	avogit report --format md rich >out && test_cmp ../with out &&
	for command in report watch
	do
		test_expect_code 2 avogit $command rich --run rich 2>err &&
		grep "^avogit: $command: name the run once, as RUN or with --run$" err || return 1
	done &&
	for command in diff show pick export
	do
		test_expect_code 2 avogit $command HEAD --run rich 2>err &&
		grep "^avogit: $command: --run is for the champion and goes with no REV$" err || return 1
	done &&
	avogit show "rich#1" >expect && avogit show --run rich "rich#1" >out && test_cmp expect out &&
	test_expect_code 2 avogit show --run poor "rich#1" 2>err &&
	test_expect_code 128 avogit show "#1" 2>err &&
	grep "^avogit: .#1. names no run: an attempt is RUN#N, as poor#1$" err
'

test_expect_success 'show without REV shows the champion' '
	avogit show "$(avogit best --run rich)" >expect &&
	avogit show --run rich >out && test_cmp expect out
'

test_expect_success 'a run that is called as the task comes first, else the only one' '
	avogit rm --yes poor >/dev/null &&
	avogit best >out && avogit best --run rich >expect && test_cmp expect out &&
	avogit evolve --run scale --attempts 1 >/dev/null &&
	avogit log --json >out && avogit log --json --run scale >expect &&
	test_cmp expect out && grep "\"scale\"" out
'

test_expect_success 'of many runs eight are named' '
	avogit rm --yes scale >/dev/null &&
	git for-each-ref --format="%(refname) %(objectname)" refs/avogit/rich/ >../refs &&
	for run in a b c d e f g h
	do
		sed "s|^refs/avogit/rich/|update &|; s|/rich/|/$run/|" ../refs |
			git update-ref --stdin || return 1
	done &&
	test_expect_code 2 avogit log 2>err &&
	grep "there are a, b, c, d, e, f, g, h and 1 more (.avogit runs.)$" err
'

test_done
