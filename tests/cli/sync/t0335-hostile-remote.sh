#!/bin/sh
# test: parallel
test_description='what another repository sends is looked at before it is taken in'
. "$(dirname "$0")/../lib-avogit.sh"

# A hub whose refs/notes/avogit is OBJECT: hub_with OBJECT
hub_with () {
	git --git-dir=../hub.git update-ref refs/notes/avogit "$1"
}

object () {
	git --git-dir=../hub.git "$@"
}

# Sync takes what is good of it, says why it takes no notes, and leaves nothing
# that is in the way: of another remote, of git gc, of a push. `why` is a word
# of the reason.
check_refused () {
	avogit sync ../hub.git >../out 2>../err || { cat ../err; return 1; }
	grep "not taken: refs/notes/avogit: .*$1" ../err || { cat ../err; return 1; }
	test -z "$(git for-each-ref refs/notes/avogit-sync refs/avogit-sync)" &&
	git gc -q &&
	git fsck --full >../fsck 2>&1 && ! grep -e missing -e broken ../fsck &&
	git push -q ../mirror.git +refs/notes/avogit:refs/notes/pushed &&
	avogit sync ../good.git >../out 2>../err && test_must_be_empty ../err &&
	avogit doctor --repair >../out && ! grep "left alone" ../out
}

test_expect_success 'setup: a clone with notes of its own, and hubs' '
	make_light_repo repo &&
	avogit score >/dev/null &&
	note=$(git notes --ref=avogit list | sed "s/ .*//;q") &&
	commit=$(git notes --ref=avogit list | sed "s/.* //;q") &&
	git init -q --bare ../mirror.git && git init -q --bare ../good.git &&
	git init -q --bare ../hub.git && git push -q ../hub.git main &&
	avogit sync ../good.git &&
	good=$(git rev-parse refs/notes/avogit) &&
	git push -q ../hub.git refs/notes/avogit
'

# A notes commit on the given tree, of an unrelated history.
commit_of () {
	object -c user.name=x -c user.email=x@y commit-tree -m notes "$1"
}

test_expect_success 'a notes ref that is a blob' '
	hub_with "$(echo text | object hash-object -w --stdin)" &&
	check_refused "it is a blob, not a commit"
'

test_expect_success 'a notes ref that is a tree' '
	hub_with "$(object rev-parse main^{tree})" &&
	check_refused "it is a tree, not a commit"
'

test_expect_success 'a notes ref that is a tag of a commit' '
	hub_with "$(object rev-parse "$(object -c user.name=x -c user.email=x@y \
		tag -a -m x t main >/dev/null && object rev-parse t)")" &&
	check_refused "it is a tag, not a commit"
'

test_expect_success 'a note that is a link to a submodule' '
	hub_with "$(commit_of "$(printf "160000 commit %s\t%s\n" $commit $commit |
		object mktree --missing)")" &&
	check_refused "has mode 160000"
'

test_expect_success 'the same in a folder, beside notes that are known here' '
	rest=$(echo $commit | cut -c3-) && two=$(echo $commit | cut -c1-2) &&
	inner=$(printf "160000 commit %s\t%s\n" $commit $rest | object mktree --missing) &&
	hub_with "$(object -c user.name=x -c user.email=x@y commit-tree -m more -p $good "$({
		object ls-tree $good | grep -v "	$two\$"
		printf "040000 tree %s\t%s\n" $inner $two
	} | object mktree --missing)")" &&
	check_refused "has mode 160000"
'

test_expect_success 'a symbolic link, and a name that is none of a note' '
	hub_with "$(commit_of "$(printf "120000 blob %s\t%s\n" $note $commit | object mktree --missing)")" &&
	check_refused "has mode 120000" &&
	hub_with "$(commit_of "$(printf "100644 blob %s\tREADME\n" $note | object mktree --missing)")" &&
	check_refused "README in it is not the name of a note"
'

test_expect_success 'folders in folders without end' '
	tree=$(printf "100644 blob %s\taa\n" $note | object mktree --missing) &&
	for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22
	do
		tree=$(printf "040000 tree %s\taa\n" $tree | object mktree) || return 1
	done &&
	hub_with "$(commit_of $tree)" &&
	check_refused "not the name of a note"
