#!/bin/sh
# test: parallel long no-asan
test_description='contents of inputs that betray a short cut on a GPU'
. "$(dirname "$0")/lib-fake-gpu.sh"

# A softmax in one of its modes gets this verdict: softmax MODE [TEXT]
softmax () {
	mode "$1" && faults &&
	git commit -q --allow-empty -m "softmax $1" &&
	if test -z "$2"
	then
		passes
	else
		test_expect_code 1 score_again >../out &&
		cat ../out && grep "$2" ../out
	fi
}

# The one that begins late meets the contents that betray it in launches that are
# kept at random, six scores of seven.
softmax_sometimes () {
	for try in 1 2 3 4
	do
		softmax 3 'wrong: y.*stray_rows inputs' && return
	done
	return 1
}

for class in replayed isolated
do
	test_expect_success "class $class: contents that betray a softmax without its maximum" "
		rm -rf ../softmax && mkdir ../softmax &&
		( cd ../softmax && git init -q . &&
		  cp -r \"\$fake\"/softmax/* . && mkdir include &&
		  cp \"\$source\"/tests/cheats/tasks/common/include/exponential.h include &&
		  echo \"class: $class\" >>avogit.yaml &&
		  git add . && git commit -qm softmax &&
		  softmax 0 &&
		  softmax 1 'wrong: y.* is .* where .* is right' &&
		  softmax 2 'wrong: y.* is .* where .* is right' &&
		  { test $class = isolated || softmax_sometimes; } )
	"
done

# The launches of each case are at other addresses and have wholly other contents.
for class in replayed isolated
do
	test_expect_success "class $class: what is kept for some of the elements is wrong" "
		rm -rf ../kept && mkdir ../kept && cd ../kept && git init -q . &&
		cp \"\$fake\"/task/* . &&
		echo \"class: $class\" >>avogit.yaml &&
		git add . && git commit -qm kept && passes &&
		mode 13 &&
		verdict 'wrong: y' &&
		grep 'again in the same buffers with one changed element of .x.' ../out
	"
done

# docs/task.md says so: what the kernel is told of is not an input.
test_expect_success 'the first call of a kernel finds zeros where a generator has none' '
	rm -rf ../first && mkdir ../first && cd ../first && git init -q . &&
	cp "$fake"/task/* . &&
	sed -i "s/name: x, .*direction: in/&, fill: {generator: never_zero}/" avogit.yaml &&
	cat >>reference.cu <<-\EOF &&
	#ifndef __CUDA_ARCH__
	void never_zero(float *x, unsigned long seed, long n)
	{
		for (long i = 0; i < n; i++)
			x[i] = 1 + (float)((seed + 7 * (unsigned long)i) % 1000);
	}
	#endif
	EOF
	git add . && git commit -qm generator && passes &&
	sed -i "s/^	int n = PARAMETER(2, int);/&\n	if (x[0] == 0) __builtin_trap();/" kernel.cu &&
	git commit -qam "no zeros" &&
	test_expect_code 1 score_again >../out && grep "crashed: in its first call" ../out
'

# A compute-sanitizer that finds nothing, and plays the launch as the true one does.
sanitizer () {
	cat >"$CUDA_HOME/bin/compute-sanitizer" <<-\EOF &&
	#!/bin/sh
	while test "${1##*/}" != replay
	do
		test "$1" != --log-file || log=$2
		shift
	done
	LD_LIBRARY_PATH=$(cat "${0%/*}/driver") "$@" &&
		echo "========= ERROR SUMMARY: 0 errors" >"$log"
	EOF
	chmod 755 "$CUDA_HOME/bin/compute-sanitizer" &&
	echo "${AVOGIT_LIBCUDA%/*}" >"$CUDA_HOME/bin/driver"
}

test_expect_success 'what is sanitized finds the inputs of the generator' '
	sanitizer &&
	sed -i "s/if (x\[0\] == 0)/for (int i = 0; i < 16; i++) if (x[i] != (int)x[i])/" kernel.cu &&
	git commit -qam "whole numbers" &&
	AVOGIT_COMPUTE_SANITIZER=$CUDA_HOME/bin/compute-sanitizer timeout 120 \
		"$AVOGIT" score --again --sanitize HEAD >../out &&
	cat ../out && grep "nothing found by: memcheck,racecheck,initcheck" ../out
'

test_done
