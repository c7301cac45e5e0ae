#!/bin/sh
# test: parallel long no-asan
test_description='avogit init and a source that a compiler never gets through'
. "$(dirname "$0")/../lib-avogit.sh"

test_expect_success 'setup' '
	git init -q repo && cd repo
'

test_expect_success 'macros that come to more than memory holds end with a sentence' '
	{
		echo "#define A0 x[0] +" &&
		for i in 1 2 3 4 5 6 7 8 9
		do
			echo "#define A$i A$((i-1)) A$((i-1)) A$((i-1)) A$((i-1)) A$((i-1)) A$((i-1)) A$((i-1)) A$((i-1)) A$((i-1)) A$((i-1))"
		done &&
		echo "void k(const float *x, float *y, int n) { y[0] = A9 0; }"
	} >k.c &&
	test_expect_code 128 avogit init -f k.c 2>err &&
	test "$(wc -l <err)" = 1
'

test_done
