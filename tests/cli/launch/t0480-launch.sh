#!/bin/sh
# test: parallel
test_description='avogit score --pending --launch: another machine measures'
. "$(dirname "$0")/../lib-avogit.sh"

# The other machine: this one as another user would have it, with a folder of its
# own for jobs. How it answers is what ./behave says.
cat >far <<-'EOS'
	#!/bin/sh
	XDG_CACHE_HOME=$FAR/cache
	export XDG_CACHE_HOME
	mkdir -p "$XDG_CACHE_HOME"
	real () {
		"$AVOGIT" score --job --time 1s
	}
	echo started >>"$FAR/starts"
	. "$FAR/behave"
EOS
chmod +x far
FAR=$PWD
export FAR AVOGIT

# What the far side does: behave COMMANDS
behave () {
	printf '%s\n' "$1" >"$FAR/behave"
}

measured () {
	git for-each-ref --format="%(refname)" refs/avogit/scale/journal |
	while read -r ref
	do
		git log --first-parent --format=%s "$ref"
	done | grep -c "^measurement"
}

# Measurements in the journal that the far side itself wrote.
measured_far () {
	far=$(echo ../cache/avogit/jobs/*) &&
	writer=$(sed "s/ .*//;q" "$far/avogit/writer") &&
	git --git-dir="$far" log --first-parent --format=%s \
		"refs/avogit/scale/journal/$writer" |
	grep -c "^measurement"
}

test_expect_success 'a run whose candidates another machine has to measure' '
	make_light_repo repo &&
	offer_modes 0 1 2 &&
	avogit evolve --seed 1 --attempts 3 >/dev/null &&
	before=$(measured) &&
	candidates=$(($(attempts) + 1))
'

test_expect_success 'a launch that nothing configures is refused, with the command that would' '
	test_expect_code 128 avogit score --pending --launch far 2>../err &&
	grep "git config --global avogit.launch.far.command" ../err
'

test_expect_success 'a command in the settings of the repository is not run' '
	git config avogit.launch.far.command "touch $FAR/ran" &&
	test_expect_code 128 avogit score --pending --launch far 2>../err &&
	grep "must be your own" ../err &&
	test ! -e ../ran &&
	git config --unset avogit.launch.far.command
'

test_expect_success 'launch and job go with what they go with' '
	test_expect_code 2 avogit score --launch far 2>../err &&
	test_expect_code 2 avogit score --job --launch far 2>../err &&
	test_expect_code 2 avogit score --pending --run scale --launch far 2>../err &&
	test_expect_code 2 avogit score --job HEAD 2>../err
'

test_expect_success 'rubbish, and nothing is taken' '
	git config --global avogit.launch.far.command "\"\$FAR/far\"" &&
	behave "cat >/dev/null; echo hello; exit 0" &&
	test_expect_code 128 avogit score --pending --launch far 2>../err &&
	grep "line 1 of the answer" ../err &&
	test "$(measured)" = "$before"
'

test_expect_success 'one that dies without an answer, with exit code 0, too' '
	behave "exit 0" &&
	test_expect_code 128 avogit score --pending --launch far 2>../err &&
	grep "answered for 0 of $candidates candidates" ../err &&
	behave "kill -9 \$\$" &&
	test_expect_code 128 avogit score --pending --launch far 2>../err &&
	grep "exit code 137" ../err &&
	test "$(measured)" = "$before"
'

# The far side's answer with a change to it, and nothing of it may be believed:
# refuses REASON SED-COMMANDS
refuses () {
	behave "real | sed '$2'" &&
	test_expect_code 128 avogit score --pending --launch far 2>../err &&
	grep "nothing of it is believed\|cannot be used\|of another task\|compares with\|scorer is of" ../err &&
	grep "$1" ../err &&
	test "$(measured)" = "$before"
}

test_expect_success 'what answers another job' '
	refuses "it answers job 0123456789abcdef, and this is job" \
		"2s/\"job\":\"[0-9a-f]*\"/\"job\":\"0123456789abcdef\"/"
'

test_expect_success 'what answers twice: a candidate, or all' '
	refuses "answers twice for candidate" "1{p;}" &&
	behave "real >\"\$FAR/answer\"; cat \"\$FAR/answer\" \"\$FAR/answer\"" &&
	test_expect_code 128 avogit score --pending --launch far 2>../err &&
	grep "comes after the end" ../err &&
	test "$(measured)" = "$before"
'

test_expect_success 'one measurement for two candidates' '
	refuses "one measurement to two" \
		"s/\"id\":\"[^\"]*\"/\"id\":\"20200101T000000Z-00000000\"/"
'

test_expect_success 'a measurement that is not of what was asked' '
	refuses "what was not asked for" \
		"2s/\"candidate\":\"[0-9a-f]*\"/\"candidate\":\"0123456789012345678901234567890123456789\"/" &&
	refuses "other sources" "2s/\"sources\":\"[0-9a-f]*\"/\"sources\":\"0123456789abcdef\"/" &&
	refuses "another task" "2s/\"task\":\"[0-9a-f]*\"/\"task\":\"0123456789abcdef\"/" &&
	refuses "of version 1," "2s/\"scorer\":\"[0-9]*\"/\"scorer\":\"1\"/"
'

test_expect_success 'a figure that no machine has, and a rival that would decide' '
	refuses "cannot be used" "1s/\"score\":[0-9.e+]*/\"score\":1e300/" &&
	refuses "what it was not asked to" "s/\"rival\":\"start\"/\"rival\":\"champion\"/"
'

test_expect_success 'an end that counts otherwise, and one that says what failed' '
	refuses "and counts 7" "s/\"count\":[0-9]*/\"count\":7/" &&
	behave "real | sed \"s/^/x/\" >/dev/null; false" &&
	test_expect_code 128 avogit score --pending --launch far 2>../err &&
	grep "exit code 1, without" ../err
'

test_expect_success 'of an answer that is cut in the middle, what is whole counts' '
	behave "real >\"\$FAR/answer\"; head -n 1 \"\$FAR/answer\"; sed -n 2p \"\$FAR/answer\" | head -c 100" &&
	test_expect_code 128 avogit score --pending --launch far >../out 2>../err &&
	grep "answered for 1 of $candidates candidates" ../err &&
	test "$(grep -c "scale#" ../out)" = 1 &&
	test "$(measured)" = $((before + 1))
'

test_expect_success 'of a job that was started again, only the last start counts' '
	behave "AVOGIT_RESTART=0 real <\"\$FAR/request\" >\"\$FAR/first\"
		SLURM_RESTART_COUNT=1 real <\"\$FAR/request\" >\"\$FAR/second\"
		head -n 1 \"\$FAR/first\"; head -n 1 \"\$FAR/second\"
		sed -n 2p \"\$FAR/first\"; sed 1d \"\$FAR/second\"" &&
	sed -i "s|^\. |cat >\"\$FAR/request\"\n&|" ../far &&
	test_might_fail avogit score --pending --launch far >../out 2>../err &&
	grep "left out 2 measurements of earlier starts" ../err &&
	test "$(grep -c "scale#" ../out)" = $((candidates - 1)) &&
	test "$(measured)" = $((before + candidates)) &&
	git fsck --full
'

test_expect_success 'what was measured is not asked for again, and was not measured for every job' '
	: >../starts &&
	avogit score --pending --launch far >../out &&
	grep "^nothing is pending" ../out &&
	test_must_be_empty ../starts &&
	test "$(measured_far)" -lt $((2 * candidates))
'

test_expect_success 'nothing is left of the jobs, and the notes say which launch it was' '
	test "$(find .git/avogit -name "job-*")" = "" &&
	git notes --ref=avogit show $(avogit best) | grep "launch=far"
'

test_done
