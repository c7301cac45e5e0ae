#!/bin/sh
# test: parallel no-asan
test_description='what a task forbids in Python is told, in whichever way it is done and hidden'
. "$(dirname "$0")/lib-python.sh"

# The corpus in a scorer is t0441-python-cheats.sh; here is every way of those
# that have several (a line "# ways: N"), once.
source=$(cd "$SHARNESS_TEST_SRCDIR/../.." && pwd)
forbid=$(dirname "$AVOGIT")/scorer/runner_python/forbid.so
test -e "$forbid" && test_set_prereq BUILT

test_expect_success BUILT 'thirty-nine ways, and those in a file of their own; what is honest passes' '
	"$python" "$source/tests/cli/python/forbidden_ways.py" \
		"$source/scorer/runner_python/runner.py" "$forbid" 1 "$cheats"/python/control-forbids.py \
		$(grep -L "^# known:" "$cheats"/python/forbidden-*.py) >out 2>err ||
	{ grep -v ": 1 of 1 told" out; tail -20 err; false; }
'

test_expect_success BUILT 'its part in C finds all it needs in Python, and links nothing of it' '
	! readelf -d "$forbid" | grep -i "NEEDED.*python" &&
	nm -D --undefined-only "$forbid" | grep "PySys_AddAuditHook"
'

test_expect_success BUILT 'a Python that takes no hook is refused in a sentence, and lets nothing through' '
	mkdir hooked &&
	cp "$forbid" hooked/.avogit-forbid.so &&
	sed "\$d" "$source/scorer/runner_python/runner.py" >hooked/runner.py &&
	cat >hooked/try.py <<-\EOF &&
	import sys


	def deny(event, arguments):
	    if event == "sys.addaudithook":
	        raise RuntimeError


	sys.path.insert(0, ".")
	if len(sys.argv) > 1:
	    sys.addaudithook(deny)
	import runner

	try:
	    runner.Forbidding(["html.parser"]).imports()
	except runner.Refusal as e:
	    print(e)
	EOF
	(cd hooked && "$python" -I -B try.py denied >out && "$python" -I -B try.py >taken) &&
	grep "^Python 3.* does not tell all that it imports and opens, so modules cannot be forbidden: use" hooked/out &&
	test_must_be_empty hooked/taken
'

test_done
