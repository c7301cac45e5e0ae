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

# refused SED WORDS: one sentence, and nothing is written
refused () {
	sed "$1" scaled.json >other.json &&
	test_expect_code 128 avogit import flashinfer other.json $3 2>err &&
	grep "$2" err && test "$(wc -l <err)" = 1 && ! test -e other
}

test_expect_success 'what a task cannot say is refused by name' '
	refused "s/float32/float8_e4m3fn/" "\`x. is of type float8_e4m3fn, which import does not read" scaled.jsonl &&
	refused "" "the axis rows has no size: give the file of its Workloads" &&
	refused "s/\"scaled\"/\"other\"/" "its Workloads are of another Definition" scaled.jsonl &&
	refused "s/\"rows\": {/\"a b\": {/" "the name of an axis is not a word" scaled.jsonl &&
	refused "s/\[\"columns\"\]/[\"depth\"]/" "\`w. has a dimension that is not an axis" scaled.jsonl &&
	refused "s/^{/[/" "other.json" scaled.jsonl &&
	sed "s/\"random\"/\"safetensors\"/" scaled.jsonl >files.jsonl &&
	refused "" "takes an input from a file (safetensors)" files.jsonl
'

test_expect_success TORCH 'so is a reference that returns what the Definition does not say' '
	refused "s/x \* w + eps/(x * w + eps).double()/" "\`y. is of another shape or type than the Definition says" scaled.jsonl
'

test_expect_success 'a file that is no Definition' '
	test_expect_code 2 avogit import flashinfer scaled.jsonl 2>err && grep "not a Definition" err
'

test_done
