# For tests of the operator `llm`: a scripted model server beside `avogit
# evolve`. Sourced after lib-avogit.sh.

MODEL_SERVER=$(dirname "$AVOGIT")/tests/model-server/model-server
test -x "$MODEL_SERVER" || {
	skip_all="there is no $MODEL_SERVER (make cli builds it)"
	test_done
}
unset ANTHROPIC_API_KEY ANTHROPIC_AUTH_TOKEN OPENAI_API_KEY \
	ANTHROPIC_CUSTOM_HEADERS OPENAI_CUSTOM_HEADERS AVOGIT_MODEL \
	AVOGIT_PROVIDER AVOGIT_BASE_URL XDG_STATE_HOME

# The naive matrix multiply of the examples, on one case that takes a moment
# (20 ms, a twelfth of that with the loops exchanged): make_matmul NAME
make_matmul () {
	git init -q "$1" &&
	cd "$1" &&
	cp "$SHARNESS_TEST_SRCDIR"/../../examples/matmul/*.[cy]* . &&
	cp "$SHARNESS_TEST_SRCDIR"/../../examples/matmul/steps/1-naive/kernel.c . &&
	sed -i -e 's/^operator: .*//' -e 's/{m: 512, n: 512, k: 512}/{m: 256, n: 256, k: 256}/' avogit.yaml &&
	git add . &&
	git commit -qm 'the kernel and its task'
}

# Serves the script on stdin while the command runs; the server's own exit code
# counts: with_model PROTOCOL COMMAND...; its requests are in ../requests.
with_model () {
	AVOGIT_PROVIDER=$1
	shift
	cat >../script
	rm -f ../hold ../port ../requests
	mkfifo ../hold ../port
	"$MODEL_SERVER" ../script ../requests <../hold >../port &
	server=$!
	exec 7>../hold
	read -r port <../port
	case $AVOGIT_PROVIDER in
	anthropic) AVOGIT_BASE_URL=http://127.0.0.1:$port ;;
	openai | chat | responses) AVOGIT_BASE_URL=http://127.0.0.1:$port/v1 ;;
	bedrock) AVOGIT_PROVIDER=anthropic AVOGIT_BASE_URL=http://127.0.0.1:$port/model ;;
	gemini) AVOGIT_PROVIDER=openai AVOGIT_BASE_URL=http://127.0.0.1:$port/v1beta/openai ;;
	esac
	AVOGIT_MODEL=${AVOGIT_MODEL-claude-sonnet-5}
	export AVOGIT_PROVIDER AVOGIT_BASE_URL AVOGIT_MODEL
	"$@"
	model_rc=$?
	exec 7>&-
	wait "$server"
	server_rc=$?
	unset AVOGIT_PROVIDER AVOGIT_BASE_URL AVOGIT_MODEL
	test "$server_rc" = 0 || echo "model-server: exit code $server_rc" >&2
	return $((model_rc ? model_rc : server_rc))
}
