#!/bin/sh
# test: parallel long no-asan
test_description='what Python launches is captured and replayed without it'
. "$(dirname "$0")/lib-fake-gpu.sh"
. "$SHARNESS_TEST_SRCDIR/gpu/lib-fake-python.sh"

fake_repo python-replayed || exit

# The code of a kernel, as the driver takes it: cubin NAME MODE
cubin () {
	sed "s|^#define MODE .*|#define MODE $2|" "$fake/softmax/kernel.cu" \
		>"$1.c" &&
	gcc -std=gnu11 -O2 -fPIC -shared -x c -D__CUDA_ARCH__=900 \
		-I"$source/tests/cheats/tasks/common" \
		-include "$fake/device.h" -o "$1.cubin" "$1.c" &&
	rm "$1.c"
}
cubin right 0 && cubin wrong 1 && git add . && git commit -qm code || exit

# The body of the function is this now: body LINE...
body () {
	{
		echo 'import torch' &&
		echo 'from compiled import CompiledKernel, driver' &&
		echo 'right = CompiledKernel("right.cubin")' &&
		echo 'wrong = CompiledKernel("wrong.cubin")' &&
		echo 'def softmax(x, y):' &&
		printf '    %s\n' "$@"
	} >kernel.py &&
	git commit -qam "another kernel" --allow-empty
}

# It passes in class isolated, for this reason: isolated REASON
isolated () {
	faults &&
	score_again >../out &&
	grep " pass, " ../out &&
	git notes --ref=avogit show HEAD >../note &&
	grep "trust=isolated" ../note &&
	grep -F "isolated=\"$1" ../note &&
	none_left
}

test_expect_success 'a kernel of Triton is replayed, beside eager in Python' '
	faults &&
	score_again >../out &&
	cat ../out &&
	grep " pass, " ../out &&
	grep "eager" ../out &&
	git notes --ref=avogit show HEAD >../note &&
	cat ../note &&
	grep "trust=replayed" ../note &&
	! grep "isolated=" ../note &&
	none_left
'

test_expect_success 'of two with one name that is replayed which was launched' '
	body "wrong.launch(y, x)" "right.launch(y, x)" &&
	faults && score_again >../out &&
	grep " pass, " ../out &&
	body "right.launch(y, x)" "wrong.launch(y, x)" &&
	verdict " wrong: "
'

test_expect_success 'the verdict is on what is replayed, not on what is called' '
	body "wrong.launch(y, x)" "y.copy_(torch.softmax(x, 1))" &&
	sed -i "s/^entry:.*/&\nclass: replayed/" avogit.yaml &&
	git commit -qam "class: replayed" &&
	verdict " wrong: "
'

test_expect_success 'class replayed refuses what cannot be replayed' '
	body "torch.softmax(x, 1, out=y)" &&
	verdict "it cannot be replayed, which the task demands (class: replayed): it launches nothing on its stream" &&
	sed -i "/^class:/d" avogit.yaml && git commit -qam any &&
	isolated "it launches nothing on its stream"
'

test_expect_success 'code of a library, and an error in the capture: isolated' '
	body "right.asm = {}" "right.launch(y, x)" &&
	isolated "it launches softmax_kernel, a kernel of a library" &&
	body "import inspect" \
		"names = [f.function for f in inspect.stack()]" \
		"if \"capture_one\" in names: raise ValueError(\"no\")" \
		"right.launch(y, x)" &&
	isolated "it cannot be captured on a stream: kernel.py:"
'

test_expect_success 'code that is not a cubin, or longer than it says' '
	body "right.launch(y, x)" \
		"right.asm = {\"cubin\": b\"no code\"}" &&
	verdict "code is not a cubin" &&
	body "right.launch(y, x)" \
		"right.asm = {\"cubin\": right.asm[\"cubin\"][:-64]}" &&
	verdict "is not a cubin"
'

# The plan that is handed over is another: plan LINE
plan () {
	{
		echo 'import __main__' &&
		echo 'import torch' &&
		echo 'from compiled import CompiledKernel, driver' &&
		echo 'right = CompiledKernel("right.cubin")' &&
		echo 'take = __main__.GraphReader.take' &&
		echo 'def other(reader):' &&
		echo '    launch = take(reader)' &&
		printf '    %s\n' "$1" 'return launch' &&
		echo '__main__.GraphReader.take = other' &&
		echo 'def softmax(x, y): right.launch(y, x)'
	} >kernel.py &&
	git commit -qam "another plan"
}

test_expect_success 'a plan whose counts cannot be is a verdict, and no fault of ours' '
	plan "launch.n_nodes = 99" &&
	verdict "crashed: it cannot be replayed: the plan is broken" &&
	plan "launch.node[0].parameter_bytes = 1 << 31" &&
	verdict "crashed: it cannot be replayed: the plan is broken" &&
	plan "launch.node[0].kind = 0" &&
	isolated "replayed it is something else than called: 32768 elements of" &&
	grep "case=.* error=[0-9.e-]* " ../note
'

test_done
