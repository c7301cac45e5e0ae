#!/bin/sh
# test: parallel long no-asan
test_description='avogit rm and avogit prune: what goes, and what stays'
. "$(dirname "$0")/../lib-avogit.sh"

# A log of run scale as avogit writes it: add_log WRITER NAME SECONDS-AGO
add_log () {
	log_ref=refs/avogit/scale/logs/$1
	log_tree=$(printf "100644 blob %s\t%s\n" \
		"$(git hash-object -w --stdin)" "$2" | git mktree) &&
	log_date="$(($(date +%s) - $3)) +0000" &&
	log_id=$(GIT_COMMITTER_DATE="$log_date" git commit-tree -m "$2" \
		$(git rev-parse -q --verify $log_ref | sed "s/^/-p /") \
		"$log_tree") &&
	git update-ref "$log_ref" "$log_id"
}

refs () {
	git for-each-ref --format="%(objectname) %(refname)" "$@"
}

test_expect_success 'setup: two runs, and logs' '
	git init -q --bare hub.git &&
	make_repo repo &&
	sed -i "s|// avogit: 64 16 4 1|// avogit: 64 32 16|" kernel.c &&
	git commit -qam "fewer points" &&
	git remote add hub ../hub.git &&
	avogit evolve --seed 1 >/dev/null &&
	avogit evolve --run other --attempts 1 >/dev/null &&
	echo old | add_log 0123456789abcdef build-1.txt 864000 &&
	echo old, too | add_log 0123456789abcdef build-2.txt 864000 &&
	echo new | add_log 0123456789abcdef build-3.txt 60 &&
	seq 1000 | add_log fedcba9876543210 profile 864000 &&
	git push -q hub main "refs/avogit/*:refs/avogit/*" "refs/heads/avo/*:refs/heads/avo/*"
'

# ---- prune -------------------------------------------------------------------

test_expect_success 'prune --dry-run says what would go' '
	refs >../before &&
	avogit prune --dry-run >../out &&
	grep "^scale *4 logs  *3.8 KiB" ../out &&
	grep "4 logs would go" ../out &&
	refs >../after && test_cmp ../before ../after
'

test_expect_success 'prune --older drops what is older, and nothing else' '
	refs refs/heads refs/notes "refs/avogit/*/journal" >../before &&
	avogit prune --older 1d --run scale >../out &&
	grep "^dropped 3 logs, 3.8 KiB" ../out &&
	refs refs/heads refs/notes "refs/avogit/*/journal" >../after &&
	test_cmp ../before ../after &&
	git rev-parse -q --verify refs/avogit/scale/logs/0123456789abcdef &&
	test_must_fail git rev-parse -q --verify refs/avogit/scale/logs/fedcba9876543210 &&
	git log --format=%s refs/avogit/scale/logs/0123456789abcdef >../out &&
	echo build-3.txt >../expect &&
	test_cmp ../expect ../out &&
	test "$(git show refs/avogit/scale/logs/0123456789abcdef:build-3.txt)" = new &&
	git fsck --full
'

test_expect_success 'prune drops the rest; then there is none' '
	avogit prune >../out &&
	grep "^dropped 1 log, " ../out &&
	test -z "$(refs refs/avogit/scale/logs)" &&
	avogit prune >../out &&
	grep "no log to drop" ../out &&
	test_expect_code 128 avogit prune --run nobody 2>../err &&
	grep "no run .nobody." ../err
'

test_expect_success 'a run goes on without its logs' '
	avogit evolve >../out &&
	grep "^resuming run scale" ../out
'

# ---- rm ----------------------------------------------------------------------

test_expect_success 'rm asks, and without a terminal refuses' '
	refs >../before &&
	test_expect_code 128 avogit rm scale 2>../err </dev/null &&
	grep "avogit rm --yes scale" ../err &&
	refs >../after && test_cmp ../before ../after
'

test_expect_success TERMINAL 'another answer than the name is no' '
	echo y | script -qec "\"$AVOGIT\" rm scale" ../typescript >/dev/null;
	grep "not removed" ../typescript &&
	refs >../after && test_cmp ../before ../after
'

test_expect_success 'not while a process extends it' '
	evolve_until 1 --run live &&
	test_expect_code 128 avogit rm --yes live 2>../err;
	kill -INT $evolving;
	{ evolve_rest || :; } &&
	grep "process $evolving" ../err &&
	avogit runs | grep "^live "
