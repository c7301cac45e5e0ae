#!/bin/sh
# Figures of the report of a run of N attempts, and of watching it: see.sh AVOGIT FOLDER N
set -eu
avogit=$1
made=$(realpath tests/cli/report/made-run.pl)
pl=$(realpath tests/bench/watch.pl)
page=$(realpath tests/browser/page.mjs)
scale=$(realpath tests/cli/scale)
cd "$2"
echo "Why this should help, in a sentence or two of the usual length, or three." >why
repository() { # NAME ATTEMPTS
	git init -q "$1"
	cp "$scale"/* "$1"
	cd "$1"
	git add .
	git -c user.name=a -c user.email=a@b commit -qm kernel
	# A candidate for each attempt, so that what it changed can be shown.
	base=$(git rev-parse HEAD)
	perl -e 'my ($base, $n) = @ARGV; local $/; open my $k, "<", "kernel.c"; my $text = <$k>;
		for (1 .. $n) {
			my $new = $text . "/* tried: $_ */\n" x 30;
			printf "commit refs/heads/made\nmark :%d\ncommitter T <t> 1 +0000\ndata 1\nx\nfrom %s\nM 644 inline kernel.c\ndata %d\n%s\n",
				$_, $base, length $new, $new;
		}' "$base" "$2" | git fast-import --quiet --force --export-marks=../marks
	sort -t: -k2 -n ../marks | cut -d' ' -f2 >../commits
	MADE_OF_COMMITS=../commits perl "$made" "$base" "$2" ../why
}
MADE_BY_MODEL=1 repository by_model "$3"
cd ..
repository see "$3"
figure() { # NAME VALUE UNIT MOST
	echo "$1 $2 $3" | awk -v most="$4" '{ print $0, "<=" most, $2 <= most ? "ok" : "SHORT" }'
}
seconds() { # COMMAND...
	begin=$(date +%s.%N)
	"$@"
	date +%s.%N | awk -v begin="$begin" '{ printf "%.2f", $1 - begin }'
}
figure see.report_without_cache "$(seconds "$avogit" report made -o page.html)" s 2
cd ../by_model
figure see.report_of_a_model_without_cache "$(seconds "$avogit" report made -o page.html)" s 2
cd ../see
figure see.report "$(seconds "$avogit" report made -o page.html)" s 2
figure see.report_size "$(awk -v n="$(stat -c %s page.html)" 'BEGIN { printf "%.2f", n / 1048576 }')" MiB 12
# Where a browser is.
if command -v "${CHROMIUM:-chromium}" >/dev/null && command -v node >/dev/null; then
	figure see.first_paint "$(node "$page" paint page.html)" ms 1500
fi

# avogit watch, on a terminal of 200x60, where it has something new to draw 20 times a
# second, and where it has not.
command -v script >/dev/null || exit 0
script -qec "stty cols 200 rows 60; echo \$\$ >pid; TERM=xterm exec '$avogit' watch made" /dev/null >screen </dev/null &
watching=$!
trap 'kill "$(cat pid)" 2>/dev/null || true' EXIT
while ! grep -q 'q quits' screen; do
	kill -0 "$watching" # it has ended
	sleep 0.1
done
figure see.watch_cpu "$(perl "$pl" "$(cat pid)" 10)" cpu 0.02
kill "$(cat pid)"
wait "$watching" || true # 130: it was asked to end

# What draws the bars of a command that waits: 10 s of a kernel that does not end.
git init -q ../waits && cp ../see/*.c ../see/avogit.yaml ../waits && cd ../waits
sed -i 's/^#define MODE .*/#define MODE 3/' kernel.c
sed -i 's/^  timeout:.*/  timeout: 60s/' avogit.yaml
git add . && git -c user.name=a -c user.email=a@b commit -qm kernel
script -qec "stty cols 80 rows 24; echo \$\$ >pid; TERM=xterm exec '$avogit' score" /dev/null >screen </dev/null &
scoring=$!
while ! grep -q 'checking' screen; do
	kill -0 "$scoring" # it has ended
	sleep 0.1
done
# CPU nanoseconds of the threads beside the first.
used() {
	for task in "/proc/$(cat pid)"/task/*; do
		[ "${task##*/}" = "$(cat pid)" ] || cat "$task/schedstat"
	done | awk '{ n += $1 } END { print n }'
}
before=$(used)
sleep 10
figure see.waits_cpu "$(used | awk -v before="$before" '{ printf "%.5f", ($1 - before) / 1e10 }')" cpu 0.005
kill "$(cat pid)"
wait "$scoring" || true
