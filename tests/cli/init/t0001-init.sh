#!/bin/sh
# test: parallel long no-asan
test_description='avogit init: the first version of a task file'
. "$(dirname "$0")/../lib-avogit.sh"

test_expect_success 'setup: a repository with a kernel' '
	git init -q repo && cd repo &&
	cat >axpy.c <<-\EOT &&
	#include <stddef.h>

	/* y += a * x */
	void axpy(size_t n, float a, const float *x, float *y)
	{
		for (size_t i = 0; i < n; i++)
			y[i] += a * x[i];
	}
	EOT
	git add . && git commit -qm kernel
'

test_expect_success 'it writes a task that reads the prototype' '
	avogit init axpy.c >out &&
	grep "^entry: axpy" avogit.yaml &&
	grep -A 4 "name: x" avogit.yaml | grep "direction: in$" &&
	grep -A 4 "name: y" avogit.yaml | grep "direction: inout$" &&
	grep -A 4 "name: x" avogit.yaml | grep "shape: \[n\]$" &&
	grep -A 2 "name: n" avogit.yaml | grep "value: n" &&
	grep "GUESS" avogit.yaml
'

test_expect_success 'it says what to look over and what to commit' '
	grep "GUESS" out &&
	grep "git add avogit.yaml reference.c$" out &&
	! grep "needs your hand" out
'

test_expect_success 'it changes no config unasked, and prints the commands' '
	! grep "git config" out && git remote add origin "$PWD" &&
	git config --get-all remote.origin.fetch >before &&
	avogit init --force axpy.c >out &&
	grep "git config --add remote.origin.fetch .+refs/notes/avogit[*]:" out &&
	git config --get-all remote.origin.fetch >after && test_cmp before after &&
	git remote remove origin
'

test_expect_success 'it never overwrites without --force' '
	echo "# mine" >>avogit.yaml &&
	test_expect_code 128 avogit init axpy.c 2>err &&
	grep -e "--force" err &&
	grep "# mine" avogit.yaml &&
	avogit init --force axpy.c &&
	! grep "# mine" avogit.yaml
'

test_expect_success 'with what it read, it scores' '
	git add . && git commit -qm task &&
	avogit score >out &&
	grep "pass, " out
'

test_expect_success 'a kernel that is right at its own sizes only does not pass, and doctor says what is missing' '
	grep "^hidden: {count: 3, n: 1\.\.4099}  # GUESS" avogit.yaml &&
	sed -i "s/^{/{ if (n != 1000000 \&\& n != 1048576 \&\& n != 65536) return;/" axpy.c &&
	test_expect_code 1 avogit score >out &&
	grep "in case hidden n=" out &&
	avogit doctor >out &&
	grep "^warn  guesses .*[0-9] of the lines of avogit.yaml still marked GUESS" out &&
	! grep "^warn  sizes" out &&
	git checkout -q axpy.c &&
	sed -i "1i #define BLOCK 4096 // avogit: 1024 4096" axpy.c &&
	git commit -qam "blocks that fit" && avogit doctor >out && ! grep "^warn  sizes" out &&
	sed -i "1s/1024 4096/4096 32768/" axpy.c &&
	git commit -qam "blocks that no hidden size fills" && avogit doctor >out &&
	grep "^warn  sizes .*BLOCK may be 32768, and no hidden size of avogit.yaml is larger than 4099:" out &&
	! grep "^warn  numbers" out &&
	sed -i "s/^{/{ if (n > 2097152) return;/" axpy.c &&
	git commit -qam "a number that no size reaches" && avogit doctor >out &&
	grep "^warn  numbers .*the sources have 2097152, and no size of the cases and of .hidden. in avogit.yaml is larger" out &&
	sed -i "s/^{ if (n > 2097152) return;/{/" axpy.c &&
	echo "int other(int n) { return n > 2097152; }" >>axpy.c &&
	git commit -qam "one of another function" && avogit doctor >out &&
	! grep "^warn  numbers" out &&
	git reset -q --hard HEAD^^^^ &&
	sed -i "/^hidden:/d; s/  # GUESS.*//" avogit.yaml && git commit -qam "its own sizes only" &&
	avogit doctor >out &&
	grep "^warn  sizes .*avogit.yaml draws no others" out &&
	! grep "^warn  guesses" out &&
	git reset -q --hard HEAD^
