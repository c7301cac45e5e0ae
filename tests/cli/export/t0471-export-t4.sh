#!/bin/sh
# test: parallel
test_description='export --t4: the results of a run for other tuners'
. "$(dirname "$0")/../lib-avogit.sh"

# Scores the kernel with these values: scored ROUNDS MODE
scored () {
	sed -i "s|^#define ROUNDS [0-9]*|#define ROUNDS $1|;
		s|^#define MODE [0-9]*|#define MODE $2|" kernel.c &&
	avogit score --run t -m "$1 rounds, mode $2" >/dev/null
	git checkout -q kernel.c
}

test_expect_success 'setup: a run with a pass and failures, and one of other code' '
	make_light_repo repo &&
	sed -i "/^baselines:/,+1d" avogit.yaml &&
	sed -i "s/^  flags: .*/&\n  allow: [-O1]/" avogit.yaml &&
	sed -i "1i // avogit-flags: -O2 | -O1" kernel.c &&
	git add avogit.yaml && offer_modes 0 1 2 4 &&
	scored 4 0 && scored 4 1 && scored 4 2 && scored 1 4 &&
	echo "/* other code */" >>kernel.c &&
	scored 4 1 &&
	git status --porcelain >../status && test_must_be_empty ../status
'

test_expect_success 'each attempt is a result with its values and what became of it' '
	avogit export --run t --t4 ../t4.json >../out &&
	grep "^exported [0-9]* results of the run t to ../t4.json" ../out &&
	grep "left out: 1 whose code differs" ../out &&
	python3 "$SHARNESS_TEST_SRCDIR/export/t4-check.py" ../t4.json >../results &&
	cat >../expected <<-\EOF &&
	flags='\''-O2'\'' ROUNDS=4 MODE=0 correct 1
	flags='\''-O2'\'' ROUNDS=4 MODE=1 correctness 0
	flags='\''-O2'\'' ROUNDS=4 MODE=2 runtime 0
	flags='\''-O2'\'' ROUNDS=1 MODE=4 compile 0
	EOF
	grep -v "ROUNDS=16 " ../results >../tried && test_cmp ../expected ../tried
'

test_expect_success 'a file that is there is not replaced without --force' '
	echo mine >../mine &&
	test_expect_code 128 avogit export --run t --t4 ../mine 2>../err &&
	grep "^avogit: export: ../mine is there already: --force replaces it" ../err &&
	grep mine ../mine &&
	avogit export --run t --t4 ../mine --force &&
	cmp ../t4.json ../mine
'

test_expect_success 'it is of a run: no REV, no --as, no -o' '
	for with in HEAD "--as hub" "-o ../dir"
	do
		test_expect_code 2 avogit export --t4 ../new $with 2>../err &&
		grep "goes with no REV, --as or -o" ../err &&
		test ! -e ../new || return 1
	done
'

test_expect_success 'sources without tunables are refused' '
	sed -i "s|// avogit.*||" kernel.c && git commit -qam "nothing to tune" &&
	sed -i "s|^#define ROUNDS 16|#define ROUNDS 4|" kernel.c &&
	avogit score --run plain -m "4 rounds" >/dev/null &&
	test_expect_code 128 avogit export --run plain --t4 ../new 2>../err &&
	grep "run .plain. declare no tunables" ../err &&
	test ! -e ../new
'

test_done
