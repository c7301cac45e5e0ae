#!/bin/sh
# test: parallel long
test_description='dist/slurm-agent.sh: whole agents as jobs, each in a clone of its own'
. "$(dirname "$0")/../lib-avogit.sh"
. "$SHARNESS_TEST_SRCDIR/launch/lib-launch.sh"

# What Slurm would start, a group of processes: job INDEX START ARGS
FAR=$PWD
agent=$SHARNESS_TEST_SRCDIR/../../dist/slurm-agent.sh
mkdir bin && ln -s "$AVOGIT" bin/avogit && PATH=$PWD/bin:$PATH
export PATH
job () {
	SLURM_ARRAY_JOB_ID=7 SLURM_ARRAY_TASK_ID=$1 SLURM_RESTART_COUNT=$2
	export SLURM_ARRAY_JOB_ID SLURM_ARRAY_TASK_ID SLURM_RESTART_COUNT
	shift 2
	exec setsid sh "$agent" "$FAR/repo" app "$@"
}

test_expect_success 'a run that is not begun, and words that are missing, are said' '
	application repo "$(seq -s " " 10 90)" "test \"\$speed\" -lt 20 || sleep 0.1" &&
	test_expect_code 2 sh "$agent" repo app 2>../err &&
	test_expect_code 1 sh "$agent" "$PWD" app 1 2>../err &&
	grep "begin the run first: avogit evolve --run app" ../err
'

test_expect_success 'two agents find more than one, and all of it is in the repository' '
	avogit evolve --attempts 1 >/dev/null &&
	{ job 0 0 2 --attempts 3 >../out.0 2>&1 & } && first=$! &&
	{ job 1 0 2 --attempts 3 >../out.1 2>&1 & } && second=$! &&
	wait $first && wait $second &&
	test "$(entries attempt)" = 13 &&
	test "$(git for-each-ref refs/avogit/app/journal | wc -l)" = 3 &&
	avogit best --run app >../best &&
	grep "^resuming run app .*, [4-9] attempts so far\|^resuming run app .*, 1[0-3] attempts so far" ../out.1
'

test_expect_success 'what a start found whose node died comes back with the next, and it goes on from there' '
	before=$(entries attempt) &&
	{ job 2 0 3 --attempts 60 >../out.2 2>&1 & } && pid=$! &&
	for i in $(seq 200)
	do
		grep -q "^[.*!o?] *#[0-9]* .*SPEED" ../out.2 && break
		sleep 0.1
	done &&
	kill -9 -$pid && test_expect_code 137 wait $pid &&
	dead=$(git -C ../repo.agents/7/2.0 for-each-ref --format="%(refname)" refs/avogit/app/journal/$(sed "s/ .*//;q" ../repo.agents/7/2.0/.git/avogit/writer)) &&
	test -n "$dead" &&
	test -z "$(git for-each-ref "$dead")" &&
	{ job 2 1 1 --attempts 2 >../out.3 2>&1 & } && wait $! &&
	test -n "$(git for-each-ref "$dead")" &&
	test "$(entries attempt)" -ge $((before + 3)) &&
	git fsck --full
'

test_done
