#!/bin/sh
# test: parallel long no-asan
test_description='the corpus of cheats: each gets its verdict, for its own reason

Those whose verdict is not one of how fast they are; honest ones too.'
. "$(dirname "$0")/lib-cheats.sh"

unmeasured () {
	! measured "$1"
}
judge_those unmeasured

test_expect_success 'kernel-is-a-link: E2: a source that is a link out of the workspace' '
	task_repo norm &&
	(
		cd norm &&
		rm kernel.c && ln -s /etc/passwd kernel.c &&
		test_expect_code 128 avogit score 2>err &&
		grep "kernel.c" err &&
		test "$(wc -l <err)" = 1
	)
'

test_done
