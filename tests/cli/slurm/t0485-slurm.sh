#!/bin/sh
# test: parallel long no-asan
# A real Slurm on this machine: `make deps-slurm` brings it. SLURM_TEST_ATTEMPTS
# says how many attempts there are.
test_description='avogit score --pending --launch and evolve --launch: jobs of a real Slurm'

PATH=$PATH:/usr/sbin:/sbin
. "$(dirname "$0")/cluster.sh"
missing=
for program in slurmctld slurmd sbatch munged unshare ip
do
	command -v $program >/dev/null || missing=$program
done
if test -z "$missing" && unshare --net --uts --ipc --mount --pid --fork \
	--mount-proc true 2>/dev/null
then
	alone "$0" "$@"
else
	missing=${missing:-'namespaces of root'}
fi
. "$(dirname "$0")/../lib-avogit.sh"
if test -n "$missing"
then
	skip_all="there is no $missing here (make deps-slurm)"
	test_done
fi
. "$SHARNESS_TEST_SRCDIR/launch/lib-launch.sh"
FAR=$PWD
# Slurm takes no blank in a path.
D=$SHARNESS_TEST_DIRECTORY/cluster
export FAR AVOGIT
mkdir "$D" cache bin && cluster_make && controller_start || {
	skip_all="no Slurm starts here: $(tail -n 1 "$D/log/start")"
	test_done
}
for n in 1 2 3 4
do
	node_start n$n
done

# until_ COMMAND: asks until it is so; a minute and a half is a failure.
until_ () {
	asked=0
	until eval "$1"
	do
		asked=$((asked + 1))
		test $asked -lt 450 || { echo "never: $1"; return 1; }
		sleep 0.2
	done
}

# The avogit of the nodes. While there is a file stall, a start of a job waits before
# it measures, unless the job was started before. Of the first job whose index a file hold.INDEX names,
# the second half of the answer waits until that file is gone.
cat >bin/avogit <<'EOS'
#!/bin/sh
XDG_CACHE_HOME=$FAR/cache
export XDG_CACHE_HOME
stalled=$FAR/stalled.$SLURM_ARRAY_JOB_ID
if test -e "$FAR/stall" && mkdir "$stalled" 2>/dev/null
then
	echo "$SLURM_ARRAY_TASK_ID" >"$stalled/index"
	echo "$SLURMD_NODENAME" >"$stalled/node"
	while test -e "$FAR/stall"
	do
		sleep 0.2
	done
fi
hold=$FAR/hold.$SLURM_ARRAY_TASK_ID
test -e "$hold" && mkdir "$FAR/held.$SLURM_ARRAY_TASK_ID" 2>/dev/null ||
	exec "$AVOGIT" "$@"
answer=$FAR/half.$SLURM_ARRAY_JOB_ID.$SLURM_ARRAY_TASK_ID
"$AVOGIT" "$@" >"$answer"
head -n 2 "$answer"
echo "$SLURM_ARRAY_JOB_ID" >"$FAR/held.$SLURM_ARRAY_TASK_ID/array"
echo "$SLURMD_NODENAME" >"$FAR/held.$SLURM_ARRAY_TASK_ID/node"
while test -e "$hold"
do
	sleep 0.2
done
sed 1,2d "$answer"
touch "$FAR/held.$SLURM_ARRAY_TASK_ID/went-on"
EOS
chmod +x bin/avogit
PATH=$FAR/bin:$PATH
# What the user types is the built one.
avogit () {
	"$AVOGIT" "$@"
}

hold () { # INDEX...
	rm -rf "$FAR"/held.*
	for i in "$@"
	do
		touch "$FAR/hold.$i"
	done
}

# Jobs that are queued or run.
queued () {
	squeue --noheader --name="avogit-$1" --states=PENDING,RUNNING --user=root
}

test_expect_success 'a cluster of four nodes, and a run that was measured here' '
	until_ "test \"\$(sinfo -h -p work -t idle -o %D)\" = 4" &&
	application repo "$(seq -s " " 10 70)" &&
	avogit evolve --seed 1 --attempts $((${SLURM_TEST_ATTEMPTS:-60} - 1)) >/dev/null &&
	before=$(entries measurement) &&
	candidates=${SLURM_TEST_ATTEMPTS:-60} &&
	test "$(entries attempt)" = $((candidates - 1))
