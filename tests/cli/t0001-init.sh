#!/bin/sh
test_description='avogit init: the first version of a task file'
. "$(dirname "$0")/lib-avogit.sh"

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
	grep -A 4 "name: y" avogit.yaml | grep "direction: out" &&
	grep -A 2 "name: n" avogit.yaml | grep "value: n" &&
	grep "GUESS" avogit.yaml
'

test_expect_success 'it says what to look over and what to commit' '
	grep "GUESS" out &&
	grep "git add avogit.yaml reference.c axpy.c" out &&
	! grep "needs your hand" out
'

test_expect_success 'it changes no config unasked, and prints the commands' '
	test_must_fail git config notes.displayRef &&
	grep "git config --add notes.displayRef .refs/notes/avogit." out
'

test_expect_success 'it never overwrites without --force' '
	echo "# mine" >>avogit.yaml &&
	test_expect_code 128 avogit init axpy.c 2>err &&
	grep -e "--force" err &&
	grep "# mine" avogit.yaml &&
	avogit init --force axpy.c &&
	! grep "# mine" avogit.yaml
'

test_expect_success 'a reference that was not written yet is told by name' '
	git add . && git commit -qm task &&
	test_expect_code 128 avogit score 2>err &&
	grep "say here what is right" err
'

test_expect_success 'with guesses and reference mended, it scores' '
	sed -i "s/^ *direction: out.*/    direction: inout/" avogit.yaml &&
	sed -i "s|^#error.*|for (size_t i = 0; i < n; i++) y[i] += (double)a * x[i];|" \
		reference.c &&
	git commit -qam mended &&
	avogit score >out &&
	grep "pass, " out
'

test_expect_success '--yes sets what git has to know, once' '
	git remote add origin "$PWD" &&
	avogit init --force --yes axpy.c &&
	avogit init --force --yes axpy.c &&
	test "$(git config --get-all notes.displayRef)" = refs/notes/avogit &&
	test "$(git config --get-all remote.origin.fetch | grep -c avogit)" = 2 &&
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
	echo "void odd(struct thing t, float *y) { }" >odd.c &&
	avogit init --force odd.c >out &&
	grep "struct thing" avogit.yaml
'

test_expect_success 'no such file, no C file, a file above: one sentence' '
	test_expect_code 128 avogit init --force nix.c 2>err &&
	grep nix.c err &&
	test_expect_code 2 avogit init --force out 2>err &&
	test_expect_code 2 avogit init --force ../axpy.c 2>err &&
	test "$(wc -l <err)" = 1
'

test_expect_success 'a broken kernel file is no reason to crash' '
	printf "void f(const float *x, float *y, int n" >cut.c &&
	test_expect_code 128 avogit init --force cut.c 2>err &&
	test "$(wc -l <err)" = 1
'

test_done
