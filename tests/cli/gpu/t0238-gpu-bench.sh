#!/bin/sh
# test: parallel long no-asan
test_description='the bench of several cards: what it says, and what it says when cut short'
. "$(dirname "$0")/lib-fake-gpu.sh"

unset XDG_STATE_HOME
"$AVOGIT" doctor >doctor.out 2>&1
grep "sandbox *bubblewrap" doctor.out >/dev/null &&
	test_set_prereq BUBBLEWRAP

# The bench with a small task in place of both of its examples: kernels that repeat
# their work.
mkdir -p bench/tests/bench/gpu bench/examples &&
cp "$source/tests/bench/gpu.sh" bench/tests/bench/ &&
cp "$source/tests/bench/gpu/random_agent.sh" bench/tests/bench/gpu/ &&
cp "$source/examples/make-repo.sh" bench/examples/ || exit
for e in cuda-matmul cuda-attention-backward
do
	here=bench/examples/$e
	mkdir -p $here/steps/1-start && cp "$fake"/task/* $here &&
	sed -i "s/n: 16384/m: 1, n: 1024, k: 1/" $here/avogit.yaml &&
	sed -i "s|^#define MODE.*|#define L2_MIB 30 // avogit: $(echo $(seq 40 140))|" $here/kernel.cu &&
	sed -i "1i #define __global__" $here/kernel.cu &&
	sed -i "s|^\tfor (int i = 0; i < n; i++)\$|\tfor (int t = 0; t < L2_MIB; t++, ({ __asm__(\"\" ::: \"memory\"); }))\n&|" $here/kernel.cu &&
	mv $here/kernel.cu $here/steps/1-start/ &&
	echo "The start" >$here/steps/1-start/message || exit
done

bench () {
	THINK=1 LOSES=L2_MIB=60 AVOGIT=$AVOGIT "$@" sh bench/tests/bench/gpu.sh cards
}

test_expect_success BUBBLEWRAP 'two cards over one, of short and of long measurements' '
	faults "* count * odd" &&
	bench env SECONDS_EACH=5 SECONDS_LONG=5 >out 2>err;
	cat out err &&
	grep "^#   [1-9][0-9]* processes opened a card; waits:.* gpu-judge fill [0-9]*," out &&
	grep "^gpu.cards.0,1/0 [-0-9.]* x >=1.9 " out &&
	grep "^gpu.cards.0,1/0.once_all_measure [-0-9.]* x >=1.9 " out &&
	grep "^gpu.cards.of_seconds.0,1/0 [-0-9.]* x >=1.9 " out &&
	grep "^gpu.cards.of_seconds.0,1/0.once_all_measure [-0-9.]* x >=1.9 " out &&
	none_left
'

test_expect_success BUBBLEWRAP 'what is cut short says what was measured until then' '
	bench env SECONDS_EACH=0 SECONDS_LONG=100 CARDS="0 0,1" \
		timeout -s TERM 15 >out 2>err;
	cat out err &&
	grep "^# cards-of_seconds-0: .* [1-9][0-9]* measured" out &&
	grep "^# cards-of_seconds-0: [-0-9.]* a second once all measure, cut short" out &&
	none_left
'

test_done
