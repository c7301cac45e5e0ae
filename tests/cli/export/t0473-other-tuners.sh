#!/bin/sh
# test: parallel
test_description='spaces and measurements go to other tuners and come from them'
. "$(dirname "$0")/../lib-avogit.sh"

test_expect_success 'setup: a task with tunables and a condition' '
	make_light_repo repo &&
	sed -i "s/^  flags: .*/&\n  allow: [-O1]/" avogit.yaml &&
	sed -i "1i // avogit-flags: -O2 | -O1\n// avogit-require: ROUNDS * (1 + MODE) < 32 && !(ROUNDS == 4 && MODE != 0) && ceil_div(ROUNDS, 3) < 7" kernel.c &&
	git add avogit.yaml && offer_modes 0 1
'

test_expect_success 'export --t1 writes the space as Python understands it' '
	avogit export --t1 ../t1.json >../out &&
	grep "^exported 3 tunables of the task scale to ../t1.json" ../out &&
	python3 "$SHARNESS_TEST_SRCDIR/export/t1-check.py" ../t1.json >../space 2>../arguments &&
	cat >../expected <<-\EOF &&
	flags | -O1 | -O2
	ROUNDS | 16 | 4 | 1
	MODE | 0 | 1
	8
	EOF
	test_cmp ../expected ../space &&
	cat >../expected <<-\EOF &&
	x float Vector 16384
	y float Vector 16384
	a float Scalar 1.5
	n int32 Scalar 16384
	EOF
	test_cmp ../expected ../arguments &&
	avogit evolve -n 1 --run any >../announced &&
	grep "flags (2), ROUNDS (3), MODE (2): 8 points" ../announced
'

test_expect_success 'it goes with no REV, --as, --run, --t4 or -o, and replaces nothing' '
	for with in HEAD "--as hub" "--run t" "--t4 ../x" "-o ../dir"
	do
		test_expect_code 2 avogit export --t1 ../new $with 2>../err &&
		grep "goes with no REV, --as" ../err || return 1
	done &&
	test_expect_code 128 avogit export --t1 ../t1.json 2>../err &&
	grep "t1.json is there already: --force replaces it" ../err &&
	avogit export --t1 ../t1.json --force
'

test_expect_success 'import t1 declares a space of Kernel Tuner in a source' '
	cat >../space.json <<-\EOF &&
	{"ConfigurationSpace": {"TuningParameters": [
	  {"Name": "ROUNDS", "Type": "int", "Values": "[4**i for i in range(3)]"},
	  {"Name": "block", "Type": "int", "Values": "list(range(32, 129, 32))", "Default": 64}],
	 "Conditions": [{"Expression": "ROUNDS != 4 or block % 64 == 0", "Parameters": []}]}}
	EOF
	printf "#define ROUNDS 16\nint f(void);\n" >../plain.c &&
	avogit import t1 ../space.json ../plain.c >../declared.c &&
	cat >../expected <<-\EOF &&
	#define block 64 // avogit: 32 64 96 128
	// avogit-require: (ROUNDS != 4) || (block % 64 == 0)
	#define ROUNDS 16 // avogit: 1 4 16
	int f(void);
	EOF
	test_cmp ../expected ../declared.c &&
	avogit import t1 ../space.json ../plain.c -o ../plain.c 2>../err;
	grep "plain.c is there already: --force replaces it" ../err &&
	avogit import t1 ../space.json ../plain.c -o ../plain.c --force &&
	test_cmp ../expected ../plain.c
'

test_expect_success 'what is no space is refused in one sentence' '
	echo "{\"ConfigurationSpace\": {\"TuningParameters\": [{\"Name\": \"x\", \"Values\": \"open(1)\"}]}}" >../bad.json &&
	test_expect_code 128 avogit import t1 ../bad.json 2>../err &&
	grep "bad.json: x: .open(1).: a list or a range is missing" ../err &&
	test "$(wc -l <../err)" = 1 &&
	test_expect_code 2 avogit import t1 ../space.txt 2>../err &&
	grep "is not a space (NAME.json)" ../err
'

test_expect_success 'what another run measured is tried first, and is no attempt' '
	cat >../cache.json <<-\EOF &&
	{"device_name": "another", "tune_params_keys": ["flags", "ROUNDS", "MODE"], "cache": {
	"-O1,4,0": {"flags": "-O1", "ROUNDS": 4, "MODE": 0, "time": 2.5},
	"-O2,77,0": {"flags": "-O2", "ROUNDS": 77, "MODE": 0, "time": 1.5},
	"-O1,1,1": {"flags": "-O1", "ROUNDS": 1, "MODE": 1, "time": "RuntimeFailedConfig"},
	EOF
	avogit evolve -n 1 --run guided --known ../cache.json >../out &&
	grep "^2 measurements of ../cache.json guide the tuner; 1 are no points of these sources" ../out &&
	avogit log --run guided >../log &&
	grep "ROUNDS 16 -> 4" ../log &&
	avogit show "guided#1" >../shown &&
	grep "the best that was measured before" ../shown
'

test_expect_success 'the results of that run guide another' '
	avogit export --run guided --t4 ../t4.json &&
	avogit evolve -n 1 --run again --known ../t4.json >../out &&
	grep "^2 measurements of ../t4.json guide the tuner\$" ../out
'

test_expect_success 'a file of nothing that is known here is refused' '
	echo "{\"cache\": {\"1\": {\"ROUNDS\": 1}}}" >../other.json &&
	test_expect_code 128 avogit evolve -n 1 --run no --known ../other.json 2>../err &&
	grep "other.json: none of its 1 measurements is a point of these sources" ../err &&
	echo "{" >../broken.json &&
	test_expect_code 128 avogit evolve -n 1 --run no --known ../broken.json 2>../err &&
	grep "broken.json: " ../err &&
	test "$(wc -l <../err)" = 1
'

test_done
