#!/bin/sh
# The JSON Schema of task files, held by a validator that is not ours (ajv, from npm)
# against every task of this repository and every bad task of tests/unit/core/test_task.c,
# and what editors offer and complain of with it (yaml-language-server, from npm).
# AVOGIT is the path of the binary. TAP on stdout.
set -eu
. "$(dirname "$0")/../lib-npm.sh"

from_npm schema 'ajv, yaml and yaml-language-server' package.json check.mjs editor.mjs
"$AVOGIT" help --schema >"$work/schema.json"
cd "$work"
timeout 120 node check.mjs schema.json "$here/../../.."
