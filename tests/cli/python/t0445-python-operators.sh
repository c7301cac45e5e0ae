#!/bin/sh
# test: parallel no-asan
test_description='functions of Python: operators of PyTorch, threads, and what is forbidden'
. "$(dirname "$0")/lib-python.sh"

test_expect_success 'PyTorch.s own attention is a baseline like another' '
	(
		make_python_repo attention &&
		cat >reference.py <<-\EOF &&
		import torch
		import torch.nn.functional as F

		own = getattr(F, "scaled_dot_product_attention", None)


		def by_hand(q, k, v, o, dtype):
		    q, k, v = (t.to(dtype) for t in (q, k, v))
		    p = torch.softmax(q @ k.transpose(1, 2) / q.shape[2] ** 0.5, 2)
		    o.copy_(p @ v)


		def right(q, k, v, o):
		    by_hand(q, k, v, o, torch.float64)


		def attention(q, k, v, o):
		    by_hand(q, k, v, o, q.dtype)


		def sdpa(q, k, v, o):
		    if own:
		        o.copy_(own(q, k, v))
		    else:  # before PyTorch 2.0
		        o.copy_(torch._C._nn._scaled_dot_product_attention(q, k, v)[0])
		EOF
		cp reference.py kernel.py &&
		cat >avogit.yaml <<-\EOF &&
		name: attention
		language: python
		sources: [kernel.py]
		entry: attention
		arguments:
		  - {name: q, dtype: f32, shape: [b, s, d], fill: normal}
		  - {name: k, dtype: f32, shape: [b, s, d], fill: normal}
		  - {name: v, dtype: f32, shape: [b, s, d], fill: normal}
		  - {name: o, dtype: f32, shape: [b, s, d], direction: out}
		cases: [{b: 4, s: 128, d: 32}]
		flops: 4 * b * s * s * d
		reference: {torch: reference.py, entry: right, plain: attention}
		baselines: {sdpa: {torch: reference.py, entry: sdpa}}
		EOF
		git add . && git commit -qm attention &&
		avogit score --time 1s >out &&
		grep " pass," out && grep "vs sdpa" out
	)
'

# The corpus has the ways round it: tests/cheats/python/forbidden-*.py.
test_expect_success 'more threads than `threads` are told at once, and `threads` allows them' '
	(
		make_python_repo threads &&
		sed -i "s/^def softmax.*/&\n    torch.set_num_threads(2)/" kernel.py &&
		git commit -qam "two threads" &&
		test_expect_code 1 avogit score --time 1s >out && cat out &&
		grep "crashed: .*: the task allows 1; .threads: 2. in avogit.yaml allows so many" out &&
		echo "threads: 2" >>avogit.yaml && git commit -qam "which the task allows" &&
		avogit score --time 1s >out && cat out && grep " pass," out
	)
'

test_expect_success 'an operator that is forbidden and that PyTorch does not have is told' '
	(
		make_python_repo forbids &&
		echo "forbidden: {calls: [softmacks]}" >>avogit.yaml &&
		git commit -qam forbids &&
		test_expect_code 1 avogit score --time 1s >out &&
		grep "build-failed: PyTorch .* has no operator softmacks, which the task.s forbidden.calls name" out &&
		sed -i "s/softmacks/torch.softmax/" avogit.yaml && git commit -qam names &&
		test_expect_code 128 avogit score 2>err &&
		grep "forbidden.calls: found .*names of operators as PyTorch has them" err
	)
'

# What the runner itself calls before it has loaded the candidate, or cannot do without.
test_expect_success 'an operator that is forbidden may be one that the runner calls' '
	(
		make_python_repo calls &&
		echo "forbidden: {calls: [add]}" >>avogit.yaml && echo "threads: 2" >>avogit.yaml &&
		git commit -qam "forbids add" &&
		{ avogit score --time 1s >out || :; } && cat out && ! grep "it calls" out &&
		for i in 1 2 3
		do
			! grep "  pass" out || break
			{ avogit score --again --time 1s >out || :; } && cat out
		done &&
		grep "  pass" out &&
		sed -i "s/\[add\]/[add, as_strided]/" avogit.yaml && git commit -qam more &&
		test_expect_code 1 avogit score --time 1s >out &&
		grep "build-failed: tensors are made with as_strided here, so the task.s forbidden.calls cannot name it" out
	)
'

test_done
