#!/bin/sh
# test: parallel long
test_description='avogit init reads C as the compiler does'
. "$(dirname "$0")/../lib-avogit.sh"

# argument NAME: its lines in the task file, as one
argument () {
	awk -v name="$1" '
		/^  - name:/ || !/^    / { here = 0 }
		here { sub(/^ */, ""); printf "%s ", $0 }
		$0 == "  - name: " name { here = 1 }
	' avogit.yaml
}

test_expect_success 'setup: a project with headers, macros, typedefs and #if' '
	git init -q repo && cd repo &&
	mkdir -p src include/deep build &&
	cat >include/types.h <<-\EOT &&
	#include "deep/real.h"
	#define ARGS(T) const T *restrict x, T *restrict y
	#define FOR(i, n) for (size_t i = 0; i < (n); i++)
	#define AT(p, i, j) (p)[(i) * columns + (j)]
	EOT
	cat >include/deep/real.h <<-\EOT &&
	#ifndef REAL_H
	#define REAL_H
	#include <stddef.h>
	#ifdef DOUBLE
	typedef double real_t;
	#else
	typedef float real_t;
	#endif
	#endif
	EOT
	cat >src/rows.c <<-\EOT &&
	#include "types.h"

	#if defined(NEVER)
	void rows(int) {
	#else
	void rows(size_t n, size_t columns, ARGS(real_t), real_t *sum)
	{
	#endif
		FOR(i, n) {
			real_t s = 0;

			FOR(j, columns)
				s += AT(x, i, j);
			sum[i] = s;
			FOR(j, columns)
				AT(y, i, j) = AT(x, i, j) / s;
		}
	}

	void after(const real_t *x, real_t *y) { y[0] = x[0]; }
	EOT
	git add . && git commit -qm project
'

test_expect_success 'what does not compile is said with the remedy' '
	test_expect_code 128 avogit init src/rows.c 2>err &&
	grep "src/rows.c does not compile by cc: .*types.h" err &&
	grep -e "-- -Iinclude" err &&
	test "$(wc -l <err)" = 1 &&
	test ! -e avogit.yaml
'

test_expect_success 'macros, typedefs and #if are what the compiler takes them for' '
	avogit init src/rows.c -- -Iinclude >out &&
	grep "^entry: rows$" avogit.yaml &&
	grep "^include: .include.$" avogit.yaml &&
	test "$(argument x)" = "dtype: f32 shape: [n, columns] direction: in " &&
	test "$(argument y)" = "dtype: f32 shape: [n, columns] direction: out " &&
	test "$(argument sum)" = "dtype: f32 shape: [n] direction: out " &&
	grep "^bytes: 8 . n . columns + 4 . n$" avogit.yaml &&
	! grep "needs your hand" out
'

test_expect_success 'and the task scores as it is' '
	git add . && git commit -qm task &&
	avogit score >out && grep "pass, " out
'

test_expect_success 'the flags of compile_commands.json are the ones of the file' '
	cat >build/compile_commands.json <<-EOT &&
	[{"directory": "$PWD/build", "file": "../src/other.c",
	  "command": "cc -c ../src/other.c"},
	 {"directory": "$PWD/build", "file": "$PWD/src/rows.c",
	  "command": "/usr/bin/gcc -DDOUBLE \"-DNAME=a b\" -I../include -O3 -Wall -std=gnu11 -MMD -MF x.d -o rows.o -c ../src/rows.c"}]
	EOT
	avogit init -f src/rows.c >out &&
	grep "with the flags of build/compile_commands.json" out &&
	test "$(argument x)" = "dtype: f64 shape: [n, columns] direction: in " &&
	grep "  compiler: gcc$" avogit.yaml &&
	grep "  flags: .-DDOUBLE, -O3, -std=gnu11.$" avogit.yaml &&
	grep "^include: .include.$" avogit.yaml
'

test_expect_success 'another function by --entry, another task beside the first by -o' '
	rm build/compile_commands.json &&
	avogit init -o after.yaml -e after src/rows.c -- -Iinclude >out &&
	grep "^entry: after$" after.yaml &&
	test -f after_reference.c &&
	grep "avogit score --task after.yaml" out &&
	grep "^entry: rows$" avogit.yaml &&
	git add . && git commit -qm "two tasks" &&
	avogit score --task after.yaml >out && grep "pass, " out
'

test_expect_success 'a task that is there is kept, and -o is named' '
	test_expect_code 128 avogit init src/rows.c -- -Iinclude 2>err &&
	grep -e "--force overwrites it, -o NAME.yaml writes another" err &&
	test_expect_code 2 avogit init -o notes.txt src/rows.c 2>err &&
	grep "NAME.yaml" err
'

test_expect_success 'loops that call, tile, walk, count down and leave a border' '
	cat >loops.c <<-\EOT &&
	#include <string.h>
	static float dot(const float *a, const float *b, int n, int ldb)
	{
		float s = 0;
		int i = 0;

		for (; i + 2 <= n; i += 2)
			s += a[i] * b[i * ldb] + a[i + 1] * b[(i + 1) * ldb];
		for (; i < n; i++)
			s += a[i] * b[i * ldb];
		return s;
	}
	void loops(const float *a, const float *b, float *c, int m, int n, int k,
		   int lda, const unsigned char *bytes, unsigned len,
		   unsigned *count, float *stencil, float fixed[3][5])
	{
		const float *row = a;
		int i, j;

		for (int ii = 0; ii < m; ii += 8)
			for (i = ii; i < (ii + 8 < m ? ii + 8 : m); i++, row += lda)
				for (j = 0; j < n; j++)
					c[i * n + j] = dot(row, &b[j], k, n);
		memset(count, 0, 256 * sizeof(unsigned));
		while (len >= 4) {
			count[bytes[0]]++, count[bytes[3]]++;
			bytes += 4, len -= 4;
		}
		while (len--)
			count[*bytes++]++;
		for (i = 1; i < m - 1; i++)
			stencil[i] = fixed[i % 3][2];
	}
	EOT
	avogit init -f loops.c >out &&
	test "$(argument a)" = "dtype: f32 shape: [m, k] strides: [lda, 1] direction: in " &&
	test "$(argument b)" = "dtype: f32 shape: [k, n] direction: in " &&
	test "$(argument c)" = "dtype: f32 shape: [m, n] direction: out " &&
	argument bytes | grep "shape: .len. direction: in" &&
	argument count | grep "shape: .256. direction: out" &&
	argument stencil | grep "shape: .m - 1. direction: inout" &&
	argument fixed | grep "shape: .3, 5. direction: in" &&
	grep "^flops: 2 . m . n . k " avogit.yaml
'

test_expect_success 'sizes that the declaration fixes are the sizes of the case' '
	cat >gemm.c <<-\EOT &&
	#define N(a, b) [(a) + 0][(b) + 0]
	#define M 40
	void gemm(int m, int n, double c N(M, 30), double a N(M, 30))
	{
		for (int i = 0; i < m; i++)
			for (int j = 0; j < n; j++)
				c[i][j] *= a[i][j];
	}
	int main(int argc, char **argv) { return argc; }
	EOT
	avogit init -f gemm.c >out &&
	grep "^  - {m: 40, n: 30}$" avogit.yaml &&
	git add . && git commit -qm gemm && avogit score >out && grep "pass, " out
'

test_expect_success 'a value that is returned is an output, and the task scores as it is' '
	cat >sum.c <<-\EOT &&
	unsigned sum(unsigned first, const unsigned char *bytes, unsigned len)
	{
		while (len--)
			first += *bytes++;
		return first;
	}
	EOT
	avogit init -o sum.yaml sum.c >out && ! grep "needs your hand" out &&
	grep -A 2 "name: returned" sum.yaml | grep "direction: return" &&
	git add . && git commit -qm sum &&
	avogit score --task sum.yaml >out && grep "pass, " out
'

test_expect_success 'C++ by its own names, in a folder of its own' '
	echo "#pragma once" >src/axpy.hpp &&
	cat >src/axpy.cpp <<-\EOT &&
	#include "axpy.hpp"
	#include <cstddef>
	namespace ns {
	template <typename T> void axpy(std::size_t n, T a, const T *x, T *y)
	{
		for (std::size_t i = 0; i < n; i++)
			y[i] += a * x[i];
	}
	template void axpy<float>(std::size_t, float, const float *, float *);
	static void hidden(int *x) { x[0] = 1; }
	void other(int *x) { hidden(x); }
	}
	EOT
	avogit init -o avogit/axpy.yaml -e axpy src/axpy.cpp >out &&
	! grep "needs your hand" out &&
	grep "^sources: .../src/axpy.cpp.$" avogit/axpy.yaml &&
	grep "^entry: ns::axpy<float>$" avogit/axpy.yaml &&
	grep "  plain: ns::axpy_plain<float>$" avogit/axpy.yaml &&
	grep "files: .../src/axpy.hpp.$" avogit/axpy.yaml &&
	grep "axpy_reference.cpp: it takes the kernel as it is for what is right" out &&
	git add . && git commit -qm axpy &&
	avogit score --task avogit/axpy.yaml >out && grep "pass, " out
'

test_expect_success 'main is no kernel' '
	printf "int main(int argc, char **argv) { return 0; }\n" >prog.c &&
	test_expect_code 128 avogit init -f prog.c 2>err &&
	grep "main is the program itself" err
'

test_expect_success TERMINAL 'on a terminal it asks for the function and for shapes' '
	cat >many.c <<-\EOT &&
	void first(float *y, int n) { for (int i = 0; i < n; i++) y[i] = 1; }
	void second(const float *x, const int *at, float *y, int n)
	{
		for (int i = 0; i < n; i++)
			y[i] = x[at[i] ^ 1];
	}
	EOT
	printf "2\n(n + 1) *\n2 * n\nn\n" >answers &&
	script -qec "\"$AVOGIT\" init -f many.c" /dev/null <answers >out &&
	grep "second(const float \*x, const int \*at, float \*y, int n)" out &&
	grep "^entry: second" avogit.yaml &&
	argument x | grep "shape: .2 . n. direction: in" &&
	argument at | grep "shape: .n. direction: in"
'

test_expect_success 'clang reads it too' '
	if command -v clang >/dev/null
	then
		cat >compile_commands.json <<-EOT &&
		[{"directory": "$PWD", "file": "loops.c",
		  "arguments": ["clang", "-c", "loops.c"]}]
		EOT
		avogit init -f loops.c >out &&
		test "$(argument a)" = "dtype: f32 shape: [m, k] strides: [lda, 1] direction: in " &&
		grep "compiler: clang" avogit.yaml &&
		rm compile_commands.json
	fi
'

test_done
