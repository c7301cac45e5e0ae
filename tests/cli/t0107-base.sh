#!/bin/sh
test_description='a run that goes on from a version a person wrote on the base'
. "$(dirname "$0")/lib-avogit.sh"

test_expect_success 'setup: production, and a version with a tunable on top' '
	make_repo repo &&
	sed "s|// avogit:.*||" kernel.c >plain && cp plain kernel.c && rm plain &&
	git commit -qam "nothing to tune" &&
	git branch production &&
	git checkout -q production~1 -- kernel.c &&
	git commit -qm "declare the tunables again" &&
	base=$(git rev-parse production)
'

test_expect_success 'what the person wrote is the first attempt' '
	avogit evolve --seed 1 --base production --attempts 3 >../out &&
	grep "#0 .*the start" ../out &&
	grep "#1 .*declare the tunables again" ../out
'

test_expect_success 'the winner is a change to the base' '
	test "$(git rev-parse avo/scale/winner^)" = \
		"$(git rev-parse production)" &&
	git switch -q production &&
	git cherry-pick avo/scale/winner &&
	git show avo/scale/best:kernel.c >../expect &&
	test_cmp ../expect kernel.c &&
	git switch -q main
'

test_expect_success 'it resumes, and keeps its base' '
	avogit evolve --attempts 1 >../out &&
	grep "^resuming run scale" ../out &&
	test_expect_code 128 avogit evolve --base HEAD 2>../err &&
	grep "goes on from there" ../err
'

test_expect_success 'a base that is no ancestor is refused' '
	git checkout -q --orphan other && git commit -qm other &&
	test_expect_code 128 avogit evolve --run x --base main 2>../err &&
	grep "no ancestor" ../err
'

test_expect_success 'a base with another task is refused' '
	git switch -q main &&
	sed -i "s/^threads:.*//; \$a threads: 2" avogit.yaml &&
	git commit -qam "another task" &&
	test_expect_code 128 avogit evolve --run x --base $base 2>../err &&
	grep "differs between them" ../err
'

test_done
