#!/bin/sh
# test: parallel long no-asan
test_description='the supervisor asks a model where to go on, and does without one that has no answer'
. "$(dirname "$0")/../lib-avogit.sh"
. "$SHARNESS_TEST_SRCDIR/lib-llm.sh"
. "$SHARNESS_TEST_SRCDIR/lib-operator.sh"

# A repository whose run stalls after two attempts without a gain, and which has
# two accepted candidates whatever the machine is busy with: the base, and what
# a person wrote on it: make_stalling NAME
make_stalling () {
	make_light_repo "$1" &&
	echo "supervisor: {stall: 2}" >>avogit.yaml &&
	git commit -qam "a short patience" &&
	sed -i "s/ROUNDS 16 /ROUNDS 4 /" kernel.c &&
	git commit -qam "4 rounds"
}

evolve () {
	avogit evolve --base HEAD^ "$@"
}

# One that scores other rounds: rounds FROM TO
rounds () {
	cat <<-EOF
	exchange
	usage 100 0 0 10
	call edit {"path":"kernel.c","old":"ROUNDS $1 ","new":"ROUNDS $2 "}
	call score {"subject":"$2 rounds","hypothesis":"because of $2"}
	EOF
}

# Two attempts without a gain, and then it is asked.
stall () {
	rounds 4 40
	rounds 40 60
}

# The first intervention of the run, in a line: intervention
intervention () {
	avogit log --json | tr -d "\n\t" | sed 's/.*"interventions"://'
}

for protocol in anthropic openai
do
	test_expect_success "$protocol: a reviewer gives direction and parent, and the next attempt branches there" "
		make_stalling advised-$protocol &&
		{
			stall
			echo exchange
			echo usage 5000 0 0 300
			if test $protocol = anthropic
			then
				echo want system.0.text ~You direct a search
				echo want messages.-1.content.0.text ~because of 40
			else
				echo want messages.0.content ~You direct a search
				echo want messages.-1.content ~because of 40
			fi
			echo 'call redirect {\"attempt\":1,\"direction\":\"Leave the rounds alone. Unroll by hand.\"}'
			rounds 60 2
		} | with_model $protocol evolve --attempts 3 >../out &&
		cp ../out ../out.$protocol &&
		grep '^supervisor: stall: 2 attempts .*; begin again from attempt 1 (.*), as claude-sonnet-5 advised' ../out &&
		avogit log >../log &&
		grep -e '-- supervisor: stall: .*, as claude-sonnet-5 advised' ../log &&
		grep 'Unroll by hand' ../log &&
		intervention | grep 'Leave the rounds alone' &&
		avogit log --json | tr -d '\n\t ' | sed 's/{/\n/g' | grep 2rounds >../flat &&
		grep '\"lineage\":2' ../flat &&
		first=\$(avogit log --json | tr -d '\n\t ' | sed 's/{/\n/g' | sed -n '/\"attempt\":1,/s/.*\"commit\":\"\([0-9a-f]*\)\".*/\1/p' | head -n 1) &&
		grep \"\\\"parent\\\":\\\"\$first\\\"\" ../flat &&
		cd ..
	"
done

test_expect_success 'it was shown the whole lineage with figures' '
	cd advised-anthropic &&
	transcripts scale >../transcript &&
	grep "\"event\":\"begin\".*You direct a search" ../transcript >../review &&
	for words in "stall: 2 attempts and" "Tried so far" "entry scale" "cases:" \
		"#1 on #0, lineage 1, [a-z ]*, [0-9.]*x of the start: 4 rounds" \
		"#0, start, 1.000x of the start" "#2 on #1, \(slower\|same\|undecided\|not faster\), "
	do
		grep "$words" ../review >/dev/null || { echo "no $words"; return 1; }
	done &&
	cd ..
'

test_expect_success 'what it took counts for the run, and not for the step' '
	cd advised-anthropic &&
	grep "^spent: 4 turns, 5k tokens in, 330 out" ../out.anthropic &&
	avogit log | grep "operator: claude-sonnet-5: .*; 3 attempts; 3 turns, 300 tokens in, 30 out" &&
	cd ..
'

test_expect_success 'its transcript is a log of the run' '
	cd advised-openai &&
	git log --format=%s --glob="refs/avogit/scale/logs/*" >../names &&
	grep "^review-.*\.jsonl" ../names &&
	grep "^step-.*\.jsonl" ../names &&
	test -z "$(find .git/avogit/logs -type f)" &&
	cd ..
