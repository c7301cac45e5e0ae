#!/bin/sh
# test: parallel no-asan
test_description='avogit mcp: the tools of a run for any client of the protocol'
. "$(dirname "$0")/../lib-avogit.sh"
. "$SHARNESS_TEST_SRCDIR/mcp/lib-mcp.sh"

test_expect_success 'a client lists the tools and looks round' '
	make_repo repo &&
	users_state >../before &&
	serve <<-EOF &&
	initialize {"protocolVersion":"2025-06-18","capabilities":{}}
	<{"jsonrpc":"2.0","method":"notifications/initialized"}
	tools/list
	$(call workspace)
	$(call view "{\"path\":\"kernel.c\"}")
	$(call lineage)
	$(call knowledge "{\"query\":\"x\"}")
	ping
	EOF
	test $(grep -c "^{\"jsonrpc\":\"2.0\"" ../out) = 7 &&
	test $(wc -l <../out) = 7 &&
	grep "\"protocolVersion\":\"2025-06-18\"" ../out &&
	for tool in workspace view search edit write shell build score tune microbenchmark \
		lineage show diff restore knowledge notes result
	do
		grep "\"name\":\"$tool\",\"title\"" ../out || return 1
	done &&
	grep "workspace: .*/repo/.avogit/scale\\\\n" ../out &&
	grep "#define ROUNDS 64" ../out &&
	grep "the start" ../out &&
	! grep "no knowledge base" ../out &&
	grep "\"id\":7,\"result\":{}" ../out
'

test_expect_success 'nothing of the user has changed, and stderr says what ran' '
	users_state >../after &&
	test_cmp ../before ../after &&
	grep "^starting run scale at " ../err &&
	grep "^stopped run scale: the client left" ../err
'

test_expect_success 'a newer era needs no initialize' '
	modern="\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"}" &&
	serve <<-EOF &&
	server/discover {$modern}
	tools/list {$modern}
	tools/call {"name":"workspace",$modern}
	EOF
	test $(grep -c "\"resultType\":\"complete\"" ../out) = 3 &&
	grep "\"supportedVersions\":\[\"2026-07-28\"" ../out
'

test_expect_success 'unknown versions are answered' '
	serve <<-EOF &&
	initialize {"protocolVersion":"2099-01-01"}
	tools/list {"_meta":{"io.modelcontextprotocol/protocolVersion":"2099-01-01"}}
	EOF
	grep "\"id\":1,\"result\":{\"protocolVersion\":\"2025-11-25\"" ../out &&
	grep "\"id\":2,\"error\":{\"code\":-32022.*\"supported\"" ../out
'

test_expect_success 'what is no request is answered and survived' '
	serve <<-EOF &&
	<garbage
	<[]
	<{"jsonrpc":"2.0","id":{},"method":"ping"}
	<{"jsonrpc":"2.0","id":"x"}
	<{"jsonrpc":"2.0","id":"y","result":{}}
	<{"jsonrpc":"2.0","id":"z","method":"tools/call","params":[1]}
	<{"jsonrpc":"2.0","id":"n","method":"tools/call","params":{"name":"nothing"}}
	<{"jsonrpc":"2.0","method":"tools/call"}
	sampling/createMessage
	ping
	EOF
	grep -c "\"code\":-32700" ../out &&
	test $(grep -c "\"code\":-32600" ../out) = 3 &&
	test $(grep -c "\"code\":-32602" ../out) = 2 &&
	grep "\"id\":1,\"error\":{\"code\":-32601" ../out &&
	grep "\"id\":2,\"result\":{}" ../out
'

test_expect_success 'a line that does not end costs the line' '
	{
		head -c 9000000 /dev/zero | tr "\0" x &&
		printf "\n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n"
	} >../long &&
	avogit mcp <../long >../out &&
	grep "\"code\":-32700" ../out &&
	grep "\"id\":1,\"result\":{}" ../out
'

test_expect_success 'wrong arguments are for the model to mend' '
	serve <<-EOF &&
	$(call view "{\"path\":\"../../HEAD\"}")
	$(call view "{\"path\":3}")
	$(call score "{\"subject\":\"x\"}")
	$(call edit "{\"path\":\"reference.c\",\"old\":\"a\",\"new\":\"b\"}")
	$(call edit "{\"path\":\"kernel.c\",\"old\":\"#define  ROUNDS 64\",\"new\":\"b\"}")
	$(call write "{\"path\":\"/etc/passwd\",\"text\":\"\"}")
	$(call show "{\"attempt\":\"99\"}")
	$(call score "{\"subject\":\"nothing new\",\"hypothesis\":\"none\"}")
	EOF
	test $(grep -c "\"isError\":true" ../out) = 8 &&
	grep "differs in white space only, from line 2" ../out &&
	grep "what may be changed is kernel.c" ../out &&
	grep "needs the argument .hypothesis." ../out
