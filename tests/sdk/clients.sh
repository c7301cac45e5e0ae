#!/bin/bash
# Real coding agents, from npm, against tests/model-server: each scores once by
# MCP with the configuration that avogit prints and nothing else, and once as the
# operator, in the sandbox, by the lines of docs/mcp.md, where its own shell
# changes the kernel. AVOGIT and MODEL_SERVER are paths; the argument is a folder
# for the packages (1 GB). They talk to 127.0.0.1 with keys that are none. TAP on
# stdout.
set -eu
: "${AVOGIT:?must name the built avogit}" "${MODEL_SERVER:?}"
here=$(cd "$(dirname "$0")" && pwd)
packages=$1
skip () { echo "1..0 # SKIP $1"; exit 0; }

command -v node >/dev/null && command -v npm >/dev/null ||
	skip 'node and npm are not installed'
mkdir -p "$packages"
npm install -g --prefix "$packages" --no-audit --no-fund --silent \
	@anthropic-ai/claude-code@2.1.330 @openai/codex@0.169.0 \
	opencode-ai@1.18.33 @google/gemini-cli@0.61.0 \
	>"$packages/npm.log" 2>&1 ||
	skip 'npm could not fetch the clients'
work=$(mktemp -d "${TMPDIR:-/tmp}/avogit-clients.XXXXXX")
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin"
ln -s "$AVOGIT" "$work/bin/avogit"
PATH=$work/bin:$packages/bin:$PATH
export ANTHROPIC_API_KEY=none CODEX_API_KEY=none GOOGLE_API_KEY=none
export CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 GOOGLE_GENAI_USE_VERTEXAI=true
sed_line='sed -i "s/#define KC 64/#define KC 256/" kernel.c'

# Serves a first call, then `score`, which the client calls PREFIXscore:
# serve CALL PREFIX
serve () {
	cat >script <<-EOF
	order turns
	exchange
	  times -1
	  call $1
	exchange
	  times -1
	  usage 1000 3000 0 500
	  call ${2}score {"subject":"KC 256","hypothesis":"fewer passes over C"}
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
	export ANTHROPIC_BASE_URL=http://127.0.0.1:$port
	export GOOGLE_VERTEX_BASE_URL=http://127.0.0.1:$port
	# opencode reads it beside its files.
	OPENCODE_CONFIG_CONTENT=$(cat <<-EOF
	{"model": "scripted/model-1", "small_model": "scripted/model-1",
	 "provider": {"scripted": {"npm": "@ai-sdk/openai-compatible",
	  "options": {"baseURL": "http://127.0.0.1:$port/v1", "apiKey": "none"},
	  "models": {"model-1": {"name": "model 1"}}}}}
	EOF
	)
	export OPENCODE_CONFIG_CONTENT
}

# Where codex finds the server.
codex_server () {
	cat <<-EOF
	model_provider="scripted"
	model_providers.scripted={name="scripted",base_url="http://127.0.0.1:$port/v1",wire_api="responses",env_key="CODEX_API_KEY"}
	EOF
}

# ---- as MCP clients ----------------------------------------------------------

claude () {
	avogit mcp --print-config claude >.mcp.json
	command claude -p 'Make it fast' --mcp-config .mcp.json \
		--allowedTools mcp__avogit --model model-1
}

codex () {
	mkdir "$HOME/.codex"
	{
		echo 'model = "model-1"'
		codex_server
		avogit mcp --print-config codex
	} >"$HOME/.codex/config.toml"
	command codex exec 'Make it fast'
}

opencode () {
	avogit mcp --print-config opencode >opencode.json
	command opencode run 'Make it fast'
}

gemini () {
	mkdir .gemini
	avogit mcp --print-config gemini >.gemini/settings.json
	command gemini -p 'Make it fast' --skip-trust --model model-1
}

# ---- as operators ------------------------------------------------------------

# The lines of the docs, and where the scripted server is: operator_lines CLIENT
operator_lines () {
	awk -v "start=command: \\\\[$1," '
		/^    operator:/ { held = $0; next }
		held && $0 ~ start { print held; on = 1 }
		{ held = "" }
		on && !/^     / { exit }
		on' "$here/../../docs/mcp.md" |
		sed "s/^    //; s,/opt/agents,$packages,; s/^  env: \\[/&ANTHROPIC_BASE_URL, \
CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC, OPENCODE_CONFIG_CONTENT, \
GOOGLE_GENAI_USE_VERTEXAI, GOOGLE_VERTEX_BASE_URL, GOOGLE_API_KEY, /" |
		case $1 in
		codex) sed "s|--json|&, $(codex_server |
			sed "s/.*/-c, '&'/" | paste -sd ,), -c, 'model=\"model-1\"'|" ;;
		opencode) sed 's,openai/[^]]*,scripted/model-1,' ;;
		gemini) sed 's/--yolo/&, --model, model-1/' ;;
		*) cat ;;
		esac
}

operator () {
	sed -i '/^operator:/d' avogit.yaml
	operator_lines "$1" >>avogit.yaml
	cat avogit.yaml
	git commit -qam 'an operator'
	avogit trust --yes
	avogit evolve --attempts 1
}

# ---- both --------------------------------------------------------------------

# In a repository and a home of its own: try CLIENT HOW CALL PREFIX
try () {
	mkdir -p "$work/$1-$2/home"
	"$here/../../examples/make-repo.sh" matmul "$work/$1-$2/repo" >/dev/null
	cd "$work/$1-$2/repo"
	export HOME=$work/$1-$2/home
	git config user.name avogit
	git config user.email avogit@localhost
	serve "$3" "$4"
	export -f claude codex opencode gemini codex_server operator_lines operator
	export port packages here
	case $2 in mcp) set -- "$1" "$2" "$1" ;; *) set -- "$1" "$2" "operator $1" ;; esac
	timeout 120 bash -c "$3" </dev/null >"$work/$1-$2/out" 2>&1 || true
	exec 8>&-
	wait
	avogit log --run matmul 2>&1 | tee -a "$work/$1-$2/out" | grep '#1 .*KC 256'
	[ "$2" = mcp ] || grep '^spent: .*4.* tokens in' "$work/$1-$2/out"
}

# The client, what it calls our tools, and its own shell's tool with the member
# that takes the command
clients='claude mcp__avogit__ Bash command
codex mcp__avogit/ exec_command cmd
opencode avogit_ bash command
gemini mcp_avogit_ run_shell_command command'

# report CLIENT HOW CALL PREFIX WHAT
report () {
	n=$((n + 1))
	if (try "$1" "$2" "$3" "$4") >"$work/answer" 2>&1
	then
		echo "ok $n - $1 $5"
	else
		sed 's/^/# /' "$work/answer" "$work/$1-$2/out"
		echo "not ok $n - $1 $5"
	fi
}

echo 1..8
n=0
while read -r client prefix shell member <&7
do
	report "$client" mcp \
		"${prefix}edit {\"path\":\"kernel.c\",\"old\":\"#define KC 64\",\"new\":\"#define KC 256\"}" \
		"$prefix" 'scores with the printed configuration'
	report "$client" operator \
		"$shell {\"$member\":\"${sed_line//\"/\\\"}\",\"description\":\"more of K at once\"}" \
		"$prefix" 'scores as the operator, by the lines of the docs'
done 7<<<"$clients"
