#!/bin/sh
# test: parallel
test_description='export --as flashinfer: Definition, Solution and Traces that FlashInfer-Bench takes'
. "$(dirname "$0")/../lib-avogit.sh"

check=$SHARNESS_TEST_SRCDIR/export/flashinfer-check.py
command -v python3 >/dev/null && test_set_prereq PYTHON

# The candidate of the task as it is now: scored RUN
scored () {
	git commit -qam "the task of $1" &&
	sed -i "s|^#define ROUNDS .*|#define ROUNDS 2|" kernel.c &&
	avogit score --run "$1" -m "two rounds" >/dev/null &&
	git checkout -q kernel.c
}

# refused RUN WORDS: by one sentence, and nothing is written
refused () {
	test_expect_code 128 avogit export "$1#1" --as flashinfer -o ../none 2>../err &&
	grep "$2" ../err && test "$(wc -l <../err)" = 1 && ! test -e ../none
}

test_expect_success 'setup: a candidate of a task with a size that varies' '
	make_light_repo repo &&
	sed -i "/^baselines:/,+1d; s|^  - {n: 16384}|  - {n: 16384}\n  - {n: 4096}\nhidden: {count: 1, n: {low: 64, high: 512, step: 64}, require: n > 9}|" avogit.yaml &&
	printf "// SPDX-License-Identifier: MIT\n// \"quoted\" \\\\ and \303\251\n" >>kernel.c &&
	scored v && git tag start
'

test_expect_success PYTHON 'it is a dataset of FlashInfer-Bench, as its documentation describes one' '
	avogit export "v#1" --as flashinfer -o ../out &&
	python3 "$check" ../out >../checked && cat ../checked
'

test_expect_success 'what varies is an axis, and the sizes that it was checked at are a constraint' '
	json="perl $SHARNESS_TEST_SRCDIR/json.pl" &&
	$json ../out/definitions/custom/scale.json "
		\$j->{axes}{n}{type} eq \"var\" && \$j->{inputs}{x}{shape}[0] eq \"n\" &&
		\$j->{outputs}{y}{dtype} eq \"float32\" &&
		\$j->{constraints}[0] eq \"n in (16384,4096,) or 64 <= n <= 512 and n % 64 == 0\" &&
		\$j->{constraints}[1] =~ /n > 9/" &&
	test "$(wc -l <../out/workloads/custom/scale.jsonl)" = 2 &&
	head -n 1 ../out/traces/avogit/custom/scale.jsonl >../first &&
	$json ../first "
		\$j->{workload}{axes}{n} == 16384 && \$j->{evaluation}{status} eq \"PASSED\" &&
		\$j->{evaluation}{performance}{latency_ms} > 0 &&
		\$j->{evaluation}{correctness}{extra}{worst_error_over_allowed_error} < 1"
'

test_expect_success 'score, machine, commit and licence are in all of it' '
	of=$(sed -n "s/^- commit: //p" ../out/README.md) &&
	for f in ../out/README.md ../out/solutions/avogit/custom/scale/*.json ../out/traces/avogit/custom/*.jsonl
	do
		grep "commit: $of" "$f" && grep "score: pass" "$f" &&
		grep "machine: " "$f" && grep "licence: MIT" "$f" || return 1
	done &&
	grep "MIT" ../out/export.json
'

# The check finds what is wrong: broken SED FILE
broken () {
	rm -rf ../broken && cp -r ../out ../broken &&
	sed -i "$1" ../broken/$2 && ! cmp -s ../broken/$2 ../out/$2 &&
	test_expect_code 1 python3 "$check" ../broken 2>../err && grep "^not valid" ../err
}

test_expect_success PYTHON 'the check can fail' '
	broken "s/float32/float64/" definitions/custom/scale.json &&
	broken "s/\"var\"/\"const\"/; s/\"const\",*/\"const\", \"value\": 3/" definitions/custom/scale.json &&
	broken "s/PASSED/passed/" traces/avogit/custom/scale.jsonl &&
	broken "s/4096/4097/" workloads/custom/scale.jsonl
'

test_expect_success 'a type that FlashInfer-Bench has not is refused by name' '
	sed -i "s/float/double/g" kernel.c reference.c &&
	sed -i "s/f32/f64/" avogit.yaml &&
	scored f && git checkout -q start -- . &&
	refused f "\`x. is of type f64, which FlashInfer-Bench has no word for: use --as torch"
'

test_expect_success 'so are strides, and a size that varies and is read from no input' '
	sed -i "s/\[n\], direction: in/[n], strides: [1], direction: in/" avogit.yaml &&
	scored s && git checkout -q start -- . &&
	refused s "\`x. has strides of its own" &&
	sed -i "s/int n)/int n, int k)/" kernel.c reference.c &&
	sed -i "s/^cases:/  - {name: k, dtype: i32, value: k}\n&/; s/{n: 4096}/{n: 4096, k: 2}/; s/{n: 16384}/{n: 16384, k: 1}/; /^hidden/d" avogit.yaml &&
	scored k && git checkout -q start -- . &&
	refused k "\`k. is not the same in all cases"
'

test_expect_success 'a function that is called once before the kernel is refused' '
	cd .. && git init -q rich && cd rich &&
	cp -r "$SHARNESS_TEST_SRCDIR"/export/rich/* . &&
	git add . && git commit -qm rich &&
	echo "// nothing new" >>kernel.c &&
	avogit score --time 1s --run r -m "a remark" >/dev/null &&
	refused r "\`rich_prepare. is called once before the kernel"
'

test_done
