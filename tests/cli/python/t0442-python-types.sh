#!/bin/sh
# test: parallel long no-asan
test_description='functions of Python: what they are handed, and what is refused'
. "$(dirname "$0")/lib-python.sh"

"$python" -I -c 'import sys, torch; sys.exit(hasattr(torch, "uint16"))' &&
test_set_prereq NO_UINT16
avogit doctor | grep -q "sandbox *bubblewrap" && test_set_prereq BWRAP

# A repository in ./NAME whose kernel copies tensors of these types, with a gap
# between rows, and adds a number to one.
make_types_repo () {
	git init -q "$1" &&
	cd "$1" &&
	shift &&
	{
		echo "name: types" &&
		echo "language: python" &&
		echo "sources: [kernel.py]" &&
		echo "entry: copy" &&
		echo "arguments:" &&
		for type
		do
			echo "  - {name: in_$type, dtype: $type, shape: [n, 5], strides: [8, 1]}" &&
			echo "  - {name: out_$type, dtype: $type, shape: [n, 5], strides: [6, 1], direction: out}"
		done &&
		echo "  - {name: acc, dtype: f32, shape: [n], direction: inout, tolerance: {rtol: 1e-6, atol: 1e-6}}" &&
		echo "  - {name: w, workspace: 4 * n}" &&
		echo "  - {name: n, dtype: i32, value: n}" &&
		echo "  - {name: half, dtype: f64, value: 0.5}" &&
		echo "  - {name: big, dtype: i64, value: n - n + 9007199254740993}" &&
		echo "cases: [{n: 1000}]" &&
		echo "hidden: {count: 1, n: 1..40}" &&
		echo "bytes: n" &&
		echo "reference: {source: reference.c, entry: copy}" &&
		echo "tolerance: {rtol: 0, atol: 0}" &&
		echo "limits: {timeout: 20s}"
	} >avogit.yaml &&
	{
		echo "#include <stdint.h>" &&
		echo "static double f16(uint16_t b) { union { uint16_t u; _Float16 f; } v = {b}; return (double)v.f; }" &&
		echo "static double bf16(uint16_t b) { union { uint32_t u; float f; } v = {(uint32_t)b << 16}; return v.f; }" &&
		echo "void copy(" &&
		for type
		do
			c_types "$type" &&
			echo "const $in *in_$type, $out *out_$type,"
		done &&
		echo "double *acc, void *w, int n, double half, int64_t big) {" &&
		echo "(void)w;" &&
		echo "for (int i = 0; i < n; i++) {" &&
		for type
		do
			c_types "$type" &&
			echo "for (int j = 0; j < 5; j++) out_$type[6 * i + j] = $convert(in_$type[8 * i + j]);"
		done &&
		echo "acc[i] += half + (double)(big - 9007199254740992);" &&
		echo "}}"
	} >reference.c &&
	{
		echo "def copy(" &&
		for type
		do
			echo "    in_$type, out_$type,"
		done &&
		echo "    acc, w, n, half, big):" &&
		for type
		do
			echo "    assert in_$type.dtype == out_$type.dtype and in_$type.stride() == (8, 1)" &&
			echo "    out_$type.copy_(in_$type)"
		done &&
		echo "    assert w.numel() == 4 * n and isinstance(n, int) and isinstance(half, float)" &&
		echo "    w.fill_(1)" &&
		echo "    acc.add_(half).add_(big - 2**53)"
	} >kernel.py &&
	git add . &&
	git commit -qm types
}

# in, out, convert: the types of a reference for one type of a task.
c_types () {
	convert= &&
	case $1 in
	f32) in=float out=double ;;
	f64) in=double out=double ;;
	f16 | bf16) in=uint16_t out=double convert=$1 ;;
	f8*) in=uint8_t out=double ;;
	i*) in=int${1#i}_t out=$in ;;
	u*) in=uint${1#u}_t out=$in ;;
	esac
}

test_expect_success 'tensors of every type, with strides; numbers; a workspace' '
	(
		make_types_repo types f64 f16 bf16 i8 i16 i32 i64 u8 &&
		avogit score --time 1s >out || { cat out; false; } &&
		grep " pass," out
	)
'

test_expect_success 'its runner keeps the protocol, with every type' '
	(
		cd types &&
		avogit score --check-runner >out || { cat out; false; } &&
		test "$(grep -c "^ok" out)" -ge 10
	)
'

