#!/bin/sh
# Scores what waits for a card in the bundles of examples, as TAP, and writes the
# bundles back with the figures:
#     OUT=folder [SECONDS_AT_MOST=600] flagship.sh cuda-fp8 cuda-matmul ...
# OUT/EXAMPLE/ has the bundle, what was said of each attempt, and the run's log
# after it. What the seconds are too few for stays pending. TUNE=60s has the tuner
# go on for so long; then the champion is measured beside the task's baselines
# (BASELINES=1, or a folder with another task and its baselines, which is laid over
# the champion's), verified (VERIFY=1), and under compute-sanitizer (SANITIZE=1).
# While attempts are scored the bundle is written every SLICE seconds (60), and after
# every step, so that a run that is cut short leaves its figures. RUN=gqa takes
# gqa.bundle, EXAMPLES another folder of examples. Needs what run.sh needs.
. "$(dirname "$0")/lib.sh"
: "${OUT:?must name a folder to write to}"
examples=${EXAMPLES:-$here/../../examples}
run=${RUN:-flagship}
end=$(($(date +%s) + ${SECONDS_AT_MOST:-600}))
mkdir -p "$OUT" && OUT=$(cd "$OUT" && pwd) || exit

# A command for as long as there is time, what it says kept: within FILE COMMAND...
within () {
	into=$1
	shift
	left=$((end - $(date +%s)))
	test "$left" -gt 0 || { echo 'no time is left' >>"$into"; return 124; }
	case $1 in
	beside) "$@" ;;
	*) timeout -s INT -k 30 "$left" "$@" ;;
	esac >>"$into" 2>&1
}
# The run as it is now; how many of its attempts wait: look
look () {
	"$AVOGIT" log --run "$run" --color never >"$to/log" 2>&1
	waiting=$(grep -c ' in flight ' "$to/log")
}
# The bundle's repository, with the run: begin BUNDLE
begin () {
	git clone -q -b main "$1" "$scratch/$example" && cd "$scratch/$example" &&
	git fetch -q --no-prune origin "refs/avogit/$run/*:refs/avogit/$run/*" \
		'refs/notes/avogit*:refs/notes/avogit*'
}
# One more thing, if there is time for it: step FILE WHAT COMMAND...
step () {
	file=$1 what="$example: $2"
	shift 2
	: >"$to/$file"
	if within "$to/$file" "$@"
	then say ok "$what"
	else say 'not ok' "$what"
	fi
	sed 's/^/# /' "$to/$file"
	bring_back >/dev/null 2>&1
}
beside () { # COMMIT
	git checkout -q --detach "$1" || return
	test ! -d "$BASELINES" || { cp -R "$BASELINES"/. . && git add -A &&
		git commit -qm 'Beside more baselines'; } || return
	timeout -s INT -k 30 "$left" "$AVOGIT" score --again HEAD
	beside=$?
	git checkout -q main
	return "$beside"
}
# In place of the one before, when it is whole: bring_back [NAME]
bring_back () {
	writing=$to/${1:-.writing}
	git bundle create -q "$writing" HEAD main --glob='refs/heads/avo/*' \
		--glob="refs/avogit/$run/journal/*" --glob='refs/notes/avogi[t]' &&
	git bundle verify -q "$writing" &&
	mv "$writing" "$to/$run.bundle"
}
# Told to end, it ends after a bundle that it is at: git would go on alone.
bring_back_often () {
	trap 'kill $! 2>/dev/null; exit 0' TERM
	while sleep "${SLICE:-60}" & wait $!
	do
		bring_back .slice
	done
}

for example
do
	to=$OUT/$example
	mkdir -p "$to"
	if ! begin "$examples/$example/$run.bundle" >"$to/scores" 2>&1
	then
		say 'not ok' "$example: the bundle can be read"
		sed 's/^/# /' "$to/scores"
		continue
	fi
	look
	before=$waiting began=$(date +%s)
	bring_back_often >/dev/null 2>&1 &
	often=$!
	within "$to/scores" "$AVOGIT" score --run "$run" --pending --color never
	kill "$often"
	wait "$often" 2>/dev/null
	rm -f "$to"/.slice*
	look
	echo "# $example: $((before - waiting)) of $before measured in $(($(date +%s) - began)) s"
	test "$waiting" = 0 && say ok "$example: nothing is pending" ||
		say 'not ok' "$example: nothing is pending, but $waiting are"
	sed 's/^/# /' "$to/scores"
	test -z "${TUNE:-}" ||
		step tuned 'the tuner goes on' "$AVOGIT" evolve --run "$run" --operator tuner --time "$TUNE"
	champion=$("$AVOGIT" best --run "$run" 2>/dev/null)
	test -z "${BASELINES:-}" || step baselines 'the champion beside baselines' beside "${champion:-HEAD}"
	test -z "${VERIFY:-}" ||
		step verified 'the champion holds what it claims' "$AVOGIT" verify "${champion:-HEAD}"
	test -z "${SANITIZE:-}" ||
		step sanitized 'the champion is clean' "$AVOGIT" score --sanitize "${champion:-HEAD}"
	look
	bring_back && say ok "$example: its bundle is written" || say 'not ok' "$example: its bundle is written"
	cd "$here" && rm -rf "${scratch:?}/$example"
done
finish
