#!/bin/sh
# dist/action/action.yml and the workflow of docs/gate.md: read by GitHub's own parser
# from npm, and their `run:` run by bash as a runner does, on merges in a real repository.
# AVOGIT is the path of the binary. TAP on stdout. What GitHub itself does with them
# is not tried here.
set -eu
. "$(dirname "$0")/../lib-npm.sh"

from_npm action '@actions/workflow-parser' package.json check.mjs json.mjs

# A kernel as fast as its source says, so that answers are the same on a busy machine.
git init -q -b main "$work/repo"
cd "$work/repo"
git config user.name a
git config user.email a@b
cat >avogit.yaml <<-\END
	name: app
	sources: [kernel.c]
	score: {command: [sh, bench.sh], unit: ops/s, timeout: 20s, exact: true}
	build: {files: [bench.sh, build.sh], command: [sh, build.sh], object: app}
END
echo 'cp kernel.c app' >build.sh
cat >bench.sh <<-\END
	printf '{"verdict": "pass", "score": %s}' "$(cat kernel.c)"
END
echo 100 >kernel.c
git add .
git commit -qm app
git tag start
merge () { # NAME: the work tree as a pull request, merged with a base that went on
	git checkout -q -b "$1"
	git commit -qam "$1"
	git checkout -q main
	git merge -q --no-ff -m "Merge $1" "$1"
	git tag "merge-$1"
	git reset -q --hard base
}
echo more >README
git add README
git commit -qm 'Go on'
git tag base
git checkout -q --detach start; echo 120 >kernel.c; merge faster
git checkout -q --detach start; echo 97 >kernel.c; merge slower
git checkout -q --detach start; echo 'echo 9' >bench.sh; merge measure
mkdir "$work/bin"
ln -s "$AVOGIT" "$work/bin/avogit"
cd "$work"
PATH="$work/bin:$PATH" TOP="$here/../../.." node --import ./json.mjs check.mjs
