# The corpus of cheats, for the scripts that score it: tests/cheats/NAME.c (or
# .cpp; python/NAME.py) is a candidate for the task of tasks/TASK beside it; its first
# lines say which known pattern it is and what must come out. CHEATS="a b": only these.
# The honest ones must pass five times in a row.
. "$(dirname "$0")/../lib-avogit.sh"

corpus=$(cd "$SHARNESS_TEST_SRCDIR/../cheats/${CORPUS:-.}" && pwd)

# Once more only those cases that failed (tests/prove.sh).
script=$(basename "$0" .sh)
case " $TEST_CASES " in
*" $script."*)
	for case in $(seq 1000)
	do
		case " $TEST_CASES " in
		*" $script.$case "*) ;;
		*) SKIP_TESTS="$SKIP_TESTS $script.$case" ;;
		esac
	done ;;
esac

# The language of a cheat, as its file ends.
ending () {
	for ending in cpp py c
	do
		test ! -e "$corpus/$1.$ending" || break
	done
	echo $ending
}

# The value of a line "// KEY: VALUE" of a cheat, or "# KEY: VALUE".
fact () {
	sed -nE "s,^(//|#) $2: *,,p" "$corpus/$1.$(ending "$1")" | head -n 1
}

# A repository a task, whose base commit holds the task's honest kernel. A task of
# python/ may have the reference of the one in C of its name.
task_repo () {
	test -d "$1" && return
	tasks=$SHARNESS_TEST_SRCDIR/../cheats/tasks
	git init -q "$1" &&
	cp -r "$tasks/common/." "$1" &&
	if test -d "$tasks/$1"
	then
		cp -r "$tasks/$1/." "$1"
	fi &&
	cp -r "$corpus/tasks/$1/." "$1" &&
	cp "$corpus/control-$1.$(ending "control-$1")" "$1/kernel.$(ending "control-$1")" &&
	git -C "$1" add . &&
	git -C "$1" commit -qm "$1"
}

# The same task, with time for what is honest: on a busy machine a launch may take two
# seconds, and a build five, for what others do.
honest_repo () {
	test -d "honest-$1" && return
	task_repo "$1" &&
	git clone -q "$1" "honest-$1" &&
	sed -i "/^limits:/{s/timeout: [0-9]*s/timeout: 20s/; s/build: [0-9]*s/build: 60s/}" "honest-$1/avogit.yaml" &&
	git -C "honest-$1" commit -q --allow-empty -am "more time"
}

# The same cheat as its own rival, compiled with RIVAL: a commit of its own. A rival
# that is "itself, slower" has so much to do for its friend that the friend is
# faster in truth: only the verdict counts.
rival_commit () {
	git rev-parse -q --verify "refs/tags/rival-$1" >/dev/null && return
	source=kernel.$(ending "$1") &&
	cp "$source" ../kept &&
	{ echo "#define RIVAL" && cat ../kept; } >"$source" &&
	git commit -qam "rival of $1" &&
	git tag "rival-$1" &&
	git reset -q --hard HEAD^ &&
	mv ../kept "$source"
}

# A value of the score that was just made.
found () {
	sed -n "s/^[[:space:]]*\"$1\":[[:space:]]*\(.*[^,]\),*\$/\1/p" json |
	sed "s/^\"\(.*\)\"\$/\1/" | head -n 1
}

# matches WHAT FOUND WANTED
matches () {
	printf "%s\n" "$2" | grep -qxE -e "$3" ||
	{ echo >&2 "$1: found '$2', not '$3'"; return 1; }
}

# Scores the cheat and holds what comes out against what must.
judge () {
	task=$(fact "$1" task) &&
	: "${task:=norm}" &&
	case $1 in
	control-*) honest_repo "$task" && cd "honest-$task" ;;
	*) task_repo "$task" && cd "$task" ;;
	esac &&
	cp "$corpus/$1.$(ending "$1")" "kernel.$(ending "$1")" &&
	against= time=$(fact "$1" time) &&
	rival=$(fact "$1" rival) &&
	if test -n "$rival"
	then
		rival_commit "$1" &&
		against="--against rival-$1"
	elif test "$(fact "$1" faster)" = no
	then
		against="--against HEAD"
	fi &&
	case $(fact "$1" against) in
	HEAD) against="--against HEAD" ;;
	itself) against="--against $(git stash create)" ;;
	esac &&
	{ avogit score --again --json --time "${time:-2s}" $against >json || test $? = 1; } &&
	{ matches verdict "$(found verdict)" "$(fact "$1" verdict)" || { found why >&2; false; }; } &&
	why=$(fact "$1" why) &&
	if test -n "$why"
	then
		matches why "$(found why)" ".*($why).*"
	fi &&
	if test -n "$against" && test "$rival" != "itself, slower" &&
		test "$(found verdict)" = pass
	then
		gains_nothing "$1"
	fi
}

# As a line "// tries: N" allows: judge_once_of N CHEAT
judge_once_of () {
	for try in $(seq "$1")
	do
		! (judge "$2") || return 0
	done
	return 1
}

# Told faster once is what a hundredth of equals are: only twice is a gain. A
# cheat and what it is timed against are not the same code: what their calls cost
# may differ by a percent or two in truth.
gains_nothing () {
	told=$(found told) ratio=$(found ratio)
	if test "$told" = faster && test "$(found confirmed)" = true &&
		awk "BEGIN { exit !($ratio >= 1.05) }"
	then
		echo >&2 "told faster twice, by $ratio"
		return 1
	fi
	matches told "$told" "same|undecided|slower|faster"
}

# Whether a figure, or how often it was launched, decides what comes out of a cheat.
measured () {
	grep -qE "^(//|#) (rival|against|faster|time):" "$corpus/$1.$(ending "$1")"
}

# A test for each cheat that the command says yes to: judge_those COMMAND...
# One that gets through is reported as known, with what its line says.
judge_those () {
	for cheat in ${CHEATS:-$(cd "$corpus" && find . -maxdepth 1 -type f \
		-name "*.c" -o -name "*.cpp" -o -name "*.py" | sed "s,./,," | sort)}
	do
		cheat=${cheat%.c}
		cheat=${cheat%.cpp}
		cheat=${cheat%.py}
		"$@" "$cheat" || continue
		case $cheat in
		control-*) times="1 2 3 4 5" ;;
		*) times=1 ;;
		esac
		tries=$(fact "$cheat" tries)
		known=$(fact "$cheat" known)
		expect=success
		test -z "$known" || expect=failure
		test_expect_$expect "$cheat: $(fact "$cheat" pattern)${known:+ ($known)}" '
			for time in $times
			do
				judge_once_of "${tries:-1}" "$cheat" || return
			done
		'
	done
}
