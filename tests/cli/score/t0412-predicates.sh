#!/bin/sh
# test: parallel long
test_description='outputs that seldom vary: predicates and counters are drawn until they do'
. "$(dirname "$0")/../lib-avogit.sh"

# ok = every byte is below 250: true of one set of 64 bytes in five.
predicate () {
	cat >avogit.yaml <<-EOF
	name: valid
	language: c
	sources: [kernel.c]
	entry: valid
	arguments:
	  - {name: a, dtype: u8, shape: [n], fill: {low: 0, high: $1}}
	  - {name: n, dtype: i64, value: n}
	  - {name: ok, dtype: u8, shape: [1], direction: out$2}
	$3
	cases: [{n: 64}]
	bytes: n
	reference: {source: reference.c, entry: valid_reference}
	EOF
	cat >reference.c <<-EOF
	void valid_reference(const unsigned char *a, long n, unsigned char *ok$4)
	{
		*ok = 1;
		for (long i = 0; i < n; i++)
			if (a[i] >= 250)
				*ok = 0;
		$5
	}
	EOF
	sed "s/valid_reference/valid/" reference.c >kernel.c &&
	git add . && git commit -qm "$*"
}

# The kernel writes only this: always VALUE
always () {
	printf "void valid(const unsigned char *a, long n, unsigned char *ok)\n{\n\t*ok = %s;\n}\n" "$1" >kernel.c
}

test_expect_success 'a predicate is a task, every time' '
	git init -q repo && cd repo && predicate 255 &&
	for i in 1 2 3 4 5 6 7 8
	do
		avogit score --again >../out || return 1
		grep "pass" ../out || return 1
	done
'

test_expect_success 'no constant passes, every time' '
	for i in 1 2 3 4
	do
		always 0 && test_expect_code 1 avogit score --again >../out &&
		grep "wrong: ok\[0\] is 0 where 1 is right" ../out &&
		always 1 && test_expect_code 1 avogit score --again >../out &&
		grep "wrong: ok\[0\] is 1 where 0 is right" ../out || return 1
	done
'

test_expect_success 'one that holds in three sets of a hundred is found, too' '
	git checkout -q kernel.c &&
	sed -i "s/n: 64}/n: 150}/" avogit.yaml &&
	git commit -qam "seldom" &&
	avogit score >../out && grep pass ../out &&
	always 0 && test_expect_code 1 avogit score >../out &&
	grep "wrong: ok\[0\] is 0 where 1 is right" ../out &&
	git checkout -q kernel.c
'

test_expect_success 'one that never does is refused, and the message says what to do' '
	predicate 249 &&
	test_expect_code 128 avogit score 2>../err &&
	grep "output .ok. hardly depends on the inputs in case n=64 (it was the same for 1024 sets of them)" ../err &&
	grep "a generator" ../err && grep "vary: false" ../err
'

test_expect_success 'vary: false leaves that to you, but not for every output' '
	predicate 249 ", vary: false" &&
	test_expect_code 128 avogit score 2>../err &&
	grep "with .vary: false. on every output" ../err &&
	predicate 249 ", vary: false" \
		"  - {name: sum, dtype: u32, shape: [1], direction: out}" \
		", unsigned *sum" "*sum = 0; for (long i = 0; i < n; i++) *sum += a[i];" &&
	avogit score >../out && grep pass ../out
'

test_expect_success 'a capacity that goes in and comes out the same needs not vary' '
	predicate 255 "" \
		"  - {name: room, dtype: u32, shape: [1], direction: inout, fill: {low: 255, high: 255}}" \
		", unsigned *room" "" &&
	test_expect_code 128 avogit score 2>../err &&
	grep "room" ../err &&
	sed -i "s/direction: inout,/& vary: false,/" avogit.yaml && git commit -qam "fixed" &&
	avogit score >../out && grep pass ../out &&
	sed -i "s/\*ok = 1;/& *room = 254;/" kernel.c &&
	test_expect_code 1 avogit score >../out &&
	grep "wrong: room\[0\] is 254 where 255 is right" ../out
