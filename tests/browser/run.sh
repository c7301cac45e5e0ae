#!/bin/sh
# The report of a run with hostile text, in headless Chromium (Debian's chromium, or
# CHROMIUM): `make test-browser`, by hand, since the browser is large. Needs AVOGIT.
set -eu
chromium=${CHROMIUM:-chromium}
command -v "$chromium" >/dev/null || { echo "no $chromium here: apt-get install chromium" >&2; exit 1; }
top=$(realpath "$(dirname "$0")/../..")
scratch=$(mktemp -d "${TMPDIR:-/tmp}/avogit-browser.XXXXXX")
trap 'rm -rf "$scratch"' EXIT INT TERM
export HOME="$scratch"
cd "$scratch"
git init -q repo
cp "$top"/tests/cli/scale/* repo
cd repo
git add .
git -c user.name=a -c user.email=a@b commit -qm kernel
cat >../hostile <<-'END'
	</script><script>console.error("ran")</script><!--<script> <img src=http://localhost/ onerror=console.error("ran")>
END
perl "$top/tests/cli/report/made-run.pl" "$(git rev-parse HEAD)" 500 ../hostile
"$AVOGIT" report made -o ../page.html
sandbox=
test "$(id -u)" != 0 || sandbox=--no-sandbox
for width in 1440 390
do
	"$chromium" --headless=new $sandbox --disable-gpu --enable-logging=stderr \
		--window-size=$width,1200 --virtual-time-budget=5000 --dump-dom \
		"file://$scratch/page.html" >../dom 2>../log
	! grep -i "CONSOLE" ../log || exit 1
	grep -q '<h1 id="title">Run made</h1>' ../dom
	grep -q '500 attempts (100 failed' ../dom
	grep -q '501 attempts</p>' ../dom
	grep -q '<h2 id="h-caveats">Caveats</h2>' ../dom
	! grep -q '<img' ../dom
done
echo "ok: the page of a run in $("$chromium" --version)"