test_expect_success 'floats of eight bits are for a GPU' '
	(
		make_types_repo eight f8e4m3 &&
		test_expect_code 128 avogit score --time 1s 2>err &&
		grep "avogit.yaml:6: arguments.in_f8e4m3: .*are for a GPU: language: cuda, or python with device: cuda" err
	)
'

test_expect_success NO_UINT16 'a type that PyTorch lacks is named' '
	(
		make_types_repo lacks u16 &&
		test_expect_code 1 avogit score --time 1s >out &&
		grep "build-failed: PyTorch .* has no type u16, which .in_u16. has" out
	)
'

test_expect_success 'a file that is not Python, and one without the function' '
	(
		make_python_repo syntax &&
		printf "import torch\ndef softmax(:\n" >kernel.py &&
		test_expect_code 1 avogit score --time 1s >out &&
		grep "build-failed: kernel.py:2: SyntaxError" out &&
		echo "def other(): pass" >kernel.py &&
		test_expect_code 1 avogit score --time 1s >out &&
		grep "build-failed: its sources define no function .softmax." out
	)
'

# The environment's python is a link, and its PyTorch that of the system.
test_expect_success 'several files, one imports another, by the Python of a virtual environment' '
	(
		make_python_repo several &&
		"$python" -m venv --without-pip --system-site-packages ../venv &&
		AVOGIT_PYTHON=$(cd .. && pwd)/venv/bin/python &&
		export AVOGIT_PYTHON &&
		sed -i "s/sources: .*/sources: [kernel.py, \"lib\/*.py\"]/" avogit.yaml &&
		mkdir lib &&
		cp kernel.py lib/rows.py &&
		sed -i "s/import torch/import sys, torch\nassert sys.prefix.endswith(\"venv\")/" lib/rows.py &&
		echo "from lib.rows import softmax" >kernel.py &&
		git add . &&
		git commit -qm "two files, of this environment" &&
		avogit score --time 1s >out &&
		grep " pass," out
	)
'

test_expect_success BWRAP 'of the machine it sees what kind of CPUs there are' '
	(
		make_python_repo sees &&
		cat >>kernel.py <<-\EOF &&

		text = open("/proc/cpuinfo").read()
		assert "processor" in text and "MHz" not in text
		for hidden in ("stat", "meminfo", "loadavg"):
		    try:
		        text = open("/proc/" + hidden).read()
		    except OSError:
		        text = ""
		    assert not text, hidden
		EOF
		avogit score --time 1s >out || { cat out; false; } &&
		grep " pass," out
	)
'

test_expect_success 'two threads, and no third' '
	(
		make_python_repo threads &&
		echo "threads: 2" >>avogit.yaml &&
		sed -i "s/import torch/import torch\nassert torch.get_num_threads() == 2/" kernel.py &&
		git commit -qam "two threads" &&
		{ avogit score --time 1s >out || { cat out; false; }; } &&
		grep " pass," out
	)
'

test_expect_success 'a baseline of PyTorch beside a kernel in C' '
	(
		git init -q beside &&
		cd beside &&
		cp "$cheats"/tasks/softmax/* . &&
		cp -r "$cheats"/tasks/common/include . &&
		cp "$cheats"/control-softmax.c kernel.c &&
		cp "$cheats"/python/control-softmax.py eager.py &&
		sed -i "s/rows: 96, cols: 256/rows: 512, cols: 512/; s/^limits: .*/limits: {timeout: 20s}/" avogit.yaml &&
		echo "baselines: {eager: {torch: eager.py, entry: softmax}}" >>avogit.yaml &&
		git add . &&
		git commit -qm "a softmax in C" &&
		avogit score --time 8s --json >json &&
		grep eager json &&
		git notes --ref=avogit show >note &&
		grep "compiler=.*PyTorch" note
	)
'

test_expect_success 'what a baseline of PyTorch may not be is refused' '
	(
		cd beside &&
		cp avogit.yaml ../kept &&
		sed -i "s/entry: softmax}}/entry: softmax, compile: max-autotune}}/" avogit.yaml &&
		git commit -qam compile &&
		test_expect_code 128 avogit score 2>err &&
		grep "baselines.eager: .*torch.compile" err &&
		sed "s|eager.py|../eager.py|" ../kept >avogit.yaml &&
		git commit -qam outside &&
		test_expect_code 128 avogit score 2>err &&
		grep "a file of the task.s own folder" err
	)
'

test_done
