#!/bin/sh
# test: parallel
test_description='a language that a runner of the repository knows'
. "$(dirname "$0")/../lib-avogit.sh"
. "$SHARNESS_TEST_SRCDIR/mcp/lib-mcp.sh"

test -x /usr/bin/python3 && test_set_prereq PYTHON
RUNNERS=$(cd "$SHARNESS_TEST_SRCDIR/../runners" && pwd)

# The kernel, committed.
kernel () {
	printf '%s\n' "$@" >kernel.toy &&
	git commit -qam "$1"
}

# Any task of ./, with `language:` as given; committed.
language () {
	sed -i "s|^language:.*|language: $*|" avogit.yaml &&
	git commit -qam "another runner"
}

test_expect_success PYTHON 'what a runner launches is scored' '
	make_repo toy &&
	git rm -q --cached kernel.c &&
	cp "$RUNNERS/toy.py" runner.py &&
	sed -i -e "s|^language:.*|language: {runner: [/usr/bin/python3, runner.py]}|" \
		-e "s|kernel\.c|kernel.toy|" -e "s|16384|128|" \
		-e "/^  compiler:/d" -e "s|^  flags:.*|  files: [runner.py]|" \
		-e "/^baselines:/d" -e "/^  naive:/d" avogit.yaml &&
	echo "scale = sum(x * a for j in range(400)) / 400" >kernel.toy &&
	git add . &&
	git commit -qm toy &&
	avogit score >out &&
	grep "pass" out &&
	git notes --ref=avogit show | grep "runner python3 [0-9a-f]\{12\}" &&
	git notes --ref=avogit show | grep "trust=isolated" &&
	python=$(/usr/bin/python3 -c "import platform; print(platform.python_version())") &&
	git notes --ref=avogit show | grep -F "runner=\"python $python" &&
	avogit show HEAD | grep "runner  *python $python"
'

test_expect_success PYTHON 'a faster source is found faster' '
	kernel "scale = x * a" &&
	avogit score --against HEAD~1 >out &&
	grep "\]  *faster" out
'

test_expect_success PYTHON 'a wrong one fails' '
	kernel "scale = x * a + 1" &&
	test_expect_code 1 avogit score >out &&
	grep "wrong: " out
'

test_expect_success PYTHON 'what the runner refuses did not build, in its words' '
	kernel "scale = x *" &&
	test_expect_code 1 avogit score >out &&
	grep "build-failed: kernel.toy:1: error: invalid syntax" out &&
	grep "| here" out
'

test_expect_success PYTHON 'the tool that builds says the same' '
	kernel "scale = x * a" &&
	serve --run tools <<-EOF &&
	$(call build)
	$(call write "{\"path\":\"kernel.toy\",\"text\":\"scale = x *\"}")
	$(call build)
	EOF
	grep "it builds" ../out &&
	grep "kernel.toy:1: error: invalid syntax" ../out
'

test_expect_success PYTHON 'the tuner varies an assignment' '
	kernel "R = 2000  # avogit: 2000 1" \
		"scale = sum(x * a for j in range(R)) / R" &&
	avogit evolve --run tuned --operator tuner --attempts 1 >out &&
	grep "the tuner varies: R (2): 2 points" out &&
	grep "^\* .*R 2000 -> 1" out
'

test_expect_success PYTHON 'an exception is a crash, with what was printed' '
	kernel "scale = x / 0" &&
	test_expect_code 1 avogit score >out &&
	grep "crashed: it exited with status 1" out &&
	grep ZeroDivisionError out
'

test_expect_success PYTHON 'a source cannot start a process or open a socket' '
	for try in "__import__(\"os\").fork()" "__import__(\"socket\").socket()"
	do
		kernel "scale = x * a + 0 * ($try is None)" &&
		test_expect_code 1 avogit score >out &&
		grep "forbidden: it made a system call" out || return
	done
'

test_expect_success PYTHON 'a source that answers for its runner is forbidden' '
	for say in "{}" "[" "{\"reply\": \"done\", \"sequence\": 2}" \
		"{\"reply\": \"done\", \"sequence\": 4}" \
		"{\"reply\": \"started\", \"sequence\": 3}" \
		"$(head -c 70000 /dev/zero | tr "\0" x)"
	do
		kernel "scale = __import__(\"os\").write(11, b\"\"\"$say\"\"\") * 0 + x * a" &&
		test_expect_code 1 avogit score >out &&
		grep "forbidden: it wrote to the scorer.s control channel" out || return
	done
'

test_expect_success PYTHON 'a runner without the filter, or with a child, is an error of the task' '
	kernel "scale = x * a" "# toy: early" &&
	test_must_fail avogit score 2>err &&
	grep "did not load the filter" err &&
	kernel "scale = x * a" "# toy: child" &&
	test_must_fail avogit score 2>err &&
	grep "left another process running" err
'

test_expect_success PYTHON 'a program that is not there ends the command at once' '
	language "{runner: [no-such-runner]}" &&
	test_expect_code 128 avogit score 2>err &&
	grep "language.runner: there is no program no-such-runner" err
'

test_expect_success PYTHON 'a program outside /usr is shown only to a user who agreed' '
	mkdir -p "$HOME/own" &&
	cp "$RUNNERS/toy.py" "$HOME/own/toy" &&
	chmod 755 "$HOME/own/toy" &&
	language "{runner: [$HOME/own/toy]}" &&
	kernel "scale = x * a" &&
	test_must_fail avogit score 2>err &&
	grep "language.runner would show candidates folders" err &&
	language "{runner: [/usr/..$HOME/own/toy]}" &&
	test_must_fail avogit score 2>err &&
	grep "language.runner: .*or an absolute path" err &&
	language "{runner: [$HOME/own/toy]}" &&
	avogit trust --yes >out &&
	grep "language.runner" out &&
	avogit score >out &&
	grep pass out
'

test_expect_success PYTHON 'what goes with a compiler only is refused by its name' '
	cp avogit.yaml plain.yaml &&
	for line in "setup: make" "flags: fixed"
	do
		{ cat plain.yaml && echo "$line"; } >avogit.yaml &&
		git commit -qam "$line" &&
		test_must_fail avogit score 2>err &&
		grep "avogit.yaml:[0-9]*: ${line%%:*}: .* runner" err || return
	done &&
	sed "s|^  files:.*|  flags: [-O2]|" plain.yaml >avogit.yaml &&
	git commit -qam flags &&
	test_must_fail avogit score 2>err &&
	grep "unknown key .flags.; the nearest known one is .files." err
'

test_done
