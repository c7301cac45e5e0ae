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
	cat out && grep "^  vs .*\]  *faster" out
'

test_expect_success 'where nearly all is fixed, only a bound is said' '
	sed -i "s/n: 1024/n: 1/" avogit.yaml &&
	kernel 1 && git commit -qam "one round of one number" &&
	kernel 2 && git commit -qam "two rounds" &&
	avogit score --time 3s --against HEAD^ >out && cat out &&
	grep "fixed part" out && grep "at least" out &&
	grep "only those of whole launches are said" out &&
	grep "pass, .* (says little)" out && grep "give larger .cases." out
'

test_expect_success 'it has a rate, however short the time' '
	avogit score --again --time 0.00001s --against HEAD^ >out && cat out &&
	grep "pass, [0-9.]* .*FLOPS" out && ! grep -e "pass, 0[.]00" -e "nan" -e "inf " out
'

test_expect_success 'a kernel that returns early: its rate says little, in all places, with a remedy' '
	cat >avogit.yaml <<-\EOF &&
	name: find
	language: c
	sources: [kernel.c]
	entry: find
	arguments:
	  - {name: s, dtype: u8, shape: [n], fill: {low: 0, high: 255}}
	  - {name: n, dtype: i32, value: n}
	  - {name: returned, dtype: i32, direction: return}
	cases:
	  - {n: 1048576}
	bytes: n
	reference: {source: reference.c, entry: find_reference}
	build: {compiler: cc, flags: [-O2]}
	EOF
	cat >kernel.c <<-\EOF &&
	int find(const unsigned char *s, int n)
	{
		for (int i = 0; i < n; i++)
			if (s[i] == 1)
				return i;
		return n;
	}
	EOF
	sed "s/find/find_reference/" kernel.c >reference.c &&
	git add . && git commit -qm "the first 1" &&
	avogit score --time 3s >out && cat out &&
	grep "pass, .* GB/s (says little)" out &&
	grep "let .fill. in avogit.yaml make inputs that it goes through to the end" out &&
	avogit score --json >json && grep "\"rate_doubt\":.*fill" json &&
	git notes --ref=avogit show HEAD | grep "rate_doubt=" &&
	avogit score --run r -m "as before" >out && cat out &&
	grep "what -m says is not kept" out &&
	sed -i "s/s\[i\] == 1/1 == s[i]/" kernel.c &&
	avogit score --run r -m "the other way" >out && cat out &&
	avogit report --run r --format md >md && grep "^- .*fill" md &&
	avogit log --run r >log && cat log && grep "GB/s?  " log
'

test_expect_success 'and none of one that goes through to the end' '
	git checkout -q kernel.c && sed -i "s/n: 1048576/n: 8388608/" avogit.yaml &&
	sed -i "s/for (int i/int seen = 0; &/; s/return i;/seen++;/; s/return n;/return seen;/" kernel.c reference.c &&
	git commit -qam "how many" &&
	avogit score --time 3s >out && cat out &&
	grep "pass, " out && ! grep "says little" out
'

test_done
