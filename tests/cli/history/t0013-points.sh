#!/bin/sh
# test: parallel
test_description='avogit best --points: a few attempts that are fastest together'
. "$(dirname "$0")/../lib-avogit.sh"

# The kernel is slow where n is as is said: scored MESSAGE CONDITION
scored () {
	sed -i "s,^#define SLOW.*,#define SLOW($2)," kernel.c &&
	avogit score --run t -m "$1" >/dev/null
	git checkout -q kernel.c
}

test_expect_success 'setup: kernels that are slow in one case each' '
	make_repo repo &&
	sed -i "s/^  - {n: 16384}/  - {n: 16384}\n  - {n: 8192}\n  - {n: 4096}/" avogit.yaml &&
	cat >kernel.c <<-\EOF &&
	#define SLOW(n) 1

	void scale(const float *x, float *y, float a, int n)
	{
		for (int round = 0; round < (SLOW(n) ? 200 : 1); round++) {
			for (int i = 0; i < n; i++)
				y[i] = a * x[i];
			__asm__ volatile("" ::: "memory");
		}
	}
	EOF
	git add -A && git commit -qm "slow everywhere" &&
	scored "slow where n is small" "n) (n == 4096" &&
	scored "slow where n is large" "n) (n != 4096"
'

test_expect_success 'the best one, what another brings, and which case is whose' '
	avogit best --run t --points 3 >../out &&
	cat >../expected <<-\EOF &&
	#1 is the best over all cases: slow where n is small
	#2 brings NUMBERx: slow where n is large
	  n=16384: #1
	  n=8192: #1
	  n=4096: #2
	one more brings less than 5 % (of 3 attempts)
	EOF
	sed "s/brings [0-9]*[.][0-9]*x/brings NUMBERx/" ../out >../seen &&
	test_cmp ../expected ../seen &&
	avogit best --run t --points 1 >../one &&
	head -n 1 ../expected >../first &&
	head -n 1 ../one | test_cmp ../first -
'

test_expect_success 'it is from 1 to 8 and goes alone' '
	for with in "9" "2 --json" "2 --on x"
	do
		test_expect_code 2 avogit best --run t --points $with 2>../err &&
		grep "points is from 1 to 8" ../err || return 1
	done
'

test_done
