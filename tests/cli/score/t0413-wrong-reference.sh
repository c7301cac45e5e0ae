#!/bin/sh
# test: parallel long no-asan
test_description='a reference that is at fault is named, and the candidate never blamed: arrays left, inputs changed, two answers'
. "$(dirname "$0")/../lib-avogit.sh"

TURNS=${TURNS:-4}

# task LANGUAGE KERNEL-BODY REFERENCE-BODY [HIDDEN]: out, a copy of `a` with one added, and
# `sums`, that of the rows
task () {
	case $1 in c) ext=c ;; *) ext=cpp ;; esac
	cat >avogit.yaml <<-EOF
	name: rows
	language: $1
	sources: [kernel.$ext]
	entry: rows
	arguments:
	  - {name: a, dtype: f32, shape: [m, n], fill: normal}
	  - {name: m, dtype: i64, value: m}
	  - {name: n, dtype: i64, value: n}
	  - {name: out, dtype: f32, shape: [m, n], direction: out}
	  - {name: sums, dtype: f32, shape: [m], direction: out}
	cases: [{m: 24, n: 10}]
	$4
	bytes: m * n
	tolerance: {rtol: 1e-4, atol: 1e-4}
	reference: {source: reference.$ext, entry: rows_reference}
	EOF
	{
		test $1 = c || echo 'extern "C"'
		echo "void rows(const float *a, long m, long n, float *out, float *sums)"
		echo "{ for (long i = 0; i < m; i++) { float sum = 0; for (long j = 0; j < n; j++) { out[i * n + j] = a[i * n + j] + 1; sum += a[i * n + j]; } sums[i] = sum; } }"
	} >kernel.$ext
	{
		echo "#include <stdlib.h>"
		test $1 = c || echo 'extern "C"'
		echo "void rows_reference(const float *a, long m, long n, double *out, double *sums)"
		echo "{ for (long i = 0; i < m; i++) { double sum = 0; for (long j = 0; j < n; j++) { out[i * n + j] = a[i * n + j] + 1.0; sum += a[i * n + j]; } sums[i] = sum; } $3 }"
	} >reference.$ext
	git add . && git commit -qm "$1 $3 $4"
}

hidden='hidden: {count: 4, m: 3..40, n: 3..40}'

# is_named PATTERN: so many times an error of the task with these words
is_named () {
	for turn in $(seq $TURNS)
	do
		test_expect_code 128 avogit score --again >out 2>err &&
		grep -E "$1" err || { cat out err; return 1; }
	done
}


# A kernel that is right but for one element
breaks () {
	sed -i 's/} }$/} out[m * n - 1] = 9; }/' kernel.*
	git commit -qam wrong
}

for language in c c++
do
mkdir $language && cd $language

test_expect_success "$language: a reference that is right: a kernel passes, and a wrong one is wrong" '
	git init -q . && task $language "" "" "$hidden" &&
	avogit score >out 2>err && grep "  pass" out &&
	breaks &&
	for turn in $(seq $TURNS)
	do
		test_expect_code 1 avogit score --again >out 2>err &&
		grep "  wrong: out" out || return 1
	done
'

test_expect_success "$language: a write behind the last element, before the first, far away, into another array" '
	task $language "" "out[m * n] = 1;" &&
	is_named "in case .*: avogit.yaml: the reference \(rows_reference\) writes outside .out.: element 240 in memory, where the last is 239; give .out. the .shape. .*hidden: .require" &&
	task $language "" "sums[-1] = 1;" &&
	is_named "the reference \(rows_reference\) writes outside .sums.: 8 bytes before its first element" &&
	task $language "" "out[m * n + 700] = 1;" &&
	is_named "the reference \(rows_reference\) writes outside .out.: element 940 in memory" &&
	task $language "" "for (long i = 0; i < m; i++) sums[i * n] = 0;" &&
	is_named "the reference \(rows_reference\) writes outside .sums.: element "
'

test_expect_success "$language: in hidden cases alone, whose sizes are told" '
	task $language "" "for (long i = m; i < n; i++) sums[i] = 0;" "$hidden" &&
	is_named "in case hidden m=[0-9]+ n=[0-9]+, with .*: the reference \(rows_reference\) writes outside .sums.: element [0-9]+ in memory, where the last is " &&
	task $language "" "if (n > m) sums[0] += a[m * n];" "$hidden" &&
	is_named "in case hidden m=[0-9]+ n=[0-9]+, with .*: the reference \(rows_reference\) reads outside .a.: element " &&
	cp kernel.* ../kernel && sed "s/rows_reference/rows/; s/double/float/g" reference.* >../same && cp ../same $(ls kernel.*) &&
	git commit -qam "the same fault in both" &&
	is_named "the reference \(rows_reference\) reads outside .a.: element " &&
	task $language "" "for (long i = m; i < n; i++) sums[i] = 0;" "$hidden" &&
	sed "s/rows_reference/rows/; s/double/float/g" reference.* >../same && cp ../same $(ls kernel.*) &&
	git commit -qam "the same fault in both" &&
	is_named "the reference \(rows_reference\) writes outside .sums.: element "
