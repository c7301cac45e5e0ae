# An agent that thinks for THINK seconds, sets every tunable of kernel.cu to a value
# drawn at random, of those that avogit-require allows, and has the scorer try it.
# DRAWN, where there is one, gets a number that nobody has had; LOSES are values besides.
mapfile -t tunables < <(sed -nE 's,^#define[[:blank:]]+(\w+)[[:blank:]].*// avogit: *(.*)$,\1 \2,p' kernel.cu)
mapfile -t conditions < <(sed -n 's,^// avogit-require: *,,p' kernel.cu)
RANDOM=$((16#$(head -c 4 /proc/sys/kernel/random/uuid) % 32768))

draw () {
	local t values c
	for t in "${tunables[@]}"
	do
		read -r -a values <<<"$t"
		printf -v "${values[0]}" %s "${values[1 + RANDOM % (${#values[@]} - 1)]}"
	done
	for c in "${conditions[@]}"
	do
		((c)) || return
	done
}
while :
do
	sleep "$THINK"
	until draw; do :; done
	for t in "${tunables[@]}"
	do
		name=${t%% *}
		sed -i -E "s,^(#define[[:blank:]]+$name[[:blank:]]+)[^[:blank:]]+,\1${!name}," kernel.cu
	done
	sed -i -E "s,^(#define[[:blank:]]+DRAWN[[:blank:]]+).*,\1$SRANDOM," kernel.cu
	for v in $LOSES
	do
		sed -i -E "s,^(#define[[:blank:]]+${v%%=*}[[:blank:]]+)[^[:blank:]]+,\1${v#*=}," kernel.cu
	done
	printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"score","arguments":{"subject":"drawn","hypothesis":""}}}' |
		"$AVOGIT" mcp --relay "$AVOGIT_MCP_SOCKET"
done
