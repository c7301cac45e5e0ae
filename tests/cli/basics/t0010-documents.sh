#!/bin/sh
# test: parallel
test_description='what the documents name is there'
. "$(dirname "$0")/../lib-avogit.sh"

top=$SHARNESS_TEST_SRCDIR/../..
check="perl $SHARNESS_TEST_SRCDIR/basics/documents.pl"

test_expect_success 'links lead to files and sections' '
	(cd "$top" && $check links README.md CHANGELOG.md docs/*.md examples/README.md) >lost
	test_must_be_empty lost
'

test_expect_success 'avogit says what the page about troubles quotes' '
	(cd "$top" && $check messages docs/troubleshooting.md) >lost
	test_must_be_empty lost
'

test_expect_success 'every page is in the index, and every command on its page' '
	(cd "$top/docs" && for page in *.md; do
		[ $page = README.md ] || grep -q "]($page" README.md || echo "$page"
	done) >lost &&
	avogit --help | sed -n "/^  [a-z]/{s/^  \([a-z]*\) .*/\1/p;}" >commands &&
	test "$(wc -l <commands)" -gt 20 &&
	while read -r command; do
		grep -q "avogit $command" "$top/docs/commands.md" || echo "$command"
	done <commands >>lost
	test_must_be_empty lost
'

test_expect_success 'the keys of a task file are those that the parser reads by' '
	avogit help --keys >expect &&
	sed "1,/^.avogit help --keys. prints this part/d" "$top/docs/task.md" | sed 1d >actual &&
	echo >>actual && test_cmp expect actual
'

test_expect_success 'the README is short, and has the two commands' '
	test "$(wc -l <"$top/README.md")" -lt 150 &&
	grep "^    make deps demo  " "$top/README.md" &&
	grep "^    make deps test  " "$top/README.md"
'

test_done
