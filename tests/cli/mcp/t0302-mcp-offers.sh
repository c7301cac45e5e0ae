#!/bin/sh
# test: parallel long no-asan
test_description='avogit mcp: hints, figures, prompts, resources, cancellation'
. "$(dirname "$0")/../lib-avogit.sh"
. "$SHARNESS_TEST_SRCDIR/mcp/lib-mcp.sh"

test_expect_success 'a repository' '
	make_repo repo
'

test_expect_success 'without a handle result lists what is pending' '
	serve --run pending <<-EOF &&
	$(call result)
	$(call edit "{\"path\":\"kernel.c\",\"old\":\"ROUNDS 64\",\"new\":\"ROUNDS 4\"}")
	$(call score "{\"subject\":\"four\",\"hypothesis\":\"none\",\"wait\":0}")
	$(call result "{\"handle\":null}")
	$(call result "{\"handle\":\"score-2\",\"wait\":\"100\"}")
	$(call result)
	EOF
	grep "\"id\":1,.*no call is pending" ../out &&
	grep "\"id\":4,.*score-2: .*called" ../out &&
	grep "\"id\":5,.*attempt #1" ../out &&
	grep "\"id\":6,.*no call is pending" ../out
'

test_expect_success 'nulls, and numbers and truths as text, are taken as what they mean' '
	serve --run lenient <<-EOF &&
	$(call view "{\"path\":\"kernel.c\",\"from\":\"2\",\"to\":null}")
	$(call lineage "{\"count\":\"3\",\"accepted\":\"true\"}")
	$(call show "{\"attempt\":0,\"path\":null}")
	$(call view "{\"path\":\"kernel.c\",\"from\":\"two\"}")
	$(call score "{\"subject\":\"x\",\"hypothesis\":null}")
	EOF
	grep "\"id\":1,.*#define ROUNDS 64.*\"isError\":false" ../out &&
	! grep "\"id\":1,.*\\\\n *1 " ../out &&
	grep "\"id\":2,.*(1 of 1 attempts).*\"isError\":false" ../out &&
	grep "\"id\":3,.*attempt #0 .*\"isError\":false" ../out &&
	grep "\"id\":4,.*must be an integer" ../out &&
	grep "\"id\":5,.*needs the argument .hypothesis." ../out
'

test_expect_success 'tools say whether they ask for a confirmation' '
	serve <<-EOF &&
	tools/list
	EOF
	test $(grep -o "\"destructiveHint\":false" ../out | wc -l) = \
		$(grep -o "\"openWorldHint\":false" ../out | wc -l) &&
	! grep "\"destructiveHint\":true" ../out &&
	grep "\"annotations\":{\"title\":\"Show an attempt\",\"readOnlyHint\":true,\"destructiveHint\":false,\"idempotentHint\":true," ../out &&
	grep "\"annotations\":{\"title\":\"Score the sources\",\"readOnlyHint\":false,\"destructiveHint\":false,\"idempotentHint\":false," ../out
'

test_expect_success 'only what the task has a use for is listed' '
	serve <<-EOF &&
	tools/list
	$(call lineage)
	tools/list
	EOF
	test $(grep -c "\"name\":\"tune\"" ../out) = 2 &&
	! grep "\"name\":\"profile\"" ../out
'

test_expect_success 'a score has figures for programs, by its output schema' '
	serve --run figures <<-EOF &&
	tools/list
	$(call edit "{\"path\":\"kernel.c\",\"old\":\"ROUNDS 64\",\"new\":\"ROUNDS 16\"}")
	$(call score "{\"subject\":\"sixteen\",\"hypothesis\":\"less\",\"wait\":0}")
	$(call result "{\"handle\":\"score-2\",\"wait\":100}")
	$(call write "{\"path\":\"kernel.c\",\"text\":\"no C at all\"}")
	$(call score "{\"subject\":\"nonsense\",\"hypothesis\":\"none\",\"wait\":100}")
	EOF
	grep "\"name\":\"score\".*\"outputSchema\":{\"type\":\"object\"" ../out &&
	grep "\"id\":3,.*\"structuredContent\":{\"status\":\"pending\",\"handle\":\"score-2\"" ../out &&
	grep "\"id\":4,.*\"structuredContent\":{\"status\":\"measured\",\"attempt\":1,\"commit\":\"[0-9a-f]*\",\"outcome\":\"champion\",\"kept\":true,\"passed\":true,\"score\":[0-9.e+]*,.*\"told\":\"faster\"" ../out &&
	grep "\"id\":6,.*\"outcome\":\"build-failed\",\"kept\":false,\"passed\":false,.*\"why\":" ../out
'

