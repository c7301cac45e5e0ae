# What a script with packages from npm begins with; sourced. AVOGIT is the path of the
# binary, $here the script's folder.
: "${AVOGIT:?must name the built avogit}"
here=$(cd "$(dirname "$0")" && pwd)
skip () { echo "1..0 # SKIP $1"; exit 0; }

# from_npm NAME WHAT FILE...: makes the folder $work, with these files of $here and the
# packages that its package.json asks for; WHAT is the one to name where npm fails.
from_npm () {
	command -v node >/dev/null && command -v npm >/dev/null ||
		skip 'node and npm are not installed'
	work=$(mktemp -d "${TMPDIR:-/tmp}/avogit-$1.XXXXXX")
	trap 'rm -rf "$work"' EXIT
	what=$2
	shift 2
	for file
	do
		cp "$here/$file" "$work"
	done
	npm install --prefix "$work" --ignore-scripts --no-audit --no-fund --silent >"$work/npm" 2>&1 ||
		skip "npm could not fetch $what"
}
