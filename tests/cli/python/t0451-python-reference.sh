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

# What it answers in a process of its own, which takes seconds to start
asked_alone () {
	test $(grep -c write-down trace) = $1 || { cat trace; return 1; }
}

test_expect_success 'one that keeps what it was called with first is named, whether the kernel keeps it, too, or is right' '
	(
		make_scale keeps &&
		echo "hidden: {count: 4, n: 3..400}" >>avogit.yaml &&
		cat >right.py <<-\EOF &&
		import torch

		kept = []

		def right(x, y, a, n):
		    kept.append(n)
		    y.copy_(x.double() * a + kept[0] / n - 1)


		def plain(x, y, a, n):
		    y.copy_(x * a)
		EOF
		sed -i "s/plain: plain}/plain: plain}\ntolerance: {rtol: 1e-5, atol: 1e-5}/" avogit.yaml &&
		git commit -qam "keeps the first size" &&
		names="the reference (right) keeps something from call to call: .y.\[[0-9]*\] is .* where it was called before, and .*, of the same inputs, in a process of its own, so nothing is right there" &&
		test_expect_code 128 avogit score --time 1s 2>err &&
		grep "in case hidden n=.*: $names" err &&
		sed -i -e "s/y\[i\] = a \* x\[i\]/y[i] = a * x[i] + (float)kept \/ n - 1/" -e "s/^void scale/static int kept;\n&/; s/^{/{\n\tkept = kept ? kept : n;/" kernel.c &&
		git commit -qam "and the kernel" &&
		test_expect_code 128 avogit score --time 1s 2>err &&
		grep "in case hidden n=.*: $names" err
	)
'

test_expect_success 'that is asked once for a task, and before a kernel is called wrong' '
	(
		cd passes && rm -rf "$HOME/.cache/avogit/alone" &&
		AVOGIT_TRACE="$PWD/trace" avogit score --again --time 1s HEAD^ && asked_alone 1 && rm trace &&
		AVOGIT_TRACE="$PWD/trace" avogit score --again --time 1s HEAD^ && test -s trace && asked_alone 0 &&
		test_expect_code 1 env AVOGIT_TRACE="$PWD/trace" "$AVOGIT" score --again HEAD && asked_alone 1
	)
'

# After ten seconds; the ten minutes that it has are not waited for.
test_expect_success 'one that never returns at one size is named with the case' '
	(
		make_scale endless && mkfifo ../said &&
		echo "hidden: {count: 1, n: 1..9}" >>avogit.yaml &&
		sed -i "s/^def right.*/&\n    while n == 1: pass/" right.py &&
		git commit -qam endless &&
		{ "$AVOGIT" score >../out 2>../said & } && scoring=$! && exec 8<../said &&
		told "the reference (right) has not returned for 10 s in case hidden n=1; after 600 s this ends" &&
		kill -s TERM $scoring && test_expect_code 130 wait $scoring
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
