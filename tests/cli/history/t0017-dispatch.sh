#!/bin/sh
# test: parallel long
test_description='avogit best --points -o: one source that takes a point by the shape'
. "$(dirname "$0")/../lib-avogit.sh"

# The kernel is slow where n is as is said: scored MESSAGE CONDITION
scored () {
	sed -i "s,^#define SLOW(n).*,#define SLOW(n) ($2)," kernel.c &&
	avogit score --run "${run:-t}" -m "$1" >/dev/null
	git checkout -q kernel.c
}

test_expect_success 'setup: kernels that are slow in one case each' '
	make_repo repo &&
	sed -i "s/^  - {n: 16384}/  - {n: 16384}\n  - {n: 8192}\n  - {n: 4096}/" avogit.yaml &&
	cat >kernel.c <<-\EOF &&
	#define _GNU_SOURCE
	#include <stddef.h>
	#include <math.h>

	#define UNROLL 1 // avogit: 1 2
	// avogit-require: UNROLL < 3
	#define SLOW(n) 1

	typedef float number; // of this kernel
	enum { ROUNDS = 200 };
	struct part { size_t begin, end; };
	static number table[4] = {UNROLL, 2}, *other;

	static void wait_for(number *y);

	static struct part whole(size_t n)
	{
		return (struct part){0, n};
	}

	void scale(const float *x, float *restrict y, float a, int n)
	{
		struct part p = whole((size_t)n);

		for (int round = 0; round < (SLOW(n) ? ROUNDS : 1); round++) {
			for (size_t i = p.begin; i < p.end; i++)
				y[i] = a * x[i];
			wait_for(y);
		}
	}

	static void wait_for(number *y)
	{
		other = y;
		__asm__ volatile("" : : "r"(table) : "memory");
	}
	EOF
	git add -A && git commit -qm "slow everywhere" &&
	scored "slow where n is small" "n == 4096" &&
	scored "slow where n is large" "n != 4096"
'

test_expect_success 'the source takes the point that is fastest there' '
	avogit best --run t --points 3 -o kernel.c --force >../out &&
	sed "s/brings [0-9]*[.][0-9]*x/brings NUMBERx/" ../out >../seen &&
	cat >../expected <<-\EOF &&
	#1 is the best over all cases: slow where n is small
	#2 brings NUMBERx: slow where n is large
	  n=16384: #1
	  n=8192: #1
	  n=4096: #2
	wrote kernel.c: n <= 5792: #2, else #1
	EOF
	test_cmp ../expected ../seen
'

test_expect_success 'it declares no tunables, and is scored as any other: right, and each case as fast as its point' '
	! grep avogit: kernel.c &&
	avogit score --run t -m "both, by n" >../scored &&
	avogit best --run t --points 1 >../one &&
	grep "^#3 is the best over all cases: both, by n" ../one &&
	avogit log --run t >../log &&
	grep "both, by n" ../log &&
	for n in 1 2 3
	do
		avogit show --json "t#$n" >../$n.json || return 1
	done &&
	python3 - ../1.json ../2.json ../3.json <<-\EOF
	import json, sys
	times = [{c["name"]: c["seconds"] for c in json.load(open(f))["measurement"]["cases"]}
	         for f in sys.argv[1:]]
	for name, seconds in times[2].items():
	    fastest, slowest = sorted(t[name] for t in times[:2])
	    assert seconds < (fastest * slowest) ** 0.5, (name, seconds, fastest, slowest)
	EOF
'

test_expect_success 'asked again, it is made of the same points: what was made of several is left out' '
	avogit best --run t --points 3 -o ../again.c >../seen &&
	grep "^wrote ../again.c: n <= 5792: #2, else #1" ../seen &&
	! grep "#3" ../seen && cmp kernel.c ../again.c &&
	git checkout -q kernel.c
'

test_expect_success 'the task is that of the run, wherever the command stands' '
	mkdir b && cp *.c avogit.yaml b/ && cd b &&
	echo "// of b" >>kernel.c &&
	git add . && git commit -qm "another folder" &&
	run=b && scored "slow where n is small" "n == 4096" &&
	scored "slow where n is large" "n != 4096" && run= && cd .. &&
	avogit best --run b --points 2 -o ../b.c >../out &&
	grep "wrote ../b.c: n <= 5792: #2, else #1" ../out &&
	test "$(grep -c "^// of b" ../b.c)" = 2 &&
	grep "^#define SLOW(n) (n != 4096)" ../b.c
'

test_expect_success 'what cannot be joined is refused in one sentence' '
	git checkout -q kernel.c &&
	test_expect_code 128 avogit best --run t --points 2 -o kernel.c 2>../err &&
	grep "kernel.c is there already: --force replaces it" ../err &&
	avogit score --time 1s --run u -m "nothing new" >/dev/null &&
	test_expect_code 128 avogit best --run u --points 2 -o ../new.c 2>../err &&
	grep "brings 5 %: there is nothing to choose by shape" ../err &&
	for with in "" "--points 1"
	do
		test_expect_code 2 avogit best $with -o ../new.c 2>../err &&
		grep "go with --points N, of two or more" ../err || return 1
	done &&
	test_expect_code 2 avogit best --points 2 --force 2>../err &&
	grep "goes with -o FILE" ../err &&
	! test -e ../new.c
'

test_done
