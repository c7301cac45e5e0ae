#!/bin/sh
# test: parallel
test_description='score --sanitize: what it refuses, and the key of the task'
. "$(dirname "$0")/../lib-avogit.sh"

# No machine has this driver.
AVOGIT_LIBCUDA=/nonexistent/libcuda.so.1
export AVOGIT_LIBCUDA
top=$PWD

nvcc=${CUDA_HOME:+$CUDA_HOME/bin/}nvcc
command -v "$nvcc" >/dev/null || nvcc=/usr/local/cuda/bin/nvcc
command -v "$nvcc" >/dev/null && test_set_prereq NVCC

printf '#!/bin/sh\nexit 1\n' >"$top/compute-sanitizer"
chmod 755 "$top/compute-sanitizer"

test_expect_success 'a task in C is refused in a sentence' '
	cd "$top" &&
	(make_repo c) &&
	cd c &&
	test_expect_code 128 avogit score --sanitize HEAD >../out 2>../err &&
	test_must_be_empty ../out &&
	grep "is a task in C: --sanitize is for language: cuda" ../err &&
	test "$(wc -l <../err)" = 1 &&
	test -z "$(git notes --ref=avogit list 2>/dev/null)"
'

test_expect_success 'so is the key in a task in C, with its line' '
	cd "$top" &&
	cd c &&
	echo "sanitize: true" >>avogit.yaml &&
	git commit -qam "a task that asks" &&
	test_expect_code 128 avogit score HEAD >../out 2>../err &&
	test_must_be_empty ../out &&
	grep "avogit.yaml:$(wc -l <avogit.yaml): sanitize: .*language: cuda" ../err
'

test_expect_success 'the help says where the tool is looked for' '
	avogit help score >"$top/out" &&
	grep "^ *--sanitize" "$top/out" &&
	grep "AVOGIT_COMPUTE_SANITIZER" "$top/out"
'

test_expect_success NVCC 'where it is not installed the sentence says where it was looked for' '
	cd "$top" &&
	git init -q repo &&
	cd repo &&
	cp "$SHARNESS_TEST_SRCDIR"/saxpy/* . &&
	git add . &&
	git commit -qm "the kernel and its task" &&
	AVOGIT_COMPUTE_SANITIZER=/nonexistent/tool &&
	export AVOGIT_COMPUTE_SANITIZER &&
	test_expect_code 128 avogit score --sanitize >../out 2>../err &&
	unset AVOGIT_COMPUTE_SANITIZER &&
	test_must_be_empty ../out &&
	grep "AVOGIT_COMPUTE_SANITIZER=/nonexistent/tool is not a program" ../err &&
	test "$(wc -l <../err)" = 1
'

test_expect_success NVCC 'without a GPU nothing can be sanitized' '
	cd "$top" &&
	cd repo &&
	AVOGIT_COMPUTE_SANITIZER=$top/compute-sanitizer &&
	export AVOGIT_COMPUTE_SANITIZER &&
	test_expect_code 128 avogit score --sanitize >../out 2>../err &&
	unset AVOGIT_COMPUTE_SANITIZER &&
	test_must_be_empty ../out &&
	grep "no GPU here to run kernels on" ../err
'

test_expect_success NVCC 'the key of the task does not keep a kernel from being built' '
	cd "$top" &&
	cd repo &&
	echo "sanitize: [memcheck, synccheck]" >>avogit.yaml &&
	git commit -qam "a task that asks" &&
	test_expect_code 1 avogit score HEAD >../out 2>../err &&
	grep "not-run" ../out &&
	! grep -i "sanitize" ../out
'

test_done
