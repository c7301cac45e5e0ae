#!/bin/sh
# test: parallel
test_description='a read-only repository, a full disk'
. "$(dirname "$0")/../lib-avogit.sh"

mkdir mnt
if test_have_prereq ROOT && mount -t tmpfs -o size=4m none mnt 2>/dev/null
then
	umount mnt
	test_set_prereq MOUNT
fi

test_expect_success MOUNT 'a read-only repository: one sentence, nothing written' '
	mount -t tmpfs none mnt &&
	test_when_finished "cd \"$SHARNESS_TRASH_DIRECTORY\"; umount mnt" &&
	cd mnt && make_repo repo &&
	mount -o remount,ro "$SHARNESS_TRASH_DIRECTORY/mnt" &&
	for command in "evolve" "score"
	do
		test_expect_code 128 avogit $command >../../out 2>../../err &&
		grep -i "read-only" ../../err &&
		test "$(wc -l <../../err)" = 1 || return 1
	done
'

test_expect_success !ROOT 'a repository that may not be written' '
	make_repo mine && chmod -R a-w .git &&
	test_when_finished "chmod -R u+w .git && cd .." &&
	test_expect_code 128 avogit evolve 2>../err &&
	test "$(wc -l <../err)" = 1
'

test_expect_success MOUNT 'a full disk: one sentence, and the run goes on when there is room' '
	mount -t tmpfs -o size=2m none mnt &&
	test_when_finished "cd \"$SHARNESS_TRASH_DIRECTORY\"; umount mnt" &&
	cd mnt && make_repo repo &&
	avogit evolve --attempts 1 >../../out &&
	dd if=/dev/zero of=../filler bs=4k 2>/dev/null || : &&
	test_expect_code 128 avogit evolve >../../out 2>../../err &&
	grep -i "no space" ../../err &&
	rm ../filler &&
	git fsck --strict &&
	avogit evolve --attempts 1 >../../out &&
	grep "^resuming run scale" ../../out
'

test_done
