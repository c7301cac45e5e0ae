#!/bin/sh
# The report of a run with hostile text, in headless Chromium (Debian's chromium, or
# CHROMIUM): contents, keyboard, console, requests, and axe-core from npm, at 1440 and 390
# pixels, light and dark. AVOGIT is the path of the binary. TAP on stdout.
set -eu
. "$(dirname "$0")/../sdk/lib-npm.sh"

command -v "${CHROMIUM:-chromium}" >/dev/null || skip 'chromium is not installed (make deps-browser)'
from_npm browser axe-core page.mjs package.json
# Where a container forbids what it needs, it cannot start at all.
timeout 60 "${CHROMIUM:-chromium}" --headless=new --no-sandbox --disable-gpu --user-data-dir="$work/tried" \
	--dump-dom about:blank 2>/dev/null | grep -q '<html>' || skip 'chromium does not start here'
top=$here/../..
cd "$work"
git init -q repo
cp "$top"/tests/cli/scale/* repo
cd repo
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
cat >../hostile <<-'END'
	</script><script>console.error("ran")</script><!--<script> <img src=http://localhost/ onerror=console.error("ran")>
END
MADE_BY_MODEL=1 perl "$top/tests/cli/report/made-run.pl" "$base" 500 ../hostile $kept
# Figures of a profiler, before and after; a name may be one that every object has.
for of in "$base 41.5 30 registers" "$(git rev-parse HEAD) 83.25 60 toString"; do
	set -- $of
	text='{"case":"n=1","gpu":"a card","kernel":"scale","facts":{"dram_percent":'$2',"occupancy_percent":'$3',"'$4'":32},
		"bottlenecks":[{"name":"dram-bandwidth","figures":"DRAM '$2' % of its peak"}]}'
	blob=$(echo "$text" | git hash-object -w --stdin)
	tree=$(printf '100644 blob %s\tprofile-%s-1.json\n' "$blob" "$1" | git mktree)
	git update-ref "refs/avogit/made/logs/00000000000000${3}" \
		"$(git -c user.name=a -c user.email=a@b commit-tree -m log "$tree")"
done
# A transcript that was begun before the third attempt, and kept after it.
{
	printf '{"event":"begin","time":"2026-11-23T22:00:00Z","text":"Make it faster <b>now</b>"}\n'
	printf '{"event":"result","time":"2026-11-23T22:00:02Z","name":{"a":1},"text":"measured","commit":"%s"}\nno JSON\n' "$(git rev-parse HEAD)"
	printf '{"event":"odd","time":{"toString":null},"name":{"toString":null},"text":"no word"}\n'
} >../transcript
tree=$(printf '100644 blob %s\tstep-2026-11-23T16-00-00Z-00000001.jsonl\n' "$(git hash-object -w ../transcript)" | git mktree)
git update-ref refs/avogit/made/logs/0000000000000009 \
	"$(git -c user.name=a -c user.email=a@b commit-tree -m log "$tree")"
git remote add origin git@github.com:example/kernels.git
"$AVOGIT" report made -o ../page.html
"$AVOGIT" report made --logs -o ../logs.html
cd ..
timeout 180 node page.mjs check page.html logs.html node_modules/axe-core/axe.min.js
