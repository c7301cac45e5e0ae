#!/bin/sh
# test: parallel long no-asan
test_description='a function of PyTorch lays weights out before the clock starts'
. "$(dirname "$0")/lib-python.sh"

# The candidate with this line in `pack`, scored; the result is in ./out.
scored () {
	sed "s|^    pass\$|    $1|" ../kernel.py >kernel.py &&
	avogit score --time 1s >out
}

test_expect_success 'weights that prepare transposes are there in the launch, for a baseline too' '
	git init -q repository &&
	cat >kernel.py <<-\EOF &&
	import torch

	seen = []

	def pack(x, w, y, packed, n, k):
	    pass
	    into = packed.view(torch.float32).view(k, n)
	    into.copy_(w.t())
	    seen.append(x)

	def project(x, w, y, packed, n, k):
	    if seen:
	        raise RuntimeError("prepare ran in this process")
	    torch.mm(x, packed.view(torch.float32).view(k, n), out=y)
	EOF
	cd repository &&
	cp ../kernel.py . && cp kernel.py own.py &&
	cat >avogit.yaml <<-\EOF &&
	name: project
	language: python
	sources: [kernel.py]
	entry: project
	prepare: pack
	arguments:
	  - {name: x, dtype: f32, shape: [32, k]}
	  - {name: w, dtype: f32, shape: [n, k], static: true}
	  - {name: y, dtype: f32, shape: [32, n], direction: out}
	  - {name: packed, prepared: 4 * n * k}
	  - {name: n, dtype: i32, value: n}
	  - {name: k, dtype: i32, value: k}
	cases: [{n: 256, k: 512}]
	flops: 64 * n * k
	reference: {torch: reference.py, entry: right, plain: plain}
	baselines:
	  own: {torch: own.py, entry: project, prepare: pack}
	limits: {timeout: 20s}
	EOF
	cat >reference.py <<-\EOF &&
	import torch

	def right(x, w, y, packed, n, k):
	    assert packed is None
	    torch.mm(x.double(), w.double().t(), out=y)

	def plain(x, w, y, packed, n, k):
	    torch.mm(x, w.t(), out=y)
	EOF
	git add . &&
	git commit -qm project &&
	avogit score --time 1s >out &&
	grep " pass," out && grep "vs own" out
'

test_expect_success 'the weights of one set are not those of another' '
	sed -i "/^baselines:/,/^  own:/d" avogit.yaml &&
	git commit -qam "without a baseline" &&
	test_expect_code 1 scored "if seen: return" &&
	grep "wrong: y\[" out
'

test_expect_success 'what prepare says when it fails is the reason' '
	test_expect_code 1 scored "x + 1" &&
	grep "crashed: in its prepare function: it could not be called: kernel.py:6: TypeError" out
'

test_expect_success 'on a GPU there is none yet' '
	sed -i "s/^entry:/device: cuda\n&/" avogit.yaml &&
	git commit -qam "on a GPU" &&
	test_expect_code 128 avogit score 2>err &&
	grep "there are no static inputs with Python on a GPU" err
'

test_done
