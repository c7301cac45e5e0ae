#!/bin/sh
# The JSON Schema of task files, held by a validator that is not ours (ajv, from npm)
# against every task of this repository and every bad task of tests/unit/core/test_task.c,
# and what editors offer and complain of with it (yaml-language-server, from npm).
# AVOGIT is the path of the binary. TAP on stdout.
set -eu
: "${AVOGIT:?must name the built avogit}"
here=$(cd "$(dirname "$0")" && pwd)
skip () { echo "1..0 # SKIP $1"; exit 0; }

command -v node >/dev/null && command -v npm >/dev/null ||
	skip 'node and npm are not installed'
work=$(mktemp -d "${TMPDIR:-/tmp}/avogit-schema.XXXXXX")
trap 'rm -rf "$work"' EXIT
cp "$here/package.json" "$here/check.mjs" "$here/editor.mjs" "$work"
npm install --prefix "$work" --ignore-scripts --no-audit --no-fund --silent >"$work/npm" 2>&1 ||
	skip 'npm could not fetch ajv, yaml and yaml-language-server'
"$AVOGIT" help --schema >"$work/schema.json"
cd "$work"
exec timeout 120 node check.mjs schema.json "$here/../../.."