'

test_expect_success 'what the code takes at a time, and sizes that go together, are kept by what is drawn' '
	cat >conv.c <<-\EOT &&
	void conv(const float *x, const float *h, float *y, int n, int k)
	{
		for (int i = 0; i < n - k + 1; i++) {
			float s = 0;

			for (int j = 0; j < k; j++)
				s += x[i + j] * h[j];
			y[i] = s;
		}
	}

	void four(const float *x, float *y, int n)
	{
		for (int i = 0; i < n; i += 4)
			for (int j = 0; j < 4; j++)
				y[i + j] = 2 * x[i + j];
	}
	EOT
	avogit init -o four.yaml --entry four conv.c >out &&
	grep "The kernel takes n 4 at a time" four.yaml &&
	grep "^hidden: {count: 3, n: {low: 4, high: 4096, step: 4}}" four.yaml &&
	avogit init -o conv.yaml --entry conv conv.c >out &&
	grep "^hidden: {count: 3, n: 16\.\..*, k: 1\.\.8}" conv.yaml &&
	grep "^  - {n: [0-9]*, k: 8}" conv.yaml &&
	git add . && git commit -qm conv &&
	avogit score --task conv.yaml >out && grep "pass, " out &&
	avogit score --task four.yaml >out && grep "pass, " out
'

test_expect_success 'a reference that was not written yet is told by name' '
	git rm -q --cached reference.c && rm reference.c &&
	sed -i -e "s/y\[i\] +=/y[same(i)] +=/" \
		-e "1i static unsigned long same(unsigned long i) { if (i) return i; return 0; }" axpy.c &&
	avogit init --force axpy.c >out &&
	grep "wrote reference.c: say in it what is right" out &&
	git add . && git commit -qm "one whose output has a size that is not known" &&
	test_expect_code 128 avogit score 2>err &&
	grep "say here what is right" err
'

test_expect_success 'with the reference mended, it scores' '
	sed -i "s|^#error.*|for (size_t i = 0; i < n; i++) y[i] += (double)a * x[i];|" \
		reference.c &&
	git commit -qam mended &&
	avogit score >out &&
	grep "pass, " out
'

test_expect_success 'the flags line of the README goes with the task it wrote' '
	sed -i "1i // avogit-flags: -O2 | -O3 -funroll-loops" axpy.c &&
	avogit score >out &&
	grep "pass, " out &&
	git commit -qam flags &&
	avogit evolve --operator tuner --attempts 2 --time 20s >out &&
	grep "flags -O2 -> -O3 -funroll-loops" out
'

test_expect_success 'a flag that it did not allow is told once, with the mend' '
	sed -i "1s/-O2/-Ofast/" axpy.c &&
	test_expect_code 1 avogit score >out &&
	test "$(grep -c Ofast out)" = 1 &&
	grep "add it to build.allow in avogit.yaml" out &&
	git checkout -q axpy.c
'

test_expect_success 'an alternative that it did not allow is told by score, as by evolve' '
	sed -i "1s/-O3/-Ofast/" axpy.c &&
	test_expect_code 1 avogit score >out &&
	grep "build-failed: axpy.c:1: the flag -Ofast may not be chosen here: add it to build.allow" out &&
	git commit -qam "an alternative" &&
	test_expect_code 128 avogit evolve --run flags --operator tuner --attempts 1 2>err &&
	grep "axpy.c:1: the flag -Ofast may not be chosen here: add it to build.allow" err &&
	git reset -q --hard HEAD^
'

