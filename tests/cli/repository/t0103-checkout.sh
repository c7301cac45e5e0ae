#!/bin/sh
# test: parallel long
test_description='the checkout is never touched

HEAD, index, work tree, branches outside avo/, reflogs and config are the
same, byte for byte, before and after.'
. "$(dirname "$0")/../lib-avogit.sh"

test_expect_success 'setup: a checkout with everything a user may have in it' '
	make_repo repo &&
	sed -i "s|// avogit: 64 16 4 1|// avogit: 64 16|" kernel.c &&
	git commit -qam "fewer points" &&
	git branch side &&
	git tag v1 &&
	echo staged >staged && git add staged &&
	echo untracked >untracked &&
	git commit -q --allow-empty -m "on top" &&
	echo more >>untracked &&
	echo changed >>staged &&
	mkdir -p .git/hooks &&
	for hook in pre-commit commit-msg post-commit reference-transaction \
		post-checkout
	do
		printf "#!/bin/sh\ntouch \"$PWD/../hook-ran\"\n" >.git/hooks/$hook &&
		chmod +x .git/hooks/$hook || return 1
	done &&
	users_state >../before
'

test_expect_success 'evolve leaves it as it was' '
	avogit evolve --seed 1 >../out &&
	grep "^champion" ../out &&
	users_state >../after &&
	test_cmp ../before ../after
'

test_expect_success 'so do score, log, show, best and doctor' '
	avogit score >../out &&
	avogit log >../out &&
	avogit show HEAD >../out &&
	avogit best >../out &&
	avogit doctor >../out &&
	users_state >../after &&
	test_cmp ../before ../after
'

test_expect_success 'no hook of the user was run' '
	test ! -e ../hook-ran
'

test_expect_success 'a detached HEAD stays detached' '
	git stash -q -u && rm -f ../hook-ran &&
	git checkout -q --detach &&
	git rev-parse HEAD >../head &&
	avogit evolve --run detached --attempts 1 >../out &&
	test_must_fail git symbolic-ref -q HEAD &&
	git rev-parse HEAD >../head.after &&
	test_cmp ../head ../head.after
'

test_expect_success 'candidates change the sources and nothing else' '
	git diff --name-only HEAD avo/scale/best >../changed &&
	echo kernel.c >../expect &&
	test_cmp ../expect ../changed &&
	git diff --name-only HEAD avo/scale/winner >../changed &&
	test_cmp ../expect ../changed
'

test_expect_success 'without an identity of git it works, under a stated one' '
	git config --global --unset user.name &&
	git config --global --unset user.email &&
	avogit evolve --run nobody --attempts 1 >../out &&
	id=$(avogit log --run nobody -n 1 | sed "s/^[^0-9a-f]*\([0-9a-f]*\) .*/\1/") &&
	git log -1 --format="%an <%ae>" $id >../author &&
	grep "avogit" ../author
'

test_done
