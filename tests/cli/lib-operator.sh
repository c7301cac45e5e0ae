# What the tests share whose operator is a shell script: `operator.command` as it is for
# an agent of somebody else's. BUBBLEWRAP says that it can be started.

unset XDG_STATE_HOME
"$AVOGIT" doctor >doctor.out 2>&1
grep "sandbox *bubblewrap" doctor.out >/dev/null &&
	test_set_prereq BUBBLEWRAP

# The task of ./ gets the shell script on stdin as its operator, which has the tools
# below and, if it is set, the variable named by TOKEN_NAME; committed and trusted:
# use_operator [MORE-SETTINGS] <SCRIPT
use_operator () {
	{
		echo "operator:" &&
		echo "  command: [sh, -c, 'eval \"\$TOOLS\"; eval \"\$AGENT\"']" &&
		echo "  env: [TOOLS, AGENT${TOKEN_NAME:+, $TOKEN_NAME}]" &&
		echo "${1:+  $1}"
	} >>avogit.yaml &&
	git commit -qam "an agent" &&
	avogit trust --yes >/dev/null &&
	AGENT=$(cat) &&
	export AGENT
}

# For the scripts: the tools of the evolve process. On a busy machine a score may take
# longer than a call that says nothing of `wait` is waited for.
# call TOOL MEMBERS; score SUBJECT [HYPOTHESIS]
TOOLS='call () {
	printf "%s\n" "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"$1\",\"arguments\":{$2}}}" |
		"$AVOGIT" mcp --relay "$AVOGIT_MCP_SOCKET"
}
score () {
	call score "\"subject\":\"$1\",\"hypothesis\":\"${2:-why not}\",\"wait\":600"
}'
export TOOLS
