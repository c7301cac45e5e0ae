#!/bin/sh
# test: parallel
test_description='tunables of every kind, in one source or two, reach the compiler'
. "$(dirname "$0")/../lib-avogit.sh"

# Fast is the kernel with the second order, the last variant and the flag.
test_expect_success 'setup: a kernel with orders, variants, ranges and a set of flags' '
	make_light_repo repo &&
	sed -i "s/^  flags: .*/&\n  allow: [-fno-math-errno, -fwrapv]/" avogit.yaml &&
	cat >kernel.c <<-\EOF &&
	// avogit-flag-set: | -fno-math-errno
	#define ORDER 0,1 // avogit: perm(0 1)
	#define VARIANT 0 // avogit: choice(0 2)
	#define SKIP 2 // avogit: 2..4 step 2
	#define POWER 1 // avogit: 2^0..2^1
	// avogit-require: SKIP == 2 && POWER == 1

	void scale(const float *x, float *y, float a, int n)
	{
		static const int order[] = {ORDER};
		int rounds = 4 * (order[0] == 0 ? 5 : 1) * (VARIANT != 2 ? 5 : 1);
	#ifndef __NO_MATH_ERRNO__
		rounds *= 5;
	#endif
		for (int round = 0; round < rounds; round++) {
			for (int i = 0; i < n; i++)
				y[i] = a * x[i];
			__asm__ volatile("" ::: "memory");
		}
	}
	EOF
	git add -A && git commit -qm kinds
'

test_expect_success 'the tuner finds the point, flag included' '
	avogit evolve >../out 2>&1 &&
	grep "the tuner varies: -fno-math-errno (2), ORDER (2), VARIANT (2), SKIP (2), POWER (2): 8 points" ../out &&
	git show avo/scale/best:kernel.c >../best.c &&
	grep "^// avogit-flag-set: -fno-math-errno |\$" ../best.c &&
	grep "^#define ORDER 1,0 // avogit: perm(0 1)\$" ../best.c &&
	grep "^#define VARIANT 2 // avogit: choice(0 2)\$" ../best.c &&
	grep "^#define SKIP 2 " ../best.c
'

test_expect_success 'a flag of the set that the task does not allow is refused' '
	sed -i "s/^\\(.*flag-set:.*\\)/\\1 -ffast-math/" kernel.c &&
	git commit -qam "another flag" &&
	test_expect_code 128 avogit evolve --run other 2>../err &&
	grep "kernel.c:1: the flag -ffast-math may not be chosen here" ../err
'

# Fast are the last variants of both and the flag, which only the second source sees.
test_expect_success 'setup: two sources, each with variants, and a set of flags' '
	cd .. && make_light_repo two &&
	sed -i -e "s/^sources: .*/sources: [kernel.c, rounds.c]/" \
		-e "s/^  flags: .*/&\n  allow: [-fno-math-errno]/" avogit.yaml &&
	cat >kernel.c <<-\EOF &&
	#define OUTER 0 // avogit: choice(0 1)
	int rounds(void);

	void scale(const float *x, float *y, float a, int n)
	{
	#if OUTER == 1
		int more = 1;
	#else
		int more = 5;
	#endif
		for (int round = 0; round < more * rounds(); round++) {
			for (int i = 0; i < n; i++)
				y[i] = a * x[i];
			__asm__ volatile("" ::: "memory");
		}
	}
	EOF
	cat >rounds.c <<-\EOF &&
	// avogit-flag-set: | -fno-math-errno
	#define INNER 0 // avogit: choice(0 1)
	int rounds(void)
	{
		int count = 200;
	#if INNER == 1
		count = 40;
	#endif
	#ifndef __NO_MATH_ERRNO__
		count *= 5;
	#endif
		return count;
	}
	EOF
	git add -A && git commit -qm "two sources"
'

test_expect_success 'both sources and the flags are tuned together' '
	avogit evolve >../out 2>&1 &&
	grep "the tuner varies: .*: 8 points" ../out &&
	test "$(avogit log --json | grep -c "\"commit\"")" = 8 &&
	git show avo/scale/best:kernel.c >../best.c &&
	grep "^#define OUTER 1 // avogit: choice(0 1)\$" ../best.c &&
	git show avo/scale/best:rounds.c >../best.c &&
	grep "^#define INNER 1 // avogit: choice(0 1)\$" ../best.c &&
	grep "^// avogit-flag-set: -fno-math-errno |\$" ../best.c
'

test_expect_success 'another run begins at the best of what that one measured' '
	avogit evolve --run again --attempts 1 >../out 2>&1 &&
	grep "^8 measurements of the run scale (.*) guide the tuner; --no-earlier leaves them out\$" ../out &&
	grep "#1 .* OUTER 0 -> 1, -fno-math-errno off -> on, INNER 0 -> 1" ../out &&
	avogit show "again#1" >../shown &&
	grep "the best that was measured before" ../shown &&
	test "$(avogit log --run again --json | grep -c "\"commit\"")" = 2
'

test_expect_success 'it does not where that is unwanted, or other sources were measured' '
	avogit evolve --run alone --attempts 1 --no-earlier >../out 2>&1 &&
	! grep "guide the tuner" ../out &&
	avogit show "alone#1" >../shown &&
	! grep "measured before" ../shown &&
	sed -i "s/int more = 5;/int more = 2;/" kernel.c &&
	git commit -qam "another kernel" &&
	avogit evolve --run changed --attempts 1 >../out 2>&1 &&
	! grep "guide the tuner" ../out
'

# Four of the eight points are left. The run that was fetched says nothing of a task.
test_expect_success 'nor by values that are offered no more, or a run of no task' '
	sed -i "s/int more = 2;/int more = 5;/; s/choice(0 1)/choice(0 7)/" kernel.c &&
	git commit -qam "other values" &&
	sed "s/ task_path => .avogit.yaml.,//" "$SHARNESS_TEST_SRCDIR/report/made-run.pl" >../no-task.pl &&
	echo why >../why && perl ../no-task.pl "$(git rev-parse HEAD)" 8 ../why &&
	avogit evolve --run offered --attempts 1 >../out 2>&1 &&
	! grep "guide the tuner" ../out
'

test_expect_success 'a run of no task is not gone on with, scored or exported' '
	for command in "evolve --run made" "evolve --run made --task avogit.yaml" \
		"score --run made -m more" "score --pending --run made" "export --run made --t4 ../t4"
	do
		test_expect_code 128 avogit $command 2>../err &&
		grep "^avogit: the run.s journal does not say which task it is of" ../err || return 1
	done
'

test_expect_success 'what was measured of other cases does not guide the tuner' '
	sed -i "s/choice(0 7)/choice(0 1)/" kernel.c && sed -i "s/- {n: 16384}/- {n: 16400}/" avogit.yaml &&
	git commit -qam "other cases" &&
	avogit evolve --run sized --attempts 1 >../out 2>&1 &&
	! grep "guide the tuner" ../out
'

test_done
