#!/bin/sh
# test: parallel long no-asan
test_description='a problem in the form of KernelBench becomes a task, or is refused as weak'
. "$(dirname "$0")/../lib-avogit.sh"

python=${AVOGIT_PYTHON:-/usr/bin/python3}
"$python" -I -c 'import torch' 2>/dev/null && test_set_prereq TORCH
problems=$(cd "$SHARNESS_TEST_SRCDIR/../data/kernelbench" && pwd)

test_expect_success TORCH 'a problem becomes a task with its weights as arguments, which its own code passes' '
	git init -q repository &&
	(
		cd repository &&
		avogit import kernelbench "$problems/linear_gelu_scale.py" >out &&
		cd linear_gelu_scale &&
		grep "name: linear_weight, dtype: f32, shape: \[96, 128\], direction: in" avogit.yaml &&
		grep "^bytes: 106880" avogit.yaml &&
		test "$(ls | wc -l)" = 4 &&
		git add . &&
		git commit -qm problem &&
		avogit score --time 1s >out &&
		grep " pass," out &&
		grep "vs eager" out &&
		grep "KernelBench.s rule, tried here: .* in 5 of 5 trials" out &&
		grep -E "fast_p of this problem, with avogit.s times: (1 up to p = [0-9]|not known: too few blocks)" out
	)
'

test_expect_success TORCH 'nothing that is there is overwritten without --force' '
	(
		cd repository &&
		echo mine >linear_gelu_scale/eager.py &&
		test_expect_code 128 avogit import kernelbench \
			"$problems/linear_gelu_scale.py" 2>err &&
		grep "is there already: --force" err &&
		echo mine >mine && test_cmp mine linear_gelu_scale/eager.py
	)
'

# What is weak in so many ways is told in as many lines.
test_expect_success TORCH 'where the own check of a problem accepts anything, nothing is written' '
	cat >weak.py <<-\EOF &&
	import torch
	import torch.nn as nn

	class Model(nn.Module):
	    def forward(self, x, unused, table):
	        return 1e-4 * torch.softmax(x, 1) + 0 * table[0, 0]

	def get_inputs():
	    return [torch.randn(8, 16), torch.randn(3), torch.ones(2, 2)]

	def get_init_inputs():
	    return []
	EOF
	test_expect_code 1 avogit import kernelbench weak.py >out 2>err &&
	! test -s out &&
	grep "weak: .* a kernel that writes zeros passes" err &&
	grep "weak: .* one answer passes for all inputs" err &&
	grep "weak: \`unused. changes no output" err &&
	grep "weak: get_inputs gives \`table. the same contents" err &&
	grep "weak: .* does not read \`x\`" err &&
	! test -e weak
'

test_expect_success TORCH 'what only the own check of it does not see is imported with --weak' '
	cat >small.py <<-\EOF &&
	import torch
	import torch.nn as nn

	class Model(nn.Module):
	    def forward(self, x):
	        return 1e-4 * torch.softmax(x, 1)

	def get_inputs():
	    return [torch.randn(8, 16)]

	def get_init_inputs():
	    return []
	EOF
	test_expect_code 1 avogit import kernelbench small.py 2>err &&
	grep "nothing was written: --weak imports it" err &&
	avogit import kernelbench --weak -o there small.py >out &&
	test -f there/avogit.yaml
'

# A mask that is drawn at random masks nothing: floats are never 0.
test_expect_success TORCH 'truth values are bytes of 0 and 1, and a mask of the model stays in it' '
	cat >masked.py <<-\EOF &&
	import torch
	import torch.nn as nn

	class Model(nn.Module):
	    def __init__(self, n):
	        super().__init__()
	        self.scale = nn.Parameter(torch.randn(n))
	        self.register_buffer("lower", torch.tril(torch.ones(n, n)))
	        self.register_buffer("shift", torch.arange(n) / n)

	    def forward(self, x, keep):
	        y = (x * self.scale + self.shift).masked_fill(~keep, 0.0)
	        y = y.unsqueeze(1).masked_fill(self.lower == 0, 0.0).sum(2)
	        return y, keep & (x > 0)

	def get_inputs():
	    return [torch.randn(8, 16), torch.rand(8, 16) < 0.7]

	def get_init_inputs():
	    return [16]
	EOF
	(
		git init -q masks && cd masks &&
		avogit import kernelbench ../masked.py >out &&
		grep "^\`lower. of the model holds two values, as a mask does: it stays in the model" out &&
		cd masked &&
		grep "name: keep, dtype: u8, shape: \[8, 16\], direction: in, fill: {low: 0, high: 1}" avogit.yaml &&
		grep "name: out_2, dtype: u8, shape: \[8, 16\], direction: out" avogit.yaml &&
		grep "name: shift, dtype: f32" avogit.yaml && ! grep lower avogit.yaml &&
		git add . && git commit -qm problem &&
		sed -i "s/ *self.lower == 0/False \& (self.lower == 0)/" kernel.py &&
		git commit -qam "no mask" &&
		test_expect_code 1 avogit score --time 1s HEAD^ HEAD >out &&
		grep "^$(git rev-parse --short HEAD^)  pass," out &&
		grep "^$(git rev-parse --short HEAD)  wrong:" out
	)
'

