#!/bin/sh
# prove for tests that measure: those that failed run once more, alone.
#
#     prove.sh STATE-FILE JOBS [PROVE'S OPTIONS] -- TEST...
#
# What the scorer says of a figure is right at a stated rate (docs/scoring.md), not
# always, and a machine that is shared may be somewhere else for seconds. So one
# failure by chance must not stop a release; two of the same script are a fault. The
# last line says which failed once: one that comes there often has a fault too.
#
# A script that times nothing has no chance to blame, and nine at a time are not
# chance: they have failed. A script of tests/cli times something if avogit locked a
# CPU in it (lib-avogit.sh says where) or if it has lib-fake-gpu.sh; a unit test, if
# it is of the scorer.
# AGAIN=no: whatever fails has failed. What has failed for good is run with -v, for what it
# says before it fails.
#
# While nobody knows whether a failure is for good, it is shown in other words than
# prove's and behind "first run: ": who reads the log for failures (`not ok`, `Failed`)
# finds those that stay. For these prove's own words follow. STATE-FILE.first has them in
# any case, and STATE-FILE.said all that the cases of a script printed.
#
# The ten that took longest are said in any case. STATE-FILE.once names those that
# failed once.
state=$1 jobs=$2
shift 2
one=$(dirname "$0")/one.sh
options=
while test "$1" != --
do
	options="$options $1"
	shift
done
shift
rm -rf "$state" "$state.once" "$state.first" "$state.locks" "$state.said"
mkdir -p "$state.locks" "$state.said" || exit
TEST_LOCKS=$(realpath "$state.locks")
TEST_SAID=$(realpath "$state.said")
export TEST_LOCKS TEST_SAID

slowest () {
	echo 'seconds of the slowest:'
	perl -ne 'if (/^  "?(\S.*?)"?:$/) { $t = $1 }
		elsif (/^    elapsed: (\S+)/) { printf "%7.1f %s\n", $1, $t }' "$state" |
		sort -rn | head -n 10
}

times_something () { # TEST
	case $1 in
	*/unit/scorer/*) true ;;
	*.sh)
		name=$(basename "$1" .sh)
		test -n "$(find "$TEST_LOCKS/$name" -name '*.lock' 2>/dev/null)" ;;
	*) false ;;
	esac
}

# What prove says of a failure, in other words.
reworded () {
	perl -ne 'BEGIN { $| = 1 }
		if (/^\s*not ok|^\s*Dubious|^\s*Failed |Failed: |^\s*Non-zero exit|^\s*Parse errors|^Result: FAIL/) {
			s/\bnot ok\b/not passed/; s/\bDubious, test\b/it/; s/\bFailed\b/not passed/g;
			s/^Result: FAIL/not all passed/; $_ = "first run: $_";
		}
		print'
}

# What failed, a list of cases on one line: prove goes on behind 16 blanks.
summary () {
	perl -0777 -pe '1 while s/^(  Failed tests?:.*)\n {16}(?=\d)/$1, /m' "$state.first"
}

# What the cases that failed printed, as far as their scripts have lib-avogit.sh.
cases_said () {
	summary | perl -ne 'if (/^(\S+)\s+\(Wstat/) { $test = $1 }
		next unless $test && s/^  Failed tests?:\s+//;
		my ($name) = $test =~ m,([^/]+)\.sh$, or next;
		open my $said, "<", "$ENV{TEST_SAID}/$name" or next;
		my @case = split /(?=^(?:expecting success|checking known breakage|skipping test): )/m,
			join "", <$said>;
		for (map { /(\d+)-(\d+)/ ? $1 .. $2 : $_ } /\d+(?:-\d+)?/g) {
			my @line = split /\n/, $case[$_ - 1] // next;
			print "first run: case $_ of $test printed:\n",
				map { "  | $_\n" } @line > 60 ? @line[-60 .. -1] : @line;
		}'
}

# "t0113-verdicts.26 ..." of those that ran to their end: the corpus of cheats, whose
# cases need nothing of each other, is judged once more in these alone (lib-cheats.sh).
failed_cases () {
	summary | perl -ne 'if (/^(\S+)\s+\(Wstat/) { ($test) = $1 =~ m,([^/]+)\.sh$, }
		elsif (/^  Parse errors/) { delete $failed{$test // ""} }
		elsif ($test && s/^  Failed tests?:\s+//) {
			$failed{$test} = join " ", map { "$test.$_" }
				map { /(\d+)-(\d+)/ ? $1 .. $2 : $_ } /\d+(?:-\d+)?/g;
		}
		END { print join " ", values %failed }'
}

# What it said of them, in its own.
in_its_words () {
	grep -a '^not ok' "$state.first"
	sed -n '/^Test Summary Report/,$p' "$state.first"
}

# shellcheck disable=SC2086
{
	prove -f -j"$jobs" --exec "$one" --state=save --statefile="$state" $options "$@" 2>&1
	echo $? >"$state.code"
} | tee "$state.first" | reworded
code=$(cat "$state.code") && rm "$state.code" || exit
slowest
test "$code" != 0 || exit 0
cases_said

# Where it fails here and nowhere else, this is all that is ever known of it.
failed () { # WHY
	test -z "$1" || echo "$1"
	for test in $(prove --state=failed --statefile="$state" --dry)
	do
		echo "with all that it says, before what fails: $test"
		TEST_LIMIT=300 "$one" "$test" -v 2>&1 | grep -a -B 30 '^not ok' | tail -n 60
	done
	exit 1
}

# Not even run once more.
failed_at_once () { # [WHY]
	in_its_words
	failed "$1"
}

test "$AGAIN" != no || failed_at_once
once=$(prove --state=failed --statefile="$state" --dry)
test -n "$once" || { in_its_words; exit 1; }
n=0
for test in $once
do
	times_something "$test" || failed_at_once "not once more, it times nothing: $test"
	n=$((n + 1))
done
test $n -le 8 || { in_its_words; echo "not once more, these are $n"; exit 1; }
echo "once more, alone:" $once
TEST_CASES=$(failed_cases)
export TEST_CASES
# shellcheck disable=SC2086
prove -f --exec "$one" --state=failed,save --statefile="$state" $options || failed
echo "FAILED ONCE, passed alone:" $once | tee "$state.once"
