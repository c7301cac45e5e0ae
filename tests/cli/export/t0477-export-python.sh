#!/bin/sh
# test: parallel long no-asan
test_description='export --as torch: a kernel in Python is an operator that is not built'
. "$(dirname "$0")/../python/lib-python.sh"

test_expect_success 'setup: a kernel of two files with all that a function in Python gets, below a folder' '
	git init -q repo && cd repo && mkdir ops && cd ops &&
	cat >avogit.yaml <<-\EOF &&
	name: project
	language: python
	sources: ["*.py"]
	entry: project
	prepare: pack
	arguments:
	  - {name: x, dtype: f32, shape: [m, k]}
	  - {name: w, dtype: f32, shape: [n, k], static: true}
	  - {name: sum, dtype: f32, shape: [m], direction: inout}
	  - {name: y, dtype: f32, shape: [m, n], strides: [n + 1, 1], direction: out}
	  - {name: scratch, workspace: 4 * m, zeroed: true}
	  - {name: packed, prepared: 4 * n * k}
	  - {name: scale, dtype: f32, value: 0.1}
	  - {name: n, dtype: i32, value: "n * (part == 3 || n % (part - 3) > 0 || 1)"}
	  - {name: part, dtype: i32, value: part}
	cases: [{m: 96, n: 64, k: 128, part: 3}]
	hidden: {count: 1, m: 1..40, n: {low: 8, high: 64, step: 8}, k: 1..50, part: 1..9, require: part <= m || k > 9}
	flops: 2 * m * n * k
	reference: {torch: right/reference.py, entry: right, plain: plain}
	limits: {timeout: 20s}
	EOF
	cat >kernel.py <<-\EOF &&
	import torch
	BLOCK = 4
	from layout import unpacked
	assert unpacked.__globals__["kernel"].BLOCK == 4

	def pack(x, w, sum, y, scratch, packed, scale, n, part):
	    assert x is None and sum is None and y is None
	    unpacked(packed, n).copy_(w.t())

	def project(x, w, sum, y, scratch, packed, scale, n, part):
	    assert not scratch.any() and scratch.dtype == torch.uint8
	    from layout import unpacked
	    y.copy_(x @ unpacked(packed, n) * scale + part)
	    sum += x.sum(1)
	EOF
	cat >layout.py <<-\EOF &&
	import torch
	import kernel

	def unpacked(packed, n):
	    assert kernel.BLOCK == 4
	    return packed.view(torch.float32).view(-1, n)
	EOF
	cat >aa.py <<-\EOF &&
	try:
	    from a_faster_one import project
	except ImportError:
	    project = None
	EOF
	echo "project = None" >bb.py &&
	mkdir right && cat >right/reference.py <<-\EOF &&
	from __future__ import annotations
	import dataclasses
	import torch

	@dataclasses.dataclass
	class Shape:
	    n: int

	def right(x, w, sum, y, scratch, packed, scale, n, part):
	    y.copy_(x.double() @ w.double().t() * scale + part)
	    sum += x.double().sum(1)

	def plain(x, w, sum, y, scratch, packed, scale, n, part):
	    y.copy_(x @ w.t() * scale + part)
	    sum += x.sum(1)
	EOF
	sed -i "s/\"[*].py\"/aa.py, bb.py, kernel.py, layout.py/" avogit.yaml &&
	git add .. && git commit -qm project &&
	echo "# nothing new" >>kernel.py &&
	avogit score --time 1s --run p -m "a remark" >../../said && git checkout -q kernel.py &&
	avogit export "p#1" --as torch -o ../../out &&
	cd ../.. && grep "avogit_project.project(Tensor x, Tensor w, Tensor(a2!) sum, int size_part, Tensor packed) -> Tensor" out/README.md &&
	cmp out/avogit_project/kernel/layout.py repo/ops/layout.py
'

test_expect_success 'it is imported in a fresh Python without a build, and its own test passes' '
	"$python" -B out/tests/test_kernel.py -v 2>log >&2 || { tail -n 30 log; false; } &&
	grep "reference_does_in_every_case.* ok" log &&
	grep "outputs_are_known.* ok" log &&
	grep "to_the_fallback.* ok" log &&
	grep "cannot_read_is_refused.* ok" log
'

if "$python" -c 'import setuptools' 2>/dev/null
then
	test_set_prereq SETUPTOOLS
fi

test_expect_success SETUPTOOLS 'what is installed has the files of the kernel' '
	(cd out && "$python" setup.py -q build 2>../log >&2) || { cat log; false; } &&
	PYTHONPATH=out/build/lib "$python" -B -c "import avogit_project, sys; print(sys.path)" &&
	cmp out/build/lib/avogit_project/kernel/layout.py repo/ops/layout.py
'

cat >use.py <<\EOF
import re, sys
import torch, avogit_project
from avogit_project import project, prepare, is_checked, set_fallback
assert is_checked(m=96, n=64, k=128, part=3) and is_checked(m=1, n=8, k=50, part=9)
assert not is_checked(m=96, n=64, k=128, part=4) and not is_checked(m=1, n=8, k=9, part=2)
def make(m, n, k):
    return torch.randn(m, k), torch.randn(n, k), torch.zeros(m)
