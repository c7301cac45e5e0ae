#!/bin/sh
# test: parallel long
test_description='language: c++: overloads, templates, exceptions, either compiler'
. "$(dirname "$0")/../lib-avogit.sh"

command -v clang++ >/dev/null && test_set_prereq CLANG

# What one edit of the kernel, which is undone afterwards, comes to in ../out:
# edited EXIT SCRIPT
edited () {
	git checkout -q kernel.cpp &&
	sed -i "$2" kernel.cpp &&
	test_expect_code "$1" avogit score >../out 2>../err
}

# The same of the task, committed.
task () {
	git checkout -q kernel.cpp &&
	sed -i "$2" avogit.yaml &&
	git commit -qam "$2" &&
	test_expect_code "$1" avogit score >../out 2>../err
}

test_expect_success 'an overload in a namespace is found by its declaration' '
	git init -q repo &&
	cd repo &&
	cp "$SHARNESS_TEST_SRCDIR"/cxx/softmax/* . &&
	git add . &&
	git commit -qm "the kernel and its task" &&
	avogit score >../out &&
	grep "pass, " ../out
'

test_expect_success 'where it is wrong is told as in C' '
	edited 1 "s/MODE 0/MODE 1/" &&
	grep "wrong: y\[" ../out
'

test_expect_success 'another signature is told, with what there is' '
	edited 1 "s/const float \*x, float \*y, int64_t/const float *x, float *y, int/" &&
	grep "no function .void nn::softmax(const float \*x, .*they have: .*nn::softmax(float const\*, float\*, int, long)" ../out
'

test_expect_success 'an exception that leaves the entry is told' '
	edited 1 "s/const T largest/if (n > 0) throw 1; const T largest/" &&
	grep "crashed: it called abort(), as a C++ program does for an exception that it does not catch" ../out &&
	grep "terminate called after throwing an instance of .int" ../out
'

test_expect_success 'a file in C among the sources is compiled as C' '
	git checkout -q kernel.cpp &&
	printf "%s\n" "int class(int new) { return new; }" >one.c &&
	sed -i "s/\[kernel.cpp\]/[kernel.cpp, one.c]/" avogit.yaml &&
	sed -i "s/^namespace nn {/extern \"C\" int class_(int) __asm__(\"class\");\n&/; s/y\[j\] = e/y[j] = class_(1) * e/" kernel.cpp &&
	git add . && git commit -qm "and C" && git tag right &&
	avogit score >../out &&
	grep "pass, " ../out
'

test_expect_success CLANG 'clang++ compiles it too' '
	task 0 "s/^  flags:/  compiler: clang++\n&/" &&
	grep "pass, " ../out &&
	task 0 "/compiler:/d"
'

test_expect_success 'several functions of a name are told' '
	task 1 "s/^entry: .*/entry: nn::softmax/" &&
	grep "several functions .nn::softmax.; add the parameters: nn::softmax(double const\*, double\*, long, long), nn::softmax(float" ../out &&
	task 0 "s/^entry: .*/entry: nn::softmax(const float *, float *, long, long)/"
'

test_expect_success 'a reference that lacks the function is told' '
	task 128 "s/^  plain: .*/  plain: right::softmax<float, int>/" &&
	grep "reference.plain: its sources define no function .right::softmax<float, int>.; they have: void right::softmax<float, " ../err &&
	task 0 "s/^  plain: .*/  plain: right::softmax<float, float>/"
'

test_expect_success 'a compiler of another language is refused' '
	task 128 "s/^  flags:/  compiler: gcc\n&/" &&
	grep "build.compiler: .*c++, g++-12" ../err &&
	sed -i "s/c++17/c11/; s/compiler: gcc/compiler: g++/; s/language: c++/language: c/; s/^entry: .*/entry: f/; s/  entry: .*/  entry: g/; s/plain: .*/plain: h/" avogit.yaml &&
	git commit -qam "C" &&
	test_expect_code 128 avogit score 2>../err &&
	grep "g++ goes with language: c++" ../err
'

test_expect_success 'evolve tunes it' '
	git checkout -q right -- avogit.yaml &&
	git commit -qm "C++ again" &&
	avogit evolve -n 2 >../out &&
	grep "#1 " ../out
'

test_expect_success 'a template in a header, which an adapter instantiates' '
	"$SHARNESS_TEST_SRCDIR/../../examples/make-repo.sh" cxx-dot ../dot &&
	cd ../dot &&
	avogit score HEAD production >../out &&
	test "$(grep -c "  pass, " ../out)" = 2
'

test_done
