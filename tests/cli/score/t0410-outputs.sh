#!/bin/sh
# test: parallel
test_description='what is right of outputs that are not floats: integers within a tolerance, and messages that name the inputs'
. "$(dirname "$0")/../lib-avogit.sh"

# The mean of two images of bytes, rounded; the kernel rounds down, so that half
# of its elements are one less. Its task: blend_task LINES
blend_task () {
	cat >avogit.yaml <<-EOF
	name: blend
	language: c
	sources: [kernel.c]
	entry: blend
	arguments:
	  - {name: a, dtype: u8, shape: [n], fill: {low: 0, high: 255}}
	  - {name: b, dtype: u8, shape: [n], fill: {low: 0, high: 255}}
	  - {name: out, dtype: u8, shape: [n], direction: out$1}
	  - {name: n, dtype: i64, value: n}
	cases: [{n: 4096}]
	bytes: 3 * n
	reference: {source: reference.c, entry: blend_reference}
	$2
	EOF
}

# The kernel as the expression of one element: blend_kernel EXPRESSION
blend_kernel () {
	cat >kernel.c <<-EOF
	void blend(const unsigned char *a, const unsigned char *b,
		   unsigned char *out, long n)
	{
		for (long i = 0; i < n; i++)
			out[i] = $1;
	}
	EOF
}

test_expect_success 'setup: a kernel that is off by one in half of its elements' '
	git init -q repo && cd repo &&
	blend_kernel "(a[i] + b[i] + 1) / 2" &&
	sed "s/blend(/blend_reference(/" kernel.c >reference.c &&
	blend_kernel "(a[i] + b[i]) / 2" &&
	blend_task && git add . && git commit -qm "the kernel and its task"
'

# Whatever call it is, one that is not timed among them.
test_expect_success 'no call of a kernel sees a table that its generator has not filled' '
	mkdir ../table && (
	cd ../table && git init -q . &&
	cat >avogit.yaml <<-\EOF &&
	name: pick
	language: c
	sources: [kernel.c]
	entry: pick
	arguments:
	  - {name: at, dtype: i32, shape: [n], fill: {generator: some_place}}
	  - {name: x, dtype: i32, shape: [n], fill: {low: 5, high: 90}}
	  - {name: out, dtype: i32, shape: [n], direction: out}
	  - {name: n, dtype: i64, value: n}
	cases: [{n: 4096}]
	bytes: 12 * n
	reference: {source: reference.c, entry: pick_reference}
	EOF
	cat >kernel.c <<-\EOF &&
	void pick(const int *at, const int *x, int *out, long n)
	{
		for (long i = 0; i < n; i++) {
			if (at[i] < 1 || at[i] > n || x[i] < 5 || x[i] > 90)
				__builtin_trap();
			out[i] = x[at[i] - 1];
		}
	}
	EOF
	sed "s/pick(/pick_reference(/" kernel.c >reference.c &&
	cat >>reference.c <<-\EOF &&
	void some_place(int *at, unsigned long seed, long n)
	{
		for (long i = 0; i < n; i++)
			at[i] = (int)((seed + 31 * (unsigned long)i) % (unsigned long)n) + 1;
	}
	EOF
	git add . && git commit -qm table &&
	avogit score && avogit score --again --time 1s --against HEAD HEAD ) >out && grep "pass, " out
'

# The reference takes rows for columns, which a square does not show.
test_expect_success 'a reference that is right of squares alone cannot let everything else pass' '
	mkdir ../blur && (
	cd ../blur && git init -q . &&
	cat >avogit.yaml <<-\EOF &&
	name: blur
	language: c
	sources: [kernel.c]
	entry: blur
	arguments:
	  - {name: x, dtype: f32, shape: [rows, columns], fill: normal}
	  - {name: y, dtype: f32, shape: [rows, columns], direction: out}
	  - {name: rows, dtype: i64, value: rows}
	  - {name: columns, dtype: i64, value: columns}
	cases: [{rows: 64, columns: 64}]
	hidden: {count: 8, rows: 3..40, columns: 41..67}
	bytes: 8 * rows * columns
	reference: {source: reference.c, entry: blur_reference, plain: blur_plain}
	EOF
	cat >kernel.c <<-\EOF &&
	void blur(const float *x, float *y, long rows, long columns)
	{
		for (long i = 0; i < rows * columns; i++)
			y[i] = rows != columns ? x[i] : (x[i] + x[(i + columns) % (rows * columns)]) / 2;
	}
	EOF
	sed -e "s/blur(/blur_plain(/" -e "s/rows != .* : //" kernel.c >reference.c &&
	sed -e "s/blur(/blur_reference(/" -e "s/float \*y/double *y/" -e "s/rows != .* : //" kernel.c >>reference.c &&
	cp reference.c ../right.c &&
	sed -i "/blur_reference/s/long rows, long columns/long columns, long rows/" reference.c &&
	git add . && git commit -qm blur &&
	test_must_fail avogit score >../out 2>../err &&
	grep "the plain version differs from the reference in .y. by .* in case hidden rows=[0-9]* columns=.*: one of the two is wrong" ../err &&
	! grep "pass, " ../out &&
	cp ../right.c reference.c && git commit -qam "right of all" &&
	test_expect_code 1 avogit score >../out && grep "wrong: y" ../out )
