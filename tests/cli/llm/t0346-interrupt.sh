#!/bin/sh
# test: parallel
test_description='Ctrl-C while a role talks with its model: nothing is lost, and the run goes on there'
. "$(dirname "$0")/../lib-avogit.sh"
. "$SHARNESS_TEST_SRCDIR/lib-llm.sh"

git config --global avogit.claude.price '1000 1000'

# A reply of ROLE that never comes; and one with these lines: held ROLE, says ROLE
held () {
	printf 'exchange\nwant model claude-%s\nstall 0\n' "$1"
}
says () {
	printf 'exchange\nwant model claude-%s\nusage 100 0 0 0\n' "$1"
	cat
}

# Starts the run, sends it SIGINT when the server holds the N-th request of all,
# and another signal after that: interrupt N [SIGNAL]
interrupt () {
	"$AVOGIT" evolve --steps 9 >>../outs 2>>../errs &
	evolving=$!
	until test -e ../requests && test "$(wc -l <../requests)" -ge "$1"
	do
		kill -0 $evolving || return 1
		sleep 0.05
	done
	kill -INT $evolving || return 1
	# The first may have ended it.
	test -z "$2" || kill -$2 $evolving 2>/dev/null
	test_expect_code 130 wait $evolving
}

# Two different signals: two of a kind at once count as one.
all () {
	interrupt 2 &&
	interrupt 5 TERM &&
	interrupt 8 &&
	interrupt 12 TERM &&
	"$AVOGIT" evolve --steps 9 >>../outs 2>>../errs
}

