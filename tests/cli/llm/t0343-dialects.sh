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

test_expect_success 'Bedrock: requests are signed with the keys of the environment, which stay here' '
	make_light_repo bedrock &&
	(
		AWS_ACCESS_KEY_ID=AKIDEXAMPLE AWS_REGION=eu-west-3 &&
		AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG+bPxRfiCY AWS_SESSION_TOKEN=a-token &&
		ANTHROPIC_API_KEY=of-another-server &&
		export AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN AWS_REGION &&
		export ANTHROPIC_API_KEY &&
		with_model bedrock avogit evolve --attempts 1 <../two >../out
	) &&
	grep " #1 .*one round" ../out &&
	tail -n 1 ../requests >../last &&
	grep "\"path\":\"/model/claude-sonnet-5/invoke\"" ../last &&
	grep "Authorization: AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/[0-9]\{8\}/eu-west-3/bedrock/aws4_request, SignedHeaders=content-type;host;x-amz-date;x-amz-security-token, Signature=[0-9a-f]\{64\}.r.n" ../last &&
	grep -i "x-amz-date: [0-9]*T[0-9]*Z" ../last &&
	grep "x-amz-security-token: a-token" ../last &&
	! grep "wJalr\|of-another" ../requests &&
	(
		AWS_ACCESS_KEY_ID=AKIDEXAMPLE AWS_SECRET_ACCESS_KEY=secret &&
		AVOGIT_PROVIDER=anthropic AVOGIT_BASE_URL=http://127.0.0.1:9/model AVOGIT_MODEL=m &&
		export AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY &&
		export AVOGIT_PROVIDER AVOGIT_BASE_URL AVOGIT_MODEL &&
		test_must_fail avogit evolve --attempts 1 2>../err
	) &&
	grep "without a region: set AWS_REGION" ../err &&
	(
		AWS_ACCESS_KEY_ID=AKIDEXAMPLE AWS_SECRET_ACCESS_KEY=secret AWS_REGION=eu-west-3 &&
		AVOGIT_PROVIDER=anthropic AVOGIT_BASE_URL=http://127.0.0.1:9/model AVOGIT_MODEL=m-v1:0 &&
		export AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_REGION &&
		export AVOGIT_PROVIDER AVOGIT_BASE_URL AVOGIT_MODEL &&
		test_must_fail avogit evolve --attempts 1 2>../err
	) &&
	grep "model m-v1:0 cannot be signed right" ../err &&
	cd ..
'

test_expect_success "Gemini: a call goes back signed" '
	tail -n 1 requests.gemini >last &&
	grep "\"path\":\"/v1beta/openai/chat/completions\"" last &&
	grep "thought_signature" last
'

# ---- what a server refuses ---------------------------------------------------

test_expect_success 'what a server refuses is left out, and said once' '
	make_light_repo refused &&
	with_model chat avogit evolve --steps 2 >../out <<-\EOF &&
	refuse reasoning_effort {"object":"error","message":{"detail":[{"type":"extra_forbidden","loc":["body","reasoning_effort"],"msg":"Extra inputs are not permitted"}]}}
	refuse max_tokens>8192 {"error":{"message":"Invalid max_tokens value, the valid range of max_tokens is [1, 8192]","type":"invalid_request_error"}}
	refuse stream {"error":{"message":"Your organization must be verified to stream this model.","param":"stream","code":"unsupported_value"}}
	exchange
	want max_tokens 8192
	call view {"path":"kernel.c"}
	exchange
	want max_tokens 8192
	call search {"pattern":"ROUNDS"}
	EOF
	grep "^operator: claude-sonnet-5: it is asked without .reasoning_effort. from now on (status 400, .*Extra inputs are not permitted" ../out &&
	grep "^operator: claude-sonnet-5: replies are of at most 8192 tokens from now on, not 32000 (status 400, Invalid max_tokens" ../out &&
	grep "^operator: claude-sonnet-5: it is asked without .stream. from now on" ../out &&
	test "$(grep -c "from now on" ../out)" = 3 &&
	transcripts scale >../transcript &&
	test "$(grep -c "\"event\":\"notice\"" ../transcript)" = 3 &&
	test "$(wc -l <../requests)" = 5 &&
	cd ..
'

test_expect_success 'a model that calls tools by Responses only is asked there' '
	make_light_repo moved &&
	with_model chat avogit evolve --steps 1 --effort max >../out <<-\EOF &&
	exchange
	want reasoning_effort max
	status 400
	body {"error":{"message":"Function tools with reasoning_effort are not supported for this model in /v1/chat/completions. To use function tools, use /v1/responses.","type":"invalid_request_error","param":"reasoning_effort"}}
	exchange
	want reasoning.effort max
	call view {"path":"kernel.c"}
	EOF
	grep "it is asked by the Responses protocol from now on" ../out &&
	cd ..
'

# ---- money -------------------------------------------------------------------

test_expect_success 'a price that is missing is set by the command that is named' '
	make_light_repo priced &&
	one="exchange\nusage 1000 0 0 100\ncall view {\"path\":\"kernel.c\"}\n" &&
	AVOGIT_MODEL=gpt-9.1 AVOGIT_BASE_URL=http://127.0.0.1:1/v1 \
		test_expect_code 2 avogit evolve --money 1 2>../err &&
	sed -n "s/.*set it by .\(git config [^\`]*\).*/\1/p" ../err >../command &&
	printf "$one" | AVOGIT_MODEL=gpt-9.1 with_model chat avogit evolve --run a --steps 1 >../out &&
	grep -F "price unknown (set it by \`$(cat ../command)\`" ../out &&
	sed "s/IN OUT/2 10/" ../command >../really &&
	sh ../really &&
	printf "$one" | AVOGIT_MODEL=gpt-9.1 with_model chat avogit evolve --run b --money 0.002 >../out &&
	grep "^stopped: money" ../out &&
	grep "^spent: 1 turn, 1k tokens in, 100 out, [$]0.00" ../out &&
	printf "$one" | with_model anthropic avogit evolve --run c --steps 1 >../out &&
	grep "^estimate: .*[$].* (prices of [A-Z][a-z]* 20[0-9][0-9])$" ../out &&
	cd ..
'

test_done
