#!/bin/sh
# test: parallel no-asan
test_description='tests/prove.sh: only what fails for good looks like a failure in a log'
. "$(dirname "$0")/../lib-avogit.sh"

tests=$(cd "$SHARNESS_TEST_SRCDIR/.." && pwd)
unset AGAIN

# A script ./cli/NAME.sh with a case that passes and one of COMMAND, which times
# something unless TIMES says otherwise.
script () { # NAME COMMAND [TIMES]
	mkdir -p cli/basics &&
	cat >"cli/basics/$1.sh" <<-EOF2
	test_description=made
	. "$SHARNESS_TEST_SRCDIR/lib-avogit.sh"
	${3-: >"\$AVOGIT_LOCKS/avogit-cpu0.lock"}
	test_expect_success 'first' 'true'
	test_expect_success 'second' 'echo "not ok, says $1" && $2'
	test_done
	EOF2
}

# ./out; its exit code is that of prove.sh.
proved () { # SCRIPT...
	env -u HARNESS_ACTIVE -u HARNESS_VERSION -u TEST_LOCKS -u TEST_SAID -u AVOGIT_LOCKS \
		"$tests/prove.sh" state 2 -- "$@" >out 2>&1
}

looks_failed () {
	grep -E "^not ok|Dubious|Failed|Result: FAIL" out
}

test_expect_success 'setup' '
	script good true &&
	script once "echo \"\$TEST_CASES\" >\"$PWD/cases\" && { test -e \"$PWD/been\" || ! : >\"$PWD/been\"; }" &&
	script twice false &&
	script untimed false :
'

test_expect_success 'what passes alone is named, with what it printed, and fails nothing' '
	proved cli/basics/once.sh cli/basics/good.sh &&
	! looks_failed &&
	grep -x "first run: not passed 2 - second" out &&
	grep -x "  | not ok, says once" out &&
	tail -n 1 out | grep -x "FAILED ONCE, passed alone: cli/basics/once.sh" &&
	grep -x "not ok 2 - second" state.first &&
	grep -x "once.2" cases
'

test_expect_success 'each of many cases that failed is judged once more' '
	script many true &&
	sed -i "/^test_done/d" cli/basics/many.sh &&
	{
		echo "echo \"\$TEST_CASES\" >\"$PWD/cases\""
		for i in $(seq 30)
		do
			echo "test_expect_success \"right $i\" true"
			echo "test_expect_success \"wrong $i\" \"test -n \\\"\$TEST_CASES\\\"\""
		done
		echo test_done
	} >>cli/basics/many.sh &&
	proved cli/basics/many.sh cli/basics/good.sh &&
	test "$(wc -w <cases)" = 30 &&
	grep "many.4 .*many.62\$" cases
'

test_expect_success 'what fails alone, too, has failed' '
	! proved cli/basics/twice.sh cli/basics/good.sh &&
	grep -x "not ok 2 - second" out &&
	grep "Failed 1/2 subtests" out &&
	! grep "FAILED ONCE" out
'

test_expect_success 'what times nothing has failed at once' '
	! proved cli/basics/untimed.sh cli/basics/good.sh &&
	grep -x "not ok 2 - second" out &&
	grep -x "  Failed test:  2" out &&
	grep -x "not once more, it times nothing: cli/basics/untimed.sh" out
'

test_expect_success 'AGAIN=no: so has what times something' '
	rm -f been &&
	! AGAIN=no proved cli/basics/once.sh &&
	grep -x "not ok 2 - second" out
'

test_done
