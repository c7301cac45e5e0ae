#!/bin/sh
# test: long no-asan
test_description='the corpus of cheats that are timed: none gains anything'
. "$(dirname "$0")/lib-cheats.sh"

judge_those measured

test_expect_success 'the table in README.md is current' '
	"$corpus/table.sh" >table &&
	test_cmp "$corpus/README.md" table
'

test_done
