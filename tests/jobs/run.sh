#!/bin/sh
# Journeys of a user: each folder here has a project of others, and a job.sh
# with what a person does there, from `avogit init` to a commit in the project.
#
#     tests/jobs/run.sh [JOB...]
#
# A line a job: what was typed (commands, and lines of files that were written or
# changed by hand), and the seconds that all of it took, typing aside. With
# FIGURES=1 the lines are those of `make bench`. AVOGIT names the program, LOG a
# folder that keeps what it printed.
: "${AVOGIT:?must name the built avogit}"
here=$(cd "$(dirname "$0")" && pwd)
limit=300 # seconds a job
scratch=$(mktemp -d "${TMPDIR:-/tmp}/avogit-jobs.XXXXXX") || exit
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM

unset $(git rev-parse --local-env-vars) XDG_CONFIG_HOME XDG_CACHE_HOME
# Of the make that runs this: a project's own build is not its job.
unset MAKEFLAGS MFLAGS MAKELEVEL
export GIT_CONFIG_NOSYSTEM=1 HOME="$scratch" AVOGIT
git config --global user.name 'A User'
git config --global user.email 'user@example.org'
git config --global init.defaultBranch main

# begin JOB: its project, in a repository of its own
begin () {
	mkdir "$scratch/$1" &&
	cp -R "$here/$1/project" "$scratch/$1/repo" &&
	cd "$scratch/$1/repo" &&
	git init -q && git add . && git commit -qm 'the project' &&
	sh check.sh && git clean -qfdx
}

# What a job.sh does is in these; each counts what it stands for.
. "$here/typing.sh"

# In a shell of its own: what it typed is in ../typed afterwards.
job () {
	begin "$1" || return
	. "$here/$1/job.sh" || return
	echo "$commands $lines" >../typed
	arrived
}

# The winner is a commit of the project, and the project works with it.
arrived () {
	test -z "$(git status --porcelain)" &&
	git log -1 --format=%B | grep '^Avogit-Speedup:' &&
	test "$(git log -1 --format=%s)" != "$(git log -1 --format=%s HEAD^)" &&
	git diff --stat HEAD^ && sh check.sh
}

seconds () {
	awk -v a="$1" -v b="$2" 'BEGIN { printf "%.0f", b - a }'
}

report () {
	commands=0 lines=0
	test ! -e "$scratch/$1/typed" || read -r commands lines <"$scratch/$1/typed"
	word=ok
	test "$3" = 0 || word=FAILED
	test "$2" -lt "$limit" || word="SLOW (more than $limit s)"
	test "$word" = ok || failed=1
	if test -n "$FIGURES"
	then
		test "$word" = ok || word=SHORT
		echo "jobs.$1.seconds $2 s <$limit $word"
		echo "jobs.$1.commands $commands commands - ok"
		echo "jobs.$1.lines $lines lines - ok"
	else
		echo "jobs.$1 typed $commands commands, $lines lines; $2 s $word"
	fi
}

failed=
test $# -gt 0 || set -- quant gemm adler utf8 sort hist resize sad layernorm crc
for one
do
	began=$(cut -d ' ' -f 1 /proc/uptime)
	(commands=0 lines=0 && job "$one") >"$scratch/$one.log" 2>&1
	code=$?
	report "$one" "$(seconds "$began" "$(cut -d ' ' -f 1 /proc/uptime)")" $code
	test $code = 0 || tail -n 30 "$scratch/$one.log" >&2
	test -z "$LOG" || cp "$scratch/$one.log" "$LOG/"
done
test -z "$failed"
