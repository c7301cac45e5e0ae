#!/bin/sh
# Ratios of two variants of small kernels: avogit's beside those of a harness of
# its own, five runs each. A line a figure, as in run.sh above. Needs AVOGIT.
# REAL_RUNS (5), REAL_TIME (3s) of each comparison, KERNELS (all). The last, 1ms,
# says how long a verdict of a kernel of a millisecond takes, build and all.
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

one () { # NAME KIND N
	dir=$scratch/$1
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
	i=0
	: >"$dir/table"
	while [ "$i" -lt "$runs" ]
	do
		i=$((i + 1))
		h=$(cd "$dir" && "$scratch/harness" "$2" "$3" ./slow.so ./fast.so 1)
		start=$(date +%s.%N)
		(cd "$dir" && "$AVOGIT" score --again --json --time "${REAL_TIME:-3s}" --against HEAD~1 >json) || cat "$dir/json" >&2
		end=$(date +%s.%N)
		# shellcheck disable=SC2086 # several words
		set -- "$1" "$2" "$3" $h
		r=$(key ratio <"$dir/json")
		printf '%s %s %s %s %s %s %s %s %s\n' "$4" "$5" "$6" "$(key seconds <"$dir/json")" \
			"${r:-0}" "$(key low <"$dir/json")" "$(key high <"$dir/json")" "$(key told <"$dir/json")" \
			"$(echo "$end $start" | awk '{ printf "%.1f", $1 - $2 }')" >>"$dir/table"
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
			printf "# %-11s harness %8.3f us %8.3f us %6.3fx  avogit %8.3f us %6.3fx [%.3f, %.3f] %s, %s s\n", name, $1, $2, $3, 1e6 * $4, $5, $6, $7, $8, $9
			h[NR] = $3
			r[NR] = $5
			t[NR] = $9
		}
		END {
			share = median(r, NR) / median(h, NR)
			if (name == "1ms") {
				s = median(t, NR)
				printf "real.verdict_of_1ms %.1f s <=2 %s\n", s, (s <= 2 ? "ok" : "SHORT")
				exit
			}
			printf "real.%s_over_harness %.3f ratio 0.97..1.03 %s\n", name, share, (share >= 0.97 && share <= 1.03 ? "ok" : "SHORT")
		}' "$dir/table"
}

for k in ${KERNELS:-adler32.64k adler32.16m base64 dot sad 1ms}
do
	case $k in
	adler32.64k) one "$k" adler32 65536 ;;
	adler32.16m) one "$k" adler32 16777216 ;;
	1ms) one "$k" adler32 2097152 ;;
	base64) one "$k" base64 1365 ;;
	dot) one "$k" dot 2048 ;;
	sad) one "$k" sad 32 ;;
	esac
done
