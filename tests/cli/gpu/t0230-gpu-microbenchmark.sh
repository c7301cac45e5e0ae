#!/bin/sh
# test: parallel no-asan
test_description='avogit mcp: a microbenchmark has the one card, and counts its seconds'
. "$(dirname "$0")/lib-fake-gpu.sh"
. "$SHARNESS_TEST_SRCDIR/mcp/lib-mcp.sh"
fake_repo task || exit

test_expect_success 'it sees the card that candidates run on, and no other' '
	faults &&
	serve --attempts 1 <<-\EOF &&
	tools/call {"name":"microbenchmark","arguments":{"source":"#include <stdio.h>\n#include <stdlib.h>\nint main(void) { printf(\"card %s\\n\", getenv(\"CUDA_VISIBLE_DEVICES\")); return 0; }\n"}}
	EOF
	cat ../out &&
	grep "card GPU-[0-9a-f-]*$card.*exit code 0 after" ../out
'

test_expect_success 'its seconds are those of the card' '
	git log --format=%B --glob="refs/avogit/*/journal/*" >../journal &&
	grep "\"kind\":\"stop\".*\"gpu_seconds\":0" ../journal
'

test_done
