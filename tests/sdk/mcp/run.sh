#!/bin/sh
# The MCP server under a client that is not ours: the official SDK, from npm.
# AVOGIT is the path of the binary. TAP on stdout.
set -eu
: "${AVOGIT:?must name the built avogit}"
here=$(cd "$(dirname "$0")" && pwd)
skip () { echo "1..0 # SKIP $1"; exit 0; }

command -v node >/dev/null && command -v npm >/dev/null ||
	skip 'node and npm are not installed'
work=$(mktemp -d "${TMPDIR:-/tmp}/avogit-sdk.XXXXXX")
trap 'rm -rf "$work"' EXIT
cp "$here/package.json" "$here/client.mjs" "$work"
npm install --prefix "$work" --no-audit --no-fund --silent >"$work/npm" 2>&1 ||
	skip 'npm could not fetch @modelcontextprotocol/sdk'
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