'

test_expect_success 'an input that changes nothing is refused unless it need not' '
	predicate 255 "" "  - {name: hint, dtype: u8, shape: [1], fill: {low: 0, high: 9}}" \
		", const unsigned char *hint" "" &&
	test_expect_code 128 avogit score 2>../err &&
	grep "hint. changes no output in case n=64, in 1024 draws" ../err &&
	sed -i "s/name: hint,/& vary: false,/" avogit.yaml && git commit -qam "a hint" &&
	avogit score >../out && grep pass ../out
'

# What is looked for before a candidate is built ends with 128; this kernel with 1.
seldom () { # WHERE-IT-COUNTS CASES
	predicate 255 "" "  - {name: hint, dtype: u32, shape: [1], fill: {low: 0, high: 9999}}" \
		", const unsigned *hint" "$1" &&
	sed -i "s/^cases: .*/$2/" avogit.yaml &&
	echo "not C" >kernel.c && git commit -qam "seldom: $1"
}
forget () {
	rm -rf "$HOME/.cache/avogit/seen"
}

test_expect_success 'an input that counts at hidden sizes only is no fault of the task' '
	seldom "if (n < 40) *ok ^= *hint % 2;" "cases: [{n: 64}]\nhidden: {count: 3, n: 1..64}" &&
	for i in 1 2 3 4
	do
		forget && test_expect_code 1 avogit score --again >../out 2>../err || return 1
	done
'

test_expect_success 'one that counts nowhere is refused there, too' '
	seldom "" "cases: [{n: 64}]\nhidden: {count: 3, n: 1..64}" &&
	test_expect_code 128 avogit score 2>../err &&
	grep "hint. changes no output in case n=64, in [0-9]* draws of it and [0-9]* of all sizes" ../err &&
	seldom "" "cases: [{n: 64}, {n: 32}]" &&
	test_expect_code 128 avogit score 2>../err &&
	grep "hint. changes no output in case n=64, in [0-9]* draws of it and [0-9]* of all sizes" ../err
'

test_expect_success 'a number that is the same in every case may be why: it is named, and helps' '
	predicate 255 "" "$(printf "%s\n" "  - {name: hint, dtype: u8, shape: [1], fill: {low: 0, high: 9}}" \
		"  - {name: skip, dtype: i32, value: skip}")" \
		", const unsigned char *hint, int skip" "if (!skip) *ok ^= *hint % 2;" &&
	sed -i "s/^cases: .*/cases: [{n: 64, skip: 1}, {n: 32, skip: 1}]/" avogit.yaml && echo "not C" >kernel.c &&
	git commit -qam skipped && test_expect_code 128 avogit score 2>../err &&
	grep "hint. changes no output in case .*: .skip. is 1 in every case, .* with such a value, or choose" ../err &&
	sed -i "s/n: 32, skip: 1/n: 32, skip: 0/" avogit.yaml && git commit -qam used &&
	test_expect_code 1 avogit score >../out 2>&1 && ! grep "changes no output" ../out
'

# Seen in one scoring of five.
test_expect_success 'an input that counted once counts from then on' '
	seldom "if (*hint == 7) *ok = !*ok;" "cases: [{n: 64}]" &&
	forget && rc=128 &&
	for i in $(test_seq 1 60)
	do
		test $rc = 128 || break
		rc=0
		avogit score --again >../out 2>../err || rc=$?
	done &&
	test $rc = 1 &&
	for i in 1 2 3 4 5 6
	do
		test_expect_code 1 avogit score --again >../out || return 1
	done
'

test_expect_success 'where draws take too long to refuse by, it is said and not refused' '
	seldom "for (volatile long i = 0; i < 500000000; i++) ;" "cases: [{n: 64}]" &&
	test_expect_code 1 avogit score >../out 2>../err &&
	grep "hint. changed no output in case n=64, in [0-9]* draws of it, and more take too long" ../err
'

