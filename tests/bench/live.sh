#!/bin/sh
# How soon is the tuner at the optimum of a kernel in C, on this machine now? An example's
# space (examples/NAME, its last step), each point compiled, checked and timed when the
# search asks for it:
#     live.sh NAME FOLDER SEEDS EVALUATIONS WHO=LIVE_BENCH... >>FILE
# A line an evaluation: example, WHO, seed, and what live_bench prints. WHO `random` draws.
# An earlier tuner is another build's live_bench (with its own search, this bench's source).
# What all tried is then timed together, in turns, since times of different minutes of a
# shared machine cannot be compared:
#     record_space --compiled --rounds 21 FOLDER/NAME/avogit.yaml FOLDER/NAME.points >TABLE
# and counted by the medians in it: evaluations and seconds until a point was tried within
# 2 % of the best of them all.
#     live.sh --count TABLE FILE
# The best of hundreds is best by luck, too, and a table of all takes long: `--top FILE`
# names the objects of points that no run saw more than 25 % slower than the best that any
# saw, to be copied into another folder and recorded in more rounds. A point that is not in
# TABLE is none of the best.
# Calls with other seeds accumulate; FOLDER keeps what is compiled. Takes minutes, so it is
# no part of CI.
set -eu

read_table='
function median(list, n,    i, j, t) { # of list[1..n], which it sorts
	for (i = 2; i <= n; i++)
		for (j = i; j > 1 && list[j] < list[j - 1]; j--) {
			t = list[j]; list[j] = list[j - 1]; list[j - 1] = t
		}
	return n % 2 ? list[(n + 1) / 2] : (list[n / 2] + list[n / 2 + 1]) / 2
}
BEGIN {
	while ((getline line <table) > 0) {
		if (line ~ /^# values/)
			dims = split(line, word, " ") - 2
		n = split(line, field, ",")
		if (line ~ /^#/ || n <= dims)
			continue
		point = field[1]
		for (i = 2; i <= dims; i++)
			point = point "-" field[i]
		if (field[dims + 1] == "nan")
			continue
		for (i = dims + 1; i <= n; i++)
			round[i - dims] = field[i] + 0
		at[point] = median(round, n - dims)
	}
	for (point in at) {
		known++
		if (!best || at[point] < best) {
			best = at[point]
			name = point
		}
	}
	for (point in at)
		near += at[point] <= 1.02 * best
	printf "# best of %d points: %s, %.4g s; %d within 2 %%\n", known, name, best, near
}
'

count() { # TABLE FILE
	awk -v table="$1" "$read_table"'
	/^#/ { next }
	{
		run = $2 " " $3
		if (!(run in last)) { order[++runs] = run; who[runs] = $2 }
		last[run] = $4; ended[run] = $5
		if ($7 in at && (!(run in least) || at[$7] < least[run]))
			least[run] = at[$7]
		if ($7 in at && at[$7] <= 1.02 * best && !(run in found)) {
			found[run] = $4
			after[run] = $5
		}
	}
	END {
		for (i = 1; i <= runs; i++) {
			run = order[i]
			printf "%s %s evaluations, %s s of %s, %s s; its best %.3f of the best\n", run,
				run in found ? found[run] : "none", run in found ? after[run] : "none",
				last[run], ended[run], best / least[run]
			if (!(who[i] in hit)) names[++kinds] = who[i]
			hit[who[i]] += run in found
		}
		for (k = 1; k <= kinds; k++) {
			m = 0
			for (i = 1; i <= runs; i++)
				if (who[i] == names[k]) {
					m++
					e[m] = order[i] in found ? found[order[i]] + 0 : 1e9
					s[m] = order[i] in found ? after[order[i]] + 0 : 1e9
				}
			me = median(e, m); ms = median(s, m)
			if (me > 1e8)
				printf "live.%s within 2 %%: %d of %d runs, so no median\n", names[k], hit[names[k]], m
			else
				printf "live.%s within 2 %%: %d of %d runs, median %g evaluations, %.1f minutes\n",
					names[k], hit[names[k]], m, me, ms / 60
		}
	}' "$2"
}

case ${1:?name an example, --count or --top} in
--count)
	count "${2:?name the table}" "${3:?name the file of evaluations}"
	exit ;;
--top)
	awk '!/^#/ && $6 != "nan" {
		if (!($7 in least) || $6 + 0 < least[$7]) least[$7] = $6 + 0
		if (!best || $6 + 0 < best) best = $6 + 0
	}
	END { for (point in least) if (least[point] <= 1.25 * best) print point ".so" }' "${2:?name the file of evaluations}"
	exit ;;
esac
name=$1
folder=${2:?name a folder to keep}
seeds=${3:?name the seeds, as one word}
evaluations=${4:?say how many evaluations}
shift 4
mkdir -p "$folder/$name.points"
[ -d "$folder/$name" ] || "$(dirname "$0")/../../examples/make-repo.sh" "$name" "$folder/$name" >/dev/null
for seed in $seeds; do
	for program; do
		who=${program%%=*}
		own=$(mktemp -d "$folder/own.XXXXXX")
		case $who in random) option=--random ;; *) option= ;; esac
		"${program#*=}" $option "$folder/$name/avogit.yaml" "$own" "$seed" "$evaluations" |
			sed "s/^/$name $who $seed /"
		rm "$own/reference.so"
		find "$own" -name '*.so' -exec mv -t "$folder/$name.points" {} +
		rm -r "$own"
	done
done