'

test_expect_success 'budgets count it: the run ends after its reply' '
	make_stalling budget &&
	{
		stall
		printf "exchange\nusage 900 0 0 100\ncall redirect {\"attempt\":1,\"direction\":\"go on\"}\n"
	} | with_model anthropic evolve --tokens 1200 >../out &&
	grep "^supervisor: .* as claude-sonnet-5 advised" ../out &&
	grep "^stopped: tokens" ../out &&
	cd ..
'

# Where the rule decides after all: by_rule NAME WHY <REVIEW
by_rule () {
	make_stalling "$1" &&
	{
		stall
		cat
		rounds 60 2
	} >../script.in &&
	with_model anthropic evolve --attempts 3 <../script.in >../out &&
	grep "^supervisor: stall: 2 attempts .* begin again from attempt 0 (.*), by rule, since claude-sonnet-5 gave no advice: $2" ../out &&
	avogit log | grep "by rule, since claude-sonnet-5 gave no advice: $2" &&
	avogit log | grep "Tried so far" &&
	grep " #4 .*2 rounds" ../out &&
	cd ..
}

test_expect_success 'one that talks nonsense is told, and then the rule decides' '
	by_rule nonsense "attempt 99 was not kept, 3 replies in a row" <<-\EOF &&
	exchange
	text It is a fine kernel as it is.
	exchange
	want messages.-1.content.0.text ~That is no answer
	call redirect {"attempt":"first","direction":7}
	exchange
	call redirect {"attempt":99,"direction":"begin there"}
	EOF
	! grep "begin there" out
'

test_expect_success 'one that is wrong first and right then is heard' '
	make_stalling late &&
	{
		stall
		printf "exchange\ncall redirect {\"attempt\":2,\"direction\":\"refine it\"}\n"
		printf "exchange\ncall redirect {\"attempt\":1,\"direction\":\"unroll it\"}\n"
	} | with_model anthropic evolve --steps 4 >../out &&
	grep "begin again from attempt 1 (.*), as claude-sonnet-5 advised" ../out &&
	tail -n 1 ../requests | grep "attempt 2 was not kept" &&
	cd ..
'

test_expect_success 'where it refuses the rule decides' '
	by_rule refuses "it refused: " <<-\EOF
	exchange
	text no
	stop refusal
	EOF
'

test_expect_success 'where its server fails the rule decides' '
	by_rule fails ".*no such thing" <<-\EOF
	exchange
	status 400
	body {"type":"error","error":{"type":"invalid_request_error","message":"no such thing"}}
	EOF
'

test_expect_success 'the tuner asks nobody' '
	make_stalling tuner &&
	sed -i -e "s|// avogit: 16 .*|// avogit: 4 60 61 62 63|" -e "s|// avogit: 0\$||" kernel.c &&
	git commit -qam "nothing to gain" &&
	with_model anthropic avogit evolve --operator tuner --attempts 3 >../out </dev/null &&
	grep "^supervisor: stall: 2 attempts" ../out &&
	! grep -e "advised" -e "by rule" ../out &&
	cd ..
'

test_expect_success BUBBLEWRAP 'an agent of the task is directed by the model of its user' '
	make_stalling agent &&
	use_operator <<-\EOF &&
	for n in 40 60; do
		sed -i "s/ROUNDS [0-9]* /ROUNDS $n /" kernel.c
		score "$n rounds" "so" >reply
	done
	grep -o "Unroll by hand" reply
	EOF
	with_model anthropic evolve --attempts 3 >../out <<-\EOF &&
	exchange
	call redirect {"attempt":1,"direction":"Unroll by hand."}
	EOF
	grep "^a run that stalls is reviewed by claude-sonnet-5" ../out &&
	grep "^supervisor: .* begin again from attempt 1 (.*), as claude-sonnet-5 advised" ../out &&
	grep "operator: sh: .*its last words: Unroll by hand" ../out &&
	cd ..
'

test_expect_success BUBBLEWRAP 'a model of the command line reviews for an agent, or nothing is begun' '
	cd agent &&
	test_expect_code 2 evolve --run other --operator command --model gpt-5 >../out 2>../err &&
	grep "no key for gpt-5: set OPENAI_API_KEY" ../err &&
	test_must_be_empty ../out &&
	OPENAI_API_KEY=none evolve --run other --operator command --model gpt-5 --attempts 1 >../out &&
	grep "^a run that stalls is reviewed by gpt-5" ../out &&
	cd ..
'

test_done
