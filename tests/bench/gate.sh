#!/bin/sh
# Is the gate right? Changes whose work is known, each gated N times:
#     gate.sh AVOGIT [N [WHICH...]] >FILE
# Of one made kernel `slower` (3 % more work), `faster` (10 % less) and `same` (another
# comment); of the demo's history, which examples/make-repo.sh makes, `demo-faster`
# (the naive step to the one with tunables), `demo-slower` (that one to the same that
# asks in its innermost function whether to compute the block twice, once in EVERY: 3 %
# slower together) and `demo-same`.
# A line a gate: its change, its exit code, its seconds, how often it measured and the
# first reason. Measures for minutes, so it is no part of CI. With FILE of earlier
# calls, `gate.sh --count FILE...` says how many were right.
set -eu

EVERY=${EVERY:-300}

count() { # FILE...
	awk '/^(demo-)?(slower|faster|same) / { want = $1 ~ /slower$/; all[$1]++; right[$1] += $2 == want
		wrong[$1] += $2 == 1 - want; seconds[$1] += $3; times[$1] += $4 }
	END { for (w in all) printf "gate.%s_right %d of %d (the other answer: %d), %.1f s and %.1f measurements each\n",
		w, right[w], all[w], wrong[w], seconds[w] / all[w], times[w] / all[w] }' "$@" | sort
}

[ "${1:?name avogit, or --count}" != --count ] || { shift; count "$@"; exit; }
avogit=$(realpath "$1")
times=${2:-20}
shift; [ $# = 0 ] || shift
[ $# -gt 0 ] || set -- slower faster same demo-slower demo-faster demo-same
here=$(realpath "$(dirname "$0")")
dir=$(mktemp -d "${TMPDIR:-/tmp}/avogit-gates.XXXXXX")
trap 'rm -rf "$dir"' EXIT

commit() { # TAG
	git add .
	git -c user.name=a -c user.email=a@b -c commit.gpgsign=false commit -qm "$1"
	git tag "$1"
}

step() { # NAME ROUNDS: a commit on top of base
	git checkout -q --detach base 2>/dev/null || :
	{ echo "/* $1 */"; echo "#define ROUNDS $2"; cat "$here/steps/kernel.c"; } >kernel.c
	commit "$1"
}

made_history() {
	git init -q "$dir/made"
	cd "$dir/made"
	cp "$here/steps"/* .
	step base 200
	step slower 206
	step faster 180
	step same 200
}

# The same product, and once more in one of EVERY blocks.
repeat_blocks() {
	awk -v every="$EVERY" '/^static void block/ { print "static unsigned calls;\n" }
	/^\tmultiply\(a, b, depth, acc\);/ {
		print "\tif (++calls % " every " == 0) {"
		print "\t\tmultiply(a, b, depth, acc);"
		print "\t\t__asm__ volatile(\"\" : : \"r\"(acc) : \"memory\");"
		print "\t\tmemset(acc, 0, sizeof acc);\n\t}" }
	{ print }' kernel.c >slower.c
	mv slower.c kernel.c
}

demo_history() {
	"$here/../../examples/make-repo.sh" matmul "$dir/demo"
	cd "$dir/demo"
	git tag demo-faster
	repeat_blocks
	commit demo-slower
	git checkout -q --detach demo-faster
	{ echo "/* the same */"; git show demo-faster:kernel.c; } >kernel.c
	commit demo-same
}

base_of() { # WHICH
	case $1 in
	demo-faster) echo production ;;
	demo-*) echo demo-faster ;;
	*) echo base ;;
	esac
}

gate() { # WHICH: its line
	case $1 in demo-*) cd "$dir/demo" ;; *) cd "$dir/made" ;; esac
	code=0
	begin=$(date +%s.%N)
	"$avogit" gate --json "$(base_of "$1")" "$1" >out || code=$?
	end=$(date +%s.%N)
	perl -MJSON::PP -e 'local $/; my $k = decode_json(<STDIN>)->{kernels}[0];
		printf "%s %s %.1f %d %s\n", @ARGV[0, 1], $ARGV[3] - $ARGV[2],
		scalar @{$k->{measurements}}, $k->{reasons}[0]' \
		"$1" "$code" "$begin" "$end" <out
}

(made_history)
(demo_history)
for i in $(seq "$times"); do
	for which; do
		gate "$which"
	done
done
