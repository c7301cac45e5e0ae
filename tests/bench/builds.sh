#!/bin/sh
# Is a kernel called the same as itself while compilers work beside the measurement?
# builds.sh [COMPARISONS [BUILDS]] (100 with 3; 0 builds: alone). Needs BENCH. The
# compilers are of other programs: avogit knows nothing of them, as it holds its own
# builds back where the CPUs are what is timed. Each comparison has a line on stderr;
# with those of earlier calls in files, `builds.sh --count FILE...` says what they come
# to.
set -eu

count() { # FILE...
	awk '/^0 %/ { all++; split($0, part, "] "); same += part[2] + 0 == 0
		noticed += /other programs/ }
	END { printf "%d of %d called the same (%.1f %%), noticed by %d\n",
		same, all, 100 * same / all, noticed }' "$@"
}

[ "${1:-}" != --count ] || { shift; count "$@"; exit; }
cd "$(dirname "$0")/../.."
builds=${2:-3}
loops=
trap 'for loop in $loops; do kill -KILL "-$loop"; done 2>/dev/null' EXIT
trap 'exit 1' INT TERM

for i in $(seq "$builds"); do
	setsid sh -c 'while :
	do
		"${CC:-cc}" -O2 -I. -c core/run/supervisor.c -o /dev/null
	done' >/dev/null 2>&1 &
	loops="$loops $!"
done
"$BENCH/resolution_bench" tests/bench/steps "${1:-100}" "$builds"
