# What the scripts of this folder share; each sources it first. AVOGIT names the
# program. Without a card a script says so, as TAP, and ends well.
: "${AVOGIT:?must name the built avogit}"
here=$(cd "$(dirname "$0")" && pwd)
if "$AVOGIT" doctor 2>/dev/null | grep -q '^[a-z]* *gpu *no GPU'
then
	echo "1..0 # skipped: no GPU"
	exit 0
fi
export GIT_AUTHOR_NAME='Example Author' GIT_AUTHOR_EMAIL=author@example.invalid
export GIT_COMMITTER_NAME='Example Author' GIT_COMMITTER_EMAIL=author@example.invalid
scratch=$(mktemp -d "${TMPDIR:-/tmp}/avogit-gpu.XXXXXX")
# A signal ends the script: without its folder it would go on and fail everywhere.
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

n=0
failed=0
say () { # ok|"not ok" WHAT
	n=$((n + 1))
	test "$1" = ok || failed=$((failed + 1))
	echo "$1 $n - $2"
}
finish () {
	echo "1..$n"
	exit "$((failed > 0))"
}
