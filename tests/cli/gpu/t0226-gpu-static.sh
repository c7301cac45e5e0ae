#!/bin/sh
# test: parallel long no-asan
test_description='static inputs on a GPU: what is prepared of them, and what is not'
. "$(dirname "$0")/lib-fake-gpu.sh"
fake_repo packed || exit

# What is prepared from static inputs, in either class.
packed () {
	passes &&
	git notes --ref=avogit show HEAD >../note &&
	grep "trust=$1" ../note &&
	grep "vs=baseline" ../note &&
	mode 1 && verdict "wrong: y[" &&
	mode 2 && verdict "wrong: y[" &&
	mode 3 && verdict "out-of-bounds: a kernel touched memory" &&
	mode 4 && verdict "timed-out: " &&
	mode 0 && passes
}

test_expect_success 'static inputs: what was prepared from them alone is there' '
	packed replayed
'

test_expect_success 'the same of what is run as a whole' '
	echo "class: isolated" >>avogit.yaml &&
	git commit -qam isolated &&
	packed isolated &&
	sed -i "\$d" avogit.yaml && git commit -qam replayed
'

test_expect_success 'a half that is repeated is prepared for anew' '
	faults "launcher stream_wait 1 late" "launcher stream_wait 3 late" &&
	git commit -q --allow-empty -m "held up" &&
	score_again >../out &&
	grep " pass, " ../out
'

test_expect_success 'preparing that fails while it is not timed' '
	verdict "crashed: in its prepare function: " \
		"launcher synchronize 2 719" &&
	verdict "timed-out: " "launcher synchronize 2 hang" &&
	verdict "crashed: in its prepare function: a launch: CUDA_ERROR_OUT_OF" \
		"launcher launch 1 2" &&
	no_verdict "65536 bytes are free, and a process that runs a candidate" \
		"launcher launch 1 2" "gpu-judge memory_info * odd" &&
	no_verdict "cannot use the GPU: taking GPU memory (131072 bytes" \
		"launcher create 2 2" &&
	faults "capturer capture_begin 2 46" &&
	git commit -q --allow-empty -m uncapturable &&
	score_again &&
	git notes --ref=avogit show HEAD >../note &&
	grep "isolated=\"its prepare function: beginning the capture: CUDA_ERROR_DEVICE" ../note
'

test_expect_success 'more baselines than a comparison has room for are refused' '
	for i in $(seq 15)
	do
		echo "  more$i: {source: baseline.cu, entry: multiply_baseline, prepare: pack_baseline}"
	done >../more &&
	sed -i "/^  packing:/r ../more" avogit.yaml &&
	git commit -qam "many baselines" &&
	no_verdict "avogit.yaml: over 13 rivals and baselines at once" &&
	sed -i "/^  more/d" avogit.yaml && git commit -qam "one baseline"
'

test_expect_success 'a baseline calls a library that the user built' '
	echo "int three(void) { return 3; }" >../three.c &&
	mkdir "$CUDA_HOME.own" &&
	cleanup "rm -rf \"$CUDA_HOME.own\"" &&
	cc -shared -fPIC -o "$CUDA_HOME.own/libthree.so" ../three.c &&
	sed -i -e "s|^void multiply_baseline|int three(void); void abort(void);\n&|" \
		-e "s|LAUNCH(multiply_kernel|if (three() != 3) abort(); &|" \
		baseline.cu &&
	sed -i "s|source: baseline.cu|&, library: $CUDA_HOME.own/libthree.so|" \
		avogit.yaml &&
	git commit -qam "a library" &&
	avogit trust --yes &&
	faults && passes &&
	git notes --ref=avogit show HEAD >../note &&
	grep "vs=baseline" ../note &&
	grep "library.packing=\"$CUDA_HOME.own/libthree.so sha256 " ../note
'

test_done
