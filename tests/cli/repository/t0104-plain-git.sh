#!/bin/sh
# test: parallel long
test_description='the result, by plain git'
. "$(dirname "$0")/../lib-avogit.sh"

test_expect_success 'setup: a run with a champion' '
	make_repo repo &&
	sed -i "s|// avogit: 64 16 4 1|// avogit: 64 16|" kernel.c &&
	offer_modes 0 1 &&
	base=$(git rev-parse HEAD) &&
	avogit evolve --seed 1 >../out &&
	best=$(avogit best)
'

test_expect_success 'git log --graph with notes shows the lineage and its scores' '
	git log --graph --notes=avogit --branches="avo/scale/*" --not $base >../out &&
	grep "Notes (avogit)" ../out &&
	grep "verdict=pass" ../out &&
	! grep "verdict=wrong" ../out
'

# What docs/history.md says of `git log --all`.
test_expect_success 'a log of all refs without the journals and notes' '
	git log --format=%s --all >../all &&
	grep "^measurement " ../all && grep "^Note of " ../all &&
	git log --format=%s --exclude="refs/avogit/*" \
		--exclude="refs/notes/avogit*" --all >../out &&
	! grep -e "^measurement " -e "^Note of " -e "^attempt " -e "^stop" ../out &&
	git log --format=%s --branches --tags --remotes >../branches &&
	test_cmp ../branches ../out &&
	git log --format=%H --exclude="refs/avogit/*" --exclude="refs/notes/avogit*" \
		--exclude="refs/heads/avo/*" --all >../out &&
	git rev-list main >../expect && test_cmp ../expect ../out
'

test_expect_success 'the same as an alias, as printed' '
	sed -n "s/^    \(git config alias.everything .*\)/\1/p" \
		"$SHARNESS_TEST_SRCDIR/../../docs/history.md" >../command &&
	test -s ../command && (. ../command) &&
	git everything --format=%s >../out &&
	test_cmp ../branches ../out
'

# A commit that is in no `git log --all` and, if this git keeps it, is a better
# place for journals: hidden HOW...
hidden () {
	git init -q tricks && (
		cd tricks && git commit -q --allow-empty -m base &&
		git worktree add -q --detach ../beside &&
		id=$(git commit-tree -p HEAD -m measurement "HEAD^{tree}") &&
		"$@" "$id" &&
		git log --format=%s --all >log &&
		git gc -q --prune=now &&
		if git cat-file -e "$id" 2>/dev/null
		then
			grep measurement log
		fi
	) && rm -rf tricks beside
}

beside_head () { echo "$1" >.git/AVOGIT; }
of_other_worktree () { git -C ../beside update-ref refs/worktree/avogit "$1"; }
of_a_tree () {
	git update-ref refs/avogit/tree "$(printf "160000 commit %s\tx\n" "$1" | git mktree --missing)"
}
not_decorated () {
	git config log.excludeDecoration "refs/avogit/*" &&
	git config transfer.hideRefs refs/avogit &&
	git update-ref refs/avogit/journal "$1"
}

test_expect_success 'what git log --all does not show git gc does not keep' '
	cd .. &&
	for how in beside_head of_other_worktree of_a_tree not_decorated
	do
		hidden $how || return
	done && cd repo
'

test_expect_success 'each step of the lineage changes the kernel only' '
	git log --format= --name-only avo/scale/best --not $base |
		sort -u >../changed &&
	echo kernel.c >../expect &&
	test_cmp ../expect ../changed
'

test_expect_success 'trailers carry what a tool needs' '
	git log -1 --format="%(trailers:key=Avogit-Run,valueonly)" $best |
		grep "^scale$" &&
	git log -1 --format="%(trailers:key=Avogit-Operator,valueonly)" $best |
		grep "^tuner$" &&
	git log -1 --format="%(trailers:key=Avogit-Attempt,valueonly)" $best |
		grep "^[1-9]"
'

test_expect_success 'winner is one commit on the base with the champion s tree' '
	test "$(git rev-list --count $base..avo/scale/winner)" = 1 &&
	test "$(git rev-parse avo/scale/winner^)" = $base &&
	test "$(git rev-parse avo/scale/winner^{tree})" = \
		"$(git rev-parse $best^{tree})"
'

test_expect_success 'cherry-pick of the winner brings the whole kernel to main' '
	git commit -q --allow-empty -m "main went on" &&
	git cherry-pick avo/scale/winner &&
	git show $best:kernel.c >../expect &&
	test_cmp ../expect kernel.c
'

test_expect_success 'so it does in a second repository that fetched the branch' '
	git clone -q --single-branch -b main . ../second &&
	cd ../second &&
	git reset -q --hard $base &&
	git commit -q --allow-empty -m "another history" &&
	git fetch -q ../repo avo/scale/winner &&
	git cherry-pick FETCH_HEAD &&
	test_cmp ../expect kernel.c
'

test_expect_success 'and avogit scores the picked commit there' '
	avogit score HEAD >../out &&
	grep "pass, " ../out
'

test_done
