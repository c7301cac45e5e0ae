#!/bin/sh
# test: parallel long no-asan
test_description='functions of PyTorch beside kernels in CUDA: baselines, and the reference'
. "$(dirname "$0")/lib-fake-gpu.sh"
. "$SHARNESS_TEST_SRCDIR/gpu/lib-fake-python.sh"

fake_repo task || exit

cat >scale.py <<\EOF
import torch


def eager(y, x, n):
    torch.mul(x, 2, out=y)


def half(y, x, n):
    torch.mul(x[: n // 2], 2, out=y[: n // 2])


def right(y, x, n):
    y.copy_(2 * x.double())


def plain(y, x, n):
    y.copy_(2 * x)
EOF
sed 's/^#define MODE .*/#define MODE 0/' kernel.cu >baseline.cu
cat >>avogit.yaml <<\EOF
baselines:
  eager: {torch: scale.py, entry: eager}
  compiled: {torch: scale.py, entry: eager, compile: max-autotune}
  cuda: {source: baseline.cu, entry: scale}
EOF
sed -i 's/^  timeout: .*/  timeout: 20s/' avogit.yaml
git add . && git commit -qm 'baselines of PyTorch' || exit
faults

test_expect_success 'a kernel in CUDA is replayed, and timed beside eager, compiled and CUDA' '
	mkdir "$place/lib/$version/site-packages/triton" &&
	echo "__version__ = \"9.8.7\"" >"$place/lib/$version/site-packages/triton/__init__.py" &&
	score_again >../out &&
	cat ../out &&
	grep " pass, " ../out &&
	grep "vs eager  *vs compiled  *vs cuda" ../out &&
	git notes --ref=avogit show HEAD >../note &&
	cat ../note &&
	grep "trust=replayed" ../note &&
	grep "against=baseline of=eager .* worst=[0-9.]*$" ../note &&
	grep "against=baseline of=compiled .* worst=[0-9.]*$" ../note &&
	grep "compiler=\"nvcc [^\"]*, Python [0-9.]*, PyTorch [^\"]*, Triton 9.8.7, runner" ../note &&
	none_left
'

test_expect_success 'in class isolated they are timed as the kernel is' '
	sed -i "s/^entry:.*/&\nclass: isolated/;/compiled:/d" avogit.yaml && git commit -qam isolated &&
	score_again >../out &&
	git reset -q --hard HEAD^ &&
	cat ../out &&
	grep " pass, " ../out &&
	grep "vs eager  *vs cuda" ../out &&
	none_left
'

# The task with this line changed is an error of the task, which says so:
# task_error SED TEXT
task_error () {
	sed "$1" avogit.yaml >../changed && cp ../changed avogit.yaml &&
	git commit -qam "another task" &&
	test_expect_code 128 score_again >../out 2>../err
	cat ../out ../err
	grep -F "$2" ../err && git reset -q --hard HEAD^ && none_left
}

test_expect_success 'a baseline that is wrong, or raises, is an error of the task' '
	task_error "s/entry: eager}/entry: half}/" \
		"cannot compare with eager: it fails itself: 8192 elements of" &&
	task_error "s/max-autotune/fastest/" \
		"cannot compare with compiled: it fails itself: it does not load: RuntimeError: Unrecognized mode=fastest"
'

# The processes in Python that have the driver open.
in_python () {
	for pid in $(runners)
	do
		grep -q "^python" "/proc/$pid/comm" && echo "$pid"
	done 2>/dev/null
}

# One is asked first whether the baseline works at all; then there are one and its twin.
test_expect_success 'a baseline is one process for all blocks of a comparison' '
	sed -i "/compiled:/d;/cuda:/d" avogit.yaml && git commit -qam eager &&
	faults || return
	span=20s score_again >../out 2>../err &
	scoring=$!
	while kill -0 $scoring 2>/dev/null
	do
		in_python
		sleep 0.05
	done >../seen
	wait $scoring
	git reset -q --hard HEAD^
	cat ../out &&
	sort -u ../seen >../pids &&
	cat ../pids &&
	test "$(sed -n "s/.* \([0-9]*\) blocks.*/\1/p" ../out)" -ge 4 &&
	test "$(wc -l <../pids)" -le 3 &&
	none_left
'

test_expect_success 'what is right may be computed in PyTorch, too' '
	sed -i "/^reference/,/^tolerance/d;/^baselines/,\$d" avogit.yaml &&
	echo "reference: {torch: scale.py, entry: right, plain: plain}" >>avogit.yaml &&
	git commit -qam "a reference in PyTorch" &&
	score_again >../out &&
	cat ../out &&
	grep " pass, " ../out && none_left &&
	mode 3 && verdict " wrong: y[8192] is 7 where" && mode 0 &&
	faults && echo "// nothing new" >>kernel.cu &&
	"$AVOGIT" score --run r -m "a remark" --time 1s >../out &&
	git checkout -q kernel.cu &&
	"$AVOGIT" export --as torch -o ../package "r#1" &&
	cmp ../package/tests/reference/scale.py scale.py
'

quote=\'
test_expect_success 'what does not go with it is refused, with the line' '
	task_error "s/^entry:.*/&\nprepare: lay_out/;s/name: x,/name: x, static: true,/" \
		"avogit.yaml:5: prepare: found ${quote}lay_out${quote}; there are no static inputs with Python on a GPU"
'

test_done
