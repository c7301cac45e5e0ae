#!/bin/sh
# test: parallel long no-asan
test_description='operator llm: roles, each with its model, against a scripted model'
. "$(dirname "$0")/../lib-avogit.sh"
. "$SHARNESS_TEST_SRCDIR/lib-llm.sh"

# A dollar for a thousand tokens, of each model.
git config --global avogit.claude.price '1000 1000'

roles='planner: {model: claude-plan}, writer: {model: claude-write}, debugger: {model: claude-debug}, reviewer: {model: claude-review}, searcher: {model: claude-search}'

# A small matmul that does its work ROUNDS times, so that a gain of tens is in
# it: make_rounds NAME ROLES
make_rounds () {
	make_matmul "$1" &&
	sed -i -e "s/256/64/g" -e "s/1\.\.200/1..64/g" avogit.yaml &&
	test -z "$2" || echo "operator: {roles: {$2}}" >>avogit.yaml &&
	cat >kernel.c <<-\EOF &&
	#define ROUNDS 200
	void matmul(const float *a, const float *b, float *c, int m, int n, int k)
	{
		for (int round = 0; round < ROUNDS; round++)
			for (int i = 0; i < m; i++)
				for (int j = 0; j < n; j++) {
					float sum = 0;

					for (int p = 0; p < k; p++)
						sum += a[i * k + p] * b[p * n + j];
					c[i * n + j] = sum;
					__asm__ volatile("" ::: "memory");
				}
	}
	EOF
	git commit -qa --amend --no-edit
}

plan () {
	cat <<-\EOF
	exchange
	want model claude-plan
	want system.0.text ~You plan how one computing kernel
	usage 100 0 0 0
	call edit {"path":"kernel.c","old":"200","new":"1"}
	call lineage {}
	exchange
	want model claude-plan
	want messages.-1.content.0.content ~there is no tool 'edit'; there is: view search
	usage 100 0 0 0
	text "# Fewer rounds\nAll rounds but the last are wasted.\nRuled out: nothing yet."
	EOF
}

# The writer takes fewer rounds, and the first product is lost.
break_it () {
	cat <<-EOF
	exchange
	want model claude-write
	${1-want messages.0.content.0.text ~All rounds but the last are wasted}
	usage 100 0 0 0
	call edit {"path":"kernel.c","old":"ROUNDS 200","new":"ROUNDS 20"}
	call edit {"path":"kernel.c","old":"int p = 0","new":"int p = 1"}
	call score {"subject":"A tenth of the rounds","hypothesis":"less work"}
	EOF
}

allow () {
	cat <<-\EOF
	exchange
	want model claude-review
	want messages.0.content.0.text ~All rounds but the last are wasted
	want messages.0.content.0.text ~+#define ROUNDS 20
	usage 100 0 0 0
	call answer {"allow":true,"reason":"it is what the plan says"}
	EOF
}

