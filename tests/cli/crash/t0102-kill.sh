#!/bin/sh
# test: parallel long no-asan
test_description='kill -9 at any moment loses at most the attempt in flight'
. "$(dirname "$0")/../lib-avogit.sh"

for after in 1 2 3
do
	test_expect_success "killed after line $after, the run goes on from there" '
		make_repo killed-$after &&
		users_state >../before &&
		evolve_until '$after' --seed 1 &&
		kill -KILL $evolving &&
		test_expect_code 137 evolve_rest &&
		rm -f progress progress.err rest &&
		users_state >../after &&
		test_cmp ../before ../after &&
		git fsck --strict &&
		avogit log --json >../log.before &&
		avogit evolve >../out &&
		grep "^resuming run scale" ../out &&
		grep "^stopped: exhausted" ../out &&
		avogit log >../log &&
		! grep "in flight" ../log &&
		grep "champion" ../log &&
		git fsck --strict &&
		cd ..
	'
done

test_expect_success 'everything outside refs and notes may be deleted' '
	cd killed-3 &&
	avogit log >../expect &&
	best=$(avogit best) &&
	rm -rf .git/avogit &&
	avogit log >../actual &&
	test_cmp ../expect ../actual &&
	test "$(avogit best)" = "$best" &&
	avogit evolve >../out &&
	grep "^resuming run scale" ../out
'

test_expect_success 'a second evolve on the same run is refused, by name' '
	cd .. &&
	make_repo busy &&
	evolve_until 1 --seed 1 &&
	test_expect_code 128 avogit evolve 2>err &&
	kill -KILL $evolving &&
	test_expect_code 137 evolve_rest &&
	grep "$evolving" err &&
	test "$(wc -l <err)" = 1
'

test_done
