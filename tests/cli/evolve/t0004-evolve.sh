#!/bin/sh
# test: parallel no-asan
test_description='avogit evolve: a run from start to champion'
. "$(dirname "$0")/../lib-avogit.sh"

test_expect_success 'a run finds the faster kernel and says so' '
	make_repo repo &&
	sed -i "s|// avogit: 64 16 4 1|// avogit: 64 32 16 8|" kernel.c &&
	git commit -qam "steps that are found anywhere" &&
	base=$(git rev-parse HEAD) &&
	avogit evolve --seed 1 >out &&
	grep "^starting run scale at " out &&
	grep "^champion " out &&
	grep "the speed of the start .*, side by side$" out &&
	grep "the speed of naive" out &&
	grep "^stopped: exhausted" out
'

test_expect_success 'it ends with the git commands that look at it' '
	grep "git log --graph --notes=avogit --branches=.avo/scale/\*. --not" out &&
	grep "git cherry-pick avo/scale/winner" out
'

test_expect_success 'the champion is on a branch, one line an attempt' '
	git rev-parse --verify -q refs/heads/avo/scale/best &&
	git show avo/scale/best:kernel.c >kernel.best &&
	grep -E "ROUNDS (8|16|32) " kernel.best &&
	# One that is measured again in the final has a second line.
	grep "^[*o.x] #[1-9]" out | sed "s/^. \(#[0-9]*\) .*/\1/" | sort -u >numbers &&
	test "$(wc -l <numbers)" = "$(attempts)"
'

test_expect_success 'every attempt is a commit with a note' '
	avogit log --json >log &&
	sed -n "s/.*\"commit\":[[:space:]]*\"\([0-9a-f]*\)\".*/\1/p" log >ids &&
	test "$(wc -l <ids)" -ge 4 &&
	while read -r id
	do
		git notes --ref=avogit show "$id" >note &&
		grep " 000 .*verdict=" note || return 1
	done <ids
'

test_expect_success 'an exhausted run has nothing more to do' '
	before=$(attempts) &&
	avogit evolve >out &&
	grep "^resuming run scale" out &&
	test "$(attempts)" = "$before"
'

test_expect_success '--attempts limits this call, the next one goes on' '
	avogit evolve --run two --attempts 1 >out &&
	grep "^stopped: attempts" out &&
	avogit evolve --run two --attempts 1 >out &&
	grep "^resuming run two .* 1 attempt so far" out &&
	avogit log --run two --json >log &&
	test "$(grep -c "\"commit\"" log)" = 3
'

test_expect_success '--from begins at another commit, whatever the work tree holds' '
	git commit -q --allow-empty -m "one more" &&
	echo "/* not committed */" >>kernel.c &&
	avogit evolve --run three --from "$base" --attempts 1 >out &&
	grep "^starting run three at $(git rev-parse --short "$base")" out &&
	git checkout -q kernel.c
'

test_expect_success 'a run keeps its start' '
	test_expect_code 128 avogit evolve --run three --from HEAD 2>err &&
	grep "another name" err
'

test_expect_success 'a run keeps its seed' '
	test_expect_code 128 avogit evolve --seed 99 2>err &&
	grep "seed" err
'

test_expect_success 'a task that moved on needs a new run' '
	echo "/* another reference */" >>reference.c &&
	git commit -qam "another reference" &&
	test_expect_code 128 avogit evolve 2>err &&
	grep "another version of its task" err &&
	test "$(wc -l <err)" = 1
'

test_expect_success 'a run that is named goes on with its own task, whatever HEAD is' '
	avogit evolve --run two --attempts 1 >out &&
	grep "^run two goes on with its own task, that of .*: HEAD has another" out &&
	grep "^resuming run two" out &&
	echo "/* by hand */" >>kernel.c &&
	avogit score --time 1s --run two -m "a comment" >out &&
	grep "^run two goes on with its own task" out &&
	grep "a comment" out &&
	test_expect_code 128 avogit evolve --run two --task reference.c 2>err &&
	git checkout -q kernel.c &&
	git checkout -q --orphan bare && git rm -rqf . &&
	git commit -q --allow-empty -m "nothing" &&
	avogit evolve --run two --attempts 1 >out &&
	grep "^resuming run two" out &&
	git checkout -q main
'

test_expect_success 'a branch that is checked out stays, which is said' '
	make_repo left && two_steps &&
	sed -i "s|// avogit: 160 40 10|// avogit: 160 40|" kernel.c &&
	git commit -qam "two values" &&
	avogit evolve --attempts 1 >../out &&
	! grep "checked out" ../out &&
	git switch -q avo/scale/best &&
	was=$(git rev-parse HEAD) &&
	sed -i "s|^#define ROUNDS .*|#define ROUNDS 10|" kernel.c &&
	avogit score --run scale -m "ten rounds" >../out &&
	grep "avo/scale/best is checked out and stays at $(git rev-parse --short HEAD)" ../out &&
	git checkout -q kernel.c &&
	avogit evolve --run scale --attempts 1 >../out &&
	test "$(avogit best --run scale)" != "$was" &&
	test "$(git rev-parse avo/scale/best)" = "$was" &&
	grep "avo/scale/best is checked out and stays at $(git rev-parse --short HEAD)" ../out &&
	eval "$(sed -n "s/.*\`\(git reset --keep [0-9a-f]*\)\`.*/\1/p" ../out)" &&
	test "$(git rev-parse avo/scale/best)" = "$(avogit best --run scale)" &&
	cd ..
'

test_expect_success 'a run name that cannot be a ref is refused' '
	for name in -x .x a..b a/b "a b" x.lock @
	do
		test_expect_code 2 avogit evolve --run="$name" 2>err || return 1
	done
'

test_expect_success 'an unknown operator is refused with those there are' '
	test_must_fail avogit evolve --run new --operator tunner 2>err &&
	grep tuner err
'

test_expect_success TERMINAL 'on a terminal there is a live line' '
	TERM=xterm script -qec "\"$AVOGIT\" evolve --run four --attempts 1" typescript \
		>/dev/null &&
	grep "scoring #1" typescript
'

test_expect_success 'the tuner says first what it varies, and what it does not' '
	make_repo declared &&
	echo "#define U 3 // avogit 1 2 4" >>kernel.c &&
	echo "#define ROUNDS_LIMIT 16 // avogit: 16" >>kernel.c &&
	git commit -qam "a colon is missing" &&
	avogit evolve --attempts 1 >out 2>err &&
	grep "^the tuner varies: ROUNDS (4), MODE (1), ROUNDS_LIMIT (1): 4 points$" out &&
	grep "^ROUNDS_LIMIT is used nowhere in the sources: unless a header uses it" out &&
	test "$(grep -c "is used nowhere" out)" = 1 &&
	grep "kernel.c:[0-9]*: #define U 3 // avogit 1 2 4: this declares nothing" err &&
	cd ..
'

test_expect_success 'a requirement that nothing meets is told before anything is measured' '
	make_repo required &&
	echo "// avogit-require: ROUNDS < 1" >>kernel.c &&
	git commit -qam "never" &&
	test_expect_code 128 avogit evolve >out 2>err &&
	grep "no choice of the declared values meets avogit-require: ROUNDS < 1" err &&
	test -z "$(git for-each-ref refs/heads/avo)" &&
	sed -i "\$s/< 1/< 64/" kernel.c &&
	git commit -qam "not the one in force" &&
	avogit evolve --attempts 1 >out 2>err &&
	grep "values in force do not meet avogit-require: ROUNDS < 64" err &&
	cd ..
'

test_done
