#!/bin/sh
# test: parallel
test_description='avogit score: commits and the work tree get their figures'
. "$(dirname "$0")/../lib-avogit.sh"

test_expect_success 'a commit passes, with a table of cases' '
	make_repo repo &&
	avogit score HEAD >../out &&
	grep "pass, " ../out &&
	grep "n=16384" ../out &&
	grep "vs naive" ../out
'

test_expect_success 'the score is a note that plain git shows' '
	git log -1 --notes=avogit >../out &&
	grep "Notes (avogit)" ../out &&
	grep "verdict=pass" ../out
'

test_expect_success 'the same is not measured twice' '
	git notes --ref=avogit show HEAD >../before &&
	avogit score HEAD >../out &&
	grep "measured before" ../out &&
	git notes --ref=avogit show HEAD >../after &&
	test_cmp ../before ../after
'

test_expect_success '--again measures anew and keeps both' '
	avogit score --again HEAD >../out &&
	! grep "measured before" ../out &&
	git notes --ref=avogit show HEAD >../after &&
	test "$(grep -c " 000 " ../after)" = 2
'

test_expect_success 'the work tree is scored as a commit no branch knows' '
	sed -i "s/ROUNDS 64/ROUNDS 1/" kernel.c &&
	users_state >../before &&
	avogit score >../out &&
	users_state >../after &&
	test_cmp ../before ../after &&
	grep "pass, " ../out &&
	id=$(head -n 1 ../out | sed "s/ .*//") &&
	git show "$id:kernel.c" >../shown &&
	test_cmp kernel.c ../shown &&
	test -z "$(git branch --contains "$id")"
'

test_expect_success '--against compares with another commit' '
	avogit score --against HEAD >../out &&
	grep -E "vs $(git rev-parse --short=10 HEAD) .*\]  *faster" ../out
'

test_expect_success 'several commits, as JSON' '
	git commit -qam faster &&
	avogit score --json HEAD HEAD^ >../out &&
	grep "\"schema\":[[:space:]]*1" ../out &&
	test "$(grep -c "\"recorded\"" ../out)" = 2
'

test_expect_success 'a wrong kernel is exit code 1, with where it is wrong' '
	sed -i "s/MODE 0/MODE 1/" kernel.c &&
	test_expect_code 1 avogit score >../out &&
	grep "wrong: " ../out
'

test_expect_success 'a compiler error is shown, its first error first' '
	sed -i "s/MODE 1/MODE 4/" kernel.c &&
	test_expect_code 1 avogit score >../out &&
	grep "build-failed: " ../out &&
	grep "kernel.c:[0-9]*:[0-9]*: error: " ../out
'

test_expect_success 'a name that means nothing costs no measurement' '
	test_expect_code 128 avogit score HEAD nonsense >../out 2>../err &&
	test_must_be_empty ../out &&
	grep nonsense ../err
'

test_expect_success 'a changed reference has to be committed first' '
	git checkout -q kernel.c &&
	echo "/* changed */" >>reference.c &&
	test_expect_code 128 avogit score 2>../err &&
	grep "git .*add reference.c" ../err &&
	test "$(wc -l <../err)" = 1
'

test_expect_success 'an attempt by hand may be compared for a time, and takes no REV' '
	git checkout -q . &&
	sed -i "s/ROUNDS [0-9][0-9]*/ROUNDS 3/" kernel.c &&
	avogit score --run hand -m "three rounds" --time 1s >../out &&
	grep "#1 .*three rounds" ../out &&
	test_expect_code 2 avogit score --run hand -m "half" --again 2>../err &&
	grep "goes with --task, --time and --color only" ../err
'

test_done