# A filter whose state runs away: all sets look alike, for nothing is finite.
test_expect_success 'where nothing is finite, that is the reason which is said' '
	mkdir ../away && (
	cd ../away && git init -q . &&
	cat >avogit.yaml <<-\EOF &&
	name: away
	language: c
	sources: [kernel.c]
	entry: away
	arguments:
	  - {name: x, dtype: f32, shape: [n]}
	  - {name: y, dtype: f32, shape: [n], direction: out}
	  - {name: n, dtype: i64, value: n}
	cases: [{n: 64}]
	bytes: 8 * n
	reference: {source: reference.c, entry: away_reference, plain: away_plain}
	EOF
	cat >kernel.c <<-\EOF &&
	void away(const float *x, float *y, long n)
	{
		for (long i = 0; i < n; i++) {
			y[i] = x[i] * x[i] + 1;
			for (int k = 0; k < 20; k++)
				y[i] *= 4 * y[i];
		}
	}
	EOF
	sed "s/away(/away_plain(/" kernel.c >reference.c &&
	sed -e "s/away(/away_reference(/" -e "s/float \*y/double *y/" kernel.c >>reference.c &&
	git add . && git commit -qm away &&
	test_expect_code 128 avogit score 2>../err ) &&
	grep "output .y. hardly depends on the inputs in case n=64 (.*), since 64 of 64 elements that were looked at are infinite or no number" ../err &&
	grep "fill: tiny" ../err && ! grep "vary: false" ../err
'

# A list that is valid up to what is returned: behind that it has to stay as it was.
test_expect_success 'of what lies behind a returned number that is said, and no number but the right one passes' '
	mkdir ../compact && (
	cd ../compact && git init -q . &&
	cat >avogit.yaml <<-\EOF &&
	name: compact
	language: c
	sources: [kernel.c]
	entry: compact
	arguments:
	  - {name: a, dtype: u8, shape: [n], fill: {low: 0, high: 9}}
	  - {name: out, dtype: u8, shape: [n], direction: inout}
	  - {name: held, dtype: i32, shape: [1], direction: inout, fill: {low: 0, high: 2}}
	  - {name: part, dtype: i32, value: 1}
	  - {name: part_after, dtype: i32, shape: [1], direction: out, vary: false}
	  - {name: n, dtype: i64, value: n}
	  - {name: count, dtype: i64, direction: return}
	cases: [{n: 3000}]
	bytes: 2 * n
	reference: {source: reference.c, entry: compact_reference}
	EOF
	kernel () { # AT THE END
		cat >kernel.c <<-EOF
		long compact(const unsigned char *a, unsigned char *out, int *held, int part, int *part_after, long n)
		{
			long k = 0;
			for (long i = 0; i < n; i++)
				if (a[i] & 1)
					out[k++] = a[i];
			*held ^= 1, *part_after = part;
			$1;
			return k;
		}
		EOF
	} &&
	kernel "" && sed "s/compact(/compact_reference(/" kernel.c >reference.c &&
	git add . && git commit -qm compact &&
	avogit score >../out && grep "pass, " ../out &&
	kernel "if (k < n) out[k] = 77" &&
	test_expect_code 1 avogit score >../out &&
	grep "wrong: out\[[0-9]*\] is 77 where .*; it lies behind the first .count. of .out.: .*.inout." ../out &&
	kernel "out[k / 2] = 77" &&
	test_expect_code 1 avogit score >../out &&
	grep "wrong: out\[[0-9]*\] is 77 " ../out && ! grep behind ../out &&
	for wrong in "k--" "k = 0" "k = -k" "k = n + 5" "k = 1L << 62"
	do
		kernel "$wrong" &&
		test_expect_code 1 avogit score >../out &&
		grep "wrong: count.* is " ../out || return 1
	done &&
	sed -i "/name: out,/s/direction: inout/direction: out/" avogit.yaml &&
	sed -i "s/return k/for (long i = k; i < n; i++) out[i] = 0; return k/" reference.c &&
	git checkout -q kernel.c && git commit -qam "all of it" &&
	test_expect_code 1 avogit score >../out &&
	grep "elements of .out. were not written, .* (one that may stay in part as it was is .inout.)" ../out )
'

test_done
