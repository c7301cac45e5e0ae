#!/bin/sh
# test: parallel no-asan
test_description='operator llm: a server that is down, limits, rejects, is full'
. "$(dirname "$0")/../lib-avogit.sh"
. "$SHARNESS_TEST_SRCDIR/lib-llm.sh"

# An hour of waiting takes a second, and is counted.
AVOGIT_TEST_CLOCK=3600
export AVOGIT_TEST_CLOCK

# A fast step on the kernel of scale/: rounds FROM TO
rounds () {
	cat <<-EOF
	exchange
	usage 1000 0 0 100
	call edit {"path":"kernel.c","old":"ROUNDS $1 ","new":"ROUNDS $2 "}
	call score {"subject":"$2 rounds","hypothesis":"less work"}
	EOF
}

# Brings the server up when the run has waited so long: up_after FILE PATTERN
up_after () {
	for i in $(seq 300)
	do
		grep -q "$2" ../out && break
		sleep 0.1
	done
	touch "$1"
}

test_expect_success 'a server that is down for ten minutes is waited for' '
	make_light_repo down &&
	>../out &&
	{
		echo "exchange"
		echo "call view {\"path\":\"kernel.c\"}"
		echo "exchange"
		echo "down $(pwd)/../up"
		rounds 16 4
	} >../down.script &&
	{ up_after ../up "has given no reply for 1[0-9]m" & } &&
	with_model anthropic avogit evolve --attempts 1 >../out <../down.script &&
	wait &&
	grep "^waiting: http://127.0.0.1.* has given no reply for 1[0-9]m .*again in" ../out &&
	grep " #1 .*4 rounds" ../out &&
	grep "^stopped: attempts" ../out &&
	grep "^1 attempt in [1-9][0-9]*m" ../out &&
	cd ..
'

test_done