'

test_expect_success 'integers are equal unless the task says otherwise, and the message says so' '
	test_expect_code 1 avogit score >../out &&
	grep "wrong: out\[[0-9]*\] is [0-9]* where [0-9]* is right (integers must be equal where the task gives no atol or rtol)" ../out &&
	! grep " inf " ../out
'

test_expect_success 'a kernel that leaves out its last block is told which elements, and shown where' '
	cp kernel.c ../kept &&
	blend_kernel "(a[i] + b[i] + 1) / 2 ^ (i >= 3584)" &&
	test_expect_code 1 avogit score >../out &&
	grep "wrong: out.*; 512 of 4096 elements of .out. are wrong$" ../out &&
	grep "wrong in .out.: 512 of 4096 elements (3584 to 4095); they are 2 whole blocks of 256" ../out &&
	test $(grep -c "^ *\.\{32\}$" ../out) = 7 &&
	test $(grep -c "^ *#\{32\}$" ../out) = 1 &&
	cp ../kept kernel.c
'

test_expect_success 'of a hidden case it is told how many, and not where' '
	blend_task "" "hidden: {count: 2, n: 5000..6000}" && git commit -qam "hidden sizes" &&
	blend_kernel "(a[i] + b[i] + 1) / 2 ^ (n > 4096 && i >= 3584)" &&
	test_expect_code 1 avogit score >../out &&
	grep "wrong: out.* in case hidden n=.*; [0-9]* of [0-9]* elements of .out. are wrong$" ../out &&
	! grep -e "wrong in " -e "###" ../out &&
	cp ../kept kernel.c && git reset -q --hard HEAD~1
'

test_expect_success 'with atol: 1 it passes, and the error is a share of what is allowed' '
	blend_task "" "tolerance: {rtol: 0, atol: 1}" &&
	git commit -qam "one off is right" &&
	avogit score --json >../json &&
	tr -d " \t\n" <../json | grep "\"verdict\":\"pass\".*\"error\":1,"
'

test_expect_success 'two off is wrong, and by how much is said' '
	blend_kernel "(a[i] + b[i]) / 2 - 2" &&
	test_expect_code 1 avogit score >../out &&
	grep "wrong: out.* (an error of [0-9]* times what is allowed)" ../out &&
	blend_kernel "(a[i] + b[i]) / 2"
'

test_expect_success 'the factor is of the element that is named, though a later one is farther off' '
	blend_kernel "(a[i] + b[i] + 1) / 2 ^ (i >= 3584 ? 64 : i >= 1024 ? 2 : 0)" &&
	test_expect_code 1 avogit score >../out &&
	grep "wrong: out.1024. is .* (an error of 2 times what is allowed)" ../out &&
	blend_kernel "(a[i] + b[i]) / 2"
'

test_expect_success 'rtol is of the right value: 1 % of 255 is two, of 50 nothing' '
	git checkout -q kernel.c &&
	blend_task "" "tolerance: {rtol: 0.01}" && git commit -qam "one in a hundred" &&
	test_expect_code 1 avogit score >../out &&
	grep "wrong: out" ../out
'

test_expect_success 'an output may have a tolerance of its own, and it is another task' '
	blend_task ", tolerance: {atol: 1}" && git commit -qam "of its own" &&
	avogit score >../out && grep "pass" ../out &&
	blend_task ", tolerance: {atol: 0}" "tolerance: {atol: 1}" &&
	git commit -qam "none of its own" &&
	test_expect_code 1 avogit score >../out && grep "wrong" ../out
'

