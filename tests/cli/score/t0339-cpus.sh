#!/bin/sh
# test: parallel
test_description='two avogits that score at once: one waits, and says so'
. "$(dirname "$0")/../lib-avogit.sh"

# The same on every machine: two CPUs, or one where there is one.
taskset -pc "$(taskset -pc $$ | sed "s/.*: //; s/,/ /g; s/-/ /" | awk "{print \$NF == \$1 ? \$1 : \$1 \",\" \$NF}")" $$ >/dev/null

# Holds the locks of all CPUs that ../files names until ../go is written.
hold () {
	n=3
	for f in $(cat ../files)
	do
		eval "exec $n<\"\$locks/\$f\"" && flock -x $n || return
		n=$((n + 1))
		test $n -lt 9 || break
	done
	echo held >../say
	cat ../go >/dev/null
}

test_expect_success 'alone it waits for nothing, and its locks are of CPUs' '
	make_light_repo repo && mkdir ../locks && locks=$(cd ../locks && pwd) &&
	AVOGIT_LOCKS=$locks avogit score HEAD >/dev/null 2>../err &&
	test_must_be_empty ../err &&
	ls "$locks" | grep "^avogit-cpu[0-9]*.lock$" >../files &&
	n=$(wc -l <../files) && test "$n" -ge 1 && test "$n" -le 2
'

test_expect_success 'where another has them it says so, and scores when they are free' '
	mkfifo ../say ../go ../err.pipe &&
	{ (hold) & } && holder=$! &&
	read held <../say && test "$held" = held &&
	{ AVOGIT_LOCKS=$locks "$AVOGIT" score --again HEAD >../out 2>../err.pipe & } &&
	scoring=$! &&
	read line <../err.pipe &&
	echo "$line" | grep "another avogit is timing on the CPUs" &&
	test ! -s ../out &&
	echo go >../go &&
	wait $scoring && wait $holder &&
	grep "pass, " ../out
'

# Three seconds are more than --time, which counts them, and more than a twentieth.
test_expect_success 'evolve says at its end how long it waited, which is part of --time' '
	avogit evolve --run alone --attempts 1 >../out 2>/dev/null &&
	! grep "^it waited" ../out &&
	{ (hold) & } && holder=$! &&
	read held <../say && test "$held" = held &&
	{ AVOGIT_LOCKS=$locks "$AVOGIT" evolve --run late --time 2s >../out 2>../err.pipe & } &&
	running=$! &&
	read line <../err.pipe && sleep 3 &&
	echo go >../go &&
	wait $running && wait $holder &&
	grep "^it waited [0-9.]* s of the last .* for another avogit that was timing here; --time counts that" ../out &&
	grep "^stopped: time" ../out
'

test_expect_success 'a folder that takes no lock is no reason to score nothing' '
	AVOGIT_LOCKS=/proc/nowhere avogit score --again HEAD >../out 2>../err &&
	grep "pass, " ../out && test_must_be_empty ../err
'

test_done