test_expect_success '--yes sets what git has to know, once, in place of what was set before' '
	git config --add notes.displayRef refs/notes/avogit &&
	git remote add origin "$PWD" &&
	git config --add remote.origin.fetch +refs/notes/avogit:refs/notes/origin/avogit &&
	git config --add remote.origin.fetch "+refs/avogit/*:refs/avogit-origin/*" &&
	avogit init --force --yes axpy.c &&
	avogit init --force --yes axpy.c &&
	test_must_fail git config --get-all notes.displayRef &&
	test "$(git config --get-all remote.origin.fetch | grep -c avogit-fetched)" = 2 &&
	! git config --get-all remote.origin.fetch | grep origin/avogit &&
	! git config --get-all remote.origin.fetch | grep avogit-origin &&
	git checkout -q .
'

test_expect_success 'several functions: it asks which' '
	printf "void one(const float *x, float *y, int n) { }\n%s\n" \
		"void two(const float *x, float *y, int n) { }" >many.c &&
	test_expect_code 2 avogit init --force many.c 2>err &&
	grep -e "--entry (one, two)" err &&
	avogit init --force --entry two many.c &&
	grep "^entry: two" avogit.yaml
'

test_expect_success 'what it cannot know it says' '
	echo "struct thing { int n; }; void odd(struct thing t, float *y) { }" >odd.c &&
	avogit init --force odd.c >out &&
	grep "struct thing" avogit.yaml
'

test_expect_success 'a value that is returned, a function that only its file can call' '
	echo "float sum(const float *x, int n) { return x[n - 1]; }" >sum.c &&
	avogit init --force sum.c >out &&
	! grep "needs your hand" out && grep "direction: return" avogit.yaml &&
	echo "static void helper(float *x, int n) { }" >>sum.c &&
	avogit init --force -e helper sum.c >out &&
	grep "wrote shim.c: it makes helper callable" out &&
	grep "git add avogit.yaml reference.c shim.c sum.c" out &&
	rm shim.c
'

test_expect_success 'a kernel in CUDA: the task without the stream, a reference with it' '
	cat >twice.cu <<-\EOT &&
	template <typename T> __global__ void kernel(const T *x, T *y, int n)
	{
		int i = blockIdx.x * blockDim.x + threadIdx.x;

		if (i < n)
			y[i] = 2 * x[i];
	}

	extern "C" void twice(const float *x, float *y, int n, cudaStream_t stream)
	{
		kernel<<<(n + 255) / 256, 256, 0, stream>>>(x, y, n);
	}
	EOT
	avogit init --force twice.cu >out &&
	! grep "needs your hand" out &&
	grep "git add avogit.yaml reference.cu twice.cu" out &&
	grep "^language: cuda" avogit.yaml &&
	grep "^entry: twice" avogit.yaml &&
	! grep "name: stream" avogit.yaml &&
	grep "^extern \"C\" void twice_reference(const float \* *x, double \* *y, int *n, cudaStream_t stream)" reference.cu
'

test_expect_success 'one that C cannot call is told why' '
	sed -i "s/extern .C. //" twice.cu &&
	test_expect_code 2 avogit init --force -e twice twice.cu 2>err &&
	grep "twice is a C++ function: declare it extern" err &&
	test_expect_code 128 avogit init --force twice.cu 2>err &&
	grep "defines no extern .C. host function" err
'

test_expect_success 'no such file, no C file, a file above: one sentence' '
	test_expect_code 128 avogit init --force nix.c 2>err &&
	grep nix.c err &&
	test_expect_code 2 avogit init --force out 2>err &&
	cp axpy.c .. &&
	test_expect_code 2 avogit init --force ../axpy.c 2>err &&
	test "$(wc -l <err)" = 1
'

test_expect_success 'a broken kernel file is no reason to crash' '
	printf "void f(const float *x, float *y, int n" >cut.c &&
	test_expect_code 128 avogit init --force cut.c 2>err &&
	test "$(wc -l <err)" = 1
'

test_done
