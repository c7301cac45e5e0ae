#!/bin/sh
# Is the gate right? Three changes of one kernel whose work is known: 3 % more, 10 %
# less, and the same with another comment; each is gated N times:
#     gate.sh AVOGIT [N [WHICH...]] >FILE
# A line a gate: its change, its exit code, its seconds, how often it measured and the
# first reason. Measures for minutes, so it is no part of CI. With FILE of earlier
# calls, `gate.sh --count FILE...` says how many were right.
set -eu

count() { # FILE...
	awk '$1 == "slower" { want = 1 } $1 == "faster" || $1 == "same" { want = 0 }
	/^(slower|faster|same) / { all[$1]++; right[$1] += $2 == want; wrong[$1] += $2 == 1 - want
		seconds[$1] += $3; times[$1] += $4 }
	END { for (w in all) printf "gate.%s_right %d of %d (the other answer: %d), %.1f s and %.1f measurements each\n",
		w, right[w], all[w], wrong[w], seconds[w] / all[w], times[w] / all[w] }' "$@" | sort
}

[ "${1:?name avogit, or --count}" != --count ] || { shift; count "$@"; exit; }
avogit=$(realpath "$1")
times=${2:-20}
shift; [ $# = 0 ] || shift
[ $# -gt 0 ] || set -- slower faster same
steps=$(realpath "$(dirname "$0")/steps")
dir=$(mktemp -d "${TMPDIR:-/tmp}/avogit-gates.XXXXXX")
trap 'rm -rf "$dir"' EXIT
cd "$dir"

step() { # NAME ROUNDS: a commit on top of base
	git checkout -q --detach base 2>/dev/null || :
	{ echo "/* $1 */"; echo "#define ROUNDS $2"; cat "$steps/kernel.c"; } >kernel.c
	git add .
	git -c user.name=a -c user.email=a@b -c commit.gpgsign=false commit -qm "$1"
	git tag "$1"
}

git init -q .
cp "$steps"/* .
step base 200
step slower 206
step faster 180
step same 200
for i in $(seq "$times"); do
	for which; do
		code=0
		begin=$(date +%s.%N)
		"$avogit" gate --json base "$which" >out || code=$?
		end=$(date +%s.%N)
		perl -MJSON::PP -e 'local $/; my $k = decode_json(<STDIN>)->{kernels}[0];
			printf "%s %s %.1f %d %s\n", @ARGV[0, 1], $ARGV[3] - $ARGV[2],
			scalar @{$k->{measurements}}, $k->{reasons}[0]' \
			"$which" "$code" "$begin" "$end" <out
	done
done
