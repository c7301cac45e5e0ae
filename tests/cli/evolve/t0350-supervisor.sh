#!/bin/sh
# test: parallel long no-asan
test_description='the supervisor: silent while it improves, a new lineage when it stalls'
. "$(dirname "$0")/../lib-avogit.sh"
. "$SHARNESS_TEST_SRCDIR/lib-operator.sh"

# A repository whose one tunable can only make it slower, and whose task says
# this of the supervisor: make_stalling NAME RULES
make_stalling () {
	make_light_repo "$1" &&
	sed -i -e "s|ROUNDS 16 .*|ROUNDS 4 // avogit: 4 40 41 42 43 44 45 46 47 48 49 50|" \
		-e "s|// avogit: 0\$||" kernel.c &&
	echo "supervisor: $2" >>avogit.yaml &&
	git commit -qam "nothing to gain"
}

# A repository whose operator is the shell script on stdin, and whose task says this of
# the supervisor: make_agent NAME RULES <SCRIPT
make_agent () {
	make_repo "$1" &&
	echo "supervisor: $2" >>avogit.yaml &&
	use_operator
}

# For the scripts: change SUBJECT SED-COMMAND scores what the command makes of the
# kernel; `better` goes on to fewer rounds until one of three is kept.
TOOLS="$TOOLS"'
change () {
	sed -i "$2" kernel.c
	score "$1" "so"
}
rounds () {
	change "$1 rounds" "s/ROUNDS [0-9]* /ROUNDS $1 /"
}
better () {
	for n in $1 $(($1 - 1)) $(($1 - 2)); do
		rounds $n >reply
		grep -q "is kept:" reply && return
	done
}'

interventions () {
	avogit log | grep -c -e "-- supervisor: "
}

test_expect_success 'a stall: it speaks after the number of attempts it was given' '
	make_stalling stall "{stall: 4}" &&
	avogit evolve --seed 3 --attempts 6 >../out &&
	grep -n "^[.ox*] #4 " ../out >../fourth &&
	grep -n "^supervisor: stall: 4 attempts and .* of work without a gain; begin again from attempt 0 (" ../out >../said &&
	test "$(cut -d: -f1 ../said)" = "$(($(cut -d: -f1 ../fourth) + 1))" &&
	test "$(wc -l <../said)" = 1 &&
	cd ..
'

test_expect_success 'log has its trigger, what was tried and what to do' '
	cd stall &&
	avogit log >../out &&
	grep -e "-- supervisor: stall: 4 attempts" ../out &&
	grep "Tried so far" ../out &&
	grep -e "- ROUNDS, 4 attempts, beside [0-9]*: best .* %.*, worst .* %" ../out &&
	grep "The search goes on by itself" ../out &&
	avogit log --json | tr -d "\t" >../out &&
	grep "\"trigger\":.*\"stall\"" ../out &&
	grep "\"stalled_attempts\":.*4" ../out &&
	grep "\"lineage\":.*2" ../out &&
	cd ..
'

test_expect_success 'the journal has it too' '
	cd stall &&
	git log --format=%s --glob="refs/avogit/scale/journal/*" >../out &&
	grep "^intervention: stall: 4 attempts" ../out &&
	cd ..
'

test_expect_success 'a resumed run goes on counting and does not say it again' '
	make_stalling resumed "{stall: 4}" &&
	avogit evolve --seed 3 --attempts 3 >/dev/null &&
	test "$(interventions)" = 0 &&
	avogit evolve --attempts 2 >../out &&
	grep "^supervisor: stall: 4 attempts" ../out &&
	avogit evolve --attempts 3 >../out &&
	! grep "^supervisor: " ../out &&
	test "$(interventions)" = 1 &&
	: of a search that only goes on it has said all &&
	avogit evolve --attempts 1 >../out &&
	! grep "^supervisor: " ../out &&
	cd ..
'

test_expect_success 'off is off' '
	make_stalling off off &&
	avogit evolve --attempts 8 >../out &&
	! grep "^supervisor: " ../out &&
	cd ..
'

# A busy machine may not tell a gain at once, so the agents here ask again.
test_expect_success BUBBLEWRAP 'it is silent while an agent improves' '
	make_agent improves "{stall: 6}" <<-\EOF &&
	grep -q "ROUNDS 64 " kernel.c || exit 0
	better 16; rounds 30; better 4; rounds 31
	EOF
	avogit evolve --attempts 8 >../out &&
	grep "#[0-9]* .*30 rounds" ../out &&
	! grep "^supervisor: " ../out &&
	cd ..
'

test_expect_success BUBBLEWRAP 'it branches from another candidate, and the agent is told' '
	make_agent branches "{stall: 8}" <<-\EOF &&
	grep "direction for this step: stall: 8" "$AVOGIT_PROMPT" && exit
	grep -q "ROUNDS 64 " kernel.c || exit 0
	better 16; better 4
	for n in 30 31 32 33 34 35 36 37; do
		rounds $n >reply
		grep -q "The supervisor began lineage 2.*Tried so far" reply || continue
		rounds 40 >reply
		echo and was told
		exit
	done
	EOF
	avogit evolve --seed 5 --attempts 20 >../out &&
	grep "^supervisor: stall: 8 attempts .* begin again from attempt [0-9]* (" ../out &&
	grep "operator: sh: .*and was told" ../out &&
	grep "operator: sh: .*direction for this step: stall: 8" ../out &&
	avogit log --json | tr -d "\t\n " | sed "s/{/\n/g" | grep 40rounds >../flat &&
	grep "\"lineage\":2" ../flat &&
	! grep "\"parent\":\"$(git rev-parse avo/scale/best)\"" ../flat &&
	cd ..
'

test_expect_success BUBBLEWRAP 'one error three times in a row is enough' '
	make_agent errors "{stall: 12}" <<-\EOF &&
	change "a" "1i int a = 1 +;"
	change "b" "1i int b = 2 +;"
	change "c" "1i int c = 3 +;"
	rounds 16
	EOF
	avogit evolve --attempts 4 >../out &&
	grep "^supervisor: same-error: 3 times in a row the same error: build-failed, " ../out &&
	avogit log | grep "3x build-failed: " &&
	cd ..
'

test_expect_success 'rules that are off are refused by name' '
	make_repo rules &&
	echo "supervisor: {stall: 1}" >>avogit.yaml &&
	git commit -qam rules &&
	test_expect_code 128 avogit evolve 2>../err &&
	grep "supervisor.stall: found .1.; it must be" ../err &&
	cd ..
'

test_done
