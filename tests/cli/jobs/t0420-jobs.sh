#!/bin/sh
# test: parallel long no-asan
test_description='journeys of a user: from init to a commit of the winner in the project'
. "$(dirname "$0")/../lib-avogit.sh"

# One of tests/jobs, with the lines that were typed: job NAME
job () {
	LOG=$PWD "$SHARNESS_TEST_SRCDIR/../jobs/run.sh" "$1" >line 2>err || { cat line err "$1.log"; return 1; }
	grep "^jobs.$1 typed [0-9]* commands, [0-9]* lines; [0-9]* s ok$" line
}

test_expect_success 'a header whose macros make static functions' '
	job sort && grep "it makes rows_quick_sort callable" sort.log
'

test_expect_success 'C++ with overloads and templates, in its own unit' '
	job sad && grep "Mblocks/s" sad.log
'

test_expect_success 'pointers to anything, and a capacity that comes back' '
	job hist
'

test_expect_success 'a generated header, a table that is made once, a struct by pointer' '
	job crc && grep "^picked " crc.log
'

test_expect_success 'a job that ends without a commit of the winner fails' '
	mkdir -p broken/short/project && cp "$SHARNESS_TEST_SRCDIR"/../jobs/*.sh broken &&
	echo "exit 0" >broken/short/project/check.sh && echo "typed true" >broken/short/job.sh &&
	test_must_fail broken/run.sh short >line 2>err &&
	grep "jobs.short typed 1 commands, 0 lines; [0-9]* s FAILED" line
'

test_done
