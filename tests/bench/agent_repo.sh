#!/bin/sh
# The repository of agent_bench: the small kernel of the tests with so much
# comment that an agent that views it gets a long transcript: agent_repo.sh DIR
set -eu
cp -R "$(dirname "$0")/../cli/scale" "$1"
cd "$1"
git init -q -b main .
seq -f '// %05.0f: a line that there is to look at' 0 5999 >>kernel.c
echo 'operator: {name: llm, context: 10000000, steps: 1000}' >>avogit.yaml
git add .
git -c user.name=bench -c user.email=bench@example.invalid \
	-c commit.gpgsign=false commit -q --no-verify -m 'a kernel to look at'
