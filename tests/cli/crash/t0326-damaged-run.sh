#!/bin/sh
# test: parallel long
test_description='a run whose journal cannot be read keeps no other from going on

Half a fetch, a pruned repository or a hostile one: the journal of the run `bad`
ends at an object that is not there, then at a commit without an entry. Where it
ended before is on no record here, as in a clone.'
. "$(dirname "$0")/../lib-avogit.sh"

says_why () {
	grep "run .bad.: .*journal entry" "$1"
}

test_expect_success 'setup: two runs' '
	make_repo repo &&
	sed -i "s|// avogit: 64 16 4 1|// avogit: 64 16|" kernel.c && git commit -qam "one gain" &&
	avogit evolve --run good --attempts 1 >/dev/null &&
	avogit evolve --run bad --attempts 1 >/dev/null &&
	journal=$(git for-each-ref --format="%(refname)" refs/avogit/bad/journal) &&
	tip=$(git rev-parse "$journal") &&
	attempt=$(git rev-parse avo/bad/best)
'

for kind in 'no object' 'no entry'
do
	test_expect_success "damage: $kind" '
		if test "$kind" = "no object"
		then
			echo 1234567890123456789012345678901234567890
		else
			git commit-tree -m "not an entry" "$(git mktree </dev/null)"
		fi >".git/$journal" &&
		rm -f .git/avogit/tips
	'

	test_expect_success "$kind: others are started and resumed, and it is said" '
		avogit evolve --run good --attempts 1 >../out 2>&1 &&
		says_why ../out &&
		avogit evolve --run "new-${kind#no }" --attempts 1 >../out 2>&1 &&
		says_why ../out
	'

	test_expect_success "$kind: scores and candidates are shown" '
		avogit score HEAD >../out &&
		grep " pass, " ../out &&
		avogit show HEAD >/dev/null &&
		avogit show good#1 >/dev/null &&
		avogit show "$attempt" >../out &&
		grep "pass" ../out &&
		avogit log -r good >/dev/null &&
		avogit best -r good &&
		avogit score --pending 2>../err &&
		says_why ../err
	'

	test_expect_success "$kind: doctor names it, and what mends it" '
		avogit doctor >../out &&
		says_why ../out &&
		grep "warn *runs .*avogit rm bad" ../out &&
		avogit doctor --repair >../out &&
		says_why ../out
	'

	test_expect_success "$kind: the run itself is refused in a sentence" '
		test_expect_code 128 avogit evolve --run bad --attempts 1 2>../err &&
		says_why ../err &&
		test_expect_code 128 avogit log -r bad 2>../err &&
		says_why ../err
	'
done

test_expect_success 'whole again, nothing of it is lost' '
	echo "$tip" >".git/$journal" &&
	avogit doctor >../out &&
	! grep "^warn *runs" ../out &&
	git update-ref -d refs/notes/avogit &&
	avogit evolve --run bad --attempts 1 >../out &&
	grep "put back" ../out &&
	git notes --ref=avogit show "$attempt"
'

test_expect_success 'and it can be let go of while it is damaged' '
	echo 1234567890123456789012345678901234567890 >".git/$journal" &&
	avogit rm --yes bad &&
	avogit doctor >../out &&
	! grep "^warn *runs" ../out &&
	git fsck --full
'

test_done
