#!/bin/sh
# prove for tests that measure: what failed runs once more, alone.
#
#     prove.sh STATE-FILE JOBS [PROVE'S OPTIONS] -- TEST...
#
# What the scorer says of a figure is right at a stated rate (docs/scoring.md), not
# always, and a machine that is shared may be somewhere else for seconds. So one
# failure by chance must not stop a release; two of the same script are a fault. The
# last line says which failed once: one that comes there often has a fault too.
# AGAIN=no: whatever fails has failed.
state=$1 jobs=$2
shift 2
options=
while test "$1" != --
do
	options="$options $1"
	shift
done
shift
rm -f "$state"
# shellcheck disable=SC2086
prove -j"$jobs" --state=save --statefile="$state" $options "$@" && exit
test "$AGAIN" != no || exit 1
once=$(prove --state=failed --statefile="$state" --dry)
echo "once more, alone:" $once
# shellcheck disable=SC2086
prove --state=failed --statefile="$state" $options || exit 1
echo "FAILED ONCE, passed alone:" $once
