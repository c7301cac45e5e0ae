#!/bin/sh
# `avogit doctor --ceilings` and shares of the card, where there is a GPU, as
# TAP. Needs what run.sh needs. The figures it found are comments.
. "$(dirname "$0")/lib.sh"
export XDG_CACHE_HOME="$scratch/cache"
mkdir "$scratch/repo" && cp -r "$here/task/." "$scratch/repo"
cp "$here/cheats/control.cu" "$scratch/repo/kernel.cu"
cd "$scratch/repo" && git init -q . && git add . && git commit -qm control || exit 1

check () { # WHAT COMMAND...
	what=$1
	shift
	n=$((n + 1))
	if "$@" >/dev/null 2>&1
	then
		echo "ok $n - $what"
	else
		failed=$((failed + 1))
		echo "not ok $n - $what"
		tail -n 30 ../out ../err 2>/dev/null | sed 's/^/# /'
	fi
}
rate () { # NAME KIND: of the JSON in ../ceilings
	awk -v name="\"$1\":" -v kind="\"$2\":" '
		index($0, name) { inside = 1 }
		inside && index($0, kind) { sub(/.*:[ \t]*/, ""); print $0 + 0; exit }' ../ceilings
}
holds () { # EXPRESSION A B
	awk "BEGIN { a = \"$2\" + 0; b = \"$3\" + 0; exit !($1) }"
}
found () { # KEY of the JSON in ../out
	sed -n "s/^[[:space:]]*\"$1\":[[:space:]]*\(.*[^,]\),*\$/\1/p" ../out |
	sed "s/^\"\(.*\)\"\$/\1/" | head -n 1
}

# The first scoring measures shortly, and says so.
timeout 200 "$AVOGIT" score --json --time 5s HEAD >../out 2>../err
check 'a first scoring says that it measures the card' grep -q 'what the card can do, once' ../err
check 'and passes' test "$(found verdict)" = pass
echo "# share of a bf16 axpb: $(found ceiling)"
check 'with its share of the card' holds 'a > 0.3 && a < 1.1' "$(found ceiling)"
kept=$(ls "$scratch"/cache/avogit/ceilings/GPU-*.json)
check 'which is kept' test -s "$kept"
cp "$kept" ../short
timeout 200 "$AVOGIT" score --again --json --time 5s HEAD >../out 2>../err
check 'the second does not measure it' sh -c '! grep -q once ../err'

start=$(date +%s)
timeout 200 "$AVOGIT" doctor --ceilings --json >../ceilings 2>../err
check 'doctor measures longer' holds 'a == 1' "$(sed -n 's/.*"seconds":[[:space:]]*//p' ../ceilings)"
echo "# took $(($(date +%s) - start)) s"
"$AVOGIT" doctor --ceilings >../out 2>../err
sed 's/^/# /' ../out
check 'and prints it in a line' grep -qE '^copy .*, read .*\(measured ' ../out
for what in copy read bf16 f32
do
	check "$what: was measured" holds 'a > 0' "$(rate $what peak)"
	check "$what: the peak is no less than the median" holds 'a >= 0.999 * b' "$(rate $what peak)" "$(rate $what sustained)"
	check "$what: and no more than the sheet" holds 'a <= 1.02 * b' "$(rate $what peak)" "$(rate $what sheet)"
done
check 'reading is no slower than copying' holds 'a > 0.95 * b' "$(rate read peak)" "$(rate copy peak)"
check 'a short look was not far off' holds 'a > 0.9 * b && a < 1.1 * b' \
	"$(rate copy peak)" "$(sed -n '/"copy"/,/}/s/.*"peak":[[:space:]]*\([^,]*\),*/\1/p' ../short | head -n 1)"
if grep -q 'NVIDIA H200' ../out
then
	check 'H200: copies' holds 'a > 3.8e12 && a < 4.5e12' "$(rate copy peak)"
	check 'H200: bf16 beyond what cuBLAS reaches' holds 'a > 8.0e14 && a < 1.09e15' "$(rate bf16 peak)"
	check 'H200: f8 near twice that' holds 'a > 1.6 * b' "$(rate f8 peak)" "$(rate bf16 peak)"
	check 'H200: i8 too' holds 'a > 1.6 * b' "$(rate i8 peak)" "$(rate bf16 peak)"
	check 'H200: f32' holds 'a > 4.5e13 && a < 6.9e13' "$(rate f32 peak)"
	check 'H200: f64 on the matrix units' holds 'a > 4.5e13 && a < 6.9e13' "$(rate f64 peak)"
fi

# As if the card could do a tenth.
awk '/"(peak|sustained|sheet)":/ {
	split($0, part, ":")
	printf "%s: %.6g%s\n", part[1], part[2] / 10, /,$/ ? "," : ""
	next
} { print }' "$kept" >../tenth
cp ../tenth "$kept"
timeout 200 "$AVOGIT" score --again --json --time 5s HEAD >../out 2>../err
check 'faster than the card allows is impossible' test "$(found verdict)" = impossible
check 'and the sentence names the figures' sh -c 'grep -qE "bytes that no cache holds need .* us at .*B/s" ../out'
echo damaged >"$kept"
timeout 200 "$AVOGIT" score --again --json --time 5s HEAD >../out 2>../err
check 'a damaged file is measured anew' grep -q 'what the card can do, once' ../err
check 'and the kernel passes again' test "$(found verdict)" = pass
finish
