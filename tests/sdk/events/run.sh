#!/bin/sh
# An event file for TensorBoard of a made run, read by code that is not ours: checksums of
# its records by one package of npm, messages by another. AVOGIT is the path of the binary.
# TAP on stdout.
set -eu
. "$(dirname "$0")/../lib-npm.sh"

from_npm events '@roboflow/tfrecords and protobufjs' package.json check.mjs
top=$here/../../..
cd "$work"
git init -q repo
cp "$top"/tests/cli/scale/* repo
cd repo
git add .
git -c user.name=a -c user.email=a@b commit -qm kernel
printf '</script>"\\ \342\200\250 {x="y"} 1\n' >../hostile
MADE_BY_MODEL=1 perl "$top/tests/cli/report/made-run.pl" "$(git rev-parse HEAD)" 100 ../hostile
"$AVOGIT" export --run made --tensorboard ../logs >../out
"$AVOGIT" export --run made --trace ../trace.jsonl >>../out
cd ..
timeout 60 node check.mjs logs/made/events.out.tfevents.*.avogit trace.jsonl
