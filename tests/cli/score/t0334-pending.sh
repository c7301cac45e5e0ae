#!/bin/sh
# test: parallel
test_description='avogit score --pending: what another machine proposed'
. "$(dirname "$0")/../lib-avogit.sh"

# As if all that was measured had been measured elsewhere: another id, as long.
move_elsewhere () {
	git fast-export $(git for-each-ref --format="%(refname)" refs/avogit |
		grep /journal/) |
	sed "s/\"machine\":\"[0-9a-f]\{16\}\"/\"machine\":\"00000000000000aa\"/g" |
	git fast-import --force --quiet &&
	rm -rf .git/avogit
}

test_expect_success 'nothing is pending where all was measured' '
	make_repo repo &&
	offer_modes 0 1 2 &&
	avogit evolve --seed 1 --attempts 2 >/dev/null &&
	avogit score --pending >../out &&
	grep "^nothing is pending" ../out
'

test_expect_success 'what another kind of machine measured is measured here' '
	move_elsewhere &&
	n=$(attempts) &&
	test_might_fail avogit score --pending --time 1s >../out &&
	test "$(grep -c "scale#" ../out)" = $((n + 1)) &&
	avogit score --pending >../out &&
	grep "^nothing is pending" ../out &&
	git fsck --full
'

test_expect_success 'in the run s own journal, beside what was there' '
	avogit runs --json >../runs &&
	test "$(sed -n "/\"machines\"/,/\]/p" ../runs | grep -c ,)" -ge 1 &&
	test "$(attempts)" = "$n"
'

test_expect_success 'it chooses itself what to measure' '
	test_expect_code 2 avogit score --pending HEAD 2>../err &&
	grep "chooses itself" ../err &&
	test_expect_code 2 avogit score --pending --again 2>../err
'

# The run as its writer left it before it had measured its last attempt.
back_to_attempt () { # SUBJECT
	for journal in $(git for-each-ref --format="%(refname)" refs/avogit/scale/journal)
	do
		attempt=$(git rev-list -1 --grep="^attempt [0-9]*: $1" "$journal")
		test -n "$attempt" && break
	done
	git update-ref "$journal" "$attempt" &&
	git update-ref -d refs/notes/avogit &&
	rm -rf .git/avogit
}

test_expect_success '--run measures only what is in flight, beside the champion' '
	echo "// again" >>kernel.c &&
	test_might_fail avogit score --time 1s --run scale -m "One more" >/dev/null &&
	git checkout -q kernel.c &&
	back_to_attempt "One more" &&
	avogit log --run scale >../out &&
	grep "in flight .*One more" ../out &&
	known=$(git for-each-ref --format="%(objectname)" refs/avogit/scale/journal) &&
	avogit score --run scale --pending --time 1s >../out &&
	grep "One more" ../out &&
	avogit log --run scale >../log &&
	! grep "in flight" ../log &&
	git log --format=%B --glob="refs/avogit/scale/journal/*" --not $known >../entries &&
	test "$(grep -c "\"kind\":\"measurement\"" ../entries)" = 1 &&
	grep "\"kind\":\"measurement\".*\"champion\|\"kind\":\"measurement\".*\"incumbent" ../entries
'

test_expect_success '--run says where nothing is' '
	avogit score --run scale --pending >../out &&
	grep "^nothing is pending" ../out &&
	test_expect_code 2 avogit score --run scale --pending -m text 2>../err &&
	test_expect_code 2 avogit score --run scale --pending --again 2>../err &&
	test_expect_code 2 avogit score --run scale --pending HEAD 2>../err
'

test_expect_success 'the work tree, bare repositories and HEAD do not matter' '
	git clone -q --mirror . ../bare.git &&
	cd ../bare.git &&
	avogit score --pending >../out &&
	grep "^nothing is pending" ../out
'

test_done
