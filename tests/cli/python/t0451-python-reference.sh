#!/bin/sh
# test: parallel long no-asan
test_description='what is right is computed in Python, for a candidate of any language'
. "$(dirname "$0")/lib-python.sh"

# The softmax with this reference in Python, committed: reference NAME <TEXT
make_faulty () {
	make_python_repo "$1" &&
	cat >right.py &&
	sed -i "s|^reference:.*|reference: {torch: right.py, entry: right, plain: plain}|" avogit.yaml &&
	git add . &&
	git commit -qm "another reference"
}

# The kernel of scale/, in C, with a reference in Python.
make_scale () {
	make_light_repo "$1" &&
	cat >right.py <<-\EOF &&
	def right(x, y, a, n):
	    y.copy_(x.double() * a)


	def plain(x, y, a, n):
	    y.copy_(x * a)
	EOF
	sed -i -e "/^reference:/,/^  plain:/d" -e "/^baselines:/,/^  naive:/d" avogit.yaml &&
	echo "reference: {torch: right.py, entry: right, plain: plain}" >>avogit.yaml &&
	git add . &&
	git commit -qm "a reference in Python"
}

# Two commits in one call: the processes of a reference take seconds to start.
test_expect_success 'a kernel in C passes by it, and one that is off in one element does not' '
	(
		make_scale passes &&
		sed -i "s|^#define MODE 0|#define MODE 1|" kernel.c &&
		git commit -qam "one element" &&
		test_expect_code 1 avogit score --time 1s HEAD^ HEAD >out &&
		grep "^$(git rev-parse --short HEAD^)  pass," out &&
		grep "^$(git rev-parse --short HEAD)  wrong: y\[8192\] is 1000 where" out &&
		git notes --ref=avogit show HEAD^ >note &&
		grep "compiler=.*PyTorch" note
	)
'

test_expect_success 'an honest one passes an honest candidate, in hidden shapes too, and none of a lower precision' '
	(
		make_faulty honest <<-\EOF &&
		import torch

		def right(x, y, rows, cols):
		    assert y.dtype == torch.float64
		    torch.softmax(x.double(), 1, out=y)

		def plain(x, y, rows, cols):
		    torch.softmax(x, 1, out=y)
		EOF
		cp "$cheats"/python/lower-precision.py kernel.py &&
		git commit -qam "lower precision" &&
		test_expect_code 1 avogit score --time 1s HEAD^ HEAD >out &&
		grep "^$(git rev-parse --short HEAD^)  pass," out &&
		grep "^$(git rev-parse --short HEAD)  wrong: y\[.* times what is allowed" out
	)
'

test_expect_success 'one that changes an input, or answers otherwise each time, is told so, and no candidate blamed' '
	(
		make_faulty changes <<-\EOF &&
		import torch

		def right(x, y, rows, cols):
		    x.add_(1)
		    torch.softmax(x.double(), 1, out=y)

		def plain(x, y, rows, cols):
		    torch.softmax(x, 1, out=y)
		EOF
		test_expect_code 128 avogit score --time 1s 2>err &&
		grep "the reference (right) crashed when it was called: .*; does it change an input .*let it work on a copy" err &&
		sed -i "s/x.add_(1)/y.normal_(); y.copy_(torch.softmax(x.double(), 1) + y); return/" right.py &&
		git commit -qam random &&
		test_expect_code 128 avogit score --time 1s 2>err &&
		grep "in case .*: the reference (right) gives two answers to the same inputs: .y.\[[0-9]*\] is " err &&
		sed -i "s/    y.normal_.*/    calls.append(x); torch.softmax(x.double() * len(calls), 1, out=y); return/; s/^import torch/import torch\ncalls = []/" right.py &&
		git commit -qam state &&
		test_expect_code 128 avogit score --time 1s 2>err &&
		grep "the reference (right) gives two answers to the same inputs: .y.\[[0-9]*\] is " err
	)
'

test_expect_success 'one that raises is told with its line' '
	(
		make_faulty raises <<-\EOF &&
		def right(x, y, rows, cols):
		    y[0, 0] = 1 / (rows - rows)

		def plain(x, y, rows, cols):
		    pass
		EOF
		test_expect_code 128 avogit score --time 1s 2>err &&
		grep "the reference (right) failed when it was called: right.py:2: ZeroDivisionError" err
	)
'

test_expect_success 'one that ends its process is told' '
	(
		make_faulty ends <<-\EOF &&
		import os

		def right(x, y, rows, cols):
		    os._exit(7)

		def plain(x, y, rows, cols):
		    pass
		EOF
		test_expect_code 128 avogit score --time 1s 2>err &&
		grep "the reference (right) ended with exit status 7 when it was called" err
	)
'

test_expect_success 'one that leaves an element unwritten is told' '
	(
		make_faulty hole <<-\EOF &&
		import torch

		def right(x, y, rows, cols):
		    y[1:] = torch.softmax(x.double(), 1)[1:]

		def plain(x, y, rows, cols):
		    torch.softmax(x, 1, out=y)
		EOF
		test_expect_code 128 avogit score --time 1s 2>err &&
		grep "the reference (right) leaves elements of \`y. unwritten" err
	)
'

test_expect_success 'a plain version of something else, and an output that is constant' '
	(
		make_faulty off <<-\EOF &&
		import torch

		def right(x, y, rows, cols):
		    torch.softmax(x.double(), 1, out=y)

		def plain(x, y, rows, cols):
		    torch.sigmoid(x, out=y)
		EOF
		test_expect_code 128 avogit score --time 1s 2>err &&
		grep "the plain version differs from the reference in \`y\`" err
	) &&
	(
		make_faulty constant <<-\EOF &&
		def right(x, y, rows, cols):
		    y.fill_(0.25)

		def plain(x, y, rows, cols):
		    y.fill_(0.25)
		EOF
		test_expect_code 128 avogit score --time 1s 2>err &&
		grep "\`y\`" err
	)
'

test_expect_success 'it writes to no input' '
	(
		make_faulty writes <<-\EOF &&
		def right(x, y, rows, cols):
		    y.copy_(x)
		    x.zero_()

		def plain(x, y, rows, cols):
		    y.copy_(x)
		EOF
		test_expect_code 128 avogit score --time 1s 2>err &&
		grep "the reference (right) crashed when it was called" err
	)
'

test_expect_success 'what goes with a reference in C alone is refused in the task file' '
	(
		cd honest &&
		sed -i "s|plain: plain}|plain: plain, rows: true}|" avogit.yaml &&
		git commit -qam rows &&
		test_expect_code 128 avogit score 2>err &&
		grep "reference: .*rows" err &&
		sed -i -e "s|, rows: true}|}|" -e "s|shape: \[rows, cols\]}|shape: [rows, cols], fill: {generator: make}}|" avogit.yaml &&
		git commit -qam generator &&
		test_expect_code 128 avogit score 2>err &&
		grep "a generator is a C function" err
	)
'

test_done
