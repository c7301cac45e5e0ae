#!/bin/sh
# Ratios of two variants of small kernels: avogit's beside those of a harness of
# its own, five runs each. A line a figure, as in run.sh above. Needs AVOGIT.
# REAL_RUNS (5), REAL_TIME (3s, of adler32.16m 10s) of each comparison, KERNELS
# (all). "at least": more than half of a launch is fixed, and time and ratio are
# those of whole launches. 1ms says how long a verdict of a kernel of a millisecond
# takes, build and all; two: how what is said of it differs where two avogits score
# it at once.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d "${TMPDIR:-/tmp}/avogit-real.XXXXXX")
trap 'rm -rf "$scratch"' EXIT INT TERM
export GIT_AUTHOR_NAME=bench GIT_AUTHOR_EMAIL=b@example.org
export GIT_COMMITTER_NAME=bench GIT_COMMITTER_EMAIL=b@example.org

cc -O2 -o "$scratch/harness" "$here/harness.c" -ldl
runs=${REAL_RUNS:-5}

# The value of a key that stands once in JSON: key NAME
key () {
	awk -v k="\"$1\":" '{ i = index($0, k) } i { v = substr($0, i + length(k)); sub(/^[ \t"]*/, "", v); sub(/[",}].*/, "", v); print v; exit }'
}

# A repository with the slow variant, and the fast one on top: make_repo DIR KIND N
make_repo () {
	dir=$1
	rm -rf "$dir"
	mkdir "$dir"
	sed "s/SIZE/$3/" "$here/$2/avogit.yaml" >"$dir/avogit.yaml"
	cp "$here/$2/reference.c" "$dir/"
	cp "$here/$2/slow.c" "$dir/kernel.c"
	flags=$(sed -n 's/^build:.*flags: \[\(.*\)\].*/\1/p' "$dir/avogit.yaml" | tr -d ,)
	for v in slow fast
	do
		# shellcheck disable=SC2086 # several words
		cc $flags -shared -fPIC -o "$dir/$v.so" "$here/$2/$v.c"
	done
	git -C "$dir" init -q
	printf '*.so\n' >"$dir/.git/info/exclude"
	git -C "$dir" add -A
	git -C "$dir" commit -qm slow
	cp "$here/$2/fast.c" "$dir/kernel.c"
	git -C "$dir" commit -qam fast
}

one () { # NAME KIND N [TIME]
	time=${REAL_TIME:-${4:-3s}}
	make_repo "$scratch/$1" "$2" "$3"
	i=0
	: >"$dir/table"
	while [ "$i" -lt "$runs" ]
	do
		i=$((i + 1))
		h=$(cd "$dir" && "$scratch/harness" "$2" "$3" ./slow.so ./fast.so 1)
		start=$(date +%s.%N)
		(cd "$dir" && "$AVOGIT" score --again --json --time "$time" --against HEAD~1 >json) || cat "$dir/json" >&2
		end=$(date +%s.%N)
		# shellcheck disable=SC2086 # several words
		set -- "$1" "$2" "$3" $h
		r=$(key ratio <"$dir/json")
		printf '%s %s %s %s %s %s %s %s %s %s\n' "$4" "$5" "$6" "$(key seconds <"$dir/json")" \
			"${r:-0}" "$(key low <"$dir/json")" "$(key high <"$dir/json")" "$(key told <"$dir/json")" \
			"$(echo "$end $start" | awk '{ printf "%.1f", $1 - $2 }')" \
			"$(key at_least <"$dir/json" | grep . || echo false)" >>"$dir/table"
	done
	awk -v name="$1" '
		function median(x, n,  i, j, t) {
			for (i = 2; i <= n; i++)
				for (j = i; j > 1 && x[j] + 0 < x[j - 1] + 0; j--) {
					t = x[j]
					x[j] = x[j - 1]
					x[j - 1] = t
				}
			return x[int((n + 1) / 2)]
		}
		{
			printf "# %-11s harness %8.3f us %8.3f us %6.3fx  avogit %8.3f us %s%6.3fx [%.3f, %.3f] %s, %s s\n", name, $1, $2, $3, 1e6 * $4, $10 == "true" ? "at least " : "", $5, $6, $7, $8, $9
			h[NR] = $3
			r[NR] = $5
			t[NR] = $9
		}
		END {
			share = median(r, NR) / median(h, NR)
			if (name == "1ms") {
				s = median(t, NR)
				printf "# 1ms         the quickest verdict took %s s\n", t[1]
				printf "real.verdict_of_1ms %.1f s <=2 %s\n", s, (s <= 2 ? "ok" : "SHORT")
				exit
			}
			printf "real.%s_over_harness %.3f ratio 0.97..1.03 %s\n", name, share, (share >= 0.97 && share <= 1.03 ? "ok" : "SHORT")
		}' "$dir/table"
}

score () { # DIR OUT
	(cd "$1" && "$AVOGIT" score --again --json --time "${REAL_TIME:-3s}" --against HEAD~1 >"$2" 2>"$2.err") || cat "$2.err" >&2
}

# One line a scoring: seconds of a launch, half the interval (log), did it wait.
told_of () { # OUT
	echo "$(key seconds <"$1") $(key low <"$1") $(key high <"$1") $(grep -c 'another avogit is timing' "$1.err")" |
		awk '{ print $1, log($3 / $2) / 2, $4 }'
}

two () {
	make_repo "$scratch/left" adler32 2097152
	make_repo "$scratch/right" adler32 2097152
	mkdir "$scratch/locks"
	export AVOGIT_LOCKS="$scratch/locks"
	: >"$scratch/alone"
	: >"$scratch/beside"
	i=0
	while [ "$i" -lt "$runs" ]
	do
		i=$((i + 1))
		score "$scratch/left" "$scratch/a"
		told_of "$scratch/a" >>"$scratch/alone"
		score "$scratch/left" "$scratch/a" &
		score "$scratch/right" "$scratch/b"
		wait
		told_of "$scratch/a" >>"$scratch/beside"
		told_of "$scratch/b" >>"$scratch/beside"
	done
	unset AVOGIT_LOCKS
	waited=$(awk '{ n += $3 } END { print n + 0 }' "$scratch/beside")
	for f in alone beside
	do
		for c in 1 2
		do
			cut -d' ' -f$c "$scratch/$f" | sort -g | awk '{ x[NR] = $1 } END { print x[int((NR + 1) / 2)] }'
		done
	done | tr '\n' ' ' | awk -v waited="$waited" -v n="$((2 * runs))" '{
		printf "# two         alone %.1f us +- %.1f %%, at once %.1f us +- %.1f %%; of %d at once %d waited\n", 1e6 * $1, 100 * $2, 1e6 * $3, 100 * $4, n, waited
		printf "real.two_at_once_time %.3f ratio 0.95..1.05 %s\n", $3 / $1, ($3 / $1 >= 0.95 && $3 / $1 <= 1.05 ? "ok" : "SHORT")
		printf "real.two_at_once_interval %.2f ratio <=1.25 %s\n", $4 / $2, ($4 / $2 <= 1.25 ? "ok" : "SHORT")
	}'
}

for k in ${KERNELS:-adler32.64k adler32.16m base64 dot sad 1ms two}
do
	case $k in
	adler32.64k) one "$k" adler32 65536 ;;
	adler32.16m) one "$k" adler32 16777216 10s ;;
	1ms) one "$k" adler32 2097152 ;;
	base64) one "$k" base64 1365 ;;
	dot) one "$k" dot 2048 ;;
	sad) one "$k" sad 32 ;;
	two) two ;;
	esac
done
