#!/bin/sh
# test: parallel long no-asan
test_description='functions of Python on a GPU: tensors over memory of the card'
. "$(dirname "$0")/lib-fake-gpu.sh"
. "$SHARNESS_TEST_SRCDIR/gpu/lib-fake-python.sh"

fake_repo python || exit

# The kernel is this now: kernel LINE...
kernel () {
	{
		echo 'import torch' &&
		printf '%s\n' "$@"
	} >kernel.py &&
	git commit -qam "another kernel" --allow-empty
}

test_expect_success 'a kernel is scored on the card, without a compiler' '
	faults &&
	mv "$CUDA_HOME/bin/nvcc" "$CUDA_HOME/bin/none" &&
	CUDA_HOME=/nonexistent score_again >../out &&
	mv "$CUDA_HOME/bin/none" "$CUDA_HOME/bin/nvcc" &&
	cat ../out &&
	grep " pass, " ../out &&
	grep "eager" ../out &&
	git notes --ref=avogit show HEAD >../note &&
	cat ../note &&
	grep "trust=isolated" ../note &&
	grep "isolated=\"it launches nothing on its stream" ../note &&
	none_left
'

test_expect_success 'the whole output is checked, and what lies around it' '
	kernel "def softmax(x, y):" "    y.copy_(torch.softmax(x, 1) * 1.01)" &&
	verdict " wrong: " &&
	kernel "def softmax(x, y):" "    return torch.softmax(x, 1)" &&
	verdict "wrong: " &&
	kernel "import ctypes" "def softmax(x, y):" \
		"    torch.softmax(x, 1, out=y)" \
		"    ctypes.memset(y.data_ptr() + 4 * y.numel(), 1, 8)" &&
	verdict "out-of-bounds: " &&
	kernel "seen = {}" "def softmax(x, y):" \
		"    key = x.data_ptr(), x.shape" \
		"    if key not in seen: seen[key] = torch.softmax(x, 1)" \
		"    y.copy_(seen[key])" &&
	verdict " wrong: " &&
	kernel "seen = {}" "def softmax(x, y):" \
		"    key = x.shape, float(x[0].sum())" \
		"    if key not in seen: seen[key] = torch.softmax(x, 1)" \
		"    y.copy_(seen[key])" &&
	verdict " wrong: " &&
	grep "in the same buffers with one changed element of .x." ../out
'

test_expect_success 'what it raises is the reason, with file and line' '
	kernel "def softmax(x, y):" "    raise ValueError(\"not today\")" &&
	verdict "crashed: in its first call: kernel.py:3: ValueError: not today" &&
	kernel "x = 1 +" &&
	verdict "build-failed: it does not load: kernel.py:2: SyntaxError" &&
	kernel "import sys" "def softmax(x, y):" "    sys.exit(3)" &&
	verdict "crashed: in its first call: it exited with status 3"
'

test_expect_success 'where the driver gives other addresses, new ones are drawn' '
	cp "$fake/python/kernel.py" . && git commit -qam right &&
	faults "resident reserve 1 odd" &&
	score_again >../out &&
	grep " pass, " ../out &&
	none_left
'

test_expect_success 'a PyTorch without CUDA is said, and no GPU' '
	faults &&
	AVOGIT_PYTHON=/usr/bin/python3 &&
	test_expect_code 128 score_again >../out 2>../err &&
	cat ../err &&
	grep "is built without CUDA, which .device: cuda. needs" ../err &&
	AVOGIT_PYTHON=$place/bin/python3 &&
	AVOGIT_LIBCUDA=/nonexistent score_again >../out 2>../err
	cat ../out ../err &&
	grep "nothing was run, since there is no GPU here" ../out
'

test_expect_success 'what the task forbids is so on the card, too' '
	echo "forbidden: {calls: [softmax]}" >>avogit.yaml &&
	kernel "def softmax(x, y):" "    torch.softmax(x, 1, out=y)" &&
	verdict " forbidden: kernel.py:3: it calls softmax, which the task forbids" &&
	git reset -q --hard HEAD^^
'

test_expect_success 'what does not go with it is refused, with the line' '
	refused () {
		sed "$1" avogit.yaml >../task && cp ../task avogit.yaml &&
		git commit -qam "another task" &&
		test_expect_code 128 "$AVOGIT" score 2>../err
		cat ../err
		grep -F "$2" ../err && git reset -q --hard HEAD^
	} &&
	refused "s/^entry:.*/&\nsanitize: true/" \
		"it goes with language: cuda only" &&
	refused "s/^language:.*/language: c/" \
		"it goes with language: python only" &&
	refused "s/^entry:.*/&\nflags: fixed/" \
		"no flag of a compiler is chosen with a runner" &&
	test_expect_code 128 "$AVOGIT" profile HEAD 2>../err &&
	grep "is a task in Python: profile is for language: cuda" ../err
'

test_done
