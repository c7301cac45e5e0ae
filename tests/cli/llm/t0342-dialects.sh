#!/bin/sh
# test: parallel
test_description='protocols beside the two of t0340, as far as a scored attempt'
. "$(dirname "$0")/../lib-avogit.sh"
. "$SHARNESS_TEST_SRCDIR/lib-llm.sh"

# Reasoning, two calls at once, their results, the end. The server refuses what
# the vendor's own would: results, reasoning or signatures that are not there.
cat >two <<'EOT'
exchange
usage 4000 1000 0 60
thinking What does the loop do?
text I look.
call view {"path":"kernel.c"}
call search {"pattern":"ROUNDS"}
exchange
usage 500 5000 0 200
thinking Less of it.
call edit {"path":"kernel.c","old":"ROUNDS 16 ","new":"ROUNDS 1 "}
call score {"subject":"one round","hypothesis":"less work"}
EOT

for protocol in responses gemini
do
	test_expect_success "$protocol: two replies make a scored candidate" "
		make_light_repo $protocol &&
		with_model $protocol avogit evolve --attempts 1 <../two >../out &&
		grep ' #1 .*one round' ../out &&
		grep '^spent: 2 turns, 11k tokens in (6k cached), 260 out' ../out &&
		cp ../requests ../requests.$protocol &&
		cd ..
	"
done

test_expect_success 'Responses: all of it goes along, nothing stays at the server' '
	tail -n 1 requests.responses >last &&
	grep "\"path\":\"/v1/responses\"" last &&
	grep "\"store\":false" last &&
	grep "sealed-What does the loop do" last &&
	grep "\"include\":\[\"reasoning.encrypted_content\"\]" last
'

test_expect_success "Gemini: a call goes back signed" '
	tail -n 1 requests.gemini >last &&
	grep "\"path\":\"/v1beta/openai/chat/completions\"" last &&
	grep "thought_signature" last
'

test_done