'

test_expect_success "$language: a read behind an input, and before it" '
	task $language "" "sums[0] += a[m * n];" &&
	is_named "the reference \(rows_reference\) reads outside .a.: element 240 in memory, where the last is 239" &&
	task $language "" "sums[m - 1] += a[-1];" &&
	is_named "the reference \(rows_reference\) reads outside .a.: 4 bytes before its first element"
'

test_expect_success "$language: an input that it changes" '
	task $language "" "((float *)a)[3] = 0;" &&
	is_named "the reference \(rows_reference\) changes its input .a. \(element 3 in memory\): let it work on a copy"
'

# plain BODY [REFERENCE-BODY [HIDDEN]]: what is allowed is measured by a plain version, which
# ends as the reference does and with this
plain () {
	task $language "" "$2" "$3" &&
	sed -i "/^tolerance/d; s/entry: rows_reference/&, plain: rows_plain/" avogit.yaml &&
	sed "1d; s/rows_reference/rows_plain/; s/double/float/g; s/ }$/ $1 }/" reference.* >../plain &&
	cat ../plain >>$(ls reference.*) && git commit -qam "plain $1"
}

test_expect_success "$language: an input that the plain version changes, before or after it was read, and a write outside" '
	plain "" && avogit score --again >out 2>err && grep "  pass" out &&
	plain "((float *)a)[3] = 1;" &&
	is_named "the plain version \(rows_plain\) changes its input .a. \(element 3 in memory\): let it work on a copy" &&
	sed -i "/rows_plain/{n;s/{ for/{ ((float *)a)[5] *= 2; for/}; s/((float \*)a)\[3\] = 1;//" $(ls reference.*) &&
	git commit -qam before &&
	is_named "the plain version \(rows_plain\) changes its input .a. \(element 5 in memory\)" &&
	plain "sums[m] = 1;" &&
	is_named "the plain version \(rows_plain\) writes outside .sums.: element 24 in memory"
'

test_expect_success "$language: memory that it has not written, small and large, and on the stack" '
	task $language "" "double *t = (double *)malloc(m * sizeof *t); for (long i = 0; i < m; i++) { t[i] += sums[i]; sums[i] = t[i]; } free(t);" &&
	is_named "the reference \(rows_reference\) gives two answers to the same inputs: .sums.\[[0-9]+\] is .*malloc" &&
	task $language "" "double *t = (double *)malloc((1 << 20) * sizeof *t); sums[2] += t[1 << 19]; free(t);" &&
	is_named "the reference \(rows_reference\) gives two answers to the same inputs: .sums.\[2\] is " &&
	task $language "" "volatile double t[64]; sums[3] += t[40];" &&
	is_named "the reference \(rows_reference\) gives two answers to the same inputs: .sums.\[3\] is "
'

test_expect_success "$language: memory that it and the plain version have not written, in hidden cases alone" '
	plain "" "double *t = (double *)(m > 100 ? malloc(n * sizeof *t) : calloc(n, sizeof *t)); for (long i = 0; i < m * n; i++) out[i] += t[i % n]; free(t);" "hidden: {count: 4, m: 101..300, n: 40..300}" &&
	is_named "in case hidden .* the reference \(rows_reference\) gives two answers to the same inputs: .out.\[[0-9]+\] is .*malloc" &&
	plain "if (m > 100) for (long i = 0; i < m * n; i++) out[i] = 9;" "" "hidden: {count: 4, m: 101..300, n: 40..300}" &&
	is_named "the plain version differs from the reference in .out. by "
'

test_expect_success "$language: a static that goes on from call to call" '
	task $language "" "static double calls; sums[1] += calls++;" &&
	is_named "the reference \(rows_reference\) gives two answers to the same inputs: .sums.\[1\] is "
'

# What it was called with first: inputs, or a size and a table for that
first_inputs="static float *kept; if (!kept) { kept = (float *)malloc(m * n * sizeof *kept); for (long i = 0; i < m * n; i++) kept[i] = a[i]; } for (long i = 0; i < m; i++) sums[i] += kept[i * n];"
first_size="static double table[64]; static int has; if (!has) { has = 1; for (int j = 0; j < 64; j++) table[j] = j + n; } for (long i = 0; i < m; i++) sums[i] += table[(n - 1) % 64];"
keeps="the reference \(rows_reference\) keeps something from call to call: .(sums|out).\[[0-9]+\] is .* where it was called before, and .*, of the same inputs, in a process of its own, so nothing is right there"