'

test_expect_success 'what Slurm declines is said' '
	git config --global avogit.launch.far.slurm nowhere &&
	test_expect_code 128 avogit score --pending --launch far 2>../err &&
	grep "nvalid partition" ../err &&
	git config --global avogit.launch.far.slurm work &&
	git config --global avogit.launch.far.time 5 &&
	git config --global avogit.launch.far.jobs 12 &&
	git config --global avogit.launch.far.options "--comment=\"a test\"" &&
	test "$(entries measurement)" = "$before"
'

test_expect_success 'the jobs of a call that is stopped are cancelled' '
	hold 0 1 2 3 &&
	{ "$AVOGIT" score --pending --launch far >../out 2>../err & } &&
	pid=$! &&
	until_ "test -e ../held.0/node && test -e ../held.3/node" &&
	kill $pid &&
	test_expect_code 130 wait $pid &&
	until_ "test -z \"\$(squeue --noheader --states=PENDING,RUNNING)\"" &&
	test "$(entries measurement)" = "$before" &&
	test "$(find .git/avogit -name "job-*")" = "" &&
	rm ../hold.*
'

test_expect_success 'a node dies, a job is cancelled, one is pre-empted, the controller goes and comes' '
	hold 0 1 2 &&
	{ "$AVOGIT" score --pending --launch far >../out 2>../err & } &&
	pid=$! &&
	until_ "test -e ../held.0/node && test -e ../held.1/node && test -e ../held.2/node" &&
	array=$(cat ../held.0/array) &&
	node_kill $(cat ../held.0/node) &&
	scancel "${array}_1" &&
	until_ "grep \"job ${array}_1 of Slurm: it was cancelled; it answered for 2 of\" ../err" &&
	sbatch -p urgent -w "$(cat ../held.2/node)" -o /dev/null --wrap true &&
	until_ "grep \"job ${array}_2 of Slurm goes back to the queue\" ../err" &&
	kill "$(cat "$D/run/slurmctld.pid")" &&
	until_ "grep \"Slurm does not answer: .*; avogit waits for it\" ../err" &&
	controller_start &&
	until_ "grep \"Slurm answers again\" ../err" &&
	until_ "grep \"job ${array}_0 of Slurm goes back to the queue\" ../err" &&
	rm ../hold.0 &&
	until_ "test -e ../held.0/went-on" &&
	wait $pid
'

test_expect_success 'every candidate was measured, once, and none is lost' '
	test "$(grep -c "app#" ../out)" = "$candidates" &&
	test "$(grep -o "app#[0-9]*" ../out | sort -u | wc -l)" = "$candidates" &&
	test "$(entries measurement)" = $((before + candidates)) &&
	avogit score --pending --launch far >../out &&
	grep "^nothing is pending" ../out &&
	git fsck --full
'

test_expect_success 'the nodes measured each once, too: a start that was ended is not measured again' '
	far=$(echo ../cache/avogit/jobs/*) &&
	writer=$(sed "s/ .*//;q" "$far/avogit/writer") &&
	test "$(git --git-dir="$far" log --first-parent --format=%s \
		"refs/avogit/app/journal/$writer" |
		grep -c "^measurement")" = "$candidates"
'

# The attempts of a run, without what differs from one run to another.
story () {
	avogit log --run "$1" | sed "s/ [0-9a-f]\{7\} / /"
}

test_expect_success 'a run that is extended by jobs is the one that it is here, though a node dies' '
	avogit evolve --run near --seed 3 --attempts 6 >/dev/null &&
	{ "$AVOGIT" evolve --run over --seed 3 --attempts 6 --launch far >../out 2>../err & } &&
	pid=$! &&
	until_ "grep \"^starting run over at .* of launch far\" ../out" &&
	touch ../stall &&
	until_ "test -e ../stalled.*/node" &&
	node=$(cat ../stalled.*/node) &&
	node_kill $node &&
	until_ "grep \"of Slurm goes back to the queue\" ../err" &&
	rm ../stall &&
	wait $pid &&
	node_start $node &&
	story near >../expect &&
	story over >../actual &&
	test_cmp ../expect ../actual &&
	until_ "test -z \"\$(squeue --noheader --states=PENDING,RUNNING)\"" &&
	git fsck --full
