#!/bin/sh
# The GPU part of the tests: the corpus of tests/gpu/cheats, as TAP. Needs a
# GPU, nvcc and git, and nothing else: AVOGIT names the program. CHEATS="a b"
# runs only these.
: "${AVOGIT:?must name the built avogit}"
here=$(cd "$(dirname "$0")" && pwd)
if ! "$AVOGIT" doctor 2>/dev/null | grep -q '^ok *gpu *NVIDIA'
then
	echo "1..0 # skipped: no GPU"
	exit 0
fi
scratch=$(mktemp -d "${TMPDIR:-/tmp}/avogit-gpu.XXXXXX")
trap 'rm -rf "$scratch"' EXIT INT TERM
export GIT_AUTHOR_NAME=t GIT_AUTHOR_EMAIL=t@example.org
export GIT_COMMITTER_NAME=t GIT_COMMITTER_EMAIL=t@example.org
cp -r "$here/task/." "$scratch"
cp "$here/cheats/control.cu" "$scratch/kernel.cu"
cd "$scratch" && git init -q . && git add . && git commit -qm control || exit 1

fact () {
	sed -n "s|^// $2: *||p" "$here/cheats/$1.cu" | head -n 1
}

found () {
	sed -n "s/^[[:space:]]*\"$1\":[[:space:]]*\(.*[^,]\),*\$/\1/p" json |
	sed "s/^\"\(.*\)\"\$/\1/" | head -n 1
}

n=0
failed=0
for file in ${CHEATS:-$(cd "$here/cheats" && echo *.cu)}
do
	name=${file%.cu}
	n=$((n + 1))
	cp "$here/cheats/$name.cu" kernel.cu
	against=
	test "$(fact "$name" faster)" = no && against="--against HEAD"
	timeout 120 "$AVOGIT" score --again --json --time 5s $against >json 2>err
	verdict=$(found verdict)
	why=$(found why)
	wanted=$(fact "$name" why)
	ok=ok
	printf '%s\n' "$verdict" | grep -qxE -e "$(fact "$name" verdict)" || ok="not ok"
	test -z "$wanted" || test "$verdict" = pass ||
	printf '%s\n' "$why" | grep -qE -e "$wanted" || ok="not ok"
	test -z "$against" || test "$(found told)" != faster || ok="not ok"
	test "$ok" = ok || failed=$((failed + 1))
	echo "$ok $n - $name: $(fact "$name" pattern) # $verdict $why $(head -c 200 err)"
done
echo "1..$n"
exit "$((failed > 0))"