'

test_expect_success 'not while a branch of it is checked out' '
	git switch -q avo/scale/winner &&
	test_expect_code 128 avogit rm --yes scale 2>../err &&
	git switch -q main &&
	grep "checked out" ../err
'

test_expect_success 'branches and journals go; the rest stays' '
	git branch avo/scale/mine main &&
	mkdir -p .git/avogit/logs/scale .git/avogit/logs/other .git/avogit/cache &&
	echo "{\"event\":\"begin\"}" >.git/avogit/logs/scale/step-1.jsonl &&
	ln -s "$PWD/kernel.c" .git/avogit/logs/scale/link &&
	: >.git/avogit/cache/scale &&
	old=$(git rev-parse avo/scale/best) &&
	writer=$(refs refs/avogit/scale/journal | sed "s|.*/||") &&
	refs refs/notes refs/heads/avo/other refs/avogit/other refs/heads/main >../before &&
	avogit rm --yes scale >../out &&
	grep "refs/heads/avo/scale/mine is yours" ../out &&
	grep "/.git/avogit/logs/scale/step-1.jsonl is a log that was never finished: it goes, too" ../out &&
	! test -e .git/avogit/logs/scale &&
	! test -e .git/avogit/cache/scale &&
	test -d .git/avogit/logs/other &&
	test -f kernel.c &&
	refs refs/notes refs/heads/avo/other refs/avogit/other refs/heads/main >../after &&
	test_cmp ../before ../after &&
	test -z "$(refs refs/avogit/scale/journal refs/avogit/scale/logs)" &&
	test "$(refs refs/heads/avo/scale | wc -l)" = 1 &&
	avogit runs >../out &&
	! grep "^scale " ../out &&
	grep "^other " ../out &&
	test_expect_code 128 avogit rm --yes scale 2>../err
'

test_expect_success 'its commits are git s to collect; a mark is left that keeps none' '
	git rev-parse -q --verify refs/avogit/scale/removed/$writer &&
	git branch -q -D avo/scale/mine &&
	for ref in $(git for-each-ref --format="%(refname)" refs/remotes/hub)
	do
		git update-ref -d $ref || return 1
	done &&
	git reflog expire --expire=now --all &&
	git gc -q --prune=now &&
	test_must_fail git cat-file -e $old &&
	git fsck --full
'

test_expect_success 'a fetch does not bring it back' '
	git fetch -q hub "refs/avogit/*:refs/avogit/*" &&
	git rev-parse -q --verify refs/avogit/scale/journal/$writer &&
	avogit runs >../out &&
	! grep "^scale " ../out &&
	git update-ref -d refs/avogit/scale/journal/$writer
'

test_expect_success 'a new run of that name is no run of old' '
	avogit evolve --attempts 1 >../out &&
	grep "^starting run scale" ../out &&
	refs refs/avogit/scale/journal >../out &&
	test "$(wc -l <../out)" = 1 &&
	! grep $writer ../out &&
	avogit evolve --run other --attempts 1 >../out &&
	grep "^resuming run other .* 1 attempt so far" ../out
'

test_expect_success '--remote deletes there, what avogit made' '
	git push -q hub main:refs/heads/avo/other/mine &&
	avogit rm --yes other --remote hub &&
	git ls-remote hub >../out &&
	! grep refs/avogit/other ../out &&
	! grep refs/heads/avo/other/best ../out &&
	grep refs/heads/avo/other/mine ../out &&
	grep refs/avogit/scale/journal/$writer ../out
'

test_expect_success '--remote for a run that is gone here' '
	avogit rm --yes live &&
	avogit rm --yes live --remote hub >../out &&
	grep "nothing of run live" ../out &&
	test_expect_code 128 avogit rm --yes other --remote nowhere 2>../err &&
	grep "git cannot read remote .nowhere." ../err &&
	test_expect_code 128 avogit rm --yes other --remote=--upload-pack=x 2>../err
'

test_expect_success 'a name that is none is refused' '
	for name in "*" @ a/b "" ..
	do
		test_expect_code 2 avogit rm --yes -- "$name" 2>../err || return 1
	done
'

test_done