mend () {
	cat <<-\EOF
	exchange
	want model claude-debug
	want messages.0.content.0.text ~: wrong (
	want messages.0.content.0.text ~p = 1; p < k
	usage 100 0 0 0
	call edit {"path":"kernel.c","old":"int p = 1","new":"int p = 0"}
	call score {"subject":"Begin the sum at row 0","hypothesis":"the first product was left out"}
	exchange
	want model claude-debug
	usage 100 0 0 0
	text The sum began at row 1.
	EOF
}

hopeless () {
	cat <<-\EOF
	exchange
	want model claude-write
	want messages.-1.content.-1.text ~mended as #2
	usage 100 0 0 0
	call edit {"path":"kernel.c","old":"ROUNDS 20","new":"ROUNDS 2000"}
	call score {"subject":"More rounds","hypothesis":"perhaps it is faster"}
	exchange
	want model claude-review
	want messages.0.content.0.text ~perhaps it is faster
	usage 100 0 0 0
	call answer {"allow":false,"reason":"A hundred times the work is not faster."}
	exchange
	want model claude-write
	want messages.-1.content.-1.content ~no attempt was spent: the reviewer refused it: A hundred times
	usage 100 0 0 0
	call restore {"attempt":2}
	exchange
	want model claude-write
	usage 100 0 0 0
	text I have no better idea.
	EOF
}

sweep () {
	cat <<-\EOF
	exchange
	want model claude-search
	want system.0.text ~You search the parameters
	usage 100 0 0 0
	call edit {"path":"kernel.c","old":"ROUNDS 20","new":"ROUNDS 20 // avogit: 20 1"}
	call tune {}
	exchange
	want model claude-search
	usage 100 0 0 0
	text One round is best.
	EOF
}

test_expect_success 'the debugger mends, the reviewer stops a hopeless plan, the sweep wins' '
	make_rounds roles "$roles" &&
	{ plan && break_it && allow && mend && hopeless && sweep; } |
	with_model anthropic avogit evolve --money 1.15 --seed 5 >../out &&
	grep "^x #1 .*A tenth of the rounds" ../out &&
	grep "^\* #2 .*Begin the sum at row 0" ../out &&
	grep "^\* #[0-9]* .*ROUNDS 20 -> 1" ../out &&
	! grep "More rounds$" ../out &&
	git show avo/matmul/best:kernel.c | grep "ROUNDS 1 //" &&
	cp ../requests ../requests.roles &&
	cd ..
'

test_expect_success 'each model was asked by its own name' '
	perl -MJSON::PP -ne "
		\$b = decode_json(\$_)->{body};
		\$b = decode_json(\$b) unless ref \$b;
		print \$b->{model}, qq(\n);" requests.roles >models &&
	cat >expected <<-\EOF &&
	claude-plan
	claude-plan
	claude-write
	claude-review
	claude-debug
	claude-debug
	claude-write
	claude-review
	claude-write
	claude-write
	claude-search
	claude-search
	EOF
	test_cmp expected models
'

test_expect_success 'each says what it did, and what it took' '
	grep "^operator: planner: claude-plan: Fewer rounds; 2 turns, 200 tokens in, .*[$]0.20" out &&
	grep "^operator: reviewer: claude-review: allowed .A tenth of the rounds.: it is what the plan says; 1 turn, 100 tokens in, .*[$]0.10" out &&
	grep "^operator: debugger: claude-debug: #1 wrong; mended as #2; 2 turns, 200 tokens in, .*[$]0.20" out &&
	grep "^operator: reviewer: claude-review: refused .More rounds.: A hundred times" out &&
	grep "^operator: searcher: claude-search: .*[1-9] attempts*; 2 turns, 200 tokens in" out &&
	grep "^spent: 12 turns, .*[$]1.20" out
'

test_expect_success 'show has the plan, the review, the debugging and the search' '
	cd roles &&
	avogit show matmul#1 >../show1 &&
	avogit show matmul#2 >../show2 &&
	avogit show avo/matmul/best >../show3 &&
	grep "^plan  by claude-plan: Fewer rounds" ../show1 &&
	grep "^  Ruled out: nothing yet" ../show1 &&
	grep "^review  by claude-review: allowed" ../show1 &&
	grep "^debugging  by claude-debug: #1 wrong; mended as #2" ../show1 &&
	grep "^  The sum began at row 1" ../show1 &&
	grep "^plan  by claude-plan" ../show2 &&
	grep "^debugging  by claude-debug: #1 wrong; mended as #2" ../show2 &&
	grep "^plan  by claude-plan" ../show3 &&
	avogit show --json matmul#1 | tr -d "\n\t " >../json &&
	grep "\"role\":\"planner\",\"line\":\"claude-plan:.*\"spend\":{\"turns\":2,\"tokens_in\":200" ../json &&
	grep "\"role\":\"debugger\"" ../json &&
	cd ..
'

test_expect_success 'log has a line of each, and all of it as JSON' '
	cd roles &&
	avogit log >../log &&
	for role in planner reviewer debugger searcher operator
	do
		grep -e "-- $role: claude-" ../log || return 1
	done &&
	! grep "Ruled out" ../log &&
	avogit log --json | tr -d "\n\t" >../json &&
	grep "\"trigger\":[^,]*\"planner\".*Ruled out: nothing yet" ../json >/dev/null &&
	cd ..
'

# The same model, each attempt from the start, by what the run before took.
test_expect_success 'best of N by the same model at equal money has less' '
	make_rounds best-of-n "" &&
	{
		for i in 1 2 3
		do
			break_it "" && printf "exchange\nusage 100 0 0 0\ntext that was it\n" &&
			cat <<-\EOF
			exchange
			usage 100 0 0 0
			call edit {"path":"kernel.c","old":"ROUNDS 200","new":"ROUNDS 400"}
			call score {"subject":"More rounds","hypothesis":"perhaps it is faster"}
			exchange
			usage 100 0 0 0
			text that was it
			EOF
		done
	} | AVOGIT_MODEL=claude-write with_model anthropic avogit evolve --money 1.15 --seed 5 >../out.n &&
	grep "^spent: 12 turns, .*[$]1.20" ../out.n &&
	cd .. &&
	perl "$SHARNESS_TEST_SRCDIR"/llm/roles-table.pl roles:roles best-of-n:best-of-n >table &&
	cat table &&
	grep "^roles  *12 " table &&
	awk "\$1 == \"roles\" { r = \$NF + 0 } \$1 == \"best-of-n\" { n = \$NF + 0 } END { exit !(r > 20 && n == 1) }" table
'

test_expect_success 'without roles nothing of them is in a request or the journal' '
	! grep -E "planner|debugger|reviewer|searcher" requests &&
	! git -C best-of-n log --format=%B --glob="refs/avogit/matmul/journal/*" | grep -E "planner|artefacts|debugger|searcher"
'

# ---- bounds --------------------------------------------------------------------

test_expect_success 'after two refusals in a step the score goes through' '
	make_rounds refuses "reviewer: {model: claude-review}" &&
	{
		break_it ""
		for i in 1 2
		do
			cat <<-\EOF
			exchange
			want model claude-review
			usage 1 0 0 1
			call answer {"allow":false,"reason":"\u001b[31mno"}
			exchange
			want messages.-1.content.-1.content ~the reviewer refused it
			usage 1 0 0 1
			call score {"subject":"Once more","hypothesis":"I insist"}
			EOF
		done
	} | AVOGIT_MODEL=claude-write with_model anthropic avogit evolve --attempts 1 >../out &&
	grep "^x #1 .*Once more" ../out &&
	test "$(grep -c "^operator: reviewer: .*refused" ../out)" = 2 &&
	! grep "$(printf "\033")" ../out &&
	cd ..
'

test_expect_success 'a reviewer that does not answer is a yes, and what a step refused is not scored after it' '
	make_rounds silent "reviewer: {model: claude-review, budget: {tokens: 30}}" &&
	{
		break_it ""
		cat <<-\EOF
		exchange
		want model claude-review
		usage 20 0 0 0
		text I like it.
		exchange
		want model claude-review
		usage 20 0 0 0
		call redirect {"attempt":1}
		exchange
		usage 1 0 0 1
		call edit {"path":"kernel.c","old":"ROUNDS 20","new":"ROUNDS 2000"}
		call score {"subject":"More","hypothesis":"more"}
		exchange
		usage 1 0 0 1
		call answer {"allow":false,"reason":"no"}
		exchange
		usage 1 0 0 1
		text then not
		EOF
	} | AVOGIT_MODEL=claude-write with_model anthropic avogit evolve --steps 6 >../out &&
	grep "^operator: reviewer: claude-review: no answer on" ../out &&
	test "$(attempts)" = 1 &&
	cd ..
'

test_expect_success 'a wrong role is one sentence' '
	make_rounds wrong "planer: {model: m}" &&
	test_expect_code 128 avogit evolve --operator llm --model m 2>../err &&
	grep "operator.roles.planer: there is no such role: there is planner, writer" ../err &&
	git -c avogit.tester.model=m config -l >/dev/null &&
	cd ..
'

# ---- a kill --------------------------------------------------------------------

# Starts the run and kills it when the file is wanted: kill_when FILE
kill_when () {
	>../out
	"$AVOGIT" evolve --steps 8 >../out 2>&1 &
	pid=$!
	for i in $(seq 1200)
	do
		grep -q "^waiting: .*Failed to connect" ../out && break
		kill -0 $pid || break
		sleep 0.05
	done
	kill -9 $pid
	wait $pid 2>/dev/null
	touch "$1"
}

killed () {
	kill_when "${up}1" && kill_when "${up}2" &&
	"$AVOGIT" evolve --steps 8 >../out 2>&1
}

test_expect_success 'a kill in a planners and in a debuggers talk goes on in it' '
	make_rounds killed "planner: {model: claude-plan}, debugger: {model: claude-debug}" &&
	up=$(cd .. && pwd)/up && rm -f "$up"* &&
	{
		cat <<-EOF
		exchange
		want model claude-plan
		usage 100 0 0 0
		call lineage {}
		exchange
		down ${up}1
		exchange
		want model claude-plan
		want messages.1.role assistant
		usage 100 0 0 0
		text All rounds but the last are wasted.
		EOF
		break_it
		cat <<-EOF
		exchange
		want model claude-debug
		usage 100 0 0 0
		call edit {"path":"kernel.c","old":"int p = 1","new":"int p = 0"}
		exchange
		down ${up}2
		exchange
		want model claude-debug
		want messages.1.role assistant
		usage 100 0 0 0
		call score {"subject":"Begin the sum at row 0","hypothesis":"it was left out"}
		exchange
		want model claude-debug
		usage 100 0 0 0
		text It began at row 1.
		exchange
		want model claude-write
		want messages.-1.content.-1.text ~mended as #2
		usage 100 0 0 0
		text that was it
		exchange
		want model claude-plan
		usage 100 0 0 0
		text I have no plan.
		EOF
	} >../kills &&
	AVOGIT_MODEL=claude-write with_model anthropic killed <../kills &&
	cat ../out &&
	grep "mended as #2" ../out &&
	test "$(attempts)" = 2 &&
	grep "^spent: 8 turns, 800 tokens in" ../out &&
	test "$(avogit log | grep -c -e "-- planner: claude-plan: All rounds")" = 1 &&
	cd ..
'

test_done