# Its end is the same, as it is meant: that of each call alone
means () {
	sed -i "s/sums\[i\] = sum;/sums[i] = sum + $1;/" $(ls kernel.*) && git commit -qam "the kernel means $1"
}

same () {
	sed "s/rows_reference/rows/; s/double/float/g" $(ls reference.*) >../same && cp ../same $(ls kernel.*) &&
	git commit -qam "the kernel has it, too"
}

evolve_names () {
	sed -i "1i #define UNUSED 1 // avogit: 1 2" $(ls kernel.*) && git commit -qam "something to vary" &&
	test_expect_code 128 avogit evolve --run $1 --attempts 1 >out 2>err && grep -E "$keeps" err || { cat out err; return 1; }
}

test_expect_success "$language: what it keeps from its first call is told, of a kernel that is right, in evolve too" '
	task $language "" "$first_inputs" && means "a[i * n]" &&
	is_named "in case m=24 n=10, with .*: avogit.yaml: $keeps" && evolve_names inputs &&
	task $language "" "$first_size" "$hidden" && means "(n - 1) % 64 + n" &&
	is_named "in case hidden m=[0-9]+ n=[0-9]+, with .*: $keeps" && evolve_names size
'

test_expect_success "$language: the same of a kernel that keeps as much and is right by it" '
	task $language "" "$first_inputs" && same &&
	is_named "in case m=24 n=10, with .*: avogit.yaml: $keeps" && evolve_names inputs-of-both &&
	task $language "" "$first_size" "$hidden" && same &&
	is_named "in case hidden m=[0-9]+ n=[0-9]+, with .*: $keeps" && evolve_names size-of-both
'

test_expect_success "$language: outputs that never vary since it keeps the first are told so" '
	task $language "" "static double *kept; if (!kept) { kept = (double *)malloc(m * n * 8); for (long i = 0; i < m * n; i++) kept[i] = out[i]; } for (long i = 0; i < m * n; i++) out[i] = kept[i];" &&
	evolve_names constant
'

test_expect_success "$language: what it does where one element of an input was changed" '
	task $language "" "static float kept[400]; long unlike = 0; for (long i = 0; i < m * n; i++) { unlike += kept[i] != a[i]; kept[i] = a[i]; } if (unlike == 1) out[m * n] = 1;" &&
	is_named "in case m=24 n=10, with .*: avogit.yaml: the reference \(rows_reference\) writes outside .out.: element 240 in memory"
'

test_expect_success "$language: threads that race: it is named, or they did not meet and the kernel passes" '
	task $language "" "t_of = sums; pthread_t t[4]; for (int k = 0; k < 4; k++) pthread_create(&t[k], 0, add_many, 0); for (int k = 0; k < 4; k++) pthread_join(t[k], 0);" &&
	sed -i "s/^cases:/threads: 4\ncases:/" avogit.yaml &&
	sed -i "1i #include <pthread.h>\nstatic double *volatile t_of;\nstatic void *add_many(void *p) { for (int i = 0; i < 100000; i++) { volatile double *at = t_of; *at = *at + 1; } return p; }" reference.* &&
	sed -i "s/} }$/} sums[0] += 400000; }/" $(ls kernel.*) && git commit -qam race &&
	for turn in $(seq $TURNS)
	do
		avogit score --again >out 2>err
		grep -E "the reference \(rows_reference\) gives two answers to the same inputs: .sums.\[0\] is " err ||
		grep "  pass, " out || { cat out err; return 1; }
	done
'

cd ..
done

test_expect_success 'outputs of integers: what it does not write is told so, what it adds to is two answers' '
	mkdir integers && cd integers && git init -q . &&
	task c "" "" && sed -i "s/name: sums, dtype: f32/name: sums, dtype: i32/" avogit.yaml &&
	sed -i "s/float \*sums/int *sums/; s/sums\[i\] = sum/sums[i] = sum > 0/" kernel.c &&
	sed -i "s/double \*sums/int *sums/; s/sums\[i\] = sum/if (sum > 0 \|\| m < 0) sums[i] = 1/" reference.c &&
	git commit -qam hole &&
	is_named "the reference \(rows_reference\) does not write .sums.\[[0-9]+\], so .*inout" &&
	sed -i "s/if (sum > 0 || m < 0) sums\[i\] = 1/sums[i] += 1 + (sum > 0)/" reference.c &&
	git commit -qam adds &&
	is_named "the reference \(rows_reference\) gives two answers to the same inputs: .sums.\["
'

