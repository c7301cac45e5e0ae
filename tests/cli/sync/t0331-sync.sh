#!/bin/sh
# test: parallel long
test_description='avogit sync: two clones of a run, through a bare repository'
. "$(dirname "$0")/../lib-avogit.sh"

refs () {
	git -C "$1" for-each-ref --format="%(objectname) %(refname)" \
		refs/avogit refs/notes refs/heads/avo
}

# What is known in a repository, without what depends on the order of syncing:
# candidates, journals, texts of notes.
knowledge () {
	git -C "$1" for-each-ref --format="%(objectname) %(refname)" refs/avogit
	git -C "$1" rev-list --all --grep=Avogit-Attempt | sort
	git -C "$1" notes --ref=avogit list | sort -k2 | while read -r blob commit
	do
		echo "$commit" && git -C "$1" cat-file blob "$blob"
	done
}

test_expect_success 'setup: one run, evolved apart in two clones' '
	git init -q --bare hub.git &&
	make_repo start &&
	offer_modes 0 1 2 3 4 5 &&
	git push -q ../hub.git main &&
	cd .. &&
	git clone -q hub.git a 2>/dev/null &&
	git clone -q hub.git b 2>/dev/null &&
	(cd a && avogit evolve --seed 1 --attempts 1) &&
	(cd a && avogit sync) &&
	(cd b && avogit sync) &&
	(cd b && avogit evolve --attempts 2 >../out) &&
	grep "^resuming run scale" out &&
	(cd a && avogit evolve --attempts 1) &&
	mkdir first && cp -a hub.git a b first/ &&
	for clone in a b
	do
		git -C first/$clone remote set-url origin "$PWD/first/hub.git" || return 1
	done
'

test_expect_success '--dry-run says what would move, and moves nothing' '
	refs a >before && refs hub.git >>before &&
	(cd a && avogit sync --dry-run >../out) &&
	grep "would send refs/avogit/scale/journal/" out &&
	refs a >after && refs hub.git >>after &&
	test_cmp before after
'

test_expect_success 'after each has synced twice all refs are equal' '
	(cd a && avogit sync) && (cd b && avogit sync) &&
	(cd a && avogit sync) && (cd b && avogit sync) &&
	refs a >a.refs && refs b >b.refs &&
	test_cmp a.refs b.refs &&
	refs hub.git | grep -v refs/heads >hub.refs &&
	grep -v refs/heads a.refs >expect &&
	test_cmp expect hub.refs &&
	test "$(grep -c refs/avogit/scale/journal a.refs)" = 2
'

test_expect_success 'another sync moves nothing' '
	for clone in a b
	do
		(cd $clone && avogit sync >../out) &&
		grep "^nothing to move" out || return 1
	done &&
	refs a >after && test_cmp a.refs after &&
	test -z "$(git -C a for-each-ref refs/avogit-sync refs/notes/avogit-sync)"
'

test_expect_success 'the other order gives the same knowledge' '
	(cd first/b && avogit sync) && (cd first/a && avogit sync) &&
	(cd first/b && avogit sync) && (cd first/a && avogit sync) &&
	knowledge a >a.known && knowledge first/b >b.known &&
	test_cmp a.known b.known &&
	refs first/a >a.refs && refs first/b >b.refs &&
	test_cmp a.refs b.refs
'

test_expect_success 'every record of both is there, alike' '
	(cd a && avogit log --json >../a.log && attempts >../n) &&
	(cd b && avogit log --json >../b.log) &&
	test_cmp a.log b.log &&
	test "$(cat n)" -ge 3 &&
	git -C a fsck --full && git -C b fsck --full && git -C hub.git fsck --full
'

test_expect_success 'the cache of one clone is not in the way of what came' '
	(cd a && rm -rf .git/avogit && avogit log --json >../a.again) &&
	test_cmp a.log a.again
'

test_expect_success 'branches go where asked for, and never come' '
	test -z "$(git -C hub.git for-each-ref refs/heads/avo)" &&
	(cd a && avogit sync --branches) &&
	git -C hub.git for-each-ref --format="%(objectname) %(refname)" refs/heads/avo >actual &&
	git -C a for-each-ref --format="%(objectname) %(refname)" refs/heads/avo >expect &&
	test_cmp expect actual
'

test_expect_success 'logs stay at home unless asked for; pruned ones are replaced' '
	(cd b && writer=$(sed "s/ .*//" .git/avogit/writer) &&
	tree=$(printf "100644 blob %s\tx.txt\n" "$(echo x | git hash-object -w --stdin)" | git mktree) &&
	git update-ref refs/avogit/scale/logs/$writer "$(git commit-tree -m x $tree)" &&
	avogit sync >../out) &&
	grep "^nothing to move" out &&
	(cd b && avogit sync --logs) &&
	test -n "$(git -C hub.git for-each-ref refs/avogit/scale/logs)" &&
	(cd a && avogit sync) &&
	test -z "$(git -C a for-each-ref refs/avogit/scale/logs)" &&
	(cd a && avogit sync --logs) &&
	test -n "$(git -C a for-each-ref refs/avogit/scale/logs)" &&
	(cd b && tree=$(git mktree </dev/null) &&
	git for-each-ref --format="%(refname)" refs/avogit/scale/logs >../name &&
	git update-ref "$(cat ../name)" "$(git commit-tree -m other $(git rev-parse $(cat ../name)^{tree}))" &&
	avogit sync --logs) &&
	test "$(git -C b rev-parse $(cat name))" = "$(git -C hub.git rev-parse $(cat name))"
'

test_expect_success 'what was removed here does not come back' '
	(cd a && avogit rm --yes scale && avogit sync --logs && avogit runs >../out) &&
	! grep "^scale " out &&
	(cd b && avogit evolve --attempts 1 --run scale && avogit sync) &&
	git clone -q hub.git c 2>/dev/null &&
	(cd c && avogit sync && avogit evolve --attempts 1 && avogit sync) &&
	(cd a && avogit sync && avogit runs >../out) &&
	! grep "^scale " out &&
	test -n "$(git -C a for-each-ref refs/avogit/scale/removed)" &&
	test -z "$(git -C hub.git for-each-ref refs/avogit/scale/removed)"
'

test_expect_success 'a journal that is none is said and not taken' '
	(cd b && avogit sync &&
	git update-ref refs/avogit/scale/journal/00000000deadbeef main &&
	git push -q ../hub.git refs/avogit/scale/journal/00000000deadbeef &&
	git update-ref -d refs/avogit/scale/journal/00000000deadbeef &&
	avogit log --json >../expect &&
	avogit sync 2>../err &&
	avogit log --json >../actual) &&
	grep "00000000deadbeef" err &&
	test_cmp expect actual &&
	test -z "$(git -C b for-each-ref refs/avogit/scale/journal/00000000deadbeef)"
'

test_expect_success 'a remote that is none, or no remote, is an error' '
	test_expect_code 128 sh -c "cd b && \"$AVOGIT\" sync ../nowhere" 2>err &&
	grep "cannot read .*nowhere" err &&
	test_expect_code 128 sh -c "cd b && \"$AVOGIT\" sync -- --upload-pack=touch" 2>err &&
	(cd start && test_expect_code 2 avogit sync 2>../err) &&
	grep "no remote" err
'

test_done
