#!/bin/sh
# Is a kernel called the same as itself while compilers work beside the measurement?
# builds.sh [COMPARISONS [BUILDS]] (100 with 3; 0 builds: alone). Needs BENCH. The
# compilers are of other programs: avogit knows nothing of them, as it holds its own
# builds back where the CPUs are what is timed.
set -eu
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
