#!/bin/sh
# test: parallel long no-asan
test_description='a driver that fails in a judge, a capturer, a self-test'
. "$(dirname "$0")/lib-fake-gpu.sh"
fake_repo task || exit

test_expect_success 'no candidate is blamed for a GPU that cannot be had' '
	no_verdict "a second process cannot use the GPU: opening the GPU: CUDA_ERROR_DEVICE_UNAVAILABLE" \
		"spare init 1 46" &&
	no_verdict "cannot use the GPU: taking over GPU memory (131072 bytes): CUDA_ERROR_OUT_OF_MEMORY" \
		"launcher import_fd 1 2" &&
	passes
'

test_expect_success 'memory that others have is no fault of a candidate' '
	no_verdict "65536 bytes are free, and a process that runs a candidate needs 5" \
		"capturer create 2 2" "gpu-judge memory_info * odd" &&
	verdict "crashed: in its first call: taking GPU memory (" \
		"capturer create 2 2" &&
	no_verdict "65536 bytes are free, and a process" \
		"launcher import_fd 3 2" "gpu-judge memory_info * odd" &&
	verdict "crashed: it cannot be replayed: taking over GPU memory (" \
		"launcher import_fd 3 2" &&
	passes
'

test_expect_success 'a capturer that hangs, dies, cannot capture' '
	verdict "timed-out: " "capturer synchronize 1 hang" &&
	verdict "crashed: in its first call: it ended by signal" \
		"capturer launch 1 die" &&
	faults "capturer capture_begin 1 46" &&
	git commit -q --allow-empty -m uncapturable &&
	score_again &&
	git notes --ref=avogit show HEAD >../note &&
	grep "isolated=\"beginning the capture: CUDA_ERROR_DEVICE" ../note
'

# What it launches for the next case is asked while the judge looks at this one.
test_expect_success 'a capturer that does so in the second case' '
	sed -i "/^  - {n: 16384}/a\\  - {n: 8192}" avogit.yaml &&
	git commit -qam "two cases" &&
	passes &&
	verdict "timed-out: " "capturer synchronize 2 hang" &&
	verdict "crashed: in its first call: it ended by signal" \
		"capturer launch 3 die" &&
	faults "capturer capture_begin 2 46" &&
	git commit -q --allow-empty -m "uncapturable later" &&
	score_again &&
	git notes --ref=avogit show HEAD >../note &&
	grep "isolated=\"beginning the capture: CUDA_ERROR_DEVICE" ../note &&
	mode 3 && verdict "wrong: y[8192] is 7" && mode 0 &&
	sed -i "/^  - {n: 8192}/d" avogit.yaml &&
	git commit -qam "one case" && passes
'

test_expect_success 'addresses that are not the ones asked for' '
	faults "launcher reserve 2 odd" "capturer reserve 3 odd" &&
	git commit -q --allow-empty -m moved &&
	score_again &&
	git notes --ref=avogit show HEAD >../note &&
	grep "trust=replayed" ../note &&
	faults "launcher reserve * odd" &&
	score_again &&
	git notes --ref=avogit show HEAD >../note &&
	grep "isolated=\"the driver does not give" ../note &&
	no_verdict "the driver gives no address that is asked for" \
		"* reserve * odd"
'

test_expect_success 'a judge that dies, or whose driver answers errors' '
	no_verdict "the judge on the GPU was ended by signal" \
		"gpu-judge to_host 3 die" &&
	no_verdict "the judge on the GPU ended with exit status 3" \
		"gpu-judge init 1 exit" &&
	no_verdict "taking GPU memory (131072 bytes, where 65536 of 1073741824 are free): CUDA_ERROR_OUT_OF_MEMORY" \
		"gpu-judge create 3 2" "gpu-judge memory_info 1 odd" &&
	no_verdict "sharing GPU memory: " "gpu-judge export_fd 2 999" &&
	no_verdict "the reference (scale_reference) crashed" \
		"gpu-judge reference_kernel 1 die" &&
	no_verdict "leaves elements of \`y\` unwritten" \
		"gpu-judge reference_kernel 1 odd" &&
	passes
'

test_expect_success 'a GPU that does not pass the self-test' '
	no_verdict "the GPU does not answer: opening the GPU" \
		"gpu-judge init 1 999" &&
	no_verdict "the GPU does not answer: running one of the scorer" \
		"gpu-judge synchronize 1 719" &&
	no_verdict "the GPU does not answer rightly any more" \
		"gpu-judge avogit_look 1 odd" &&
	passes
'

test_expect_success 'after a fault or a hang the GPU is tested, and the next one scored' '
	mode 1 && git tag faulty &&
	mode 2 && git tag hanging &&
	mode 0 && git tag good &&
	faults &&
	test_expect_code 1 avogit score --again faulty hanging good >../out &&
	grep "out-of-bounds: " ../out &&
	grep "timed-out: " ../out &&
	grep " pass, " ../out &&
	faults "gpu-judge avogit_look 2 odd" &&
	for harm in faulty hanging
	do
		test_expect_code 128 avogit score --again $harm good \
			>../out 2>../err &&
		grep "out-of-bounds: \|timed-out: " ../out &&
		grep "the GPU does not answer rightly any more" ../err &&
		none_left || return 1
	done
'

test_expect_success 'a driver that is none: nothing is run' '
	faults "score init 1 die" &&
	test_expect_code 1 score_again >../out &&
	grep "the driver.s library ended by signal" ../out &&
	faults "score init 1 100" &&
	test_expect_code 1 score_again >../out &&
	grep "answers cuInit with 100 (no device)" ../out &&
	AVOGIT_LIBCUDA=/nonexistent test_expect_code 1 \
		score_again >../out &&
	grep "the driver.s library cannot be opened" ../out
'

test_done