test_expect_success 'a prompt starts the work, and log and best are resources' '
	serve --run figures <<-EOF &&
	initialize {"protocolVersion":"2025-06-18"}
	prompts/list
	prompts/get {"name":"evolve","arguments":{"focus":"fewer rounds"}}
	prompts/get {"name":"devolve"}
	resources/list
	resources/templates/list
	$(call workspace)
	resources/read {"uri":"avogit://log"}
	resources/read {"uri":"avogit://best"}
	resources/read {"uri":"file:///etc/passwd"}
	EOF
	grep "\"id\":1,.*\"prompts\":{},\"resources\":{}" ../out &&
	grep "\"id\":2,.*\"name\":\"evolve\"" ../out &&
	grep "\"id\":3,.*\"role\":\"user\".*Try first: fewer rounds" ../out &&
	grep "\"id\":4,\"error\":{\"code\":-32602" ../out &&
	grep "\"id\":6,.*\"resourceTemplates\":\[\]" ../out &&
	grep "\"id\":8,.*\"uri\":\"avogit://log\".*#1 .*champion" ../out &&
	grep "\"id\":9,.*\"uri\":\"avogit://best\".*ROUNDS 16 " ../out &&
	grep "\"id\":10,\"error\":{\"code\":-32002" ../out
'

test_expect_success 'an array of messages is answered by an array' '
	serve <<-EOF &&
	<[{"jsonrpc":"2.0","id":"a","method":"ping"},{"jsonrpc":"2.0","method":"notifications/initialized"},7,{"jsonrpc":"2.0","id":"b","method":"tools/call","params":{"name":"restore","arguments":{"attempt":"start"}}}]
	<[{"jsonrpc":"2.0","method":"notifications/initialized"}]
	$(call restore "{\"attempt\":\"start\"}")
	EOF
	grep "^\[{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"result\":{}},{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{.*{\"jsonrpc\":\"2.0\",\"id\":\"b\",.*\]$" ../out &&
	test $(wc -l <../out) = 2
'

test_expect_success 'what only reads does not wait, and a cancelled shell stops' '
	serve --run beside <<-EOF &&
	!$(call shell "{\"command\":\"echo begun; sleep 1000\",\"timeout\":600,\"wait\":3600}")
	~at_work $(call result)
	$(call notes "{\"add\":\"rounds matter most\"}")
	$(call lineage)
	$(call show "{\"attempt\":\"start\"}")
	$(call diff "{\"from\":\"start\",\"to\":\"best\"}")
	$(call knowledge "{\"query\":\"wgmma\"}")
	resources/read {"uri":"avogit://log"}
	$(call result)
	<{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}
	$(call build)
	EOF
	tail -n 8 ../out >../last &&
	grep "rounds matter most" ../last &&
	grep "champion #0, parent" ../last &&
	grep "attempt #0" ../last &&
	grep "the sources are the same" ../last &&
	grep "avogit/wgmma.md" ../last &&
	grep "avogit://log" ../last &&
	grep "shell-1: at work" ../last &&
	tail -n 1 ../out | grep "it builds" &&
	! grep "\"id\":1,\"" ../out &&
	grep "^stopped run beside: the client left" ../err
'

test_expect_success 'result stops a call that has a handle' '
	serve --run stops <<-EOF &&
	$(call shell "{\"command\":\"sleep 1000\",\"timeout\":600,\"wait\":0}")
	~at_work $(call result)
	$(call shell "{\"command\":\"true\",\"wait\":0}")
	$(call result "{\"handle\":\"shell-2\",\"stop\":true}")
	$(call result "{\"handle\":\"shell-1\",\"stop\":true,\"wait\":100}")
	$(call build)
	EOF
	grep "stopped before it began" ../out &&
	grep "stopped, because the client cancelled the call" ../out &&
	tail -n 1 ../out | grep "it builds"
'

test_expect_success 'a cancelled build and score stop, and the attempt is measured later' '
	make_repo ../cancelled &&
	sed -i "s/^budget:.*//" avogit.yaml &&
	serve --run cancel <<-EOF &&
	$(call edit "{\"path\":\"kernel.c\",\"old\":\"ROUNDS 64\",\"new\":\"ROUNDS 16\"}")
	$(call score "{\"subject\":\"sixteen\",\"hypothesis\":\"less\",\"wait\":0}")
	~at_work $(call result)
	$(call result "{\"handle\":\"score-2\",\"stop\":true,\"wait\":100}")
	$(call lineage)
	$(call build)
	EOF
	grep "stopped, because the client cancelled the call. The attempt is committed" ../out &&
	tail -n 2 ../out | grep "#1 .*in flight" &&
	tail -n 1 ../out | grep "it builds" &&
	serve --run cancel <<-EOF &&
	$(call lineage)
	EOF
	grep "#1 .*champion" ../out &&
	cd ../repo
'

test_expect_success 'the skill is printed, and written where a client looks for it' '
	mkdir ../home &&
	avogit skill --print >../skill &&
	head -n 2 ../skill | grep "^name: avogit$" &&
	for folder in claude:.claude codex:.codex cursor:.cursor gemini:.gemini opencode:.config/opencode
	do
		HOME=$PWD/../home avogit skill --install "${folder%%:*}" >../path &&
		test_cmp ../skill "../home/${folder#*:}/skills/avogit/SKILL.md" &&
		test_cmp ../skill "$(cat ../path)" || return 1
	done &&
	test_expect_code 2 avogit skill &&
	test_expect_code 2 avogit skill --install emacs
'

test_done
