#!/bin/sh
# test: parallel long no-asan
test_description='a run that goes on from a version a person wrote on the base'
. "$(dirname "$0")/../lib-avogit.sh"
. "$SHARNESS_TEST_SRCDIR/lib-locks.sh"

test_expect_success 'setup: production, and a version with a tunable on top' '
	make_repo repo &&
	sed -i "s|// avogit: 64 16 4 1|// avogit: 64 16|" kernel.c && git commit -qam "one gain" &&
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

test_expect_success 'a base with another task is refused: what differs, what would do' '
	git switch -q main &&
	sed -i "s/^threads:.*//; \$a threads: 2" avogit.yaml &&
	git commit -qam "another task" &&
	test_expect_code 128 avogit evolve --run x --base $base 2>../err &&
	grep "avogit.yaml differs between them" ../err &&
	grep "oldest commit with the task of now is $(git rev-parse --short HEAD)" ../err &&
	git commit --allow-empty -qm "one more" &&
	test_expect_code 128 avogit evolve --run x --base $base 2>../err &&
	grep "is $(git rev-parse --short HEAD~1)" ../err &&
	avogit evolve --run x --base HEAD~1 --attempts 1
'

test_expect_success 'so is one without a task, or with one that is broken' '
	start=$(git rev-parse HEAD) &&
	git rm -q avogit.yaml && git commit -qm "no task" &&
	git checkout -q $start -- avogit.yaml && git commit -qm "a task" &&
	test_expect_code 128 avogit evolve --run y --base HEAD~1 2>../err &&
	grep "cannot be the base" ../err &&
	grep "avogit.yaml" ../err &&
	grep "oldest commit with the task of now is $(git rev-parse --short HEAD)" ../err
'

# The one tunable can only make it slower, and the base has none.
test_expect_success 'a stall never begins again from a base without tunables' '
	cd .. && make_light_repo stall &&
	echo "supervisor: {stall: 3}" >>avogit.yaml &&
	sed "s|// avogit:.*||; s/ROUNDS 16 /ROUNDS 4 /" kernel.c >../plain &&
	sed -e "s|ROUNDS 16 .*|ROUNDS 4 // avogit: 4 40 44 48 52 56|" \
		-e "s|// avogit: 0\$||" kernel.c >../tunable &&
	cp ../plain kernel.c && git commit -qam "nothing to tune" &&
	git branch production &&
	cp ../tunable kernel.c && git commit -qam "declare a tunable" &&
	avogit evolve --seed 3 --base production --attempts 4 >../out &&
	grep "^supervisor: stall: .*begin again from attempt 1 (" ../out &&
	! grep "^supervisor: .*from attempt 0" ../out &&
	grep "#5 " ../out &&
	grep "^stopped: attempts" ../out
'

test_expect_success 'with nothing left to vary it stops and says so' '
	avogit evolve >../out &&
	grep "^stopped: exhausted" ../out &&
	avogit evolve >../out &&
	grep "^stopped: exhausted" ../out
'

# A person s attempt without the tunables becomes the tip.
test_expect_success 'a run whose candidates have no tunables says what is missing' '
	cp ../plain kernel.c &&
	git commit -qam "nothing to tune again" &&
	avogit score --run hand -m "a slower one" >/dev/null &&
	avogit evolve --run hand --from HEAD --operator tuner >../out &&
	grep "^stopped: the sources declare nothing that the tuner could vary" ../out &&
	avogit runs | grep "^hand .*stopped: the sources declare nothing"
'

# Others have the CPUs: it is stopped before it has measured anything.
test_expect_success 'one that was stopped before it measured goes on by the command that it prints' '
	mkdir ../locks && mkfifo ../say ../go ../err.pipe &&
	AVOGIT_LOCKS=$(cd ../locks && pwd) && avogit score --again HEAD >/dev/null &&
	cd .. && make_light_repo early && cp ../plain kernel.c && git commit -qam "nothing to tune" &&
	cp ../tunable kernel.c && git commit -qam "declare a tunable" &&
	{ hold_locks "$AVOGIT_LOCKS" & } && holder=$! && read held <../say &&
	{ "$AVOGIT" evolve --base HEAD~1 >../out 2>../err.pipe & } && evolving=$! &&
	exec 8<../err.pipe && told "another avogit is timing on the CPUs" &&
	kill -s INT $evolving && test_expect_code 130 wait $evolving &&
	exec 8<&- && echo go >../go && wait $holder && cat ../out &&
	command=$(sed -n "/^go on with it/ { n; p; }" ../out) &&
	test "$command" = "  avogit evolve --run scale" &&
	eval "$command --attempts 1" >../out && cat ../out &&
	grep "^. #1 .*declare a tunable" ../out &&
	grep "^the tuner varies: ROUNDS" ../out
'

# Sixteen times as slow as the start, so that it is kept by nobody.
test_expect_success 'a run that began with nothing to vary goes on from what was scored in it by hand' '
	cd .. && make_light_repo by-hand && sed -i "s|^#define ROUNDS .*|#define ROUNDS 4|; s| *// avogit: 0||" kernel.c &&
	git commit -qam "nothing to tune" &&
	sed -i "s|^#define ROUNDS .*|#define ROUNDS 16 // avogit: 16 8|" kernel.c &&
	avogit score --run scale -m "more rounds" >/dev/null &&
	avogit evolve --attempts 1 >../out &&
	grep "^resuming run scale at .*, from #1 on, 1 attempt so far$" ../out &&
	grep "^the tuner varies: ROUNDS (2): 2 points$" ../out &&
	grep "^. #2 .*ROUNDS 16 -> 8" ../out &&
	avogit evolve >../out && avogit log >../out &&
	test "$(grep -c "run: the user goes on from #1" ../out)" = 1
'

test_expect_success 'and from one that is named, unless it failed' '
	sed -i "s|^#define ROUNDS .*|#define ROUNDS 12 // avogit: 12 10|" kernel.c &&
	avogit score --run scale -m "some rounds" >/dev/null &&
	avogit evolve --from "scale#3" --attempts 1 >../out &&
	grep "^resuming run scale at .*, from #3 on, 3 attempts so far$" ../out &&
	grep "^. #4 .*ROUNDS 12 -> 10" ../out &&
	sed -i "s|^#define MODE .*|#define MODE 4|" kernel.c &&
	test_expect_code 1 avogit score --run scale -m "does not build" >/dev/null &&
	test_expect_code 128 avogit evolve --from "scale#5" 2>../err &&
	grep "run scale cannot go on from #5, which .*: name an attempt that passed" ../err &&
	test_expect_code 128 avogit evolve --run scale --from HEAD~1 2>../err &&
	grep "goes on from there: another start needs another name (--run NAME); --from scale#N goes on from one of its attempts" ../err
'

test_done
