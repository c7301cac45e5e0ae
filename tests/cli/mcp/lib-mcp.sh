# For the tests of `avogit mcp`, after lib-avogit.sh: a client of the protocol.

# Calls of a script, in order: serve ARGS <SCRIPT
serve () {
	"$SHARNESS_TEST_SRCDIR"/mcp/mcp-client.pl "$AVOGIT" mcp "$@" >../out \
		2>../err
}

# A tool call: call TOOL ARGUMENTS
call () {
	printf 'tools/call {"name":"%s","arguments":%s}\n' "$1" "${2:-{\}}"
}