'

test_expect_success 'edits and scores become attempts, and the gain the parent' '
	make_repo ../gain && two_steps &&
	serve --run gain <<-EOF &&
	$(call edit "{\"path\":\"kernel.c\",\"old\":\"ROUNDS 160 \",\"new\":\"ROUNDS 40 \"}")
	$(call build)
	$(call score "{\"subject\":\"fewer rounds\",\"hypothesis\":\"a tenth of the work\",\"wait\":1000}")
	$(call shell "{\"command\":\"sed -i s/ROUNDS\\\\ 40/ROUNDS\\\\ 10/ kernel.c; ls\"}")
	$(call score "{\"subject\":\"ten rounds\",\"hypothesis\":\"less still\",\"wait\":1000}")
	$(call write "{\"path\":\"kernel.c\",\"text\":\"no C at all\"}")
	$(call score "{\"subject\":\"nonsense\",\"hypothesis\":\"none\"}")
	$(call diff "{\"from\":\"start\",\"to\":\"best\"}")
	$(call lineage)
	$(call restore "{\"attempt\":\"best\"}")
	$(call view "{\"path\":\"kernel.c\"}")
	EOF
	grep "it builds" ../out &&
	grep "attempt #1 .*It is kept" ../out &&
	grep "\[changed: kernel.c\]" ../out &&
	grep "attempt #2 .*: champion .*the speed of #1" ../out &&
	grep "attempt #3 .*build-failed" ../out &&
	grep "+#define ROUNDS 10 " ../out &&
	parent=$(git rev-parse avo/gain/best^) &&
	test "$(git log -1 --format=%s $parent)" = "fewer rounds" &&
	git log -1 --format=%b avo/gain/best | grep "less still" &&
	cd ../repo
'

test_expect_success 'knowledge finds the notes, documents and what was tried, just now too' '
	cd ../gain &&
	echo "The okapi moves in steps of 64." >okapi.md &&
	echo "knowledge: [okapi.md]" >>avogit.yaml &&
	git add okapi.md &&
	git commit -qam "a document" &&
	serve --run knows <<-EOF &&
	tools/list
	$(call knowledge "{\"query\":\"wgmma serialized\"}")
	$(call knowledge "{\"query\":\"okapi\"}")
	$(call knowledge "{\"query\":\"a tenth of the work\",\"count\":1}")
	$(call edit "{\"path\":\"kernel.c\",\"old\":\"ROUNDS 160 \",\"new\":\"ROUNDS 8 \"}")
	$(call score "{\"subject\":\"eight rounds\",\"hypothesis\":\"an antelope said so\"}")
	$(call knowledge "{\"query\":\"antelope\"}")
	$(call knowledge "{\"query\":\"hippopotamus\"}")
	EOF
	grep "\"id\":1,.*\"name\":\"knowledge\"" ../out &&
	grep "\"id\":2,.*\[avogit/wgmma.md: " ../out &&
	grep "\"id\":3,.*\[okapi.md" ../out &&
	grep "\"id\":4,.*\[run gain: #1 fewer rounds\].*Outcome: " ../out &&
	grep "\"id\":7,.*\[run knows: #1 eight rounds\].*Outcome: " ../out &&
	grep "\"id\":8,.*nothing is known of that.*\"isError\":false" ../out &&
	cd ../repo
'

test_expect_success 'what was edited on a failure names it' '
	serve --run after <<-EOF &&
	$(call edit "{\"path\":\"kernel.c\",\"old\":\"MODE 0\",\"new\":\"MODE 4\"}")
	$(call score "{\"subject\":\"breaks\",\"hypothesis\":\"none\"}")
	$(call edit "{\"path\":\"kernel.c\",\"old\":\"MODE 4\",\"new\":\"MODE 0\"}")
	$(call edit "{\"path\":\"kernel.c\",\"old\":\"ROUNDS 64\",\"new\":\"ROUNDS 16\"}")
	$(call score "{\"subject\":\"mends\",\"hypothesis\":\"none\"}")
	EOF
	git log -1 --format=%B avo/after/best | grep "^Avogit-After: "
'

test_expect_success 'a long call gives a handle at once, and is polled' '
	serve --run handle <<-EOF &&
	$(call workspace)
	$(call edit "{\"path\":\"kernel.c\",\"old\":\"ROUNDS 64\",\"new\":\"ROUNDS 4\"}")
	$(call score "{\"subject\":\"four\",\"hypothesis\":\"none\",\"wait\":0}")
	ping
	$(call result "{\"handle\":\"score-2\",\"wait\":100}")
	$(call result "{\"handle\":\"score-9\"}")
	EOF
	grep "\"id\":3,.*handle: score-2" ../out &&
	grep "\"id\":5,.*attempt #1" ../out &&
	grep "\"id\":6,.*no call has this handle.*\"isError\":true" ../out
