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
rm -rf "$state" "$state.once" "$state.locks"
mkdir -p "$state.locks" || exit
TEST_LOCKS=$(realpath "$state.locks")
export TEST_LOCKS

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

# shellcheck disable=SC2086
prove -f -j"$jobs" --exec "$one" --state=save --statefile="$state" $options "$@"
code=$?
slowest
test $code != 0 || exit 0

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

test "$AGAIN" != no || failed
once=$(prove --state=failed --statefile="$state" --dry)
test -n "$once" || exit 1
n=0
for test in $once
do
	times_something "$test" || failed "not once more, it times nothing: $test"
	n=$((n + 1))
done
test $n -le 8 || { echo "not once more, these are $n"; exit 1; }
echo "once more, alone:" $once
# shellcheck disable=SC2086
prove -f --exec "$one" --state=failed,save --statefile="$state" $options || failed
echo "FAILED ONCE, passed alone:" $once | tee "$state.once"
