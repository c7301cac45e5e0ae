#!/bin/sh
# test: parallel long no-asan
test_description='every problem of tests/data/kernelbench is imported and scored'
. "$(dirname "$0")/../python/lib-python.sh"

problems=$(cd "$SHARNESS_TEST_SRCDIR/../data/kernelbench" && pwd)

test_expect_success 'there are ten of them' '
	test "$(ls "$problems"/*.py | wc -l)" = 10 &&
	git init -q repository
'

# Both in one call: PyTorch takes seconds to start, and what is right is asked of the
# same processes.
for problem in "$problems"/*.py
do
	name=$(basename "$problem" .py)
	test_expect_success "$name: its own code passes, and zeros do not" "
		(
			cd repository &&
			avogit import kernelbench $problem &&
			cd $name &&
			git add . &&
			git commit -qm $name &&
			sed -i 's/^        to.copy_(value)/        to.zero_()/' kernel.py &&
			git commit -qam zeros &&
			test_expect_code 1 avogit score --time 1s HEAD^ HEAD >out &&
			grep \"^\$(git rev-parse --short HEAD^)  pass,\" out &&
			grep 'vs eager' out &&
			grep \"^\$(git rev-parse --short HEAD)  wrong:\" out
		)
	"
done

test_done
