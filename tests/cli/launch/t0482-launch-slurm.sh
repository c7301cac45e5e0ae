#!/bin/sh
# test: parallel long
test_description='avogit score --pending --launch by Slurm: what goes wrong with its jobs'
. "$(dirname "$0")/../lib-avogit.sh"

. "$SHARNESS_TEST_SRCDIR/launch/lib-launch.sh"

# Slurm as far as avogit asks it, by programs of this test. sbatch takes the first
# line of ./plan, which says how the submission ends:
#   refuse         it is not taken, and ./refusal is said
#   lost STATE     it is taken, and the reply does not arrive
#   STATE          the job ran, its answer is whole, and squeue says STATE
#   STATE cut      its answer ends in the middle of the second line
#   STATE none     it has no answer
#   STATE again    another job took its place when it had measured, and Slurm started
#                  it again: the answer of that start is whole, too
#   STATE homeless its node has no folder to keep jobs in, and says so
# STATE forgotten: squeue does not list the job.
SLURM=$PWD/slurm
mkdir slurm bin
cat >bin/sbatch <<'EOS'
#!/bin/sh
echo "$*" >>"$SLURM/submissions"
read -r state answer <"$SLURM/plan" || state=unplanned
sed -i 1d "$SLURM/plan"
if test "$state" = refuse
then
	cat "$SLURM/refusal" >&2
	exit 1
