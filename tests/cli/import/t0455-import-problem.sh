#!/bin/sh
# test: parallel long no-asan
test_description='a problem folder with problem.yaml and shapes.py becomes a task of several cases'
. "$(dirname "$0")/../lib-avogit.sh"

python=${AVOGIT_PYTHON:-/usr/bin/python3}
"$python" -I -c 'import torch' 2>/dev/null && test_set_prereq TORCH

# Two tensors of the model, one of them with a dimension that no size says, and
# indices whose range goes with a size.
test_expect_success 'setup: a folder as boards of kernels have it' '
	mkdir -p 03_rows/deeper &&
	cat >03_rows/problem.yaml <<-\EOF &&
	name: 03_rows
	display_name: "Rows, chosen and scaled"
	regime: memory
	flops_formula: "2 * m * n"   # of a launch
	bytes_formula: "4 * (m * n // 2) * 4 + n * 4"
	tolerance:
	  "torch.float32": {"atol": 1.0e-3, "rtol": "1e-4"}
	  complex64: 0.1
	forbidden:
	  - "torch.take"
	  - ".index_select("
	  - "torch.cat"
	  - "torch.compile"
	  - "F.cross_entropy"
	  - "import torch.nn.functional as F"
	  - "from other_kernels"
	  - "other_rows"
	sota:
	  notes: |
	    a text of
	    several lines
	num_correct_trials: 3
	EOF
	cat >03_rows/reference.py <<-\EOF &&
	from __future__ import annotations
	import torch
	import torch.nn as nn

	class Model(nn.Module):
	    def __init__(self, M, N):
	        super().__init__()
	        self.weight = nn.Parameter(torch.randn(N))
	        self.register_buffer("part", torch.rand(N // 2))
	        self.register_buffer("_dummy", torch.zeros(1))

	    def forward(self, x, rows):
	        y = x[rows] * self.weight
	        return y + torch.cat([self.part, self.part]) * GAIN

	M = 4
	N = 6
	GAIN = 3

	def get_inputs():
	    return [torch.randn(M, N), torch.randperm(M)]

	def get_init_inputs():
	    return [M, N]
	EOF
	cat >03_rows/shapes.py <<-\EOF
	SHAPES = [
	    {"m": 512, "n": 64},
	    {"m": 32, "n": 1024},
	    {"m": 384, "n": 64},
	]
	EOF
'

test_expect_success TORCH 'sizes become symbols, SHAPES the cases, and its own code passes' '
	(
		git init -q repository && cd repository &&
		avogit import problem ../03_rows/ >../out &&
		cd 03_rows &&
		grep "^  - {name: x, dtype: f32, shape: \[m, n\], direction: in, fill: normal}" avogit.yaml &&
		grep "^  - {name: rows, dtype: i64, shape: \[m\], direction: in, fill: {low: 0, high: m - 1}}" avogit.yaml &&
		grep "^  - {name: part, dtype: f32, shape: \[d_part_0\]," avogit.yaml &&
		grep "shape: \[m, n\], direction: out, tolerance: {rtol: 0.0001, atol: 0.001}}" avogit.yaml &&
		grep "^  - {name: m, dtype: i64, value: m}" avogit.yaml &&
		grep "^  - {m: 32, n: 1024, d_part_0: 512}" avogit.yaml &&
		grep "^flops: 2 \* m \* n\$" avogit.yaml &&
		grep "^bytes: 4 \* (m \* n / 2) \* 4 + n \* 4\$" avogit.yaml &&
		grep "^metric: {name: bytes}" avogit.yaml &&
		! grep -e "^tolerance" -e _dummy -e "^suite" avogit.yaml &&
		git add . && git commit -qm problem &&
		avogit score --time 1s >score &&
		grep " pass," score && grep "m=32 n=1024" score && grep "vs eager" score
	)
'

test_expect_success TORCH 'what a task cannot say is told, and is a comment of it' '
	grep "^not taken: forbidden import torch.nn.functional as F, other_rows: a task forbids operators of PyTorch and whole packages" out &&
	grep "^not taken: forbidden compile, cross_entropy: the PyTorch here has no operators of these names" out &&
	grep "^not taken: tolerance of complex64: it is of no type" out &&
	grep "^not taken: keys sota, num_correct_trials: " out &&
	grep "^# Not taken: forbidden import torch.nn.functional as F, other_rows" repository/03_rows/avogit.yaml
'

test_expect_success TORCH 'what it forbids is forbidden, but to the code that a run begins with' '
	(
		cd repository/03_rows &&
		grep "^forbidden: {calls: \[take, index_select, cat\], modules: \[other_kernels\]}" avogit.yaml &&
		grep "torch.cat" kernel.py && cmp kernel.py eager.py &&
		echo "# changed" >>kernel.py && git commit -qam changed &&
		test_expect_code 1 avogit score --time 1s >score &&
		cat score && grep "forbidden: kernel.py:[0-9]*: it calls cat, which the task forbids" score
	)
'

# imports SED-OF-YAML SED-OF-SHAPES SED-OF-REFERENCE ARGS: into ./made
imports () {
	rm -rf made other && cp -r 03_rows other &&
	sed -i "$1" other/problem.yaml && sed -i "$2" other/shapes.py &&
	sed -i "$3" other/reference.py && shift 3 &&
	avogit import problem other -o made "$@"
}

test_expect_success TORCH 'a tolerance by which zeros pass is told as weak, and not taken with --weak' '
	test_expect_code 1 imports "s/\"atol\": 1.0e-3/\"atol\": 1.0e+3/" "" "" 2>err &&
	grep "weak: by its own check (allclose, with the tolerance of problem.yaml or 1e-2) a kernel that writes zeros passes" err &&
	! test -e made &&
	imports "s/\"atol\": 1.0e-3/\"atol\": 1.0e+3/" "" "" --weak >out 2>/dev/null &&
	grep "^not taken: tolerance: a kernel that is wrong passes by it" out &&
	grep "^tolerance: {factor: 2}" made/avogit.yaml && ! grep rtol made/avogit.yaml
'

test_expect_success TORCH 'so is one by which they pass in a larger case only' '
	test_expect_code 1 imports "" "" "s|return \(y + .*\)|return (\1) * (64 / N) ** 4|" 2>err &&
	grep "a kernel that writes zeros passes" err && ! test -e made
'

test_expect_success TORCH 'of large sizes nothing is drawn or computed but integers, at which it may look' '
	imports "" "s/{\"m\": 512, \"n\": 64}/{\"m\": 16384, \"n\": 16384}/" \
		"s/y = x\[rows\]/assert x.is_meta or M < 1000\n        y = x[rows[: int(rows.max()) + 1]]/" >out &&
	grep "^  - {m: 16384, n: 16384, d_part_0: 8192}" made/avogit.yaml &&
	grep "^  - {m: 32, n: 1024, d_part_0: 512}" made/avogit.yaml
'

refuses_double="s/return y + .*/assert x.dtype == torch.float32\n        &/"
test_expect_success TORCH 'a reference that refuses double, formulas that no task can say, names of other programs' '
	imports "s/^flops_formula.*/flops_formula: \"m ** 2\"/; s/n \/\/ 2/n \/ 3/" \
		"s/64}/64, \"extreme\": True}/" "$refuses_double" >out &&
	grep "^not taken: a reference in double: it computes in its own precision" out &&
	grep -A 2 "^def avogit_reference" made/reference.py | grep False &&
	grep "^not taken: sizes extreme: reference.py has no such numbers" out &&
	grep "^not taken: flops_formula m \*\* 2: no expression of a task says the same" out &&
	grep "^not taken: bytes_formula .* / 3" out &&
	! grep -e "^flops" -e "^metric" made/avogit.yaml &&
	grep "^bytes: 0 + 4 \* m \* n + 8 \* m " made/avogit.yaml &&
	test_expect_code 1 imports "s/torch.float32\"/other\"/" "" "$refuses_double" 2>err &&
	grep "weak: forward does not compute in double" err
'

# refused WORDS SED-OF-YAML SED-OF-SHAPES SED-OF-REFERENCE: one sentence, and nothing is written
refused () {
	test_expect_code 128 imports "$2" "$3" "$4" 2>err &&
	cat err && grep "$1" err && test "$(wc -l <err)" = 1 && ! test -e made
}

test_expect_success TORCH 'sizes that are none are refused' '
	refused "SHAPES gives \`torch., which is not a whole number above 0 in reference.py" "" "s/\"m\"/\"torch\"/" "" &&
	refused "get_inputs returns no tensor, so that no kernel could be called" "" "" "s/return \[torch.randn(M, N).*/return [M]/" &&
	refused "\`m. is not a whole number above 0" "" "s/32/True/" "" &&
	refused "a size whose name is not a word" "" "s/\"m\"/\"m: 1}#\"/" "" &&
	refused "SHAPES\[1\] makes tensors of another number" "" "" "s/return \[torch.randn(M, N)/return [torch.randn(M, N).to(torch.float64 if M == 32 else torch.float32)/" &&
	refused "it disturbed what read it: its answer" "" "" "s/^import torch\$/import torch, os; os.write(3, b\"{\"); os._exit(0)/"
'

test_expect_success 'a folder that is no problem, and one that would be overwritten' '
	test_expect_code 128 avogit import problem 03_rows/deeper 2>err &&
	grep "03_rows/deeper/problem.yaml" err &&
	test_expect_code 128 avogit import problem --force 03_rows 2>err &&
	grep "03_rows is the problem.s own folder: -o FOLDER writes elsewhere" err &&
	test_expect_code 2 avogit import problem 03_rows more 2>err &&
	grep "problem FOLDER" err &&
	rm -rf other && cp -r 03_rows other && rm other/reference.py &&
	test_expect_code 128 avogit import problem other -o made 2>err &&
	grep "other has no reference.py, whose Model is the task" err &&
	echo "a: &b 1" >other/problem.yaml &&
	test_expect_code 128 avogit import problem other -o made 2>err &&
	grep "other/problem.yaml:1: " err && ! test -e made
'

test_done
