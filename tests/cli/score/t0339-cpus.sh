#!/bin/sh
# test: parallel
test_description='two avogits that score at once: one waits, and says so'
. "$(dirname "$0")/../lib-avogit.sh"
. "$SHARNESS_TEST_SRCDIR/lib-locks.sh"

# The same on every machine: two CPUs, or one where there is one.
taskset -pc "$(taskset -pc $$ | sed "s/.*: //; s/,/ /g; s/-/ /" | awk "{print \$NF == \$1 ? \$1 : \$1 \",\" \$NF}")" $$ >/dev/null

test_expect_success 'alone it waits for nothing, and its locks are of CPUs' '
	make_light_repo repo && mkdir ../locks && locks=$(cd ../locks && pwd) &&
	AVOGIT_LOCKS=$locks avogit score HEAD >/dev/null 2>../err &&
	test_must_be_empty ../err &&
	ls "$locks" | grep "^avogit-cpu[0-9]*.lock$" >../files &&
	n=$(wc -l <../files) && test "$n" -ge 1 && test "$n" -le 2
'

test_expect_success 'where another has them it says so, and scores when they are free' '
	mkfifo ../say ../go ../err.pipe &&
	{ hold_locks "$locks" & } && holder=$! &&
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
	{ hold_locks "$locks" & } && holder=$! &&
	read held <../say && test "$held" = held &&
	{ AVOGIT_LOCKS=$locks "$AVOGIT" evolve --run late --time 2s >../out 2>../err.pipe & } &&
	running=$! &&
	read line <../err.pipe && sleep 3 &&
	echo go >../go &&
	wait $running && wait $holder &&
	grep "^it waited [0-9.]* s of the last .* for another avogit that was timing here; --time counts that" ../out &&
	grep "^stopped: time" ../out
'

# The other has them until evolve has ended. What is at work ends 20 s after --time.
test_expect_success '--time ends the wait, too, and what was measured is kept' '
	avogit evolve --run cut --attempts 1 >../out && cat ../out &&
	{ hold_locks "$locks" & } && holder=$! &&
	read held <../say && test "$held" = held &&
	AVOGIT_LOCKS=$locks avogit evolve --run cut --time 4s >../out 2>../err && cat ../out &&
	kill -0 $holder && echo go >../go && wait $holder &&
	grep "was cut off after [0-9.]* s: going on with the run measures it, with more time" ../out &&
	grep "^stopped: time" ../out && grep "1 in flight" ../out &&
	grep "^it waited [0-9.]* s of the last .* for another avogit" ../out &&
	avogit log --run cut >../log && cat ../log &&
	avogit evolve --run cut --attempts 1 >../out && cat ../out &&
	! grep "in flight" ../out
'

# The first signal is enough, while the other still has them.
is_stopped_while_it_waits () { # SIGNAL COMMAND...
	signal=$1 && shift &&
	{ hold_locks "$locks" & } && holder=$! &&
	read held <../say && test "$held" = held &&
	{ AVOGIT_LOCKS=$locks "$AVOGIT" "$@" >../out 2>../err.pipe & } &&
	running=$! && exec 8<../err.pipe &&
	told "another avogit is timing on the CPUs" &&
	kill -s "$signal" $running &&
	test_expect_code 130 wait $running &&
	exec 8<&- &&
	echo go >../go &&
	wait $holder
}

test_expect_success 'a signal ends the wait, and the attempt is scored when the run goes on' '
	is_stopped_while_it_waits TERM score --again HEAD &&
	is_stopped_while_it_waits INT evolve --run ended --attempts 1 &&
	grep "^stopped: interrupted" ../out && grep "1 in flight" ../out &&
	avogit evolve --run ended --attempts 1 >../out && cat ../out &&
	! grep "in flight" ../out
'

test_expect_success 'a folder that takes no lock is no reason to score nothing' '
	AVOGIT_LOCKS=/proc/nowhere avogit score --again HEAD >../out 2>../err &&
	grep "pass, " ../out && test_must_be_empty ../err
'

# The reference, which is called in the judge, looks how many threads are there: those
# that fill and compare large tensors, on the CPUs of the task.
judge_has () { # THREADS
	sed -i "s/^#define WANTED.*/#define WANTED $1/" reference.c &&
	git add . && git commit -qm "wanted: $1" &&
	avogit score --again HEAD >../out 2>../err &&
	cat ../out && grep "pass, " ../out
}

test_expect_success 'a judge works with as many threads as the task has, of those CPUs' '
	cpus=$(nproc) && test "$cpus" -le 2 &&
	mkdir ../many && cd ../many && cp "$SHARNESS_TEST_SRCDIR"/scale/* . && git init -q . &&
	sed -i -e "s/n: 16384/n: 200000/" -e "/^baselines:/,/naive/d" avogit.yaml &&
	sed -i "s/^#define ROUNDS.*/#define ROUNDS 1/" kernel.c &&
	sed -i "s/^void scale_reference.*/&\nCOUNT/" reference.c &&
	{
		cat <<-\EOF &&
		#include <stdlib.h>
		#include <sys/stat.h>
		#define WANTED 0
		static void look(void)
		{
			static int calls;
			struct stat st;

			if (++calls > 2 && (stat("/proc/self/task", &st) || st.st_nlink != 2 + WANTED))
				abort();
		}
		EOF
		sed "/^COUNT$/{N;s/.*/{ look();/}" reference.c
	} >counting.c && mv counting.c reference.c &&
	echo "threads: 2" >>avogit.yaml && judge_has "$cpus" &&
	git notes --ref=avogit show HEAD | grep " deterministic=yes repeats=[1-9][0-9]* " &&
	avogit show HEAD | grep "^  deterministic  *yes, as far as [0-9]* launches made again say$" &&
	sed -i "s/^threads:.*/threads: 1/" avogit.yaml && judge_has 1 &&
	sed -i "s/^#define WANTED.*/#define WANTED 7/" reference.c &&
	git commit -qam "wanted: 7" && test_expect_code 128 avogit score HEAD 2>../err &&
	grep "the reference (scale_reference) crashed" ../err
