#!/bin/sh
# The report of a run with hostile text, in headless Chromium (Debian's chromium, or
# CHROMIUM): contents, keyboard, console, requests, and axe-core from npm, at 1440 and 390
# pixels, light and dark. `make test-browser`, by hand, since the browser is large.
# Needs AVOGIT and node; SHOTS is a folder for pictures.
set -eu
for tool in "${CHROMIUM:-chromium}" node npm; do
	command -v "$tool" >/dev/null || { echo "no $tool here: apt-get install chromium nodejs npm" >&2; exit 1; }
done
here=$(realpath "$(dirname "$0")")
top=$here/../..
scratch=$(mktemp -d "${TMPDIR:-/tmp}/avogit-browser.XXXXXX")
trap 'rm -rf "$scratch"' EXIT INT TERM
git init -q "$scratch/repo"
cp "$top"/tests/cli/scale/* "$scratch/repo"
cd "$scratch/repo"
commit () {
	git add .
	git -c user.name=a -c user.email=a@b commit -qm "$1"
}
# With flops, and the case of the made run, there is a roofline.
perl -pi -e 's/n: *\d+/n: 1/ if /^ *- \{n:/; $_ .= "flops: 4 * n\n" if /^bytes:/' avogit.yaml
commit kernel
base=$(git rev-parse HEAD)
kept=
for i in 1 2 3; do
	echo "/* step $i */" >>kernel.c
	commit "step $i"
	kept="$kept $(git rev-parse HEAD)"
done
if [ -z "${SHOTS-}" ]; then
	cat >../hostile <<-'END'
		</script><script>console.error("ran")</script><!--<script> <img src=http://localhost/ onerror=console.error("ran")>
	END
else
	echo 'Keep the row in registers, and read the next one ahead of its use' >../hostile
fi
MADE_BY_MODEL=1 perl "$top/tests/cli/report/made-run.pl" "$base" 500 ../hostile $kept
"$AVOGIT" report made -o ../page.html
cd ..
npm install --prefix . --no-audit --no-fund --silent axe-core@4.11.0 >npm.log 2>&1 ||
	{ echo 'npm could not fetch axe-core, so that it is not asked' >&2; }
axe=node_modules/axe-core/axe.min.js
[ -e $axe ] || axe=
timeout 120 node "$here/page.mjs" check page.html "$axe" ${SHOTS:+"$SHOTS"}
