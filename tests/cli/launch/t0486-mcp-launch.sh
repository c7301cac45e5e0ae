#!/bin/sh
# test: parallel long no-asan
test_description='avogit mcp --launch: coding agents whose scores another machine makes'
. "$(dirname "$0")/../lib-avogit.sh"
. "$SHARNESS_TEST_SRCDIR/mcp/lib-mcp.sh"
. "$SHARNESS_TEST_SRCDIR/launch/lib-launch.sh"
far_side

# An attempt from the kernel of OLD to that of NEW: attempt OLD NEW
attempt () {
	call edit "{\"path\":\"kernel.c\",\"old\":\"SPEED $1\",\"new\":\"SPEED $2\"}"
	call score "{\"subject\":\"speed $2\",\"hypothesis\":\"none\",\"wait\":100}"
}

# A client of NAME that stays until its script is written and closed: begin NAME.
# Its id is in ../NAME.pid.
begin () {
	mkfifo "../$1.in" &&
	{ "$SHARNESS_TEST_SRCDIR"/mcp/mcp-client.pl sh -c "echo \$\$ >../$1.pid; exec \"\$AVOGIT\" mcp --launch far" \
		<"../$1.in" >"../$1.out" 2>"../$1.err" & }
}

# until_ COMMAND: asks until it is so; a minute is a failure.
until_ () {
	for asked in $(seq 300)
	do
		eval "$1" && return
		sleep 0.2
	done
	echo "never: $1"
	return 1
}

test_expect_success 'a launch that is not there is said by each call, and in the configuration of a client' '
	application repo "10 20 30 40 50 60" &&
	avogit mcp --print-config claude --launch far >../config &&
	tr -d " \n\t" <../config | grep "\"args\":\[\"mcp\",\"--launch\",\"far\"\]" &&
	test_expect_code 128 serve --launch far <<-EOF &&
	$(call workspace)
	EOF
	grep "\"isError\":true" ../out &&
	grep "git config --global avogit.launch.far.command" ../out &&
	test -z "$(git for-each-ref refs/avogit/app)"
'

test_expect_success 'what a client scores is measured there, and it has no tool that would measure here' '
	git config --global avogit.launch.far.command "\"\$FAR/far\"" &&
	behave real && : >../starts &&
	serve --launch far <<-EOF &&
	tools/list
	$(call workspace)
	$(attempt 10 20)
	tools/list
	$(attempt 20 15)
	EOF
	! grep "\"isError\":true" ../out &&
	! grep "\"name\":\"profile\"" ../out &&
	test "$(grep "\"name\":\"score\"" ../out | tail -n 1 | grep -c "\"name\":\"microbenchmark\"")" = 0 &&
	grep "^starting run app at .* of launch far" ../err &&
	grep "2.000x" ../out &&
	test "$(avogit best --run app)" = "$(git rev-parse avo/app/best)" &&
	git log --format=%B --glob="refs/avogit/app/journal/*" >../entries &&
	test "$(grep -c "\"launch\":\"far\"" ../entries)" = "$(entries measurement)" &&
	test "$(orders)" = "$(entries measurement)" &&
	test "$(find .git/avogit -name "far-*")" = ""
'

# Both wait there for the other. Whoever comes back second has beaten a champion
# that is none any more, or is slower than the one that is now.
test_expect_success 'two clients have theirs measured at the same time' '
	: >../busy &&
	behave "compares || { real; exit; }
		echo + >>\"\$FAR/busy\"
		for i in \$(seq 900); do test \$(grep -c + \"\$FAR/busy\") -ge 2 && break; sleep 0.1; done
		real; echo - >>\"\$FAR/busy\"" &&
	begin a && begin b &&
	attempt 20 30 >../a.in && attempt 20 40 >../b.in &&
	wait &&
	! grep "\"isError\":true" ../a.out ../b.out &&
	test "$(head -n 2 ../busy | tr -d "\n")" = ++ &&
	test "$(git show avo/app/best:kernel.c | cut -d" " -f3)" = 40 &&
	test "$(entries attempt)" = 4 &&
	test "$(avogit log | grep -c "in flight")" = 0
'

# E measures in its turn what D left, while Z waits for that turn.
test_expect_success 'one that joins leaves alone what is on its way, and measures what a killed one left' '
	behave "compares || { real; exit; }
		before held && { real; exit; }
		for i in \$(seq 450); do test -d \"\$FAR\" && ! test -e \"\$FAR/go\" || break; sleep 0.2; done
		real" &&
	begin c && exec 7>../c.in && attempt 40 50 >&7 &&
	until_ "test -e ../once.held" &&
	: >../starts &&
	serve --launch far <<-EOF &&
	$(call lineage)
	EOF
	! grep "\"isError\":true" ../out &&
	grep "speed 50" ../out &&
	test "$(orders)" = 0 &&
	avogit log | grep "in flight.*SPEED\|in flight.*speed 50" &&
	touch ../go && exec 7>&- && wait &&
	test "$(git show avo/app/best:kernel.c | cut -d" " -f3)" = 50 &&
	rm ../go && rm ../once.held &&
	begin d && exec 7>../d.in && attempt 50 60 >&7 &&
	until_ "test -e ../once.held" &&
	begin z && exec 8>../z.in && call lineage >&8 &&
	until_ "grep -q \"\\\"id\\\":1\" ../z.out" &&
	kill -9 $(cat ../d.pid) && exec 7>&- &&
	avogit log | grep "in flight" &&
	: >../starts && rm ../once.held &&
	begin e && call lineage >../e.in &&
	until_ "test -e ../once.held" &&
	cat >&8 <<-EOF &&
	$(call lineage)
	$(call edit "{\"path\":\"kernel.c\",\"old\":\"SPEED 50\",\"new\":\"SPEED 55\"}")
	$(call score "{\"subject\":\"speed 55\",\"hypothesis\":\"none\",\"wait\":0}")
	~at_work $(call result)
	$(call result "{\"handle\":\"score-2\",\"stop\":true,\"wait\":100}")
	EOF
	until_ "grep -q \"client cancelled the call\" ../z.out" &&
	touch ../go && exec 8>&- && wait &&
	grep "\"id\":2\b.*in flight" ../z.out &&
	! grep "is committed" ../z.out &&
	test "$(orders)" -ge 1 &&
	test "$(git show avo/app/best:kernel.c | cut -d" " -f3)" = 60 &&
	test "$(entries attempt)" = 6 &&
	test "$(avogit log | grep -c "in flight")" = 0 &&
	test "$(find .git/avogit -name "far-*")" = ""
'

test_expect_success 'one that stays dead ends the process with its reason, and the next goes on' '
	behave "compares && exit 255; real" &&
	test_expect_code 128 env AVOGIT_TEST_CLOCK=20 "$SHARNESS_TEST_SRCDIR"/mcp/mcp-client.pl "$AVOGIT" \
		mcp --launch far --patience 5s >../out 2>../err <<-EOF &&
	$(attempt 60 55)
	EOF
	grep "no answer for 5.0 s: .*exit code 255.*the same command goes on" ../err &&
	grep "no answer for 5.0 s" ../out &&
	avogit log | grep "in flight" &&
	behave real &&
	serve --launch far <<-EOF &&
	$(call lineage)
	EOF
	test "$(avogit log | grep -c "in flight")" = 0 &&
	git fsck --full
'

test_done
