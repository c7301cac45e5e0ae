#!/bin/sh
# test: parallel no-asan
test_description='avogit mcp: where the workspace lies, and a client whose run cannot be had'
. "$(dirname "$0")/../lib-avogit.sh"
. "$SHARNESS_TEST_SRCDIR/mcp/lib-mcp.sh"

test_expect_success 'a repository' '
	make_repo repo
'

# A server whose run is busy and whose workspace is known: hold NAME ARGS;
# its calls go to descriptor 7, its answers to ../held.out
hold () {
	mkfifo "../$1" &&
	{ "$AVOGIT" mcp --run "$@" <"../$1" >../held.out 2>../held.err & } &&
	held=$! &&
	exec 7>"../$1" &&
	echo "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"workspace\"}}" >&7 &&
	until grep "workspace:" ../held.out; do kill -0 $held || return 1; done
}

# The client of hold leaves.
leave () {
	exec 7>&- && wait
}

test_expect_success 'the workspace lies in the work tree, and git does not see it' '
	users_state >../before &&
	hold visible &&
	test -f .avogit/visible/kernel.c &&
	test -z "$(git status --porcelain --untracked-files=all)" &&
	git add -A -n >../added &&
	test_must_be_empty ../added &&
	leave &&
	test ! -e .avogit &&
	users_state >../after &&
	test_cmp ../before ../after
'

test_expect_success 'a client that was started in a folder has it there' '
	mkdir below && cd below &&
	hold deeper --task ../avogit.yaml &&
	leave &&
	grep "workspace: .*/repo/below/.avogit/deeper\\\\n" ../held.out &&
	cd .. && rmdir below && rm -f held.out held.err deeper
'

test_expect_success 'a killed server leaves it to the next, what is not its own stays' '
	hold killed &&
	kill -9 $held && exec 7>&- && wait
	test -f .avogit/killed/kernel.c &&
	mkdir -p .avogit/other && echo mine >.avogit/other/file &&
	serve --run other <<-EOF &&
	$(call workspace)
	EOF
	grep "workspace: .*/repo/.avogit/other-2\\\\n" ../out &&
	test mine = "$(cat .avogit/other/file)" &&
	test "$(ls .avogit)" = other &&
	rm -r .avogit
'

test_expect_success 'a committed link or folder of its name is not followed, nor emptied' '
	mkdir ../elsewhere &&
	ln -s ../elsewhere .avogit &&
	serve --run link <<-EOF
	$(call workspace)
	EOF
	test -z "$(ls ../elsewhere)" &&
	grep "not a folder" ../err &&
	rm .avogit &&
	mkdir -p .avogit/full && echo kept >.avogit/full/kernel.c && echo x >.avogit/.gitignore &&
	git add -f .avogit && git commit -qm "somebody else was here" &&
	serve --run full <<-EOF &&
	$(call workspace)
	EOF
	git status --porcelain >../status && test_must_be_empty ../status &&
	git rm -qr .avogit && git commit -qm away
'

test_expect_success '--workspace says where, and takes no folder that is full' '
	serve --run chosen --workspace ../chosen <<-EOF &&
	$(call workspace)
	EOF
	grep "workspace: .*/chosen\\\\n" ../out &&
	test ! -e ../chosen && test ! -e .avogit &&
	mkdir ../full && echo kept >../full/file &&
	test_expect_code 128 avogit mcp --run chosen --workspace ../full </dev/null 2>../err &&
	grep "full is there already, and not empty" ../err &&
	test kept = "$(cat ../full/file)"
'

test_expect_success 'a second client has its tools, is told why, and works when it can' '
	hold auto &&
	mkfifo ../second &&
	{ "$AVOGIT" mcp --run scale <../second >../second.out 2>../second.err 7>&- & } &&
	second=$! &&
	exec 9>../second &&
	echo "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}" >&9 &&
	echo "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"lineage\"}}" >&9 &&
	until grep "\"id\":2,.*avogit cannot work here: another avogit .process" ../second.out; do kill -0 $second || return 1; done &&
	grep "\"id\":1,.*\"name\":\"score\"" ../second.out &&
	exec 7>&- && wait $held &&
	echo "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/call\",\"params\":{\"name\":\"lineage\"}}" >&9 &&
	until grep "\"id\":3,.*the start" ../second.out; do kill -0 $second || return 1; done &&
	exec 9>&- && wait $second
'

test_expect_success 'so has one whose task is not committed yet' '
	mkdir ../fresh && (cd ../fresh && git init -q . && git commit -q --allow-empty -m nothing) &&
	cd ../fresh &&
	test_expect_code 128 "$SHARNESS_TEST_SRCDIR"/mcp/mcp-client.pl "$AVOGIT" mcp >../out 2>../err <<-EOF &&
	tools/list
	$(call workspace)
	EOF
	grep "\"id\":2,.*avogit cannot work here: .*\"isError\":true" ../out &&
	cd ../repo
'

test_done
