#!/bin/sh
# test: parallel
test_description='a function of Python is scored, a baseline of PyTorch beside it'
. "$(dirname "$0")/lib-python.sh"

test_expect_success 'it passes; the baseline is compared; the note says which PyTorch' '
	(
		make_python_repo passes &&
		cp kernel.py eager.py &&
		echo "baselines: {eager: {torch: eager.py, entry: softmax}}" >>avogit.yaml &&
		git add . &&
		git commit -qm "a baseline" &&
		avogit score --time 2s >out &&
		grep " pass," out &&
		grep "vs eager" out &&
		git notes --ref=avogit show >note &&
		grep "compiler=.*Python 3.*, PyTorch [0-9]" note
	)
'

test_expect_success 'an exception is told with its line' '
	(
		make_python_repo raises &&
		cat >kernel.py <<-\EOF &&
		def softmax(x, y, rows, cols):
		    y[0, 0] = 1 / (rows - rows)
		EOF
		test_expect_code 1 avogit score --time 1s >out &&
		grep "kernel.py:2: ZeroDivisionError: division by zero" out
	)
'

test_expect_success 'without PyTorch there is one sentence, and nothing runs' '
	(
		make_python_repo lacks &&
		mkdir -p ../other/bin ../other/lib/python3 &&
		printf "#!/bin/sh\necho Python 3.99.0\n" >../other/bin/python &&
		chmod 755 .. ../other ../other/bin ../other/bin/python &&
		AVOGIT_PYTHON=$(cd .. && pwd)/other/bin/python &&
		export AVOGIT_PYTHON &&
		test_expect_code 128 avogit score 2>err &&
		grep "other/bin/python (Python 3.99.0) has no PyTorch.*AVOGIT_PYTHON" err &&
		test "$(wc -l <err)" = 1 &&
		AVOGIT_PYTHON=/nowhere/bin/python &&
		test_expect_code 128 avogit score 2>err &&
		grep "/nowhere/bin/python is not a program" err &&
		AVOGIT_PYTHON=$HOME/python &&
		cp ../other/bin/python "$HOME/python" &&
		test_expect_code 128 avogit score 2>err &&
		grep "is not a folder of Python" err
	)
'

test_done
