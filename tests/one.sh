#!/bin/bash
# Runs one test for prove: a program of unit tests or a script.
#
#     one.sh TEST
#
# What has not ended after TEST_LIMIT seconds (1,500) waits for what never comes: it is
# ended and has failed, and its processes are shown, with what each waits for.
# cmocka 1.1 says "not ok N # SKIP" of a test that was skipped, which prove takes for a
# failure.
set -o pipefail
limit=${TEST_LIMIT:-1500}

descendants() { # PID
	local child
	for child in $(ps -o pid= --ppid "$1"); do
		[ "$child" = "$watcher" ] || { echo "$child" && descendants "$child"; }
	done
}

# Reads until the other end is closed, which is when the test has ended.
end_after_limit() { # TEST
	local all watcher=$BASHPID
	read -r -t "$limit"
	[ $? -gt 128 ] || return 0
	mapfile -t all < <(descendants $$)
	echo "not ok - $1 has not ended after $limit s"
	ps -o pid,ppid,stat,etimes,wchan:24,args --forest -p "${all[*]}" >&2
	kill -s TERM "${all[@]}"
	read -r -t 10
	kill -s KILL "${all[@]}" 2>/dev/null
}

exec 8> >(end_after_limit "$1")
case $1 in
*.sh) sh "$@" 8>&- ;;
*) "$@" 8>&- | sed 's/^not ok \([0-9]* # SKIP\)/ok \1/' 8>&- ;;
esac
