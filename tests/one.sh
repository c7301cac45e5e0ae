#!/bin/bash
# Runs one test for prove: a program of unit tests or a script.
#
#     one.sh TEST [ARGUMENT...]
#
# What has not ended after TEST_LIMIT seconds (1,500) waits for what never comes: it is
# ended and has failed, and its processes are shown, with what each waits for. What a
# test leaves behind is ended with it: prove reads until nothing has its output open.
# cmocka 1.1 says "not ok N # SKIP" of a test that was skipped, which prove takes for a
# failure.
set -o pipefail
limit=${TEST_LIMIT:-1500}
export TEST_PROCESS=$$

# Those that have what is exported above: children, and who left them.
processes() {
	local pid
	env -u TEST_PROCESS grep -lazxs "TEST_PROCESS=$$" /proc/[0-9]*/environ |
		while IFS=/ read -r _ _ pid _; do echo "$pid"; done
}

shown() { # PID...
	ps -o pid,ppid,stat,etimes,wchan:24,args --forest -p "$*" >&2
}

# Reads until the other end is closed, which is when the test has ended.
end_after_limit() { # TEST
	local all
	read -r -t "$limit"
	[ $? -gt 128 ] || return 0
	mapfile -t all < <(processes)
	echo "not ok - $1 has not ended after $limit s"
	shown "${all[@]}"
	kill -s TERM "${all[@]}"
	read -r -t 10
	kill -s KILL "${all[@]}" 2>/dev/null
}

exec 8> >(end_after_limit "$1")
case $1 in
*.sh) sh "$@" 8>&- ;;
*) "$@" 8>&- | sed 's/^not ok \([0-9]* # SKIP\)/ok \1/' 8>&- ;;
esac
code=$?
mapfile -t left < <(processes)
if [ ${#left[@]} != 0 ]; then
	echo "left behind by $1, and ended:" >&2
	shown "${left[@]}"
	kill -s KILL "${left[@]}" 2>/dev/null
fi
exit $code
