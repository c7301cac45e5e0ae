#!/bin/sh
# test: parallel
test_description='avogit itself: help, version, usage, exit codes'
. "$(dirname "$0")/../lib-avogit.sh"

commands='init doctor score evolve log show best'

test_expect_success '--version says a version' '
	avogit --version >out &&
	grep "^avogit [0-9]" out
'

test_expect_success '--help names every command' '
	avogit --help >out &&
	for c in $commands
	do
		grep "^  $c " out || return 1
	done
'

test_expect_success 'every command has a help of its own' '
	for c in $commands
	do
		avogit $c --help >out &&
		grep "^usage: avogit $c" out &&
		avogit help $c >out2 &&
		test_cmp out out2 || return 1
	done
'

test_expect_success 'help needs no repository' '
	mkdir empty &&
	(cd empty && avogit evolve --help && avogit score -h)
'

test_expect_success 'no command is a usage error' '
	test_expect_code 2 avogit 2>err &&
	grep "^avogit: " err
'

test_expect_success 'a mistyped command is told the nearest one' '
	test_expect_code 2 avogit evlove 2>err &&
	grep "did you mean .evolve" err &&
	test_expect_code 2 avogit xyzzy 2>err &&
	! grep "did you mean" err
'

test_expect_success 'a mistyped option is told the nearest one' '
	test_expect_code 2 avogit score --agian 2>err &&
	grep "unknown option --agian: did you mean --again?" err
'

test_expect_success 'every usage error is one sentence on stderr' '
	for bad in "evolve --attempts 0" "evolve --attempts" \
		"evolve --time soon" "evolve --seed -1" "log -n x" \
		"score --again=yes" "show a b" "best extra" "init" \
		"log --all --run x" "--frob" "-C"
	do
		test_expect_code 2 avogit $bad >out 2>err &&
		test_must_be_empty out &&
		test "$(wc -l <err)" = 1 &&
		grep "^avogit: " err || return 1
	done
'

test_expect_success 'outside a repository a command says so and is fatal' '
	for c in score evolve log "show HEAD" best
	do
		test_expect_code 128 avogit -C empty $c 2>err &&
		test "$(wc -l <err)" = 1 &&
		grep "^avogit: .*repository" err || return 1
	done
'

test_expect_success '-C DIR works as if started there' '
	git init -q repo &&
	git -C repo commit -q --allow-empty -m empty &&
	test_expect_code 128 avogit -C repo score 2>err &&
	grep "no avogit.yaml" err &&
	test_expect_code 128 avogit -C nowhere score 2>err &&
	grep nowhere err
'

test_expect_success 'output that cannot be written is an error' '
	test -w /dev/full &&
	test_expect_code 128 avogit --help >/dev/full 2>err &&
	grep "cannot write the output" err
'

test_expect_success 'a reader that goes away is none' '
	{ avogit --help; echo $? >code; } | true &&
	test "$(cat code)" = 0 -o "$(cat code)" = 141
'

test_done