fi
lost=
test "$state" != lost || { lost=yes; state=$answer; answer=; }
for script
do
	case $script in --job-name=*) name=${script#--job-name=} ;; esac
done
n=$(($(cat "$SLURM/last" 2>/dev/null || echo 100) + 1))
echo "$n" >"$SLURM/last"
folder=$(dirname "$script")
if test "$answer" != none
then
	unset AVOGIT_RESTART SLURM_RESTART_COUNT
	test "$answer" != homeless || { HOME= XDG_CACHE_HOME=; export HOME XDG_CACHE_HOME; }
	SLURM_ARRAY_JOB_ID=$n SLURM_ARRAY_TASK_ID=0 sh "$script" 2>"$folder/slurm.$n.0"
fi
restarts=0
if test "$answer" = again
then
	restarts=1
	SLURM_RESTART_COUNT=1 SLURM_ARRAY_JOB_ID=$n SLURM_ARRAY_TASK_ID=0 sh "$script" 2>"$folder/slurm.$n.0"
	test -s "$folder/answer.$n.0.0" && test -s "$folder/answer.$n.0.1" && echo "$n" >>"$SLURM/again"
fi
file=$folder/answer.$n.0.0
if test "$answer" = cut
then
	{ sed -n 1p "$file"; sed -n 2p "$file" | head -c 100; } >"$file.cut"
	mv "$file.cut" "$file"
fi
test "$state" = forgotten || echo "$name ${n}_0 $state $restarts None" >>"$SLURM/queue"
if test "$lost"
then
	echo "sbatch: error: Batch job submission failed: Socket timed out on send/recv operation" >&2
	exit 1
fi
echo "$n"
EOS
cat >bin/squeue <<'EOS'
#!/bin/sh
if test -e "$SLURM/away"
then
	rm "$SLURM/away"
	echo "slurm_load_jobs error: Unable to contact slurm controller (connect failure)" >&2
	exit 1
fi
for arg
do
	case $arg in --name=*) name=${arg#--name=} ;; esac
done
sed -n "s/^$name //p" "$SLURM/queue"
EOS
cat >bin/scancel <<'EOS'
#!/bin/sh
echo "$*" >>"$SLURM/cancelled"
EOS
ln -s "$AVOGIT" bin/avogit
chmod +x bin/*
PATH=$PWD/bin:$PATH
export PATH SLURM

# A launch of its own for each case, since it measures nothing twice, and what the
# node has measured once it answers from its cache: launch NAME LINE-OF-PLAN...
launch () {
	name=$1 && shift &&
	git config --global "avogit.launch.$name.slurm" part &&
	git config --global "avogit.launch.$name.jobs" 1 &&
	printf '%s\n' "$@" >"$SLURM/plan" &&
	: >"$SLURM/queue" && : >"$SLURM/submissions" && : >"$SLURM/cancelled" &&
	avogit score --pending --launch "$name" --time 1s >../out 2>../err
}

# Each candidate is measured by the launch NAME once: all_measured NAME
all_measured () {
	test "$(grep -c "app#" ../out)" = "$candidates" &&
	test_must_be_empty "$SLURM/plan" &&
	git log --format=%B --glob="refs/avogit/app/journal/*" >../entries &&
	test "$(grep -c "\"launch\":\"$1\"" ../entries)" = "$candidates"
}

submissions () {
	wc -l <"$SLURM/submissions"
}

test_expect_success 'a run whose candidates a cluster has to measure' '
	application repo "10 20 30 40" &&
	avogit evolve --seed 1 --attempts 2 >/dev/null &&
	candidates=$(($(attempts) + 1)) &&
	test "$candidates" = 3 &&
	launch whole COMPLETED && all_measured whole &&
	test "$(submissions)" = 1
'

test_expect_success 'a time limit: the whole lines count, and the rest is sent again' '
	launch limit "TIMEOUT cut" COMPLETED && all_measured limit &&
	grep "its time limit ended it; it answered for 1 of 3 candidates, and the others are sent again" ../err &&
	test "$(submissions)" = 2
'

test_expect_success 'a full queue is waited for, and that is said once' '
	cat >"$SLURM/refusal" <<-\EOR &&
	sbatch: error: QOSMaxSubmitJobPerUserLimit
	sbatch: error: Batch job submission failed: Job violates accounting/QOS policy (job submit limit, user'"'"'s size and/or time limits)
	EOR
	launch full refuse refuse COMPLETED && all_measured full &&
	grep "Slurm takes no job now: .*QOSMaxSubmitJobPerUserLimit" ../err >../said &&
	test "$(wc -l <../said)" = 1 &&
	test "$(submissions)" = 3
'

test_expect_success 'so is the limit of an account, and of the whole cluster' '
	echo "sbatch: error: AssocMaxSubmitJobLimit
sbatch: error: Batch job submission failed: Job violates accounting/QOS policy (job submit limit, the size or time limits)" >"$SLURM/refusal" &&
	launch account refuse COMPLETED && all_measured account &&
	echo "sbatch: error: Batch job submission failed: Resource temporarily unavailable" >"$SLURM/refusal" &&
	launch cluster refuse COMPLETED && all_measured cluster
'

test_expect_success 'a limit that does not pass is an error, and nothing is waited for' '
	echo "sbatch: error: QOSMaxWallDurationPerJobLimit
sbatch: error: Batch job submission failed: Job violates accounting/QOS policy (job submit limit, the size or time limits)" >"$SLURM/refusal" &&
	test_expect_code 128 launch wall refuse &&
	grep "launch wall: .*QOSMaxWallDurationPerJobLimit" ../err &&
	test "$(submissions)" = 1 &&
	echo "sbatch: error: invalid partition specified: part" >"$SLURM/refusal" &&
	test_expect_code 128 launch partition refuse &&
	grep "invalid partition" ../err
'

test_expect_success 'a job that Slurm has forgotten: what it answered counts' '
	launch forgot forgotten && all_measured forgot &&
	test "$(submissions)" = 1 &&
	launch half "forgotten cut" COMPLETED && all_measured half &&
	grep "Slurm does not know it any more; it answered for 1 of 3" ../err
'

test_expect_success 'four ends in a row without a measurement: it is given up' '
	test_expect_code 128 launch never "TIMEOUT none" "CANCELLED none" "forgotten none" "NODE_FAIL none" COMPLETED &&
	test "$(submissions)" = 4 &&
	grep "its node failed; it answered for 0 of 3 candidates, and the others are not sent a fifth time" ../err &&
	grep "launch never: it answered for 0 of 3 candidates: .*its node failed; the same command asks for the rest" ../err &&
	launch never COMPLETED && all_measured never
'

test_expect_success 'an end with a measurement begins the count again' '
	launch slow "TIMEOUT none" "TIMEOUT none" "TIMEOUT none" "TIMEOUT cut" "TIMEOUT none" COMPLETED &&
	all_measured slow && test "$(submissions)" = 6
'

test_expect_success 'a reply of sbatch that is lost: the job is found, and not sent twice' '
	launch lost "lost COMPLETED" && all_measured lost &&
	test "$(submissions)" = 1 &&
	grep "Slurm takes no job now: .*Socket timed out" ../err
'

test_expect_success 'a controller that does not answer is waited for' '
	touch "$SLURM/away" &&
	launch away COMPLETED && all_measured away &&
	grep "Slurm does not answer: .*Unable to contact.*; avogit waits for it" ../err &&
	grep "Slurm answers again" ../err
'

test_expect_success 'in a run that is extended each score is a job, sent again where it ended early' '
	git config --global avogit.launch.run.slurm part &&
	printf "%s\n" COMPLETED "TIMEOUT none" COMPLETED "lost COMPLETED" COMPLETED COMPLETED >"$SLURM/plan" &&
	: >"$SLURM/submissions" &&
	avogit evolve --run over --seed 1 --attempts 1 --launch run >../out 2>../err &&
	grep "^starting run over at .* of launch run" ../out &&
	grep "its time limit ended it; it answered for 0 of 1 candidates, and the others are sent again" ../err &&
	test_must_fail grep "an array of" ../err &&
	git log --format=%B --glob="refs/avogit/over/journal/*" >../entries &&
	grep "\"launch\":\"run\"" ../entries &&
	test "$(avogit log --run over | grep -c "in flight")" = 0
'

test_expect_success 'of a run, a job that another pre-empted or somebody cancelled is counted once' '
	printf "%s\n" COMPLETED "COMPLETED again" "CANCELLED none" "COMPLETED again" "CANCELLED cut" COMPLETED COMPLETED >"$SLURM/plan" &&
	: >"$SLURM/submissions" &&
	avogit evolve --run again --seed 1 --attempts 2 --launch run >../out 2>../err &&
	grep "it was cancelled; it answered for 0 of 1 candidates, and the others are sent again" ../err &&
	test "$(wc -l <"$SLURM/again")" = 2 &&
	test "$(avogit log --run again | grep -c "in flight")" = 0 &&
	git log --format=%B --glob="refs/avogit/again/journal/*" >../entries &&
	grep -o "\"job\":\"[0-9a-f]*\"" ../entries | sort >../jobs &&
	test "$(sort -u ../jobs | wc -l)" = "$(wc -l <../jobs)" &&
	far=$(echo ~/.cache/avogit/jobs/*) &&
	git --git-dir="$far" log --format=%B --glob="refs/avogit/@/journal/*" |
		grep -o "\"job\":\"[0-9a-f]*\"" | sort >../there &&
	test -s ../there && test "$(uniq -d ../there | wc -l)" = 0
'

test_expect_success 'a node that says why it does not measure ends the run at once' '
	printf "%s\n" COMPLETED "COMPLETED homeless" >"$SLURM/plan" &&
	: >"$SLURM/submissions" &&
	test_expect_code 128 avogit evolve --run declined --seed 1 --attempts 1 --launch run >../out 2>../err &&
	grep "launch run: the other side does not measure: there is no folder to keep jobs in" ../err &&
	test_must_fail grep "asks again" ../err &&
	test "$(submissions)" = 2
'

test_expect_success 'jobs are cancelled by name, and nothing is left of them' '
	grep "^--quiet --name=avogit-[0-9a-f]*" "$SLURM/cancelled" &&
	test "$(find .git/avogit -name "job-*")" = "" &&
	git fsck --full
'

test_done
