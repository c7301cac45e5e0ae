#!/bin/bash
# Real coding agents, from npm, with the configuration that avogit prints and
# nothing else: each scores once, against tests/model-server. AVOGIT and
# MODEL_SERVER are paths; the argument is a folder for the packages (1 GB). They
# talk to 127.0.0.1 with keys that are none. TAP on stdout.
set -eu
: "${AVOGIT:?must name the built avogit}" "${MODEL_SERVER:?}"
here=$(cd "$(dirname "$0")" && pwd)
packages=$1
skip () { echo "1..0 # SKIP $1"; exit 0; }

command -v node >/dev/null && command -v npm >/dev/null ||
	skip 'node and npm are not installed'
mkdir -p "$packages"
npm install --prefix "$packages" --no-audit --no-fund --silent \
	@anthropic-ai/claude-code@2.1.330 @openai/codex@0.169.0 \
	opencode-ai@1.18.33 >"$packages/npm.log" 2>&1 ||
	skip 'npm could not fetch the clients'
work=$(mktemp -d "${TMPDIR:-/tmp}/avogit-clients.XXXXXX")
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin"
ln -s "$AVOGIT" "$work/bin/avogit"
PATH=$work/bin:$packages/node_modules/.bin:$PATH

# Tools are called PREFIX and their name: serve PREFIX
serve () {
	cat >script <<-EOF
	order turns
	exchange
	  times -1
	  call ${1}edit {"path":"kernel.c","old":"#define KC 64","new":"#define KC 256"}
	exchange
	  times -1
	  call ${1}score {"subject":"KC 256","hypothesis":"fewer passes over C"}
	exchange
	  times -1
	  text Done.
	exchange
	  times -1
	  text Done.
	EOF
	mkfifo input port
	"$MODEL_SERVER" script <input >port &
	exec 8>input
	read -r port <port
}

claude () {
	avogit mcp --print-config claude >.mcp.json
	export ANTHROPIC_API_KEY=none ANTHROPIC_BASE_URL=http://127.0.0.1:$port
	export CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1
	command claude -p 'Make it fast' --mcp-config .mcp.json \
		--allowedTools mcp__avogit --model model-1
}

codex () {
	mkdir "$HOME/.codex"
	{
		echo 'model = "model-1"'
		echo 'model_provider = "scripted"'
		echo '[model_providers.scripted]'
		echo 'name = "scripted"'
		echo "base_url = \"http://127.0.0.1:$port/v1\""
		echo 'wire_api = "responses"'
		echo 'env_key = "NO_KEY"'
		avogit mcp --print-config codex
	} >"$HOME/.codex/config.toml"
	NO_KEY=none command codex exec 'Make it fast'
}

opencode () {
	avogit mcp --print-config opencode >opencode.json
	mkdir -p "$HOME/.config/opencode"
	cat >"$HOME/.config/opencode/opencode.json" <<-EOF
	{"model": "scripted/model-1", "small_model": "scripted/model-1",
	 "provider": {"scripted": {"npm": "@ai-sdk/openai-compatible",
	  "options": {"baseURL": "http://127.0.0.1:$port/v1", "apiKey": "none"},
	  "models": {"model-1": {"name": "model 1"}}}}}
	EOF
	command opencode run 'Make it fast'
}

# In a repository and a home of its own: try CLIENT PREFIX
try () {
	mkdir "$work/$1" "$work/$1/home"
	"$here/../../examples/make-repo.sh" matmul "$work/$1/repo" >/dev/null
	cd "$work/$1/repo"
	export HOME=$work/$1/home
	git config user.name avogit
	git config user.email avogit@localhost
	serve "$2"
	export -f claude codex opencode
	export port
	timeout 120 bash -c "$1" </dev/null >"$work/$1/out" 2>&1 || true
	exec 8>&-
	wait
	avogit log --run matmul 2>&1 | tee -a "$work/$1/out" | grep '#1 .*KC 256'
}

echo 1..3
n=0
for client in claude:mcp__avogit__ codex:mcp__avogit/ opencode:avogit_
do
	n=$((n + 1))
	name=${client%%:*}
	if (try "$name" "${client#*:}") >"$work/answer" 2>&1
	then
		echo "ok $n - $name scores with the printed configuration"
	else
		sed 's/^/# /' "$work/answer" "$work/$name/out"
		echo "not ok $n - $name scores with the printed configuration"
	fi
done