'

test_expect_success 'a note of 70 MB, which is 70 kB on the wire' '
	big=$(head -c 70000000 /dev/zero | tr "\0" a | object hash-object -w --stdin) &&
	hub_with "$(commit_of "$(printf "100644 blob %s\t%s\n" $big $commit | object mktree --missing)")" &&
	check_refused "has 70000000 bytes"
'

test_expect_success 'a clone without notes takes none of it either' '
	git init -q ../empty && cd ../empty &&
	git --git-dir=../hub.git fetch -q ../repo +refs/avogit/@/*:refs/avogit/@/* &&
	avogit sync ../hub.git >../out 2>../err &&
	grep "not taken: refs/notes/avogit: .*70000000 bytes" ../err &&
	cd ../repo
'

test_expect_success 'notes of another history that are notes are merged' '
	other=$(echo "20260101T000000Z-00000000 000 verdict=pass" | object hash-object -w --stdin) &&
	hub_with "$(commit_of "$(printf "100644 blob %s\t%s\n" $other $commit | object mktree)")" &&
	avogit sync ../hub.git >../out 2>../err && test_must_be_empty ../err &&
	git notes --ref=avogit show $commit >../note &&
	grep "20260101T000000Z-00000000" ../note && test "$(wc -l <../note)" -gt 3
'

# A journal of another writer on the hub, of one entry with this JSON.
other_journal () {
	entry=$({ echo "an entry" && echo && cat; } | object -c user.name=x -c user.email=x@y \
		commit-tree -F - "$(object hash-object -t tree -w --stdin </dev/null)") &&
	object update-ref refs/avogit/other/journal/0123456789abcdef $entry
}

test_expect_success 'a journal entry of 40 MB is not taken in' '
	{
		printf "{\"kind\":\"stop\",\"run\":\"other\",\"time_us\":1,\"reason\":\"" &&
		head -c 40000000 /dev/zero | tr "\0" a && echo "\"}"
	} | other_journal &&
	avogit sync ../hub.git >../out 2>../err &&
	grep "not taken: refs/avogit/other/journal/.* bytes, more than the 1048576" ../err &&
	avogit runs >../out && ! grep other ../out
'

test_expect_success 'nor read where git fetched it' '
	git fetch -q ../hub.git "refs/avogit/other/*:refs/avogit/other/*" &&
	test_expect_code 1 avogit runs >../out 2>../err &&
	grep "bytes, more than the 1048576 that an entry can have" ../err &&
	avogit rm other --yes && avogit runs &&
	git update-ref -d refs/avogit/other/removed/0123456789abcdef
'

test_expect_success 'a record without a base is not taken in, and fails no sync' '
	echo "{\"kind\":\"run\",\"run\":\"other\",\"time_us\":1795363297669579}" | other_journal &&
	avogit sync ../hub.git >../out 2>../err &&
	grep "not taken: refs/avogit/other/journal/.*names no base" ../err &&
	avogit runs
'

test_expect_success 'logs that are no chain' '
	object update-ref refs/avogit/other/logs/0123456789abcdef \
		"$(echo text | object hash-object -w --stdin)" &&
	avogit sync --logs ../hub.git >../out 2>../err &&
	grep "not taken: refs/avogit/other/logs/.*not a chain of logs" ../err &&
	test -z "$(git for-each-ref refs/avogit/other/logs)"
'

test_expect_success 'notes that an earlier avogit merged: doctor says what mends them' '
	tree=$(printf "160000 commit %s\t%s\n" $commit $(git rev-parse HEAD^{tree}) | git mktree --missing) &&
	git update-ref refs/notes/avogit "$(git commit-tree -m bad $tree)" &&
	avogit doctor --repair >../wrapped && tr "\n" " " <../wrapped >../out &&
	grep "left alone refs/notes/avogit.*mode 160000" ../out &&
	git update-ref -d refs/notes/avogit &&
	avogit doctor --repair >../out && grep "put back" ../out &&
	avogit show HEAD >../out && grep pass ../out && git gc -q
'

test_done