a = make(96, 64, 128)
packed = prepare(a[1], 96, 3)
y = project(*a, 3, packed)
assert y.stride() == (65, 1) and torch.allclose(y, a[0] @ a[1].t() * 0.1 + 3, atol=1e-4)
assert torch.allclose(a[2], a[0].sum(1), atol=1e-4)
a[0].requires_grad_()
assert torch.equal(project(*a, 3), y) and torch.allclose(a[2], 2 * a[0].sum(1), atol=1e-4)
a[0].requires_grad_(False)
operator = torch.ops.avogit_project.project
for bad, words in (
    (lambda: project(*make(41, 64, 50), 3), "not checked at m=41 n=64 k=50 part=3, only at m=96 n=64 k=128 part=3; m=1..40 n=8..64 .multiples of 8. k=1..50"),
    (lambda: operator(*make(41, 64, 50), 3, packed), "not checked at this size: m=41 n=64 k=50"),
    (lambda: project(a[0], a[1], torch.zeros(192)[::2], 3), "sum is not contiguous"),
    (lambda: project(a[0], a[1], torch.zeros(97)[1:], 3), "sum is not aligned to 64 bytes"),
    (lambda: project(a[0], a[1], torch.zeros(95), 3), "sum has shape .95,.: the kernel takes .96,."),
    (lambda: project(a[0], a[1].double(), a[2], 3), "w is of torch.float64: the kernel takes torch.float32"),
    (lambda: operator(a[0], a[1], a[2], 3, packed[1:]), "packed has shape"),
    (lambda: operator(a[0][0], a[1], a[2], 3, packed), "fewer dimensions"),
    (lambda: project(*a), "project takes x, w, sum, part, packed"),
):
    try:
        bad()
    except (RuntimeError, ValueError, TypeError) as e:
        assert re.search(words, str(e)), (words, str(e))
    else:
        raise AssertionError(words)
assert project(*make(41, 64, 50), 3, fallback=lambda *t: len(t)) == 4
set_fallback(lambda *t: "set")
assert project(*make(41, 64, 50), 3) == "set"
print("all said")
EOF

test_expect_success 'it refuses by name what the kernel cannot take, and has a fallback for other sizes' '
	PYTHONPATH=out "$python" -B use.py >said && grep "all said" said
'

test_expect_success 'a kernel that is wrong fails the test of its export' '
	sed -i "s/[*] scale + part/* scale + part + 1/" out/avogit_project/kernel/kernel.py &&
	test_expect_code 1 "$python" -B out/tests/test_kernel.py 2>log >&2 &&
	grep "^FAILED" log
'

test_expect_success 'other forms refuse it with the remedy' '
	test_expect_code 128 avogit -C repo export "p#1" -o ../none 2>err &&
	grep "a kernel in Python cannot be exported as header: use --as torch or flashinfer" err &&
	! test -e none
'

test_expect_success 'against a reference in C, which the test compiles' '
	make_python_repo softmax &&
	echo "# nothing new" >>kernel.py &&
	avogit score --time 1s --run s -m "a remark" >../said &&
	avogit export "s#1" --as torch -o ../soft && cd .. &&
	grep "csrc/reference/softmax.c" soft/build.json && ! grep "\"kernel\"" soft/build.json
'

if "$python" -c 'import setuptools' 2>/dev/null &&
	echo '#include <torch/library.h>' | c++ -xc++ -std=c++17 -fsyntax-only - 2>/dev/null
then
	test_set_prereq HEADERS
fi

test_expect_success HEADERS 'that test passes, too' '
	MAX_JOBS=1 "$python" -B soft/tests/test_kernel.py -v 2>log >&2 || { tail -n 30 log; false; } &&
	grep "reference_does_in_every_case.* ok" log
'

test_expect_success 'a kernel in C, against a reference in Python' '
	git init -q c && cd c &&
	sed -e "s/^language:.*/language: c/;s/kernel[.]py/kernel.c/" \
		-e "s/^reference:.*/reference: {torch: right.py, entry: right, plain: plain}/" \
		"$cheats/python/tasks/softmax/avogit.yaml" >avogit.yaml &&
	echo "tolerance: {rtol: 1e-4, atol: 1e-6}" >>avogit.yaml &&
	cat >right.py <<-\EOF &&
	import torch

	def right(x, y, rows, cols):
	    y.copy_(torch.softmax(x.double(), 1))

	def plain(x, y, rows, cols):
	    y.copy_(torch.softmax(x, 1))
	EOF
	{
		cat "$cheats/tasks/softmax/softmax.c" &&
		echo "void softmax(const float *x, float *y, int rows, int cols)" &&
		echo "{ softmax_plain(x, y, rows, cols, 0, rows); }"
	} >kernel.c &&
	git add . && git commit -qm "a softmax in C" &&
	echo "// nothing new" >>kernel.c &&
	avogit score --time 1s --run c -m "a remark" >../said &&
	avogit export "c#1" --as torch -o ../built && cd .. &&
	cmp built/tests/reference/right.py c/right.py &&
	! grep "\"reference\"" built/build.json
