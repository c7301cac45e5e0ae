#!/bin/sh
# test: parallel long no-asan
test_description='compute shaders in GLSL, on the CPU by lavapipe'
. "$(dirname "$0")/lib-weighted.sh"

test -x "$(dirname "$AVOGIT")/libexec/avogit/avogit-runner-vulkan" &&
	test -n "$(ls /usr/share/vulkan/icd.d/lvp_icd*)" 2>/dev/null &&
	test -x /usr/bin/glslangValidator && test_set_prereq VULKAN

# A shader of ./ with this launch and main; committed: shader LAUNCH MAIN
shader () {
	cat >kernel.comp <<-END &&
	#version 450
	#define SIZE 64
	$1
	layout(local_size_x = SIZE) in;
	layout(std430, binding = 0) readonly buffer X { float x[]; };
	layout(std430, binding = 1) buffer Y { float y[]; };
	layout(push_constant) uniform Values { float a; int n; };
	$2
	END
	git add . &&
	git commit -qm "another shader"
}

refused () {
	test_expect_code 1 avogit score >out 2>&1 &&
	grep "$1" out || { cat out; return 1; }
}

groups='// avogit-launch: groups=(ceil_div(n, SIZE))'
i='int i = int(gl_GlobalInvocationID.x);'

test_expect_success VULKAN 'a shader passes' '
	make_repo scale &&
	git rm -q kernel.c &&
	sed -i -e "s|^language:.*|language: {runner: [avogit-runner-vulkan]}\nthreads: 2|" \
		-e "s|kernel\.c|kernel.comp|" \
		-e "s|^entry:.*|entry: main|" -e "/^baselines:/,/^  flags:/d" avogit.yaml &&
	shader "$groups" "void main() { $i if (i < n) y[i] = a * x[i]; }" &&
	avogit score >out &&
	grep pass out &&
	git notes --ref=avogit show | grep "runner avogit-runner-vulkan"
'

test_expect_success VULKAN 'the runner keeps the protocol' '
	avogit score --check-runner HEAD >out &&
	! grep "not ok" out
'

test_expect_success VULKAN 'one that leaves the last work-group out is wrong' '
	shader "// avogit-launch: groups=(n / SIZE - 1)" "void main() { $i y[i] = a * x[i]; }" &&
	refused "wrong: "
'

test_expect_success VULKAN 'one that does not compile did not build, in the words of the compiler' '
	shader "$groups" "void main() { y[0] = b; }" &&
	refused "build-failed: the GLSL compiler refuses the source" &&
	grep "kernel.comp:8: .b. : undeclared identifier" out
'

test_expect_success VULKAN 'what cannot be launched is said' '
	shader "" "void main() { }" &&
	refused "build-failed: kernel.comp does not say how many work-groups" &&
	sed -i "s|^threads:.*|threads: 1|" avogit.yaml &&
	shader "$groups" "void main() { }" &&
	refused "build-failed: lavapipe launches from a thread of its own" &&
	sed -i "s|^threads:.*|threads: 2|" avogit.yaml
'

test_expect_success VULKAN 'shaders are dispatched one after the other' '
	sed -i "s|^sources:.*|sources: [first.comp, kernel.comp]|" avogit.yaml &&
	shader "$groups" "void main() { $i if (i < n) y[n - 1 - i] = a; }" &&
	cp kernel.comp first.comp &&
	shader "$groups" "void main() { $i if (i < n) y[i] *= x[i]; }" &&
	avogit score >out &&
	grep pass out &&
	sed -i "s|^sources:.*|sources: [kernel.comp]|" avogit.yaml
'

# The shader that prepares, and the one that is launched, with these bodies; scored:
# prepared BODY BODY
prepared () {
	(
		cd ../weighted &&
		for part in pack kernel
		do
			cat >$part.comp <<-END || return 1
			#version 450
			#define SIZE 64
			// avogit-launch: $(test $part = kernel || echo $part) groups=(ceil_div(n, SIZE))
			layout(local_size_x = SIZE) in;
			layout(std430, binding = 0) readonly buffer X { float x[]; };
			layout(std430, binding = 1) readonly buffer W { float w[]; };
			layout(std430, binding = 2) buffer Y { float y[]; };
			layout(std430, binding = 3) buffer P { float p[]; };
			layout(push_constant) uniform Values { float a; int n; };
			void main() { $i if (i < n) $1 }
			END
			shift
		done &&
		git add . && git commit -qm "another" &&
		avogit score HEAD >../out 2>&1
	)
}

test_expect_success VULKAN 'a shader lays static inputs out before the clock starts' '
	make_weighted avogit-runner-vulkan "pack.comp, kernel.comp" main \
		"threads: 2" "limits: {timeout: 5s, memory: 2GiB}" &&
	prepared "p[i] = w[i] * a + 1;" "y[i] = x[i] * p[i];" &&
	grep " pass," ../out &&
	weighted_keeps_protocol
'

test_expect_success VULKAN 'what it prepares wrongly is told, and a shader that no line calls one that prepares' '
	test_expect_code 1 prepared "p[i] = w[i];" "y[i] = x[i] * p[i];" &&
	grep "wrong: y\[" ../out &&
	(
		cd ../weighted &&
		sed -i "s/launch: pack/launch:/" pack.comp && git commit -qam "not named" &&
		test_expect_code 1 avogit score HEAD >../out &&
		grep "build-failed: no shader says that it prepares: write .// avogit-launch: pack groups=(N)" ../out &&
		sed -i "s/launch:/launch: pack/" ./*.comp && git commit -qam "both" &&
		test_expect_code 1 avogit score HEAD >../out &&
		grep "build-failed: all shaders prepare" ../out
	)
'

test_expect_success VULKAN 'the tuner finds the faster shader' '
	shader "#define ROUNDS 4000 // avogit: 4000 10
$groups" "void main()
{
	$i
	uint s = i;

	for (int r = 0; r < ROUNDS; r++)
		s = s * 1664525 + 1013904223;
	if (i < n)
		y[i] = a * x[i] + (s == 1234567 ? 1 : 0);
}" &&
	avogit evolve --run r --attempts 1 >out &&
	git show avo/r/best:kernel.comp | grep "ROUNDS 10 "
'

test_done
