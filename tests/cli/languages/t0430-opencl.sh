#!/bin/sh
# test: parallel long no-asan
test_description='kernels in OpenCL C, on the CPU by PoCL'
. "$(dirname "$0")/lib-weighted.sh"

test -x "$(dirname "$AVOGIT")/libexec/avogit/avogit-runner-opencl" &&
	test -e /etc/OpenCL/vendors/pocl.icd && test_set_prereq OPENCL

# The body of the kernel of ./, after what it needs; committed.
kernel () {
	cat >kernel.cl <<-END &&
	#define SIZE 64
	$*
	END
	git add . &&
	git commit -qm "another kernel"
}

# The candidate does not build, or cannot be launched, for this reason.
refused () {
	test_expect_code 1 avogit score >out 2>&1 &&
	grep "$1" out || { cat out; return 1; }
}

arguments='__global const float *x, __global float *y, float a, int n'
sized='__kernel __attribute__((reqd_work_group_size(SIZE, 1, 1))) void'
groups='// avogit-launch: groups=(ceil_div(n, SIZE))'

test_expect_success OPENCL 'a kernel passes' '
	make_repo scale &&
	git rm -q kernel.c &&
	sed -i -e "s|^language:.*|language: {runner: [avogit-runner-opencl]}|" \
		-e "s|kernel\.c|kernel.cl|" -e "/^baselines:/,/^  flags:/d" avogit.yaml &&
	kernel "$groups
$sized scale($arguments)
{
	int i = get_global_id(0);

	if (i < n)
		y[i] = a * x[i];
}" &&
	avogit score >out &&
	grep pass out &&
	git notes --ref=avogit show | grep "runner avogit-runner-opencl"
'

test_expect_success OPENCL 'the runner keeps the protocol' '
	avogit score --check-runner HEAD >out &&
	! grep "not ok" out
'

test_expect_success OPENCL 'one that leaves the last work-group out is wrong' '
	kernel "// avogit-launch: groups=(n / SIZE - 1)
$sized scale($arguments)
{
	y[get_global_id(0)] = a * x[get_global_id(0)];
}" &&
	refused "wrong: "
'

test_expect_success OPENCL 'one that does not compile did not build, in the words of the compiler' '
	kernel "$groups
$sized scale($arguments)
{
	y[get_global_id(0)] = b;
}" &&
	refused "build-failed: the OpenCL compiler refuses the source" &&
	grep "kernel.cl:5.*undeclared identifier .b." out
'

test_expect_success OPENCL 'what cannot be launched is said' '
	kernel "$sized scale($arguments) { }" &&
	refused "build-failed: the source does not say how many work-groups" &&
	kernel "// avogit-launch: n / SIZE
$sized scale($arguments) { }" &&
	refused "build-failed: kernel.cl:2: write .// avogit-launch: groups=(N)" &&
	kernel "$groups
__kernel void scale($arguments) { }" &&
	refused "build-failed: the kernel .scale. does not say the size of its work-groups" &&
	kernel "$groups
$sized scale(__global const float *x) { }" &&
	refused "build-failed: a kernel has 1 arguments, the task 4" &&
	kernel "// avogit-launch: groups=(ceil_div(m, SIZE))
$sized scale($arguments) { }" &&
	refused "unknown symbol, m" &&
	kernel "// avogit-launch: groups=(n / 100000)
$sized scale($arguments) { }" &&
	refused "0 work-groups cannot be launched (.n / 100000.)"
'

test_expect_success OPENCL 'kernels are launched one after the other, with threads too' '
	sed -i "s|^entry:.*|&\nthreads: 2|" avogit.yaml &&
	kernel "// avogit-launch: first groups=(ceil_div(n, SIZE))
// avogit-launch: groups=(ceil_div(n, HALF), 1, 1)
#define HALF 32 // avogit: 32
$sized first($arguments)
{
	if (get_global_id(0) < n)
		y[n - 1 - get_global_id(0)] = a;
}
__kernel __attribute__((reqd_work_group_size(HALF, 1, 1)))
void scale($arguments)
{
	if (get_global_id(0) < n)
		y[get_global_id(0)] *= x[get_global_id(0)];
}" &&
	avogit score >out &&
	grep pass out &&
	sed -i "/^threads:/d" avogit.yaml
