# For the tests of launches, after lib-avogit.sh: an application that reports its
# score, and a machine that measures for this one.

# A repository in ./NAME with an application whose score is a number in its source,
# one of VALUES; the current folder is its top afterwards. bench.sh has LINE, and
# ./history BYTES that nothing can pack: application NAME VALUES [LINE] [BYTES]
application () {
	git init -q "$1" &&
	cd "$1" &&
	if test -n "$4"
	then
		head -c "$4" /dev/urandom >history
	fi &&
	cat >avogit.yaml <<-\EOF &&
	name: app
	sources: [kernel.c]
	score: {command: [sh, bench.sh], unit: ops/s, exact: true}
	build: {files: [bench.sh]}
	EOF
	echo "#define SPEED 10 // avogit: $2" >kernel.c &&
	cat >bench.sh <<-EOF &&
	read -r define name speed rest <kernel.c
	$3
	printf "{\"verdict\": \"pass\", \"score\": %s}" "\$speed"
	EOF
	git add . &&
	git commit -qm "an application and what it reports"
}

# What an agent of the task writes is COMMAND, of a shell; committed.
agent_is () {
	cat >>avogit.yaml <<-EOF &&
	operator:
	  command: [sh, -c, "$1"]
	EOF
	git commit -qam "an agent" &&
	avogit trust --yes >/dev/null
}

# Entries of a kind in all journals of a run: entries KIND [RUN]
entries () {
	for ref in $(git for-each-ref --format="%(refname)" "refs/avogit/${2:-app}/journal")
	do
		git log --first-parent --format=%s "$ref"
	done | grep -c "^$1"
}

# The launch `far`: this machine as another user would have it, with a folder of its
# own for jobs. How it answers is what ./behave says. What it is sent stays in
# ./sent.N, N the number of the job in ./starts.
far_side () {
	FAR=$PWD
	export FAR AVOGIT
	cat >far <<-'EOF'
		#!/bin/sh
		XDG_CACHE_HOME=$FAR/cache
		export XDG_CACHE_HOME
		mkdir -p "$XDG_CACHE_HOME"
		sent=$FAR/sent.$AVOGIT_JOB
		cat >"$sent"
		echo "$AVOGIT_JOB $(wc -c <"$sent")" >>"$FAR/starts"
		real () {
			"$AVOGIT" score --job <"$sent"
		}
		# Is it asked for a score, and not what machine it is?
		scores () {
			head -n 1 "$sent" | grep -q "\"about\":false"
		}
		# Is it asked to compare?
		compares () {
			head -n 1 "$sent" | grep -q "\"as\""
		}
		# Was this said before, of the words given?
		before () {
			test -e "$FAR/once.$1" || { touch "$FAR/once.$1"; return 1; }
		}
		. "$FAR/behave"
	EOF
	chmod +x far
}

# What the far side does: behave COMMANDS
behave () {
	rm -f "$FAR"/once.*
	printf '%s\n' "$1" >"$FAR/behave"
}

# Jobs that asked for a score.
orders () {
	cut -d" " -f1 "$FAR/starts" | sort -u | while read -r job
	do
		grep -qa "\"about\":false" "$FAR/sent.$job" && echo "$job"
	done | wc -l
}
