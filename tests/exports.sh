#!/bin/sh
# What a module shows and its use: exports.sh BUILD. Fails where
# - a function that is not static is used by no other file of the program and of
#   the runner: it becomes static, or goes;
# - one name stands for two types;
# - a module calls a function of a module that comes after it in the order of
#   its layer (the `order` lines of tests/layers.sh, which checks include lines).
set -eu
build=$1
fail=0
say() { echo "exports: $1" >&2; fail=1; }

# Functions that a test calls and no other file, and why that test cannot go
# through what uses them.
for_tests='
	exports_read: the fuzzer reads bytes that end where their allocation ends
	ncu_drop_unknown: what releases of ncu say, in a table
	ceilings_sum_up: figures of a GPU, without one
	gpu_contest_deal_slots: who gets which outputs, over hundreds of blocks
	gpu_ran_take: clocks that disagree, without a GPU
	nvml_watch_lasts: a driver that dies between two comparisons
'

# Objects of sources that are there: others are left from before. A file that is
# in both programs counts once.
objects=$(find core gitstore scorer agent cmd -name '*.c' | while read -r c; do
	for o in "$build/${c%.c}.o" "$build/runner/${c%.c}.o"; do
		[ ! -e "$o" ] || echo "$o"
	done
done)
[ -n "$objects" ] || { echo "exports: $build holds no objects: make builds them" >&2; exit 1; }
unused=$(nm -A $objects | awk -v build="$build/" -v allowed="$for_tests" '
	BEGIN {
		n = split(allowed, lines, "\n")
		for (i = 1; i <= n; i++) { split(lines[i], word, /[:\t]+/); known[word[2]] = 1 }
		known["main"] = 1
	}
	{
		file = $1; sub(/:.*/, "", file)
		file = substr(file, length(build) + 1); sub(/^runner\//, "", file); sub(/o$/, "c", file)
		kind = $(NF - 1); name = $NF
		if (kind == "T") where[name] = file
		if (kind == "U") used[name] = 1
	}
	END {
		for (f in where) if (!used[f] && !known[f]) print where[f] ": " f
		for (f in known) if (f && f != "main" && (used[f] || !where[f])) print "needs no exception: " f
	}' | sort)
[ -z "$unused" ] || say "used by no other file:
$unused"

# The programs of scorer/runners have names of their own.
twice=$(find core gitstore scorer agent cmd -name '*.[ch]' ! -path 'scorer/runners/*' -exec \
	sed -nE 's/^(typedef |static |const )*(struct|enum|union) ([a-z0-9_]+) \{.*/\3/p' {} + | sort | uniq -d)
[ -z "$twice" ] || say "names of two types:
$twice"

# The modules that are folders; `.` is what lies on the top of the layer.
sed -n 's/^order //p' "$(dirname "$0")/layers.sh" >"$build/modules"
later=$(nm -A $objects | awk -v build="$build/" '
	function module(file, part) {
		part = file; sub("^" layer_of(file) "/", "", part)
		return sub("/.*", "", part) ? part : "."
	}
	function layer_of(file) { sub("/.*", "", file); return file }
	FILENAME != "-" {
		for (i = 2; i <= NF; i++) rank[$1 "/" $i] = i
		next
	}
	{
		file = $1; sub(/:.*/, "", file)
		file = substr(file, length(build) + 1); sub(/^runner\//, "", file); sub(/o$/, "c", file)
		kind = $(NF - 1); name = $NF
		if (kind ~ /[TDBR]/) where[name] = file
		if (kind == "U") uses[file "\t" name] = 1
	}
	END {
		for (u in uses) {
			split(u, part, "\t")
			from = part[1]; to = where[part[2]]
			if (!to || layer_of(from) != layer_of(to)) continue
			# A program begins there, with what it is made of.
			if (from ~ /\/main\.c$/) continue
			if (rank[layer_of(to) "/" module(to)] > rank[layer_of(from) "/" module(from)])
				print from " uses " part[2] " of " to
		}
	}' "$build/modules" - | sort)
[ -z "$later" ] || say "a module uses what a later one defines:
$later"

[ "$fail" = 0 ] && echo 'exports: ok'
exit "$fail"
