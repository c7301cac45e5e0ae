#!/bin/sh
# test: parallel
test_description='avogit diff: what a candidate changed, with both scores'
. "$(dirname "$0")/../lib-avogit.sh"

test_expect_success 'setup: a run with a champion' '
	make_repo repo && two_steps &&
	base=$(git rev-parse HEAD) &&
	avogit evolve --seed 1 >/dev/null &&
	best=$(avogit best)
'

test_expect_success 'against the parent: scores, the ratio of the pair, the patch' '
	avogit diff >../out &&
	sed -n 1p ../out | grep "^$(git rev-parse --short $best) #[0-9]* (.*B/s) against .*: [0-9.]*x its speed \[" &&
	sed -n "/^diff/,\$p" ../out >../patch &&
	git diff $best^ $best >../expect &&
	test_cmp ../expect ../patch
'

test_expect_success 'against the base, another candidate, and back' '
	avogit diff scale#1 --to base >../out &&
	grep "against $(git rev-parse --short $base) " ../out &&
	avogit diff --to base >../out &&
	sed -n "/^diff/,\$p" ../out >../patch &&
	git diff $base $best >../expect &&
	test_cmp ../expect ../patch &&
	avogit diff "scale#1" --to "scale#2" >../out &&
	grep ": 0[.][0-9]*x its speed" ../out &&
	avogit diff "scale#2" --to "scale#1" >../out &&
	grep ": [1-9][0-9.]*x its speed" ../out
'

test_expect_success 'the patch is one that git applies' '
	avogit diff --to base >../patch &&
	git apply ../patch &&
	git show $best:kernel.c >../expect &&
	test_cmp ../expect kernel.c &&
	git checkout -q kernel.c
'

test_expect_success 'against a baseline' '
	avogit diff --to baseline >../out &&
	grep "against baseline naive: [0-9.]*x its speed" ../out &&
	grep "^--- a/baseline.c" ../out &&
	grep "^+++ b/kernel.c" ../out &&
	grep "^-void scale_naive" ../out &&
	avogit diff --to baseline:naive >../again &&
	test_cmp ../out ../again &&
	test_expect_code 2 avogit diff --to baseline:nobody 2>../err &&
	grep "baseline:naive" ../err
'

test_expect_success '--stat' '
	avogit diff --stat --to base >../out &&
	grep "kernel.c | *2 +-" ../out &&
	! grep "^diff" ../out
'

test_expect_success 'the sources only' '
	echo "# remark" >>avogit.yaml &&
	sed -i "s/ROUNDS 160/ROUNDS 32/" kernel.c &&
	git commit -qam "by hand" &&
	avogit diff HEAD >../out &&
	grep "not measured" ../out &&
	grep "^+#define ROUNDS 32" ../out &&
	! grep "avogit.yaml" ../out
'

test_expect_success 'colours as git has them' '
	avogit diff --color always >../out &&
	git diff --color=always $best^ $best >../expect &&
	sed -n "/diff --git/,\$p" ../out |
		sed "s/$(printf "\033")\[[0-9;]*m//g" >../plain &&
	git diff $best^ $best >../expect &&
	test_cmp ../expect ../plain &&
	grep "$(printf "\033\[36m")@@" ../out
'

test_expect_success 'bytes that no terminal should see' '
	git switch -q -c bytes &&
	printf "/* \033[2J \377 */\r\n" >>kernel.c &&
	git commit -qam "escapes" &&
	avogit diff HEAD >../out &&
	git apply -R ../out &&
	git diff --quiet HEAD^ -- kernel.c &&
	git checkout -q kernel.c &&
	avogit diff --color always HEAD >../out &&
	! grep "$(printf "\033\[2J")" ../out &&
	grep "\^\[\[2J" ../out &&
	git switch -q main
'

test_expect_success TERMINAL 'a pager, the user s own, on a terminal' '
	git config --global core.pager "sed \"s/^/paged: /\"" &&
	script -qec "\"$AVOGIT\" diff" ../typescript >/dev/null &&
	grep "paged: .*against" ../typescript &&
	git config --global --unset core.pager &&
	git config core.pager "touch \"$PWD/../pager-ran\"; cat" &&
	PAGER=cat script -qec "\"$AVOGIT\" diff" ../typescript >/dev/null &&
	grep "against" ../typescript &&
	test ! -e ../pager-ran &&
	git config --unset core.pager
'

test_expect_success 'what cannot be compared is refused in a sentence' '
	test_expect_code 128 avogit diff $base~1 2>../err &&
	grep "has no parent" ../err &&
	test_expect_code 128 avogit diff main --to base 2>../err &&
	grep "not a candidate of a run" ../err &&
	test_expect_code 128 avogit diff --to nonsense 2>../err &&
	grep "nonsense" ../err &&
	test_expect_code 2 avogit diff --run scale HEAD 2>../err
'

test_done
