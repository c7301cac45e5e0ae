#!/bin/sh
# The demo: a scratch repository made from an example, `avogit evolve` in it
# for well under a minute, and what plain git shows of it afterwards.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
avogit=${AVOGIT:-avogit}
example=${1:-matmul}
dir=${2:-$(mktemp -d "${TMPDIR:-/tmp}/avogit-demo.XXXXXX")}

"$here/make-repo.sh" "$example" "$dir"
cd "$dir"
base=$(git rev-list --max-parents=0 HEAD) # the naive start
echo "\$ cd $dir"
echo "\$ git log --oneline"
git --no-pager log --oneline
echo
echo "\$ avogit evolve --run demo --base $(git rev-parse --short "$base") --time ${DEMO_TIME:-20s}"
"$avogit" evolve --run demo --base "$base" --time "${DEMO_TIME:-20s}"
echo
echo "\$ git log --graph --notes=avogit --branches='avo/demo/*' --not $(git rev-parse --short "$base")"
git --no-pager log --graph --notes=avogit --branches='avo/demo/*' --not "$base"
