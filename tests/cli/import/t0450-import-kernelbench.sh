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
