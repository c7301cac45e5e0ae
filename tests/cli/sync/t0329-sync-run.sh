#!/bin/sh
# test: parallel
test_description='avogit sync: one run of several, and what stays at home'
. "$(dirname "$0")/../lib-avogit.sh"

hub_refs () {
	git --git-dir=hub.git for-each-ref --format="%(refname)" refs/avogit refs/notes refs/heads/avo
}

# Is an object of clone a in the hub?
in_hub () {
	git --git-dir=hub.git cat-file -e "$1" 2>/dev/null
}

test_expect_success 'setup: two runs, and a work tree that was scored' '
	git init -q --bare hub.git &&
	make_light_repo a && git push -q ../hub.git main &&
	git remote add origin "$PWD/../hub.git" &&
	avogit evolve --run one --attempts 1 >/dev/null &&
	avogit evolve --run two --attempts 1 --seed 7 >/dev/null &&
	sed -i "s/ROUNDS 16/ROUNDS 3/" kernel.c &&
	avogit score >../out && secret=$(git rev-parse $(sed "s/ .*//;q" ../out)) &&
	git checkout -q kernel.c && cd .. &&
	git -C a cat-file -e $secret:kernel.c
'

test_expect_success '--run moves that run alone, and no notes' '
	(cd a && avogit sync --run one) &&
	hub_refs >actual && grep refs/avogit/one/journal/ actual &&
	test "$(wc -l <actual)" = 1 &&
	! in_hub $secret
'

test_expect_success 'who takes it has its notes and branches' '
	git clone -q hub.git b && (cd b && avogit sync --run one && avogit runs >../out) &&
	grep "^one " out && ! grep "^two " out &&
	(cd a && avogit log --run one --json >../expect) &&
	(cd b && avogit log --run one --json >../actual && git log -1 --notes=avogit >../out) &&
	test_cmp expect actual && grep "verdict=pass" out
'

test_expect_success 'without --run all runs move, and the work tree stays at home' '
	(cd a && avogit sync --dry-run >../out) &&
	grep "would send refs/avogit/two/journal" out && ! grep "avogit/@" out &&
	(cd a && avogit sync) &&
	hub_refs >actual &&
	grep refs/avogit/two/ actual && grep "^refs/notes/avogit$" actual &&
	! grep "avogit/@" actual &&
	! in_hub $secret && ! in_hub $secret:kernel.c &&
	! in_hub $(git -C a rev-parse $secret:kernel.c)
'

test_expect_success 'another sync moves nothing' '
	(cd a && avogit sync >../out) && grep "^nothing to move" out
'

test_expect_success '--run @ sends it, and others receive it' '
	(cd a && avogit sync --run @) &&
	hub_refs | grep "refs/avogit/@/journal/" && in_hub $secret:kernel.c &&
	(cd b && avogit sync && git cat-file -e $secret:kernel.c)
'

test_expect_success 'nor does who received it send it on' '
	git init -q --bare third.git && (cd b && avogit sync ../third.git) &&
	git --git-dir=third.git for-each-ref >actual &&
	grep refs/avogit/one actual && ! grep "avogit/@" actual
'

test_expect_success 'branches and logs of that run alone' '
	git -C a update-ref refs/heads/avo/two/1 HEAD &&
	git -C a update-ref refs/heads/avo/one/1 HEAD &&
	(cd a && avogit sync --run two --branches) &&
	hub_refs >actual && grep avo/two/1 actual && ! grep avo/one actual
'

test_expect_success 'a run that neither side has is an error' '
	(cd a && test_expect_code 128 avogit sync --run nix 2>../err) &&
	grep "no run .nix., neither here nor in .origin." err
'

test_done
