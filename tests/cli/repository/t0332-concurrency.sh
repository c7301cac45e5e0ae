#!/bin/sh
# test: parallel long
test_description='eight writers of notes and journals beside git gc, git notes and git commit

AVOGIT_CONCURRENCY_SECONDS says for how long (4).'
. "$(dirname "$0")/../lib-avogit.sh"

: "${AVOGIT_CONCURRENCY_SECONDS:=4}"

# Runs COMMAND again and again until the time is over; says how often it
# succeeded: repeat NAME COMMAND...
repeat () {
	name=$1 n=0
	shift
	while test "$(date +%s)" -lt "$end"
	do
		"$@" >>"../$name.out" 2>>"../$name.err" && n=$((n + 1))
	done
	echo $n >"../$name.count"
}

# Measures HEAD again, in run @: score_again NAME
score_again () {
	avogit score --again --time 1s HEAD --json >"../$1.json" &&
	sed -n "s/.*\"id\":.*\"\([0-9]*T[0-9]*Z-[0-9a-f]*\)\".*/\1/p" \
		"../$1.json" >>"../reported"
}

# One after the other: git itself is not safe from its own `gc --prune=now`.
plain_git () {
	git notes --ref=avogit add -f -m "foreign $n" main~1 &&
	git commit -q --allow-empty -m "mine $n" &&
	git gc -q --prune=now
}

test_expect_success 'setup: a repository with two linked worktrees' '
	make_repo repo &&
	offer_modes 0 1 2 3 4 5 &&
	git commit -q --allow-empty -m "to be noted by others" &&
	git commit -q --allow-empty -m "another" &&
	git worktree add -q ../linked &&
	: >../reported
'

test_expect_success 'all of them at once' '
	end=$(($(date +%s) + AVOGIT_CONCURRENCY_SECONDS)) &&
	test_set_prereq RAN &&
	{
		(repeat e1 avogit evolve --run e1 --attempts 1) & p1=$!
		(repeat e2 avogit evolve --run e2 --attempts 1) & p2=$!
		(cd ../linked && repeat e3 avogit evolve --run e3 --attempts 1) & p3=$!
		(cd ../linked && repeat e4 avogit evolve --run e4 --attempts 1) & p4=$!
		(repeat s1 score_again s1) & p5=$!
		(repeat s2 score_again s2) & p6=$!
		(cd ../linked && repeat s3 score_again s3) & p7=$!
		(cd ../linked && repeat s4 score_again s4) & p8=$!
		(repeat git plain_git) & p9=$!
		wait $p1 $p2 $p3 $p4 $p5 $p6 $p7 $p8 $p9
	} &&
	grep . ../*.count &&
	for name in e1 e2 e3 e4 s1 s2 s3 s4 git
	do
		test "$(cat ../$name.count)" -gt 0 || return 1
	done
'

test_expect_success RAN 'nothing failed but what git itself refuses' '
	cat ../[es][1-4].err >../err &&
	! grep -v -e "^$" -e "unsandboxed" -e "^avogit: waiting for " \
		-e "^avogit: another avogit is timing on the CPUs here" ../err
'

test_expect_success RAN 'notes whose ref git took are written anew' '
	git update-ref refs/notes/avogit main &&
	cp .git/refs/notes/avogit ../ref &&
	echo 00000000000000000000000000000000deadbeef >.git/refs/notes/avogit &&
	avogit doctor --repair >../out &&
	grep "put back" ../out
'

test_expect_success RAN 'the repository is whole' '
	rm -f .git/gc.pid &&
	git fsck --full >../fsck 2>&1 || { cat ../fsck; return 1; } &&
	! grep -e missing -e broken ../fsck
'

test_expect_success RAN 'every record is there: journals first' '
	for run in e1 e2 e3 e4
	do
		said=$(sed -n "s/^[*ox.] \(#[1-9][0-9]*\) .*/\1/p" ../$run.out | sort -u | wc -l) &&
		avogit log --run $run --json >../log.json &&
		there=$(tr -d " \t" <../log.json | grep -c "^\"attempt\":[1-9]") &&
		echo "$run: $said said, $there there" &&
		test "$there" -ge "$said" || return 1
	done
'

test_expect_success RAN 'then notes, some of which others wrote over' '
	avogit doctor --repair &&
	git log --notes=avogit --format=%N --all >../notes &&
	while read -r id
	do
		grep -q "$id 000" ../notes || { echo "$id is lost" && return 1; }
	done <../reported &&
	test -s ../reported &&
	avogit doctor --repair >../out &&
	grep "nothing to repair" ../out
'

test_expect_success 'who is waited for is said, and then it goes on' '
	cd .. 2>/dev/null; make_repo waits && echo "1 another-host" >.git/gc.pid &&
	mkfifo ../said &&
	{ avogit score 2>../said & } && pid=$! &&
	grep -m1 "waiting for .*gc.pid (it says: 1 another-host)" <../said &&
	rm .git/gc.pid && wait $pid &&
	exec 8<>.git/avogit/lock && flock 8 &&
	{ { avogit score --again 2>../said; } 8>&- & } && pid=$! &&
	grep -m1 "waiting for .*avogit/lock" <../said &&
	exec 8>&- && wait $pid
'

test_done