test_expect_success 'beside a floating output an integer must be equal, unless it says itself' '
	blend_task ", tolerance: {atol: 1}" "tolerance: {atol: 1}" &&
	sed -i "s|^  - {name: n,|  - {name: m, dtype: f32, shape: [1], direction: out}\n&|" avogit.yaml &&
	sed -i "s/unsigned char \*out/&, float *m/; s/^{/{ m[0] = a[0];/" kernel.c &&
	sed -i "s/unsigned char \*out/&, double *m/; s/^{/{ m[0] = a[0];/" reference.c &&
	git commit -qam "a float beside it" &&
	avogit score >../out && grep pass ../out &&
	sed -i "s/, tolerance: {atol: 1}}/}/" avogit.yaml && git commit -qam "equal" &&
	test_expect_code 1 avogit score >../out &&
	grep "integers must be equal" ../out &&
	git checkout -q HEAD~2 . && git commit -qm "back"
'

test_expect_success 'a tolerance that makes no sense is refused, with file and line' '
	for t in "{rtol: -1}" "{atol: -0.5}" "{rtol: nan}" "{rtol: inf}" "{atol: x}" \
		"{}" "{factor: 2}" "1"
	do
		blend_task ", tolerance: $t" &&
		git commit -qam "tolerance $t" &&
		test_expect_code 128 avogit score 2>../err &&
		grep "^avogit: avogit.yaml:[0-9]*: arguments.out" ../err || return 1
	done &&
	blend_task && sed -i "s/name: a, dtype: u8, /&tolerance: {atol: 1}, /" avogit.yaml &&
	git commit -qam "of an input" &&
	test_expect_code 128 avogit score 2>../err &&
	grep "a tolerance is for outputs only" ../err
'

test_expect_success 'one that lets everything through is a task that tells nothing' '
	blend_task "" "tolerance: {atol: 256}" && git commit -qam "anything goes" &&
	test_expect_code 128 avogit score 2>../err &&
	grep "output .out. hardly depends on the inputs" ../err &&
	blend_task "" "tolerance: {rtol: 1e300}" && git commit -qam "and more" &&
	test_expect_code 128 avogit score 2>../err &&
	grep "output .out. hardly depends on the inputs" ../err
'

test_expect_success 'a wrong kernel is told with its inputs by what they are' '
	blend_task && git commit -qam "equal" &&
	test_expect_code 1 avogit score >../out &&
	grep "in case n=4096 with .a. from 0 to 255, .b. from 0 to 255;" ../out &&
	sed -i "/name: a/s/fill: {.*}}/fill: {generator: make_bytes}}/" avogit.yaml &&
	cat >>reference.c <<-EOF &&
	void make_bytes(unsigned char *data, unsigned long seed, long n)
	{
		for (long i = 0; i < n; i++)
			data[i] = (seed = seed * 6364136223846793005u + 1) >> 56;
	}
	EOF
	git commit -qam "by a generator" &&
	test_expect_code 1 avogit score >../out &&
	! grep "given inputs" ../out &&
	grep "with .a. as make_bytes makes it, .b. from 0 to 255;" ../out
'

# Drawn anew each time, so that who reads it knows nothing of the next.
test_expect_success 'a note, JSON and show say which hidden sizes were checked' '
	mkdir ../checked && (
	cd ../checked && git init -q . &&
	blend_kernel "(a[i] + b[i] + 1) / 2" &&
	sed "s/blend(/blend_reference(/" kernel.c >reference.c &&
	blend_task "" "hidden: {count: 1, n: 3..77}" &&
	git add . && git commit -qm "with hidden sizes" &&
	avogit score --json --time 0.1s >json && cat json &&
	grep "\"checked\":.*\"n: 77; 3; .*; one or two at a time [0-9 ]*\"" json &&
	git notes --ref=avogit show | grep "checked=\"n: 77; 3;" &&
	avogit show HEAD >out && cat out &&
	grep -A 1 "hidden sizes that were checked:" out | grep "n: 77; 3;" &&
	! grep "^  checked" out )
'

# The case has 4096, and nothing larger is run.
test_expect_success 'score says which number of the sources no size comes close to' '
	(
	cd ../checked &&
	sed "s/{/{ if (n == 9999999) return;/" kernel.c >new.c && cp new.c kernel.c &&
	avogit score --time 0.1s >out && cat out &&
	grep "the sources compare with 9999999, and no size a little greater was checked" out )
'

test_done
