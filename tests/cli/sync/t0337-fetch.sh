#!/bin/sh
# test: parallel long
test_description='plain git with the settings of avogit init: fetch, pull, log'
. "$(dirname "$0")/../lib-avogit.sh"

# git COMMAND works and says nothing on stderr
quiet_git () {
	git "$@" >../out 2>../err && test_must_be_empty ../err
}

test_must_be_empty () {
	test ! -s "$1" || { cat "$1" >&2 && return 1; }
}

test_expect_success 'setup: a remote without anything of avogit' '
	make_repo start && sed -i "s|64 16 4 1|64 16|" kernel.c && git commit -qam "one gain" && cd .. &&
	git clone -q --bare start hub.git
'

test_expect_success 'where the remote has nothing, fetch, pull and log work in silence' '
	git clone -q hub.git a && cd a &&
	rm avogit.yaml reference.c &&
	avogit init -y -e scale kernel.c >../out && git checkout -q . &&
	grep "telling git" ../out &&
	quiet_git fetch -q && quiet_git pull -q && quiet_git remote update &&
	quiet_git fetch -q --prune && quiet_git log -1 &&
	cd ..
'

test_expect_success 'setup: somebody evolves, and syncs' '
	git clone -q hub.git other && cd other &&
	avogit score >/dev/null &&
	avogit evolve --attempts 1 >/dev/null && avogit sync &&
	avogit best >../best.expect && avogit log --json >../log.expect &&
	tip=$(git rev-parse avo/scale/winner) && cd ..
'

test_expect_success 'after git fetch, git log shows the scores at once, if asked' '
	cd a && git fetch -q && git log -1 --notes="avogit*" >../out &&
	grep "verdict=pass" ../out && quiet_git log -1 && cd ..
'

test_expect_success 'what it fetched is read by the next command' '
	cd a && avogit runs >../out 2>../err &&
	grep "^scale " ../out &&
	grep "took in what .git fetch. brought: [12] journals\? and notes" ../err &&
	avogit log --json >../log.actual 2>../err &&
	test_must_be_empty ../err && test_cmp ../log.expect ../log.actual &&
	avogit best >../best.actual && test_cmp ../best.expect ../best.actual &&
	git log -1 --notes=avogit >../out && grep "verdict=pass" ../out &&
	test -z "$(git for-each-ref refs/avogit-fetched refs/notes/avogit-fetched)" &&
	test "$(git rev-parse avo/scale/winner)" = $tip && cd ..
'

test_expect_success 'and fetched again, with nothing new, it is no news' '
	cd a && git fetch -q && avogit runs >/dev/null 2>../err &&
	test_must_be_empty ../err &&
	test -z "$(git for-each-ref refs/avogit-fetched refs/notes/avogit-fetched)" &&
	cd ..
'

test_expect_success 'fetch.prune takes nothing away' '
	cd a && avogit score --again >/dev/null &&
	git for-each-ref >../expect &&
	git -c fetch.prune=true fetch -q && avogit runs >/dev/null &&
	git for-each-ref >../actual && test_cmp ../expect ../actual && cd ..
'

test_expect_success 'logs that somebody sent are not taken unasked' '
	cd other && writer=$(sed "s/ .*//" .git/avogit/writer) &&
	tree=$(printf "100644 blob %s\tx.txt\n" "$(echo x | git hash-object -w --stdin)" | git mktree) &&
	git update-ref refs/avogit/scale/logs/$writer "$(git commit-tree -m x $tree)" &&
	avogit sync --logs && cd ../a && git fetch -q && avogit runs >/dev/null &&
	test -z "$(git for-each-ref refs/avogit/scale/logs refs/avogit-fetched)" && cd ..
'

test_expect_success 'a journal that is none is said and not taken' '
	cd a && avogit log --json >../expect &&
	git --git-dir=../hub.git update-ref refs/avogit/scale/journal/00000000deadbeef main &&
	git fetch -q && avogit log --json >../actual 2>../err &&
	grep "not taken from .git fetch.: .*00000000deadbeef" ../err &&
	test_cmp ../expect ../actual &&
	test -z "$(git for-each-ref | grep deadbeef)" &&
	git --git-dir=../hub.git update-ref -d refs/avogit/scale/journal/00000000deadbeef &&
	cd ..
'

test_expect_success 'what the settings of earlier versions fetched is read, too' '
	git clone -q hub.git old && cd old &&
	git config --add remote.origin.fetch +refs/notes/avogit:refs/notes/origin/avogit &&
	git config --add remote.origin.fetch "+refs/avogit/*:refs/avogit-origin/*" &&
	git fetch -q && avogit log --json >../log.actual 2>/dev/null &&
	test_cmp ../log.expect ../log.actual &&
	git log -1 --notes=avogit >../out && grep "verdict=pass" ../out
'

test_done