'

test_expect_success SETUPTOOLS,HEADERS 'it is built without compiling that, and its test passes' '
	(cd built && MAX_JOBS=1 "$python" setup.py -q build_ext --inplace >../log 2>&1) || { tail -n 30 log; false; } &&
	"$python" -B built/tests/test_kernel.py -v 2>log >&2 || { tail -n 30 log; false; } &&
	grep "reference_does_in_every_case.* ok" log &&
	sed -i "s/x.double(), 1/2 * x.double(), 1/" built/tests/reference/right.py &&
	test_expect_code 1 "$python" -B built/tests/test_kernel.py 2>log >&2
'

# As FlashInfer-Bench does it: the sources as a package, the reference by exec. bench.py FOLDER NAME
cat >bench.py <<\EOF
import glob, importlib, json, os, sys
import torch

folder, name = sys.argv[1:]
[path] = glob.glob(f"{folder}/solutions/*/*/*/*.json")
solution = json.load(open(path))
definition = json.load(open(f"{folder}/definitions/custom/{name}.json"))
space = {}
exec(definition["reference"], space)
for source in solution["sources"]:
    path = os.path.join("made/fib_package", source["path"])
    os.makedirs(os.path.dirname(path), exist_ok=True)
    open(path, "w").write(source["content"])
sys.path.insert(0, "made")
file, function = solution["spec"]["entry_point"].split("::")
run = getattr(importlib.import_module("fib_package." + file[:-3]), function)
[case] = open(f"{folder}/workloads/custom/{name}.jsonl")
assert list(json.loads(case)["workload"]["inputs"]) == ["x"]
x = torch.randn([definition["axes"][a]["value"] for a in ("rows", "cols")])
right = space["run"](x)
assert right.dtype == torch.float32 and right.shape == x.shape and (right > 0).all()
assert torch.allclose(run(x), right, rtol=1e-4) and torch.equal(space["run"](x), right)
try:
    run(torch.randn(3, 5))
except RuntimeError as e:
    assert "was not checked at this size: rows=3 cols=5" in str(e), e
else:
    raise AssertionError("a size that was not checked")
print("they agree", solution["spec"]["language"], solution["spec"]["dependencies"])
EOF

check=$SHARNESS_TEST_SRCDIR/export/flashinfer-check.py

test_expect_success 'a kernel in Python is a Solution of FlashInfer-Bench, which runs' '
	cd c && git checkout -q HEAD -- . &&
	sed -i -e "s/^language:.*/language: python/;s/kernel[.]c/kernel.py/" -e "/^hidden/d" avogit.yaml &&
	cat >kernel.py <<-\EOF &&
	import helper
	try:
	    import triton
	except ImportError:
	    triton = None

	def softmax(x, y, rows, cols):
	    helper.write(x, y)
	EOF
	printf "%s\n" "import torch" "def write(x, y):" "    y.copy_(torch.softmax(x, 1))" >helper.py &&
	sed -i "s/kernel.py/kernel.py, helper.py/" avogit.yaml &&
	git rm -q --cached kernel.c && git add . && git commit -qm "the softmax in Python" &&
	echo "# nothing new" >>kernel.py &&
	avogit score --time 1s --run bench -m "a remark" >../said &&
	avogit export "bench#1" --as flashinfer -o ../bench && cd .. &&
	"$python" "$check" bench >checked && cat checked &&
	"$python" -B bench.py bench softmax >said && cat said &&
	grep "they agree triton .*torch.*triton" said &&
	grep "^the kernel.s own files[.]" bench/README.md
'

# two.py FOLDER NAME: its Solution, and once more with another helper.py, in one process.
cat >two.py <<\EOF
import glob, importlib, json, os, sys
import torch

folder, name = sys.argv[1:]
[path] = glob.glob(f"{folder}/solutions/*/*/*/*.json")
solution = json.load(open(path))
axes = json.load(open(f"{folder}/definitions/custom/{name}.json"))["axes"]
file, function = solution["spec"]["entry_point"].split("::")

def load(package, change):
    for source in solution["sources"]:
        path = os.path.join("both", package, source["path"])
        os.makedirs(os.path.dirname(path), exist_ok=True)
        open(path, "w").write(change(source["content"]))
    return getattr(importlib.import_module(f"{package}.{file[:-3]}"), function)

sys.path.insert(0, "both")
softmax = load("first", lambda text: text)
zeros = load("second", lambda text: text.replace("y.copy_(torch.softmax(x, 1))", "y.zero_()"))
x = torch.randn([axes[a]["value"] for a in ("rows", "cols")])
assert softmax(x).any() and not zeros(x).any() and softmax(x).any()
import helper
assert "/first/" in helper.__file__, helper.__file__
print("each its own")
EOF

test_expect_success 'two of them in a process have their own files, though of the same names' '
	"$python" -B two.py bench softmax >said && grep "each its own" said
'

test_expect_success 'so is one in C with a reference in Python' '
	avogit -C c export "c#1" --as flashinfer -o ../built-bench &&
	"$python" "$check" built-bench >checked && cat checked
'

test_done
