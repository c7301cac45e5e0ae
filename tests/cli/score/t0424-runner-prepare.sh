#!/bin/sh
# test: parallel
test_description='a runner prepares static inputs before the clock starts'
. "$(dirname "$0")/../lib-avogit.sh"

test -x /usr/bin/python3 && test_set_prereq PYTHON
RUNNERS=$(cd "$SHARNESS_TEST_SRCDIR/../runners" && pwd)

# The kernel with these lines, scored; the result is in ./out.
scored () {
	printf '%s\n' "$@" >kernel.toy &&
	avogit score >out
}

test_expect_success PYTHON 'a runner that prepares keeps the protocol' '
	git init -q repository && cd repository &&
	cp "$RUNNERS/toy.py" runner.py &&
	cat >avogit.yaml <<-\EOF &&
	name: weighted
	language: {runner: [/usr/bin/python3, runner.py]}
	sources: [kernel.toy]
	entry: weigh
	prepare: pack
	arguments:
	  - {name: x, dtype: f64, shape: [n]}
	  - {name: w, dtype: f64, shape: [n], static: true}
	  - {name: y, dtype: f64, shape: [n], direction: out}
	  - {name: p, prepared: 8 * n}
	  - {name: a, dtype: f64, value: 2}
	  - {name: n, dtype: i32, value: n}
	cases: [{n: 96}, {n: 33}]
	bytes: 24 * n
	reference: {source: reference.c, entry: weigh_reference, plain: weigh_reference}
	tolerance: {rtol: 1e-9, atol: 1e-9}
	build: {files: [runner.py]}
	limits: {timeout: 5s}
	EOF
	cat >reference.c <<-\EOF &&
	void weigh_reference(const double *x, const double *w, double *y,
			     const void *p, double a, int n)
	{
		for (int i = 0; !p && i < n; i++)
			y[i] = x[i] * (w[i] * a + 1);
	}
	EOF
	printf "%s\n" "pack = w * a + 1" "weigh = x * p" >kernel.toy &&
	git add . &&
	git commit -qm weighted &&
	avogit score --check-runner HEAD >out &&
	test "$(grep -c "^ok " out)" = 11 &&
	! grep "not ok" out
'

test_expect_success PYTHON 'what it prepared is there in every launch' '
	avogit score HEAD >out &&
	grep " pass," out
'

test_expect_success PYTHON 'it sees nothing but static inputs' '
	test_expect_code 1 scored "pack = x" "weigh = x * p" &&
	grep "crashed: in its prepare function: " out
'

test_expect_success PYTHON 'what it prepares wrongly is wrong' '
	test_expect_code 1 scored "pack = w" "weigh = x * p" &&
	grep "wrong: y\[" out
'

test_expect_success PYTHON 'what it refuses to prepare is told in its words' '
	test_expect_code 1 scored "weigh = x * p" &&
	grep "crashed: in its prepare function: it could not be called: no line prepares" out
'

test_expect_success PYTHON 'a reference in Python beside another language gets no prepared buffers' '
	sed -i -e "s|^language:.*|language: c|" -e "s|kernel\.toy|kernel.c|" -e "/^build:/d" \
		-e "s|^reference:.*|reference: {torch: r.py, entry: weigh}|" avogit.yaml &&
	git commit -qam "a reference in Python" &&
	test_expect_code 128 avogit score 2>err &&
	grep "p: .*code in Python gets no prepared buffers beside another language" err
'

test_done
