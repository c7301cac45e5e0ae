#!/bin/sh
# test: parallel long no-asan
test_description='the corpus of cheats in Python: each gets its verdict, for its own reason'
CORPUS=python
. "$(dirname "$0")/../cheats/lib-cheats.sh"

if ! /usr/bin/python3 -I -c 'import torch' 2>/dev/null
then
	skip_all='/usr/bin/python3 has no PyTorch (python3-torch)'
	test_done
fi

judge_those true

if test -z "$CHEATS" && AVOGIT_SANDBOX=none avogit doctor 2>&1 | grep -q "sandbox *none"
then
	test_set_prereq NONE
fi

test_expect_success NONE 'without a namespace, too, the memory of what runs beside it is closed' '
	(AVOGIT_SANDBOX=none && export AVOGIT_SANDBOX && judge opens-the-rival)
'

test_done
