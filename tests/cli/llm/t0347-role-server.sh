#!/bin/sh
# test: parallel
test_description='a role with an address and a key of its own: another vendor'
. "$(dirname "$0")/../lib-avogit.sh"
. "$SHARNESS_TEST_SRCDIR/lib-llm.sh"

git config --global avogit.claude.price '1000 1000'
git config --global avogit.gpt.price '2000 2000'
ANTHROPIC_API_KEY=key-of-the-operator
OPENAI_API_KEY=key-of-nobody
REVIEWER_KEY=key-of-the-reviewer
export ANTHROPIC_API_KEY OPENAI_API_KEY REVIEWER_KEY

# Serves the script on stdin from a second server, at $other, while the command
# runs; its requests are in ../others: with_other COMMAND...
with_other () {
	cat >../other.script
	rm -f ../other.hold ../other.port ../others
	mkfifo ../other.hold ../other.port
	"$MODEL_SERVER" ../other.script ../others <../other.hold >../other.port 7>&- &
	other_server=$!
	exec 6>../other.hold
	read -r other <../other.port
	other=http://127.0.0.1:$other/v1
	"$@" 6>&-
	other_rc=$?
	exec 6>&-
	wait "$other_server"
	server_rc=$?
	return $((other_rc ? other_rc : server_rc))
}

writes () {
	cat <<-\EOF
	exchange
	want model claude-write
	usage 100 0 0 0
	call edit {"path":"kernel.c","old":"MODE 0 ","new":"MODE 1 "}
	call score {"subject":"Break it","hypothesis":"no"}
	exchange
	want messages.-1.content.-1.content ~the reviewer refused it: It breaks it.
	usage 100 0 0 0
	call restore {"attempt":0}
	EOF
}

refuses () {
	cat <<-\EOF
	exchange
	want model gpt-review
	want messages.1.content ~+#define MODE 1
	usage 50 0 0 0
	call answer {"allow":false,"reason":"It breaks it."}
	EOF
}

# Each key is in the requests to its server, and in no other and nothing stored.
keys_are_apart () {
	grep -q "key-of-the-operator" ../requests &&
	grep -q "$1" ../others &&
	! grep -q -e "key-of-the-reviewer" -e "key-of-a-command" -e "key-of-nobody" ../requests &&
	! grep -q "key-of-the-operator" ../others &&
	! grep -rq "key-of-" .git &&
	! git grep -q "key-of-" $(git for-each-ref --format="%(refname)" refs/avogit)
}

by_config () {
	git config --global avogit.reviewer.baseUrl "$other"
	AVOGIT_MODEL=claude-write with_model anthropic avogit evolve --steps 3 >../out <../writes
}

test_expect_success 'a reviewer of the users configuration is asked at its own server with its own key' '
	make_light_repo config &&
	git config --global avogit.reviewer.model gpt-review &&
	git config --global avogit.reviewer.provider chat &&
	git config --global avogit.reviewer.keyCommand "echo key-of-a-command" &&
	writes >../writes &&
	refuses | with_other by_config &&
	keys_are_apart key-of-a-command &&
	grep "^operator: reviewer: gpt-review: refused .Break it.: It breaks it.; 1 turn, 50 tokens in, .*[$]0.10" ../out &&
	grep "^spent by the reviewer: 1 turn, 50 tokens in, .*[$]0.10" ../out &&
	grep "^spent by the writer: 2 turns, 200 tokens in, .*[$]0.20" ../out &&
	git config --global --remove-section avogit.reviewer &&
	cd ..
'

by_task () {
	echo "operator: {roles: {reviewer: {model: gpt-review, protocol: chat, base_url: \"$other\", key_env: REVIEWER_KEY}}}" >>avogit.yaml
	git commit -qam "a reviewer of another vendor"
	AVOGIT_MODEL=claude-write test_expect_code 128 avogit evolve --operator llm --steps 3 >../out 2>../err &&
	grep "operator.roles.reviewer.base_url, operator.roles.reviewer.key_env would act outside" ../err &&
	avogit trust --yes >../trusted &&
	grep -F "$other" ../trusted &&
	AVOGIT_MODEL=claude-write with_model anthropic avogit evolve --steps 3 >../out <../writes
}

test_expect_success 'one that the task names needs trust, and is asked there' '
	make_light_repo task &&
	refuses | with_other by_task &&
	keys_are_apart key-of-the-reviewer &&
	grep "^operator: reviewer: gpt-review: refused" ../out &&
	cd ..
'

by_both () {
	git config --global avogit.reviewer.baseUrl "$other"
	AVOGIT_MODEL=claude-write with_model anthropic avogit evolve --run both --steps 3 >../out <../writes
}

test_expect_success 'the tasks key does not go to the address of the user' '
	cd task &&
	refuses | with_other by_both &&
	keys_are_apart key-of-nobody &&
	! grep "key-of-the-reviewer" ../others &&
	git config --global --remove-section avogit.reviewer &&
	cd ..
'

test_expect_success 'a key that is missing is said, with the role' '
	cd task &&
	(
		unset REVIEWER_KEY &&
		AVOGIT_MODEL=claude-write test_expect_code 2 avogit evolve --operator llm --run none --steps 3 >../out 2>../err
	) &&
	grep "the reviewer: the environment has no REVIEWER_KEY" ../err &&
	cd ..
'

test_expect_success 'an address of the repositorys own configuration is ignored' '
	make_light_repo local &&
	git config avogit.reviewer.model gpt-review &&
	git config avogit.reviewer.baseUrl http://127.0.0.1:1/v1 &&
	{
		printf "exchange\nusage 100 0 0 0\n"
		echo "call edit {\"path\":\"kernel.c\",\"old\":\"MODE 0 \",\"new\":\"MODE 1 \"}"
		echo "call score {\"subject\":\"Break it\",\"hypothesis\":\"no\"}"
		printf "exchange\nusage 100 0 0 0\n"
	} | with_model anthropic avogit evolve --steps 2 >../out &&
	grep "^x #1 .*Break it" ../out &&
	! grep reviewer ../out &&
	cd ..
'

test_done