test_expect_success TORCH 'what a problem converts inside is computed in double for the reference' '
	cat >converts.py <<-\EOF &&
	import torch
	import torch.nn as nn

	class Model(nn.Module):
	    def __init__(self):
	        super().__init__()
	        self.same = nn.Linear(64, 64, bias=False)
	        self.same.weight.data = torch.eye(64)
	        kept = self.same
	        self.call = lambda x: kept(x)

	    def forward(self, x):
	        x = self.call(x)
	        wide = torch.zeros(8, 64, dtype=torch.float32) + x.to(torch.float32)
	        part = torch.softmax(wide.float(), 1, dtype=torch.float32)
	        return part.to(torch.bfloat16).float() + x.half().float() * 1e-3

	def get_inputs():
	    return [torch.randn(8, 64)]

	def get_init_inputs():
	    return []
	EOF
	avogit import kernelbench converts.py >out &&
	"$python" - <<-\EOF
	import sys
	sys.path.insert(0, "converts")
	import reference, torch
	x, wide, plain = torch.randn(8, 64), torch.zeros(8, 64).double(), torch.zeros(8, 64)
	reference.avogit_reference(x, torch.eye(64), wide)
	reference.avogit_plain(x, torch.eye(64), plain)
	right = torch.softmax(x.double(), 1) + x.double() * 1e-3
	assert (wide - right).abs().max() < 1e-15, (wide - right).abs().max()
	assert (plain - right).abs().max() > 1e-5
	EOF
'

test_expect_success TORCH 'a tensor without dimensions is an argument of one element' '
	cat >single.py <<-\EOF &&
	import torch
	import torch.nn as nn

	class Model(nn.Module):
	    def __init__(self):
	        super().__init__()
	        self.shift = nn.Parameter(torch.tensor(2.0))

	    def forward(self, x, on):
	        assert self.shift.dim() == 0 and on.dim() == 0
	        return (x + self.shift).sum() * (1 + on.float())

	def get_inputs():
	    return [torch.randn(8, 16), torch.rand(()) < 0.5]

	def get_init_inputs():
	    return []
	EOF
	(
		git init -q singles && cd singles &&
		avogit import kernelbench ../single.py >out &&
		cd single &&
		grep "name: on, dtype: u8, shape: \[1\], direction: in" avogit.yaml &&
		grep "name: shift, dtype: f32, shape: \[1\], direction: in" avogit.yaml &&
		grep "name: out, dtype: f32, shape: \[1\], direction: out" avogit.yaml &&
		git add . && git commit -qm problem &&
		avogit score --time 1s >out && grep " pass," out
	)
'

# lacks WORDS LINE: one sentence, and nothing is written
lacks () {
	printf "import torch\n%s\nModel = get_inputs = get_init_inputs = list\n" "$2" >lacks.py &&
	test_expect_code 128 avogit import kernelbench lacks.py 2>err &&
	cat err && grep "lacks.py: line 2: $1" err && test "$(wc -l <err)" = 1 && ! test -e lacks
}

test_expect_success TORCH 'what this machine lacks is said with what helps' '
	lacks "it needs the module \`no_such., which /.* does not have: install it there, or give the path of another Python by AVOGIT_PYTHON" \
		"import no_such" &&
	lacks "it needs \`torch.no_type., which PyTorch [0-9].* does not have: install a newer PyTorch" \
		"torch.no_type" &&
	lacks "PyTorch [0-9].* has no \`x_cpu. for numbers of type Half on a CPU" \
		"raise RuntimeError(\"\\\"x_cpu\\\" not implemented for '"'"'Half'"'"'\")" &&
	lacks "it takes more memory than there is (140737488355328 bytes at once): import it on a larger machine" \
		"torch.empty(2 ** 45)"
'

test_expect_success TORCH 'what a problem forges is not believed, nor printed as it is' '
	cat >forged.py <<-\EOF &&
	import os
	os.write(3, b"{\"inputs\": [{\"name\": \"x\", \"dtype\": \"f32\", \"shape\": [2]}],"
	            b"\"state\": [{\"key\": \"a\\\": __import__(\\\"os\\\")#\", \"name\": \"w\","
	            b"\"dtype\": \"f32\", \"shape\": [2]}],"
	            b"\"outputs\": [{\"name\": \"out\", \"dtype\": \"f32\", \"shape\": [2]}],"
	            b"\"weak\": []}")
	os._exit(0)
	EOF
	test_expect_code 128 avogit import kernelbench forged.py 2>err &&
	grep "forged.py: it disturbed what read it: state" err &&
	printf "raise ValueError(\"\\033[31mred\")\n" >red.py &&
	test_expect_code 128 avogit import kernelbench red.py 2>err &&
	grep "red.py: line 1: ValueError: ^\[\[31mred" err &&
	! test -e red
'

test_expect_success 'without Python or PyTorch there is one sentence' '
	printf "\n" >any.py &&
	AVOGIT_PYTHON=/nowhere/python test_expect_code 128 avogit import kernelbench any.py 2>err &&
	grep "/nowhere/python is not a program: install Python 3 with PyTorch" err &&
	test "$(wc -l <err)" = 1
'

test_expect_success 'a form that avogit does not know, and a file that is not Python' '
	test_expect_code 2 avogit import other any.py 2>err &&
	grep "kernelbench FILE.py" err &&
	test_expect_code 2 avogit import kernelbench any.c 2>err &&
	grep "not a file in Python" err
'

test_done
