#!/bin/sh
# test: parallel
test_description='kernels of microseconds: what is fixed is taken off and said'
. "$(dirname "$0")/../lib-avogit.sh"

# A kernel that sums n numbers ROUNDS times: kernel ROUNDS
kernel () {
	cat >kernel.c <<-EOF
	void total(const float *x, float *y, int n)
	{
		float s = 0;

		for (int round = 0; round < $1; round++) {
			s = 0;
			for (int i = 0; i < n; i++)
				s += x[i];
			__asm__ volatile("" : "+x"(s));
		}
		*y = s;
	}
	EOF
}

test_expect_success 'setup' '
	git init -q repo && cd repo &&
	cat >avogit.yaml <<-\EOF &&
	name: total
	language: c
	sources: [kernel.c]
	entry: total
	arguments:
	  - {name: x, dtype: f32, shape: [n], fill: normal}
	  - {name: y, dtype: f32, shape: [1], direction: out}
	  - {name: n, dtype: i32, value: n}
	cases:
	  - {n: 1024}
	flops: n
	tolerance: {rtol: 1e-4, atol: 1e-4}
	reference: {source: reference.c, entry: total_reference}
	build: {compiler: cc, flags: [-O2]}
	EOF
	cat >reference.c <<-\EOF &&
	void total_reference(const float *x, double *y, int n)
	{
		double s = 0;

		for (int i = 0; i < n; i++)
			s += x[i];
		*y = s;
	}
	EOF
	kernel 8 &&
	git add . && git commit -qm "eight rounds" &&
	kernel 20 &&
	git commit -qam "twenty rounds"
'

test_expect_success 'a launch of ten microseconds is one of many, and what is fixed is taken off' '
	avogit score --json --time 2s >json &&
	grep "\"fixed\":" json && grep "\"fixed_error\":" json &&
	launches=$(sed -n "s/.*\"launches\":[[:space:]]*\([0-9]*\).*/\1/p" json) &&
	test "$launches" -ge 20 &&
	avogit show HEAD >out && cat out &&
	grep "taken off" out && grep "[nu]s +- .* %" out
'

test_expect_success 'fewer rounds are told faster' '
	slow=$(git rev-parse HEAD) &&
	kernel 8 && git commit -qam "eight again" &&
	avogit score --against "$slow" >out &&
	cat out && grep "^  vs .* faster" out
'

test_expect_success 'where nearly all is fixed, only a bound is said' '
	sed -i "s/n: 1024/n: 1/" avogit.yaml &&
	kernel 1 && git commit -qam "one round of one number" &&
	kernel 2 && git commit -qam "two rounds" &&
	avogit score --time 3s --against HEAD^ >out && cat out &&
	grep "fixed part" out && grep "at least" out &&
	grep "only those of whole launches are said" out
'

test_done
