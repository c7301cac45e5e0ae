#!/bin/sh
# How many attempts an hour eight agents make for one of a single agent, where
# each thinks for two seconds: agents.sh DIR. Needs AVOGIT. Both runs take
# BENCH_PARALLEL_SECONDS (30). Every candidate is built and measured, and is
# slower than the start. Where the sandbox starts no program the figure is left
# out.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
seconds=${BENCH_PARALLEL_SECONDS:-30}
export HOME="$1/home" GIT_CONFIG_NOSYSTEM=1
unset XDG_CONFIG_HOME XDG_CACHE_HOME XDG_STATE_HOME
mkdir -p "$HOME"

cp -R "$here/../cli/scale" "$1/parallel"
cd "$1/parallel"
sed -i 's/^#define ROUNDS .*/#define ROUNDS 1 /' kernel.c
cat >>avogit.yaml <<\EOT
operator:
  command: [sh, -c, 'eval "$AGENT"']
  env: [AGENT]
supervisor: off
EOT
git init -q -b main .
git add .
git -c user.name=bench -c user.email=bench@example.invalid \
	-c commit.gpgsign=false commit -q --no-verify -m 'a kernel'
"$AVOGIT" trust --yes >/dev/null

AGENT='while :
do
	sleep 2
	sed -i "s/^#define ROUNDS .*/#define ROUNDS 8 /" kernel.c
	sed "s,^,// ," /proc/sys/kernel/random/uuid >>kernel.c
	printf "%s\n" "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"score\",\"arguments\":{\"subject\":\"an idea\",\"hypothesis\":\"\"}}}" |
		"$AVOGIT" mcp --relay "$AVOGIT_MCP_SOCKET"
done'
export AGENT

attempts() { # AGENTS
	"$AVOGIT" evolve --run "of-$1" --agents "$1" --time "${seconds}s" >"../of-$1" &&
		"$AVOGIT" log --run "of-$1" --json | grep -c '"verdict":' || echo 0
}
one=$(attempts 1)
eight=$(attempts 8)
# The start is one of each.
awk -v one="$((one - 1))" -v eight="$((eight - 1))" 'BEGIN {
	if (one < 1)
		exit
	times = eight / one
	print "parallel.eight_agents", sprintf("%.3g", times), "x 6",
		times < 6 ? "SHORT" : "ok"
}'