# In float some are no number where they are infinite in double
test_expect_success 'a filter that the inputs make run away: the verdict says so, the reference is not told to give two answers' '
	mkdir ../filter && (
	cd ../filter && git init -q . &&
	cat >avogit.yaml <<-\EOF &&
	name: filter
	language: c
	sources: [kernel.c]
	entry: filter
	arguments:
	  - {name: x, dtype: f32, shape: [n]}
	  - {name: c, dtype: f32, shape: [2], fill: {low: 2, high: 3}}
	  - {name: n, dtype: i64, value: n}
	  - {name: y, dtype: f32, shape: [n], direction: out}
	cases: [{n: 400}]
	bytes: n
	reference: {source: reference.c, entry: filter_reference, plain: filter_plain}
	EOF
	cat >kernel.c <<-\EOF &&
	#define UNUSED 1 // avogit: 1 2
	void filter(const float *x, const float *c, long n, float *y)
	{ float s = 0, t = 0; for (long i = 0; i < n; i++) { float v = c[0] * s - c[1] * t + x[i]; t = s; s = v; y[i] = v; } }
	EOF
	sed "1d; s/filter/filter_plain/" kernel.c >reference.c &&
	sed "1d; s/filter/filter_reference/; s/float \*y/double *y/; s/float s/double s/; s/float v/double v/" kernel.c >>reference.c &&
	git add . && git commit -qm "a filter" &&
	for turn in $(seq $TURNS)
	do
		test_expect_code 1 avogit score --again >out 2>err &&
		grep -E "wrong: y\[[0-9]+\] is -?nan where -?inf is right, .*; the plain version is another there, too, and [0-9]+ of 400 elements that were looked at are infinite or no number by the reference: the inputs make it run away. Choose smaller ones \(.fill: tiny.\)" out || { cat out err; return 1; }
	done &&
	test_expect_code 128 avogit evolve --attempts 1 >out 2>err &&
	grep "the kernel that the run starts from .* the inputs make it run away" err &&
	sed -i "s/{low: 2, high: 3}/tiny/" avogit.yaml && git commit -qam tiny &&
	avogit score >out 2>err && grep "  pass, " out )
'

# After ten seconds; the ten minutes that it has are not waited for.
test_expect_success 'a reference that never returns at one size is named with the case' '
	mkdir ../endless && (
	cd ../endless && cp "$SHARNESS_TEST_SRCDIR"/scale/* . && git init -q . &&
	sed -i "/^baselines:/,/naive/d" avogit.yaml && echo "hidden: {count: 1, n: 1..9}" >>avogit.yaml &&
	sed -i "/^void scale_reference/,/{/s/{/{\n\tfor (volatile int on = n == 1; on;)\n\t\t;/" reference.c &&
	cat reference.c && git add . && git commit -qm endless && mkfifo ../said &&
	{ "$AVOGIT" score >../out 2>../said & } && scoring=$! && exec 8<../said &&
	told "the reference (scale_reference) has not returned for 10 s in case hidden n=1; after 600 s this ends" &&
	kill -s TERM $scoring && test_expect_code 130 wait $scoring )
'

test_expect_success 'where integers lead it in circles, the cause is named' '
	mkdir ../circles && (
	cd ../circles && git init -q . &&
	cat >avogit.yaml <<-\EOF &&
	name: walk
	language: c
	sources: [kernel.c]
	entry: walk
	arguments:
	  - {name: next, dtype: i32, shape: [n], direction: in, fill: {low: 1, high: n - 1}}
	  - {name: steps, dtype: i32, shape: [1], direction: out}
	cases: [{n: 1000}]
	bytes: 4 * n
	reference: {source: reference.c, entry: walk_reference}
	EOF
	cat >kernel.c <<-\EOF &&
	void walk(const int *next, int *steps)
	{
		volatile int at = 0;

		*steps = 0;
		do
			at = next[at];
		while (at != 0);
	}
	EOF
	sed "s/walk(/walk_reference(/" kernel.c >reference.c &&
	git add . && git commit -qm walk && mkfifo ../said2 &&
	{ "$AVOGIT" score >../out 2>../said2 & } && scoring=$! && exec 8<../said2 &&
	told "with an error. Where integers of the inputs are indexes, links or offsets, it may go in circles: say their range with" &&
	kill -s TERM $scoring && test_expect_code 130 wait $scoring )
'

test_expect_success 'a reference that calls another file is told how to name it' '
	mkdir ../further && cd ../further && make_light_repo further &&
	printf "int further(void);\nint more(void) { return further(); }\n" >>reference.c &&
	git commit -qam "calls another file" &&
	test_expect_code 128 avogit score 2>../err &&
	grep "does not build: .*undefined reference to .*further.*; .sources: \[FIRST, SECOND\]. in place of .source. links further files with it (of a file that the kernel.s .sources. name, a copy that they do not: candidates change that one)" ../err &&
	echo "int further(void) { return 1; }" >util.c &&
	sed -i "s|source: reference.c|sources: [reference.c, util.c]|" avogit.yaml &&
	git add . && git commit -qm "both" && avogit score >../out && grep "pass, " ../out
'

test_done
