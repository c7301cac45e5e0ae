#!/bin/sh
# test: parallel long no-asan
test_description='a Definition of FlashInfer-Bench with its Workloads becomes a task, or is refused by name'
. "$(dirname "$0")/../lib-avogit.sh"

python=${AVOGIT_PYTHON:-/usr/bin/python3}
"$python" -I -c 'import torch' 2>/dev/null && test_set_prereq TORCH

test_expect_success 'setup: a Definition and its Workloads' '
	cat >scaled.json <<-\EOF &&
	{"name": "scaled", "op_type": "custom",
	 "axes": {"rows": {"type": "var"}, "columns": {"type": "const", "value": 32}},
	 "inputs": {"x": {"shape": ["rows", "columns"], "dtype": "float32"},
	            "w": {"shape": ["columns"], "dtype": "float32"},
	            "eps": {"shape": null, "dtype": "float32"}},
	 "outputs": {"y": {"shape": ["rows", "columns"], "dtype": "float32"}},
	 "reference": "import torch\n\ndef run(x, w, eps):\n    return x * w + eps\n"}
	EOF
	for rows in 16 64 16
	do
		echo "{\"definition\": \"scaled\", \"solution\": null, \"evaluation\": null, \"workload\": {\"uuid\": \"$rows\", \"axes\": {\"rows\": $rows}, \"inputs\": {\"x\": {\"type\": \"random\"}, \"w\": {\"type\": \"random\"}, \"eps\": {\"type\": \"scalar\", \"value\": 0.5}}}}" || return 1
	done >scaled.jsonl
'

test_expect_success TORCH 'axes become sizes, Workloads cases, and the reference passes' '
	git init -q repository && cd repository &&
	avogit import flashinfer ../scaled.json ../scaled.jsonl >out &&
	cd scaled &&
	grep "name: x, dtype: f32, shape: \[rows, 32\], direction: in" avogit.yaml &&
	grep "^  - {rows: 16}" avogit.yaml && test "$(grep -c "{rows: " avogit.yaml)" = 2 &&
	grep "^bytes: 128 + 128 \* rows + 128 \* rows " avogit.yaml &&
	git add . && git commit -qm problem &&
	avogit score --time 1s >out && grep " pass," out && grep "rows=64" out &&
	cd ../..
'

test_expect_success TORCH '--values says what Workloads would' '
	avogit import flashinfer scaled.json --values "rows=16,64 eps=0.5" -o given >out &&
	grep "^  - {rows: 16}" given/avogit.yaml && grep "^  - {rows: 64}" given/avogit.yaml &&
	test_cmp repository/scaled/kernel.py given/kernel.py
'

# no_values WORDS VALUES
no_values () {
	test_expect_code 2 avogit import flashinfer scaled.json --values "$2" -o other 2>err &&
	cat err && grep "import: --values: $1" err && test "$(wc -l <err)" = 1 && ! test -e other
}

test_expect_success 'values that are none of the Definition are refused' '
	no_values "rows takes sizes that are whole numbers above 0" "rows=0" &&
	no_values "rows takes one to eight sizes" "rows=1,2,3,4,5,6,7,8,9" &&
	no_values "columns is a constant of the Definition" "columns=8" &&
	no_values "depth is neither an axis nor an input" "depth=8" &&
	no_values "x is a tensor, which import fills itself: of integers it takes a range LOW..HIGH" "x=0..1" &&
	no_values "eps is a number among the inputs, and takes one" "eps=small" &&
	no_values "rows is not of the form NAME=VALUE" "rows" &&
	test_expect_code 2 avogit import flashinfer scaled.json scaled.jsonl --values "rows=1" 2>err &&
	grep "goes with .flashinfer DEFINITION.json. alone" err &&
	test_expect_code 128 avogit import flashinfer scaled.json --values "rows=1" 2>err &&
	grep "the number \`eps. has no value: give the file of its Workloads, too, or its value by --values" err
'

test_expect_success TORCH 'truth values are bytes, and indices for which a Definition says no range are refused' '
	sed "s/\"w\": {\"shape\": \[\"columns\"\], \"dtype\": \"float32\"}/\"w\": {\"shape\": [\"columns\"], \"dtype\": \"bool\"}/" \
		scaled.json >truth.json &&
	avogit import flashinfer truth.json scaled.jsonl >out &&
	grep "name: w, dtype: u8, shape: \[32\], direction: in, fill: {low: 0, high: 1}" truth/avogit.yaml &&
	sed "s/\"w\": {\"shape\": \[\"columns\"\], \"dtype\": \"float32\"}/\"w\": {\"shape\": [\"columns\"], \"dtype\": \"int32\"}/; s/x \* w/x[:, w.long()]/" \
		scaled.json >index.json &&
	test_expect_code 128 avogit import flashinfer index.json scaled.jsonl 2>err &&
	grep "IndexError: .*: import draws \`w. as any numbers, since a Definition says no range: give that of indices by --values .w=LOW..HIGH." err &&
	avogit import flashinfer index.json --values "rows=16 eps=1 w=0..31" >out &&
	grep "name: w, dtype: i32, shape: \[32\], direction: in, fill: {low: 0, high: 31}" index/avogit.yaml &&
	rm -r index &&
	sed "s/return/assert w.min() >= 0\\\\n    return/" index.json >asserts.json &&
	test_expect_code 128 avogit import flashinfer asserts.json --values "rows=16 eps=1 w=-4..-1" 2>err &&
	grep "AssertionError: assert w.min() >= 0: import draws" err
'

# refused SED WORDS: one sentence, and nothing is written
refused () {
	sed "$1" scaled.json >other.json &&
	test_expect_code 128 avogit import flashinfer other.json $3 2>err &&
	grep "$2" err && test "$(wc -l <err)" = 1 && ! test -e other
}

test_expect_success 'what a task cannot say is refused by name' '
	refused "s/float32/float4_e2m1/" "\`x. is of type float4_e2m1, which import does not read" scaled.jsonl &&
	refused "" "the axis rows has no size: give the file of its Workloads, too, or its size by --values" &&
	refused "s/\"scaled\"/\"other\"/" "its Workloads are of another Definition" scaled.jsonl &&
	refused "s/\"rows\": {/\"a b\": {/" "the name of an axis is not a word" scaled.jsonl &&
	refused "s/\[\"columns\"\]/[\"depth\"]/" "\`w. has a dimension that is not an axis" scaled.jsonl &&
	refused "s/^{/[/" "other.json" scaled.jsonl &&
	sed "s/\"random\"/\"safetensors\"/" scaled.jsonl >files.jsonl &&
	refused "" "a Workload takes \`x. from a file (safetensors), which import does not read" files.jsonl
'

test_expect_success TORCH 'so is a reference that returns what the Definition does not say' '
	refused "s/x \* w + eps/(x * w + eps).double()/" "\`y. is of another shape or type than the Definition says" scaled.jsonl
'

test_expect_success 'a file that is no Definition' '
	test_expect_code 2 avogit import flashinfer scaled.jsonl 2>err && grep "not a Definition" err
'

test_done
