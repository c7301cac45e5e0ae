#!/bin/sh
# The MCP server under a client that is not ours: the official SDK, from npm.
# AVOGIT is the path of the binary. TAP on stdout.
set -eu
. "$(dirname "$0")/../lib-npm.sh"

from_npm sdk '@modelcontextprotocol/sdk' package.json client.mjs
"$here/../../../examples/make-repo.sh" matmul "$work/repo" >/dev/null

echo 1..2
if (cd "$work" && node client.mjs "$AVOGIT" "$work/repo") >"$work/out" 2>&1
then
	echo 'ok 1 - the official SDK calls every tool'
else
	sed 's/^/# /' "$work/out"
	echo 'not ok 1 - the official SDK calls every tool'
fi
n=$(git -C "$work/repo" for-each-ref 'refs/avogit/sdk/journal/*' \
	--format='%(refname)' | xargs -r git -C "$work/repo" log \
	--first-parent --format=%s | grep -c '^attempt ')
test "$n" = 3 || printf 'not '
echo 'ok 2 - three attempts are in the journal'
