#!/bin/sh
# test: parallel long no-asan
test_description='the kernels that a judge runs on a GPU, on the CPU'
. "$(dirname "$0")/../lib-avogit.sh"

source=$SHARNESS_TEST_SRCDIR/../..
kernels=$source/scorer/runner_gpu/kernels
here=$source/tests/gpu-kernels

command -v g++ >/dev/null && test_set_prereq CXX
# Another release of it writes another text.
release=$(nvcc --version 2>/dev/null | sed -n 's/^.*release \([^,]*\),.*$/\1/p')
test -n "$release" && grep -q "release $release," "$kernels.ptx" && test_set_prereq SAME_NVCC

test_expect_success CXX 'a C++ compiler takes them' '
	g++ -std=c++17 -O1 -w -fsanitize=alignment -fsanitize-undefined-trap-on-error -I"$source" -I"$here" -c -o on_cpu.o "$here/on_cpu.cpp" &&
	cc -D_GNU_SOURCE -std=c11 -O1 -I"$source" -o equal "$here/equal.c" \
		"$source/scorer/runner/fill.c" "$source/scorer/runner/element_runs.c" \
		"$source/scorer/runner/parts.c" \
		"$source/core/base/dtype.c" on_cpu.o -lstdc++ -lm
'

test_expect_success CXX 'inputs hold to the bit what the CPU makes' './equal fill'

test_expect_success CXX 'every byte of poison that is left or changed is counted' './equal look'

test_expect_success CXX 'two outputs are compared wherever their elements lie' './equal compare'

# Of each judge it is a part of the start: at 700 KB a driver took two seconds.
test_expect_success 'a driver has little to compile' '
	test "$(wc -c <"$kernels.ptx")" -lt 160000
'

test_expect_success SAME_NVCC 'the text is that of the source' '
	nvcc -ptx -I"$source" -arch=compute_75 -std=c++17 -O3 -o is.ptx "$kernels.cu" &&
	test_cmp "$kernels.ptx" is.ptx
'

test_done
