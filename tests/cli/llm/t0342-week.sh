#!/bin/sh
# test: parallel no-asan
test_description='operator llm: a server that is down, limits, rejects, is full'
. "$(dirname "$0")/../lib-avogit.sh"
. "$SHARNESS_TEST_SRCDIR/lib-llm.sh"

# An hour of waiting takes a second, and is counted.
AVOGIT_TEST_CLOCK=3600
export AVOGIT_TEST_CLOCK

# ---- what a server says of one request ------------------------------------------

test_expect_success 'steps that the server rejects end the run in its words' '
	make_light_repo rejected &&
	test_expect_code 128 with_model anthropic avogit evolve >../out 2>../err <<-\EOF &&
	exchange
	times 3
	status 400
	body {"type":"error","error":{"type":"invalid_request_error","message":"a word of its own"}}
	EOF
	test "$(grep -c "^operator: .*rejected the request: status 400, a word of its own" ../out)" = 3 &&
	test "$(grep -c "^avogit: " ../err)" = 1 &&
	grep "3 steps in a row: .*a word of its own" ../err &&
	transcripts scale >../transcript &&
	grep "\"stop\":\"rejected\".*a word of its own" ../transcript &&
	cd ..
'

test_expect_success 'the patience is a limit of its own' '
	cd rejected &&
	AVOGIT_MODEL=m AVOGIT_PROVIDER=openai AVOGIT_BASE_URL=http://127.0.0.1:1/v1 \
		test_expect_code 128 avogit evolve --patience 20m >../out 2>../err &&
	grep "^waiting: http://127.0.0.1:1/v1 has given no reply for 1[0-9]m" ../out &&
	grep "the patience of 20m 00s is over" ../err &&
	avogit runs | grep "the patience" &&
	cd ..
'

# ---- a run that is killed -----------------------------------------------------

# Starts the run and kills it as soon as this succeeds: kill_when COMMAND...
kill_when () {
	>../out
	"$AVOGIT" evolve --steps 7 >../out 2>&1 &
	pid=$!
	for i in $(seq 1200)
	do
		"$@" && break
		kill -0 $pid || break
		sleep 0.05
	done
	kill -9 $pid
	wait $pid 2>/dev/null
	cat ../out >>../outs
}

waits () {
	grep -q "^waiting: .*Failed to connect" ../out
}

# The candidate of attempt 1 is in the journal.
scores () {
	git log --format=%s --glob="refs/avogit/scale/journal/*" 2>/dev/null |
		grep -q "^attempt 1"
}

# Attempt 2 has its figures, and the server is down again. Before that it is up
# as soon as the run has waited for ten minutes.
waits_after_2 () {
	grep -q "for 1[0-9]m .*Failed to connect" ../out && touch ../up3
	grep -A 99 " #2 " ../out | grep -q "^waiting: .*Failed to connect"
}

week () {
	kill_when waits && touch ../up1 &&
	kill_when waits && touch ../up2 &&
	kill_when scores && touch ../upscored &&
	kill_when waits_after_2 && touch ../up4 &&
	kill_when waits && touch ../up5 &&
	"$AVOGIT" evolve --steps 7 >../out 2>&1
	week_rc=$?
	cat ../out >>../outs
	return $week_rc
}

test_expect_success 'five kills, an outage, a limit and two full contexts lose nothing' '
	make_light_repo week &&
	rm -f ../outs &&
	up=$(cd .. && pwd)/up &&
	rm -f "$up"* &&
	full="{\"error\":{\"type\":\"exceed_context_size_error\",\"message\":\"request (9000 tokens) exceeds the available context size (8000 tokens)\"}}" &&
	cat >../week.script <<-EOF &&
	exchange
	usage 1000 0 0 100
	call notes {"add":"the first note"}
	call view {"path":"kernel.c"}
	exchange
	down ${up}1
	exchange
	usage 1000 0 0 100
	call edit {"path":"kernel.c","old":"ROUNDS 16 ","new":"ROUNDS 8 "}
	call notes {"add":"the second note"}
	exchange
	down ${up}2
	exchange
	usage 1000 0 0 100
	call score {"subject":"8 rounds","hypothesis":"less work"}
	exchange
	down ${up}scored
	exchange
	status 429
	header retry-after: 3600
	body slow down
	exchange
	status 400
	body $full
	exchange
	usage 1000 0 0 100
	call edit {"path":"kernel.c","old":"ROUNDS 8 ","new":"ROUNDS 2 "}
	call view {"path":"kernel.c"}
	exchange
	down ${up}3
	exchange
	usage 1000 0 0 100
	call score {"subject":"2 rounds","hypothesis":"less work"}
	exchange
	status 400
	body $full
	exchange
	down ${up}4
	exchange
	usage 1000 0 0 100
	call notes {"add":"the third note"}
	exchange
	down ${up}5
	exchange
	want messages.1.role user
	want messages.2.role assistant
	usage 1000 0 0 100
	text that was it
	EOF
	with_model openai week <../week.script &&
	cat ../outs
'

test_expect_success 'every attempt is there, once, with its figures' '
	avogit log >../log &&
	test "$(grep -c "rounds" ../log)" = 2 &&
	grep "#1 .*x .* 8 rounds" ../log &&
	grep "#2 .*x .* 2 rounds" ../log &&
	! avogit log | grep "in flight" &&
	git fsck --strict
'

test_expect_success 'every reply is paid for, once, and the run says so' '
	grep "^stopped: steps" ../outs &&
	grep "^spent: 7 turns, 7k tokens in, 700 out" ../outs
'

test_expect_success 'the time that was waited for is of the run' '
	grep "^2 attempts in [1-9][0-9]*h" ../outs
'

test_expect_success 'it was one conversation, and nothing is left of it' '
	grep "the third note" ../requests >../last &&
	tail -n 1 ../last | grep "the first note" &&
	tail -n 1 ../last | grep "the second note" &&
	! grep -o "This call was not run" ../requests &&
	test -z "$(find .git/avogit/steps .git/avogit/logs -type f)" &&
	transcripts scale >../transcript &&
	test "$(grep -c "\"event\":\"begin\"" ../transcript)" = 1 &&
	test "$(grep -c "\"event\":\"resumed\"" ../transcript)" = 5
'

test_done
