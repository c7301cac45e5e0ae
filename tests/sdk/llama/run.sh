#!/bin/bash
# A hundred replies of nonsense from the real llama.cpp server: `avogit evolve`
# stays within its budget, says in a sentence why it stops, and harms nothing.
# LLAMA_SERVER or PATH says where the server is; else it is built of the npm
# package node-llama-cpp, in the folder that is the argument. AVOGIT is the path
# of the binary. TAP on stdout.
set -eu
: "${AVOGIT:?must name the built avogit}"
here=$(cd "$(dirname "$0")" && pwd)
packages=$1
skip () { echo "1..0 # SKIP $1"; exit 0; }

mkdir -p "$packages"
server=${LLAMA_SERVER:-$(command -v llama-server ||
	"$here/server.sh" "$packages" 2>"$packages/log" || true)}
[ -n "$server" ] || skip "there is no llama-server, and none was built: $packages/log"
work=$(mktemp -d "${TMPDIR:-/tmp}/avogit-llama.XXXXXX")
pid=
trap '[ -z "$pid" ] || kill "$pid"; rm -rf "$work"' EXIT
trap 'kill $(jobs -p); exit 130' INT TERM
cd "$work"
export HOME=$work GIT_CONFIG_NOSYSTEM=1
unset AVOGIT_MODEL AVOGIT_PROVIDER AVOGIT_BASE_URL
git config --global user.name 'A Tester'
git config --global user.email tester@example.org
git config --global init.defaultBranch main
"$here/model.pl" 1 >nonsense.gguf
port=$(perl -MIO::Socket::INET -e \
	'print IO::Socket::INET->new(Listen => 1, LocalAddr => "127.0.0.1")->sockport')

# With so many tokens of context: serve TOKENS
serve () {
	"$server" -m nonsense.gguf --host 127.0.0.1 --port "$port" --ctx-size "$1" \
		--parallel 1 --threads 1 --jinja --seed 1 </dev/null >server.log 2>&1 &
	pid=$!
	curl -sf --retry 60 --retry-delay 1 --retry-all-errors \
		"http://127.0.0.1:$port/health" >/dev/null
}

stop () {
	kill "$pid"
	wait "$pid" || true
	pid=
}

# A small kernel, with the operator line of the docs and SETTINGS: repo NAME SETTINGS
repo () {
	mkdir "$1"
	cp "$here"/../../cli/scale/* "$1"
	cd "$1"
	sed -i 's,^#define ROUNDS .*,#define ROUNDS 16 // avogit: 16 4 1,' kernel.c
	grep -A 1 "^# llama.cpp's server" "$here/../../../docs/agent.md" | tail -n 1 |
		sed "s/^# *//; s/localhost:8080/127.0.0.1:$port/; s/, streaming: false}/$2}/" >>avogit.yaml
	git init -q
	git add .
	git commit -qm 'the kernel and its task'
	"$AVOGIT" trust --yes >/dev/null
}

n=0
# report WHAT COMMAND...
report () {
	n=$((n + 1))
	local what=$1
	shift
	if "$@" >"$work/answer" 2>&1
	then
		echo "ok $n - $what"
	else
		sed 's/^/# /' "$work/answer" "$work/out"
		echo "not ok $n - $what"
	fi
}

# Nonsense makes no attempt, so a run ends after eight steps and is asked to go
# on: each time with 0 or 1 and one sentence that says why.
hundred () {
	for _ in $(seq 50)
	do
		rc=0
		timeout 900 "$AVOGIT" evolve --operator llm --steps 100 --tokens 20000000 \
			--time 10m </dev/null >last 2>&1 || rc=$?
		cat last >>"$work/out"
		[ "$rc" -le 1 ] && [ "$(grep -c '^stopped: ' last)" = 1 ] || return 1
		! grep '^stopped: steps' last || break
	done
	grep '^spent: 100 turns, .* tokens in.*, .* out' last
}

unharmed () {
	git fsck --strict
	[ -z "$(git status --porcelain --untracked-files=no)" ]
	[ "$(git rev-list --count main)" = 1 ]
	"$AVOGIT" log --run scale
}

# The same words for a conversation that the server's context does not hold.
too_long () {
	rc=0
	timeout 900 "$AVOGIT" evolve --operator llm --steps 100 \
		</dev/null >"$work/out" 2>&1 || rc=$?
	[ "$rc" = 128 ] && [ "$(grep -c '^avogit: ' "$work/out")" = 1 ] &&
		grep '^avogit: .*context' "$work/out"
}

echo 1..5
serve 65536
for streaming in ${STREAMING:-true false}
do
	: >"$work/out"
	repo "streaming-$streaming" ", streaming: $streaming"
	report "streaming $streaming: 100 replies of nonsense, one sentence each time" hundred
	report "streaming $streaming: git and the user's branch are as they should be" unharmed
	cd "$work"
done
stop
serve 4096
repo small ''
report 'a context that does not hold the first message is said as that' too_long