test_expect_success 'once or twice in the talk of each role: the same command goes on in it' '
	make_light_repo roles &&
	echo "operator: {silence: 60s, roles: {planner: {model: claude-plan}, debugger: {model: claude-debug}, reviewer: {model: claude-review}, searcher: {model: claude-search}}}" >>avogit.yaml &&
	git commit -qam roles &&
	rm -f ../outs ../errs &&
	{
		echo "call lineage {}" | says plan &&
		held plan &&
		says plan <<-\EOF &&
		want messages.1.role assistant
		text Break it first.
		EOF
		says write <<-\EOF &&
		want messages.0.content.0.text ~Break it first.
		call edit {"path":"kernel.c","old":"MODE 0 ","new":"MODE 1 "}
		call score {"subject":"Break it","hypothesis":"it is said so"}
		EOF
		held review &&
		says review <<-\EOF &&
		want messages.0.content.0.text ~+#define MODE 1
		call answer {"allow":true,"reason":"it is the plan"}
		EOF
		says debug <<-\EOF &&
		want messages.0.content.0.text ~: wrong (
		call edit {"path":"kernel.c","old":"MODE 1 ","new":"MODE 0 "}
		call edit {"path":"kernel.c","old":"ROUNDS 16 ","new":"ROUNDS 15 "}
		EOF
		held debug &&
		says debug <<-\EOF &&
		want messages.1.role assistant
		call score {"subject":"Mend it","hypothesis":"one element was written"}
		EOF
		echo "text It wrote one element." | says debug &&
		says write <<-\EOF &&
		want messages.-1.content.-1.text ~mended as #2
		text That was it.
		EOF
		held search &&
		echo "text Nothing to sweep." | says search
	} >../held &&
	AVOGIT_MODEL=claude-write with_model anthropic all <../held &&
	test "$(attempts)" = 2 &&
	git fsck --strict &&
	cd ..
'

test_expect_success 'each reply is asked for, answered and counted once' '
	test "$(grep -c "^stopped: interrupted" outs)" = 4 &&
	grep "^spent: 9 turns, 900 tokens in, .*[$]0.90" outs &&
	tail -n 20 outs | grep "^stopped: steps" &&
	cd roles &&
	avogit log >../log &&
	for line in "planner: claude-plan: Break it first.; 2 turns, 200 tokens in" \
		"reviewer: claude-review: allowed .Break it.*; 1 turn, 100 tokens in" \
		"debugger: claude-debug: #1 wrong; mended as #2; 3 turns, 300 tokens in" \
		"searcher: claude-search: it ended; 0 attempts; 1 turn, 100 tokens in"
	do
		test "$(grep -c -e "-- $line" ../log)" = 1 || return 1
	done &&
	! grep -e "in flight" -e "no answer on" ../log &&
	# The writer was in its talk while reviewer and debugger were in theirs.
	sed -n "s/.*-- operator: claude-\(.*\): interrupted in a step, which goes on with the run$/\1/p" ../log >../interrupted &&
	printf "%s\n" search write write plan >../expected &&
	test_cmp ../expected ../interrupted &&
	cd ..
'

test_expect_success 'a run whose time ends in the talk of the reviewer says that' '
	make_light_repo time &&
	echo "operator: {roles: {reviewer: {model: claude-review}}}" >>avogit.yaml &&
	git commit -qam roles &&
	avogit evolve --operator tuner --attempts 1 >../out &&
	{
		says write <<-\EOF &&
		call edit {"path":"kernel.c","old":"MODE 0 ","new":"MODE 1 "}
		call score {"subject":"Break it","hypothesis":"no"}
		EOF
		held review
	} >../held &&
	AVOGIT_MODEL=claude-write with_model anthropic avogit evolve --time 3s <../held >../out &&
	grep "^operator: reviewer: claude-review: no answer on .Break it.: the time is up" ../out &&
	grep "^stopped: time" ../out &&
	test "$(attempts)" = 1 &&
	cd ..
'

test_expect_success 'what each role took is summed at the end and in log' '
	sed "s/^/spent by the /" >expected <<-\EOF &&
	planner: 2 turns, 200 tokens in, 0 out, $0.20
	writer: 2 turns, 200 tokens in, 0 out, $0.20
	debugger: 3 turns, 300 tokens in, 0 out, $0.30
	searcher: 1 turn, 100 tokens in, 0 out, $0.10
	reviewer: 1 turn, 100 tokens in, 0 out, $0.10
	EOF
	grep "^spent by the " outs | tail -n 5 >actual &&
	test_cmp expected actual &&
	avogit -C roles log --json >json &&
	perl -MJSON::PP -e "
		local \$/;
		my \$j = decode_json(<STDIN>);
		my \$r = \$j->{runs} ? \$j->{runs}[0] : \$j;
		my \$n = 0;
		\$n += \$_->{tokens_in} for values %{\$r->{spend_by_role}};
		exit !(\$n == 900 && \$r->{spend}{tokens_in} == 900 && \$r->{spend_by_role}{debugger}{turns} == 3);" <json
'

supervised () {
	interrupt 3 && interrupt 4 TERM &&
	"$AVOGIT" evolve --steps 4 >>../outs 2>>../errs
}

test_expect_success 'the supervisor is asked again by the next start' '
	make_light_repo supervised &&
	printf "%s\n" "operator: {silence: 60s, roles: {supervisor: {model: claude-watch}}}" "supervisor: {stall: 2}" >>avogit.yaml &&
	git commit -qam roles &&
	rm -f ../outs ../errs &&
	{
		for mode in 1 4
		do
			says write <<-EOF
			call edit {"path":"kernel.c","old":"MODE 0 ","new":"MODE $mode "}
			call score {"subject":"Mode $mode","hypothesis":"no"}
			call restore {"attempt":0}
			EOF
		done &&
		held watch && held watch &&
		says watch <<-\EOF &&
		call redirect {"attempt":0,"direction":"Leave the mode alone."}
		EOF
		echo "text I see." | says write
	} >../held &&
	AVOGIT_MODEL=claude-write with_model anthropic supervised <../held &&
	avogit log >../log &&
	test "$(grep -c -e "-- supervisor: stall" ../log)" = 1 &&
	grep "as claude-watch advised" ../log &&
	grep "^spent by the supervisor: 1 turn, 100 tokens in, .*[$]0.10" ../outs &&
	grep "^spent by the writer: 3 turns, 300 tokens in, .*[$]0.30" ../outs &&
	cd ..
'


test_done
