#!/bin/sh
# Makes a git repository of an example, a commit for each of its steps:
#     make-repo.sh matmul DIR
# `main` ends with the step that holds the tunables; the branch `production` is
# at the naive start, the kernel that runs today.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
example=$here/${1:?name an example: a folder beside this}
dir=${2:?name the folder to make}
[ -d "$example/steps" ] || { echo "make-repo: no example '$1'" >&2; exit 1; }

git init -q -b main "$dir"
find "$example" -maxdepth 1 -type f ! -name "*.bundle" -exec cp {} "$dir/" \;
cd "$dir"
# Where git has no identity (a fresh container), the commits still need one.
if ! git config user.name >/dev/null || ! git config user.email >/dev/null; then
	set -- -c user.name='Example Author' -c user.email=author@example.invalid
else
	set --
fi
for step in "$example"/steps/*/; do
	cp "$step"/kernel.* .
	git add -A
	git "$@" -c commit.gpgsign=false commit -q --no-verify -F "$step/message"
	git rev-parse -q --verify production >/dev/null || git branch production
done
