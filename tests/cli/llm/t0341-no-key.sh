#!/bin/sh
# test: parallel long
test_description='a provider key is in a header of the request and nowhere else'
. "$(dirname "$0")/../lib-avogit.sh"
. "$SHARNESS_TEST_SRCDIR/lib-llm.sh"

MARK=key-Zq8vT2mWx5nR7bLd3KfY

# All that a model could do to find it, and to carry it off.
script () {
	cat <<-\EOF
	exchange
	call shell {"command":"env; cat /proc/*/environ /proc/*/cmdline; ls -R / 2>/dev/null | head -n 20000 | grep -i key; cat .avogit-out/*; true"}
	exchange
	call edit {"path":"kernel.c","old":"ROUNDS 64 ","new":"ROUNDS 4 "}
	call build {}
	call shell {"command":"env >kernel.c.new; cat kernel.c.new | sed 's,^,// ,' >>kernel.c; env >/tmp/env"}
	call score {"subject":"four rounds","hypothesis":"less work, and the environment in a comment"}
	call profile {}
	call notes {"add":"nothing found"}
	exchange
	status 500
	header retry-after-ms: 1
	body {"type":"error","error":{"type":"api_error","message":"your key key-Zq8vT2mWx5nR7bLd3KfY is odd"}}
	exchange
	text The server told me key-Zq8vT2mWx5nR7bLd3KfY.
	call notes {"add":"key-Zq8vT2mWx5nR7bLd3KfY"}
	call edit {"path":"kernel.c","old":"ROUNDS 4 ","new":"ROUNDS 1 /* key-Zq8vT2mWx5nR7bLd3KfY */ "}
	call score {"subject":"with key-Zq8vT2mWx5nR7bLd3KfY","hypothesis":"key-Zq8vT2mWx5nR7bLd3KfY"}
	exchange
	status 403
	body {"type":"error","error":{"type":"permission_error","message":"key-Zq8vT2mWx5nR7bLd3KfY may not"}}
	EOF
}

# Where could it be? Every object, every other file, every word of output.
find_mark () {
	git cat-file --batch-all-objects --batch --unordered >../objects &&
	grep -ac . ../objects >/dev/null &&
	! grep -a "$MARK" ../objects &&
	! grep -ra "$MARK" .git &&
	! grep -a "$MARK" ../out ../err &&
	! grep -ra "$MARK" . --exclude-dir=.git
}

for from in environment command
do
	for protocol in anthropic openai
	do
		test_expect_success "$protocol, from the $from" '
			make_repo $protocol-$from &&
			if test $from = environment
			then
				ANTHROPIC_API_KEY=$MARK OPENAI_API_KEY=$MARK &&
				export ANTHROPIC_API_KEY OPENAI_API_KEY
			else
				unset ANTHROPIC_API_KEY OPENAI_API_KEY &&
				git config --global avogit.keyCommand "echo $MARK"
			fi &&
			script >../its-script &&
			test_expect_code 128 with_model $protocol avogit evolve \
				>../out 2>../err <../its-script &&
			grep "#1 .*four rounds" ../out &&
			transcripts scale >../transcript &&
			grep "\"name\":\"shell\".*PATH=" ../transcript >/dev/null &&
			grep "#2 .*with .key." ../out &&
			grep "The server told me \\[key\\]" ../transcript &&
			find_mark &&
			test "$(grep -c "$MARK" ../requests)" = 5 &&
			test_might_fail git config --global --unset-all avogit.keyCommand &&
			cd ..
		'
	done
done

test_expect_success 'the command of a repository is not run' '
	unset ANTHROPIC_API_KEY OPENAI_API_KEY &&
	make_repo local &&
	git config avogit.keyCommand "touch \"$HOME/asked\"; echo $MARK" &&
	git config avogit.baseUrl http://127.0.0.1:1 &&
	git config avogit.model m &&
	avogit evolve --attempts 1 >../out 2>../err &&
	grep "no model is configured" ../out &&
	! test -e "$HOME/asked"
'

test_done