'

test_expect_success 'of a run, a scoring that is pre-empted or cancelled is made again, and counted once' '
	rm -rf ../stalled.* &&
	{ "$AVOGIT" evolve --run lost --seed 3 --attempts 6 --launch far >../out 2>../err & } &&
	pid=$! &&
	until_ "grep \"^starting run lost at .* of launch far\" ../out" &&
	touch ../stall &&
	until_ "test -e ../stalled.*/node" &&
	sbatch -p urgent -w "$(cat ../stalled.*/node)" -o /dev/null --wrap true &&
	until_ "grep \"of Slurm goes back to the queue\" ../err" &&
	rm ../stall && rm -rf ../stalled.* && touch ../stall &&
	until_ "test -e ../stalled.*/node" &&
	scancel "$(echo ../stalled.* | sed "s/.*stalled\.//")" &&
	until_ "grep \"it was cancelled; it answered for 0 of 1\" ../err" &&
	rm ../stall &&
	wait $pid &&
	story lost >../actual &&
	test_cmp ../expect ../actual &&
	test "$(entries measurement lost)" = "$(entries measurement over)" &&
	until_ "test -z \"\$(squeue --noheader --states=PENDING,RUNNING)\""
'

test_expect_success 'agents have jobs on several nodes, which are cancelled where the run is stopped at once' '
	agent_is "echo \\\"#define SPEED 1\$AVOGIT_AGENT\\\" >kernel.c" &&
	rm -rf ../stalled.* &&
	{ "$AVOGIT" evolve --run team --operator command --agents 3 --attempts 9 --launch far >../out 2>../err & } &&
	pid=$! &&
	until_ "grep \"^starting run team\" ../out" &&
	touch ../stall &&
	until_ "test \$(cat ../stalled.*/node | sort -u | wc -l) = 3" &&
	kill -INT $pid && sleep 0.3 && kill -INT $pid &&
	test_expect_code 130 wait $pid &&
	until_ "test -z \"\$(squeue --noheader --states=PENDING,RUNNING)\"" &&
	rm ../stall &&
	avogit log --run team | grep "in flight" &&
	avogit evolve --run team --operator command --attempts 1 --launch far >../out &&
	test_must_fail sh -c "\"$AVOGIT\" log --run team | grep \"in flight\""
'

test_expect_success 'whole agents are jobs, and of one whose node dies all but the attempt at hand is there' '
	rm -rf ../stalled.* &&
	sbatch -p work --array=0-2 --requeue -o "$FAR/agent.%a" --parsable \
		"$SHARNESS_TEST_SRCDIR/../../dist/slurm-agent.sh" "$PWD" near 2 --operator tuner --attempts 4 >../number &&
	clones=$PWD.agents/$(cat ../number) &&
	until_ "grep -h \"^[.*!o?] *#[0-9]* .*SPEED\" ../agent.*" &&
	touch ../stall &&
	until_ "test -e ../stalled.*/node" &&
	node=$(cat ../stalled.*/node) && index=$(cat ../stalled.*/index) &&
	node_kill $node &&
	until_ "test -d \"\$clones/\$index.1/.git\"" &&
	rm ../stall &&
	node_start $node &&
	until_ "test -z \"\$(squeue --noheader --states=PENDING,RUNNING)\"" &&
	until_ "! pgrep -x avogit" &&
	for clone in "$clones"/*.[0-9]
	do
		writer=$(sed "s/ .*//;q" "$clone/.git/avogit/writer") &&
		test "$(git rev-parse "refs/avogit/near/journal/$writer")" = \
			"$(git -C "$clone" rev-parse "refs/avogit/near/journal/$writer")" || return 1
	done &&
	for i in 0 1 2
	do
		test "$(cat "$clones/$i".*.rounds | sort -n | tail -n 1)" = 2 || return 1
	done &&
	test "$(git for-each-ref refs/avogit/near/journal | wc -l)" = 5
'

test_expect_success 'nothing is left: no job, no folder' '
	until_ "test -z \"\$(squeue --noheader --states=PENDING,RUNNING)\"" &&
	test "$(find .git/avogit -name "job-*" -o -name "far-*")" = "" &&
	git notes --ref=avogit show "$(avogit best --run app)" | grep "launch=far"
'

test_done
