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
echo "\$ cd $dir"
echo "\$ git log --oneline --decorate"
git --no-pager log --oneline --decorate
echo
echo "\$ avogit evolve --run demo --base production --time ${DEMO_TIME:-20s}"
"$avogit" evolve --run demo --base production --time "${DEMO_TIME:-20s}"
echo
echo "\$ git log --graph --notes=avogit --branches='avo/demo/*' --not production"
git --no-pager log --graph --notes=avogit --branches='avo/demo/*' --not production
git rev-parse -q --verify avo/demo/winner >/dev/null || exit 0
echo
echo "\$ git switch production && git cherry-pick avo/demo/winner"
git switch -q production
git -c user.name="$(git log -1 --format=%cn)" \
	-c user.email="$(git log -1 --format=%ce)" \
	-c commit.gpgsign=false cherry-pick avo/demo/winner
echo
echo "\$ avogit show avo/demo/best"
"$avogit" show avo/demo/best | grep '^  vs '
