#!/bin/sh
# test: parallel
test_description='no kernel can tell whether it is the candidate or what that is held against

Each of these is slow where it takes itself for the rival, by a sign of its own,
and is held against itself: if the sign told, the candidate would be faster.'
. "$(dirname "$0")/../lib-avogit.sh"

# A kernel that is thirty times as slow where the expression does not hold, asked
# when it is called first: kernel EXPRESSION
kernel () {
	cat >kernel.c <<-EOF
	#include <signal.h>
	#include <sys/resource.h>

	static volatile int woken;

	static void wake(int number)
	{
		(void)number;
		woken++;
	}

	__attribute__((constructor)) static void load(void)
	{
		signal(SIGCONT, wake);
	}

	/* Times that it waited for something. */
	static long waits(void)
	{
		struct rusage u = {0};

		getrusage(RUSAGE_SELF, &u);
		return u.ru_nvcsw;
	}

	void scale(const float *x, float *y, float a, int n)
	{
		static int rounds;

		(void)waits;
		if (!rounds)
			rounds = ($1) ? 20 : 600;
		for (int round = 0; round < rounds; round++) {
			for (int i = 0; i < n; i++)
				y[i] = a * x[i];
			__asm__ volatile("" ::: "memory");
		}
	}
	EOF
}

# Held against itself it is not found faster: not_told EXPRESSION. Where the sign tells
# it is, at every time; of equals it may be said once by chance, and a rival that is a
# little faster ("not faster") on a machine that is not steady.
not_told () {
	kernel "$1" &&
	git commit -q --allow-empty -am "$1" &&
	echo "/* the same */" >>kernel.c &&
	for time in 1 2 3
	do
		avogit score --again --time 3s --against HEAD >../out || return
		cat ../out
		grep " pass, " ../out || return
		grep "vs $(git rev-parse --short=10 HEAD) .*\]  *faster" ../out || return 0
	done
	return 1
}

test_expect_success 'setup' '
	make_repo repo
'

# What was empty launches for the candidate alone.
test_expect_success 'by how often it was stopped before its first call' '
	not_told "woken > 3"
'

test_expect_success 'by how often it waited before its first call' '
	not_told "waits() > ${WAITS:-8}"
'

test_done
