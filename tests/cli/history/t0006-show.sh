#!/bin/sh
# test: parallel long
test_description='avogit show: one candidate whole'
. "$(dirname "$0")/../lib-avogit.sh"

test_expect_success 'setup: a run with failures' '
	make_repo repo &&
	sed -i "s|// avogit: 64 16 4 1|// avogit: 64 16|" kernel.c &&
	offer_modes 0 4 &&
	avogit evolve --seed 3 >out &&
	kernel_of_rounds 4096 &&
	avogit score --time 1s --run scale -m "more rounds" >/dev/null &&
	git checkout -q kernel.c
'

test_expect_success 'the champion: cases, comparisons, environment, parent' '
	avogit show avo/scale/best >out &&
	grep "^candidate $(git rev-parse avo/scale/best)" out &&
	grep "^candidate .*, champion)$" out &&
	grep "n=16384" out &&
	grep "\]  *faster" out &&
	grep "compiler" out &&
	grep "^took .* s: building .*, starting sandboxes .*, timed .*, judging .*, other .*" out &&
	! grep "timed 0.00" out &&
	grep "git diff" out
'

test_expect_success 'the hint for the diff is a command that works' '
	eval "$(sed -n "s/^parent .*: \(git diff .*\)/\1/p" out)" >diff &&
	grep "^-#define" diff
'

test_expect_success 'a failure: the reason and the compiler log' '
	failed=$(avogit log | grep build-failed | head -n 1 |
		sed "s/^[^0-9a-f]*\([0-9a-f]*\) .*/\1/") &&
	avogit show "$failed" >out &&
	grep "build-failed: " out &&
	grep "error: " out
'

test_expect_success 'an attempt by its number' '
	avogit show scale#1 >out &&
	grep "(scale#1" out
'

test_expect_success 'the outcome of each attempt is said as log says it' '
	avogit log --json | sed -n "s/.*\"attempt\":[[:space:]]*\([0-9]*\),.*/\1/p
		s/.*\"outcome\":[[:space:]]*\"\(.*\)\",.*/\1/p" | paste - - |
		grep -v "^0" >said &&
	test "$(wc -l <said)" -ge 4 &&
	grep "build-failed" said && test "$(cut -f2 said | sort -u | wc -l)" -ge 2 &&
	while IFS="	" read -r number outcome
	do
		avogit show "scale#$number" >out &&
		head -n 1 out | grep "(scale#$number, $outcome)$" &&
		avogit show --json "scale#$number" >out &&
		grep "\"outcome\":[[:space:]]*\"$outcome\"" out || return 1
	done <said
'

test_expect_success 'a commit that was never measured says how to' '
	git commit -q --allow-empty -m new &&
	avogit show HEAD >out &&
	grep "not measured: avogit score" out
'

test_expect_success 'JSON holds the whole measurement' '
	avogit show --json avo/scale/best >out &&
	grep "\"schema\":[[:space:]]*1" out &&
	grep "\"measurement\"" out
'

test_expect_success 'control characters of a candidate do not reach the terminal' '
	id=$(printf "evil \033[31mred\007\n" |
		git commit-tree HEAD^{tree} -p HEAD) &&
	avogit show "$id" >out &&
	! grep "$(printf "\033")" out &&
	grep "evil" out
'

test_expect_success 'an unknown REV is fatal, in one sentence' '
	test_expect_code 128 avogit show nonsense 2>err &&
	test "$(wc -l <err)" = 1 &&
	grep nonsense err
'

test_expect_success 'a measurement of a clock that was ahead is not the newest for ever' '
	git commit -q --allow-empty -m "of another day" &&
	avogit score --again HEAD >/dev/null && avogit show --json HEAD | grep "\"id\"" >../first &&
	ref=$(git for-each-ref --format="%(refname)" refs/avogit/@/journal) &&
	git log -1 --format=%B $ref >../entry &&
	sed -i "s/\"id\":\"[0-9]*T/\"id\":\"22000101T/;s/\"time_us\":[0-9]*/\"time_us\":7258118400000000/g" ../entry &&
	grep 22000101T ../entry &&
	id=$(git commit-tree -F ../entry -p $ref -p HEAD $(git hash-object -t tree -w --stdin </dev/null)) &&
	git update-ref $ref $id &&
	avogit show --json HEAD | grep "\"id\"" >../now && test_cmp ../first ../now &&
	rm -rf .git/avogit/checked && avogit doctor --repair &&
	git notes --ref=avogit show HEAD | grep 22000101T &&
	avogit score --again HEAD >/dev/null &&
	avogit show --json HEAD | grep "\"id\"" >../again &&
	! grep 22000101T ../again && ! test_cmp ../first ../again >/dev/null
'

test_done