'

test_expect_success 'with the attempts spent one may still look' '
	serve --run few --attempts 1 <<-EOF &&
	$(call edit "{\"path\":\"kernel.c\",\"old\":\"ROUNDS 64\",\"new\":\"ROUNDS 4\"}")
	$(call score "{\"subject\":\"one\",\"hypothesis\":\"none\"}")
	$(call edit "{\"path\":\"kernel.c\",\"old\":\"ROUNDS 4\",\"new\":\"ROUNDS 1\"}")
	$(call score "{\"subject\":\"two\",\"hypothesis\":\"none\"}")
	$(call lineage)
	EOF
	grep "\"id\":4,.*as many attempts were made.*\"isError\":true" ../out &&
	grep "(2 of 2 attempts)" ../out
'

test_expect_success 'notes outlive the process' '
	serve --run notes <<-EOF &&
	$(call notes "{\"add\":\"rounds matter most\"}")
	$(call edit "{\"path\":\"kernel.c\",\"old\":\"ROUNDS 64\",\"new\":\"ROUNDS 4\"}")
	$(call score "{\"subject\":\"one\",\"hypothesis\":\"none\"}")
	$(call notes "{\"add\":\"and after that nothing\"}")
	EOF
	serve --run notes <<-EOF &&
	$(call notes)
	EOF
	grep "\"id\":1,.*rounds matter most.nand after that nothing" ../out &&
	serve --run notes <<-EOF &&
	$(call notes "{\"replace\":\"\"}")
	EOF
	serve --run notes <<-EOF &&
	$(call notes)
	EOF
	grep "\"id\":1,.*(nothing yet)" ../out &&
	! avogit log --run notes | grep "nothing"
'

test_expect_success 'a link in the workspace is not followed' '
	cat >../agent <<-\EOF &&
	#!/bin/sh
	exec 3>&1
	answer () { read -r line && printf "%s\n" "$line" >&3; }
	printf "%s\n" "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"workspace\"}}"
	read -r line
	ws=$(printf "%s" "$line" | sed "s/.*workspace: \([^\\\\]*\).*/\1/")
	rm "$ws/kernel.c" && ln -s /etc/passwd "$ws/kernel.c"
	printf "%s\n" "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"view\",\"arguments\":{\"path\":\"kernel.c\"}}}"
	read -r line && printf "%s\n" "$line" >../answers
	printf "%s\n" "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/call\",\"params\":{\"name\":\"score\",\"arguments\":{\"subject\":\"s\",\"hypothesis\":\"h\"}}}"
	read -r line && printf "%s\n" "$line" >>../answers
	EOF
	mkfifo ../to ../from &&
	{ avogit mcp --run link <../to >../from 2>../err & } &&
	sh ../agent >../to <../from &&
	wait &&
	! grep root: ../answers &&
	test $(grep -c "\"isError\":true" ../answers) = 2
'

test_expect_success 'a run that another process extends is refused in a sentence' '
	mkfifo ../idle &&
	{ avogit mcp --run auto <../idle >../idle.out 2>../idle.err & } &&
	exec 7>../idle &&
	echo "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"workspace\"}}" >&7 &&
	until grep "workspace:" ../idle.out; do test -e ../idle || return 1; done &&
	test_expect_code 128 avogit mcp --run scale </dev/null 2>../err &&
	test "$(wc -l <../err)" = 1 &&
	grep -e "--run" ../err &&
	exec 7>&- && wait
'

test_expect_success '--run auto takes the first name that is free' '
	mkfifo ../idle2 &&
	{ avogit mcp --run auto <../idle2 >../idle.out 2>../idle.err & } &&
	exec 7>../idle2 &&
	echo "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"workspace\"}}" >&7 &&
	until grep "workspace:" ../idle.out; do test -e ../idle2 || return 1; done &&
	avogit mcp --run auto </dev/null 2>../err &&
	grep "run scale-2 at" ../err &&
	exec 7>&- && wait
'

test_expect_success 'registrations are printed for the clients there are' '
	avogit mcp --print-config claude | grep "\"type\":.*\"stdio\"" &&
	avogit mcp --print-config claude | grep "\"alwaysLoad\":.*true" &&
	avogit mcp --print-config cursor | grep "mcpServers" &&
	avogit mcp --print-config gemini | grep "\"trust\":.*true" &&
	avogit mcp --print-config opencode | tr -d "[:space:]" | grep "\"command\":.\"avogit\",\"mcp\"." &&
	avogit mcp --print-config vscode | grep "\"servers\"" &&
	avogit mcp --print-config codex | grep "^\[mcp_servers.avogit\]" &&
	test_expect_code 2 avogit mcp --print-config emacs
'

test_done