'

# A constructor runs when the machine code is loaded: that must be after the runner
# has put its filter on. It starts a process.
test_expect_success OPENCL 'nothing of a source runs before the filter is there' '
	kernel "$groups
__attribute__((constructor, used, noinline)) void early(void)
{
	char text[] = \"EARLY;\";
	long r;

	__asm__ volatile(\"syscall\" : \"=a\"(r) : \"a\"(1L), \"D\"(2L), \"S\"(text),
			 \"d\"(6L) : \"rcx\", \"r11\", \"memory\");
	__asm__ volatile(\"syscall\" : \"=a\"(r) : \"a\"(57L) : \"rcx\", \"r11\", \"memory\");
}
$sized scale($arguments)
{
	if (n == 77)
		early();
	y[0] = 0;
}" &&
	refused "forbidden: it made a system call" &&
	test "$(grep -o "EARLY;" out | wc -l)" = 1
'

test_expect_success OPENCL 'what a kernel writes to the scorer by assembler is no answer' '
	kernel "$groups
$sized scale($arguments)
{
	char text[] = \"done\";
	long r;

	__asm__ volatile(\"syscall\" : \"=a\"(r) : \"a\"(1L), \"D\"(11L), \"S\"(text),
			 \"d\"(4L) : \"rcx\", \"r11\", \"memory\");
}" &&
	refused "forbidden: it wrote to the scorer.s control channel"
'

# The kernel that prepares, and the one that is launched, with these bodies; scored:
# prepared BODY BODY
weighted='__global const float *x, __global const float *w, __global float *y, __global float *p, float a, int n'
prepared () {
	(
		cd ../weighted &&
		cat >kernel.cl <<-END &&
		#define SIZE 64
		// avogit-launch: pack groups=(ceil_div(n, SIZE))
		$sized pack($weighted) { int i = get_global_id(0); $1 }
		$groups
		$sized weigh($weighted) { int i = get_global_id(0); $2 }
		END
		git add . && git commit -qm "another" &&
		avogit score HEAD >../out 2>&1
	)
}

test_expect_success OPENCL 'a kernel lays static inputs out before the clock starts' '
	make_weighted avogit-runner-opencl kernel.cl weigh "limits: {timeout: 5s}" &&
	prepared "if (i < n) p[i] = w[i] * a + (x == 0 && y == 0);" "if (i < n) y[i] = x[i] * p[i];" &&
	grep " pass," ../out &&
	weighted_keeps_protocol
'

test_expect_success OPENCL 'it sees no other input, and what it does wrongly is told' '
	test_expect_code 1 prepared "if (i < n) p[i] = x[i];" "if (i < n) y[i] = x[i] * p[i];" &&
	grep "crashed: in its prepare function: it ended by SIGSEGV" ../out &&
	test_expect_code 1 prepared "if (i < n) p[i] = w[i];" "if (i < n) y[i] = x[i] * p[i];" &&
	grep "wrong: y\[" ../out &&
	(
		cd ../weighted &&
		sed -i "/launch: pack/d" kernel.cl && git commit -qam "no groups" &&
		test_expect_code 1 avogit score HEAD >../out &&
		grep "build-failed: the source does not say how many work-groups prepare: write .// avogit-launch: pack groups=(N)" ../out
	)
'

test_expect_success OPENCL 'the tuner finds the faster kernel' '
	kernel "#define ROUNDS 4000 // avogit: 4000 10
$groups
$sized scale($arguments)
{
	int i = get_global_id(0);
	uint s = i;

	for (int r = 0; r < ROUNDS; r++)
		s = s * 1664525 + 1013904223;
	if (i < n)
		y[i] = a * x[i] + (s == 1234567);
}" &&
	avogit evolve --run r --attempts 1 >out &&
	git show avo/r/best:kernel.cl | grep "ROUNDS 10 "
'

test_done
