#!/bin/sh
# test: parallel
test_description='dist/server.json: what the MCP registry wants to be told'
. "$(dirname "$0")/../lib-avogit.sh"

test_expect_success 'it has what the schema requires, within its limits' '
	perl "$SHARNESS_TEST_SRCDIR"/mcp/registry.pl \
		<"$SHARNESS_TEST_SRCDIR"/../../dist/server.json >told
'

test_expect_success 'its command is a server of that name, and of that version or on its way to or from it' '
	test "$(sed -n 1p told)" = "avogit mcp" &&
	make_light_repo repo &&
	echo "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{},\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}}}" |
	avogit $(sed -n "1s/avogit //p" ../told) >../reply &&
	name_version=$(sed -n 2p ../told) &&
	grep "\"serverInfo\":{\"name\":\"${name_version% *}\",\"version\":\"${name_version#* }[\"~+]" ../reply &&
	cd ..
'

test_done