'

# As a race may be: in few launches, and in the last row.
test_expect_success 'with threads, what is wrong in one of several launches with the same inputs is found' '
	git checkout -q HEAD~ && sed -i "s/^threads:.*/threads: 2/" avogit.yaml &&
	sed -i "s/^#define WANTED.*/#define WANTED $cpus/" reference.c && git commit -qam "two threads" &&
	sed -i "/^void scale/{n;s/.*/{\n\tstatic float last;\n\tstatic int times;\n\n\ttimes = x[0] == last ? times + 1 : 0;\n\tlast = x[0];/}" kernel.c &&
	sed -i "\$s/.*/\tif (times == 4)\n\t\ty[n - 1] = 1 - y[n - 1];\n}/" kernel.c && cat kernel.c &&
	test_expect_code 1 avogit score >../out && grep "wrong: y\[[0-9]*\] is " ../out &&
	git checkout -q kernel.c
'

test_expect_success 'beside them a reference may have as many threads of its own' '
	{
		cat <<-\EOF &&
		#include <pthread.h>
		#include <stdlib.h>
		static pthread_barrier_t all;
		static void *meet(void *arg)
		{
			pthread_barrier_wait(&all);
			return arg;
		}
		static void look(void)
		{
			pthread_t t[2];

			pthread_barrier_init(&all, 0, 3);
			for (int i = 0; i < 2; i++)
				if (pthread_create(&t[i], 0, meet, 0))
					abort();
			pthread_barrier_wait(&all);
			for (int i = 0; i < 2; i++)
				pthread_join(t[i], 0);
		}
		EOF
		sed "1,/^}/d" reference.c
	} >own.c && mv own.c reference.c &&
	sed -i "s/^threads:.*/threads: 2/" avogit.yaml && git commit -qam "threads of its own" &&
	avogit score --again HEAD >../out 2>../err && grep "pass, " ../out
'

# The reference is slow, so that few rows are asked of it beside those that differ.
make_pair_repo () {
	mkdir ../pair && cd ../pair && git init -q . &&
	cat >avogit.yaml <<-\EOF &&
	name: pair
	language: c
	sources: [kernel.c]
	entry: pair
	threads: 2
	arguments:
	  - {name: x, dtype: f32, shape: [n, 64], direction: in}
	  - {name: y, dtype: f32, shape: [n, 64], direction: out}
	  - {name: above, dtype: i32, shape: [n, 64], direction: out}
	  - {name: n, dtype: i32, value: n}
	cases:
	  - {n: 1000}
	  - {n: 900}
	bytes: "12 * 64 * n"
	reference: {source: reference.c, entry: pair_reference, plain: pair_plain, rows: true}
	EOF
	cat >reference.c <<-\EOF &&
	#include <stdint.h>
	#include <time.h>
	static void wait_for(int64_t rows)
	{
		struct timespec t;
		double end;

		clock_gettime(CLOCK_MONOTONIC, &t);
		for (end = t.tv_sec + 1e-9 * t.tv_nsec + 1e-3 * rows; t.tv_sec + 1e-9 * t.tv_nsec < end;)
			clock_gettime(CLOCK_MONOTONIC, &t);
	}
	void pair_reference(const float *x, double *y, int *above, int n, int64_t begin, int64_t end)
	{
		wait_for(end - begin);
		for (int64_t i = 64 * begin; i < 64 * end; i++) {
			y[i] = 3.0 * x[i];
			above[i] = x[i] > 0;
		}
	}
	void pair_plain(const float *x, float *y, int *above, int n, int64_t begin, int64_t end)
	{
		for (int64_t i = 64 * begin; i < 64 * end; i++) {
			y[i] = 3 * x[i];
			above[i] = x[i] > 0;
		}
	}
	EOF
	cat >kernel.c <<-\EOF &&
	void pair(const float *x, float *y, int *above, int n)
	{
		static double last = -1;
		static int times, sets;
		double sum = n;

		for (int i = 0; i < 64 * n; i++)
			sum += x[i] * (i % 7 + 1);
		times = sum == last ? times + 1 : 0;
		sets += !times;
		last = sum;
		for (int i = 0; i < 64 * n; i++) {
			y[i] = 3 * x[i];
			above[i] = x[i] > 0;
		}
		WRONG
	}
	EOF
	git add . && git commit -qm pair
}

is_wrong () { # STATEMENTS VALUE
	sed -i "s/^WRONG$/$1/" kernel.c &&
	test_expect_code 1 avogit score >../out && cat ../out && grep "wrong: $2\[[0-9,]*\] is " ../out &&
	git checkout -q kernel.c
}

# Sums in another order take all that is asked of the reference.
last_bits='for (int i = 0; i < 64; i++) y[i] *= 1 + (times \& 1) * 1.2e-7f;'

test_expect_success 'of outputs that differ the exact ones are looked at always' '
	make_pair_repo &&
	is_wrong "$last_bits above[64 * (n \/ 3)] ^= times == 5;" above
'

test_expect_success 'where the first launch was the wrong one that is found, too' '
	is_wrong "above[64 * (n \/ 3)] ^= sets == 1 \&\& times == 0;" above
'

test_expect_success 'what differs in one case takes no look from another' '
	is_wrong "if (n == 1000) { $last_bits } if (n == 900 \&\& times == 2) y[64 * (n \/ 3)] += 1e6f;" y
'

test_done
