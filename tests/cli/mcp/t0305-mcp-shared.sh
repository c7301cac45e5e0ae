#!/bin/sh
# test: parallel long no-asan
test_description='avogit mcp: processes of several agents extend one run'
. "$(dirname "$0")/../lib-avogit.sh"
. "$SHARNESS_TEST_SRCDIR/mcp/lib-mcp.sh"

# An attempt of NAME that no other has the sources of: attempt NAME NUMBER
attempt () {
	call edit "{\"path\":\"kernel.c\",\"old\":\"#define ROUNDS\",\"new\":\"/* $1 $2 */\\n#define ROUNDS\"}"
	call score "{\"subject\":\"$1 $2\",\"hypothesis\":\"none\",\"wait\":100}"
}

# All subjects of the run's journal, the newest first.
journal () {
	git log --format=%s --glob='refs/avogit/scale/journal/*'
}

# A process of NAME whose calls come from a pipe: begin NAME; its id is in ../NAME.pid
begin () {
	mkfifo "../$1.in" &&
	{ "$AVOGIT" mcp <"../$1.in" >"../$1.out" 2>"../$1.err" & echo $! >"../$1.pid"; }
}

# Numbers the calls on stdin and makes requests of them.
requests () {
	awk '{ method = $1; sub(/^[^ ]* /, "")
		printf "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"%s\",\"params\":%s}\n", NR, method, $0; fflush() }'
}

test_expect_success 'a repository whose run has begun' '
	make_light_repo repo &&
	serve </dev/null &&
	grep "^stopped run scale: the client left" ../err
'

# C is killed while its second attempt is measured, in its turn.
test_expect_success 'three processes extend it at once, and one is killed' '
	begin a && begin b && begin c &&
	exec 6>../c.in &&
	{ attempt A 1; attempt A 2; attempt A 3; call notes "{\"add\":\"of A\"}"; } >../a.calls &&
	{ attempt B 1; attempt B 2; attempt B 3; call lineage; } >../b.calls &&
	{ attempt C 1; attempt C 2; } >../c.calls &&
	for who in a b c
	do
		requests <../$who.calls >../$who.in || return 1
	done &&
	until journal | grep "C 2"
	do
		kill -0 $(cat ../c.pid) || return 1
		sleep 0.1
	done &&
	kill -9 $(cat ../c.pid) && exec 6>&- &&
	wait
'

test_expect_success 'the two others did all that was asked' '
	for who in A B
	do
		name=$(echo $who | tr A-Z a-z) &&
		! grep "\"isError\":true" ../$name.out || return 1
	done &&
	grep "of A" ../a.out &&
	for subject in "A 1" "A 2" "A 3" "B 1" "B 2" "B 3" "C 1" "C 2"
	do
		journal | grep -c "^attempt.*$subject" >../n && test "$(cat ../n)" = 1 || return 1
	done
'

test_expect_success 'the one that was killed lost no more than its measurement' '
	avogit runs >../runs && ! grep "running" ../runs &&
	serve <<-EOF &&
	$(call lineage)
	EOF
	avogit log --json >../json &&
	test "$(grep -c "\"outcome\":.*in flight" ../json)" = 0 &&
	grep -o "\"attempt\":[^,]*" ../json | sort | uniq -d >../twice &&
	test_must_be_empty ../twice &&
	test "$(grep -c "\"commit\":" ../json)" -ge 9
'

test_expect_success 'each attempt has a number of its own, and was measured' '
	git log --format=%B --glob="refs/avogit/scale/journal/*" |
		perl -ne "print \"\$1\n\" if /\"kind\":\"measurement\"/ && /\"number\":(\d+)/ && \$1 > 0" >../numbers &&
	printf "%d\n" 1 2 3 4 5 6 7 8 >../expected &&
	sort -nu ../numbers >../each && test_cmp ../expected ../each
'

# They take turns, so that points of the other come between those of each.
test_expect_success 'a sweep counts and shows its own points alone' '
	begin e && begin f &&
	for who in e f
	do
		{ call edit "{\"path\":\"kernel.c\",\"old\":\"#define ROUNDS\",\"new\":\"/* swept by $who */\\n#define ROUNDS\"}"
		  call tune "{\"attempts\":2,\"wait\":100}"; } |
			requests >../$who.in || return 1
	done &&
	wait &&
	for who in e f
	do
		! grep "\"isError\":true" ../$who.out &&
		grep "2 points, best first" ../$who.out &&
		grep -o "#[0-9]* [^#]* ROUNDS" ../$who.out |
			cut -d " " -f 1 | sort -u >../$who.points &&
		test "$(wc -l <../$who.points)" = 2 || return 1
	done &&
	cat ../e.points ../f.points | sort | uniq -d >../both &&
	test_must_be_empty ../both
'

test_expect_success 'evolve has the run for itself only, and is told who has it' '
	begin d && exec 8>../d.in &&
	call workspace | requests >&8 &&
	until grep "workspace" ../d.out; do kill -0 $(cat ../d.pid) || return 1; sleep 0.1; done &&
	avogit runs >../runs && grep "running (process $(cat ../d.pid))" ../runs &&
	test_expect_code 128 avogit evolve --attempts 1 2>../err &&
	grep "another avogit (process $(cat ../d.pid)) extends run" ../err &&
	exec 8>&- && wait
'

test_done
