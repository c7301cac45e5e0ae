#!/bin/sh
# test: parallel
test_description='score --check-runner finds what a runner does wrong'
. "$(dirname "$0")/../lib-avogit.sh"

test -x /usr/bin/python3 && test_set_prereq PYTHON
RUNNERS=$(cd "$SHARNESS_TEST_SRCDIR/../runners" && pwd)

# Checks the toy that does wrong what WORD says, and finds one line of the
# output: fails WORD PATTERN
fails () {
	printf '%s\n' "scale = x * a" "# toy: $1" >kernel.toy &&
	test_expect_code 1 avogit score --check-runner >out &&
	grep "^not ok  $2" out
}

test_expect_success PYTHON 'a runner that keeps the protocol passes all of it' '
	make_repo toy &&
	git rm -q --cached kernel.c &&
	cp "$RUNNERS/toy.py" runner.py &&
	sed -i -e "s|^language:.*|language: {runner: [/usr/bin/python3, runner.py]}|" \
		-e "s|kernel\.c|kernel.toy|" -e "s|16384|96|" \
		-e "/^  compiler:/d" -e "s|^  flags:.*|  files: [runner.py]|" \
		-e "/^baselines:/d" -e "/^  naive:/d" avogit.yaml &&
	echo "scale = x * a" >kernel.toy &&
	git add . &&
	git commit -qm toy &&
	avogit score --check-runner HEAD >out &&
	test "$(grep -c "^ok " out)" = 11 &&
	! grep "not ok" out
'

test_expect_success PYTHON 'descriptors that stay open are found' '
	fails leak "ready: "
'

test_expect_success PYTHON 'images that nobody asked for are found' '
	fails all "go: those images"
'

test_expect_success PYTHON 'what is kept for a place in memory is found' '
	fails keeps "go: again"
'

test_expect_success PYTHON 'bytes outside the tensors are found' '
	fails beyond "go: the right outputs" &&
	grep "it wrote outside" out
'

# In the moment that it is watched, a busy machine may give it no CPU at all.
test_expect_success PYTHON 'work after done is found' '
	for time in $(seq 10)
	do
		fails spin "done: " && return
	done
	false
'

test_expect_success PYTHON 'another exit status is found' '
	fails exit "the socket.s end"
'

test_expect_success PYTHON 'a missing filter is found' '
	fails early "start: it builds" &&
	grep "filter of system calls" out
'

test_expect_success 'a task without a runner has none to check' '
	make_light_repo plain &&
	test_must_fail avogit score --check-runner HEAD 2>err &&
	grep "only a task with language: {runner" err &&
	test_expect_code 2 avogit score --check-runner --json HEAD
'

test_done
