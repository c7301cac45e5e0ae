#!/bin/sh
# test: parallel long no-asan
test_description='kill -9 at random moments loses at most the attempt in flight

AVOGIT_KILLS says how often each command is killed (8).'
. "$(dirname "$0")/../lib-avogit.sh"

: "${AVOGIT_KILLS:=8}"
seed=$(od -An -N2 -tu2 /dev/urandom | tr -d ' ')
say "seed $seed"

# $killed_ms: milliseconds below $1, drawn again each time.
draw () {
	seed=$(((seed * 1103515245 + 12345) % 2147483648))
	killed_ms=$((seed / 65536 % $1))
}

# Runs avogit ARGS and kills it after at most MS milliseconds, its children
# with it; returns when the last of them is gone, which is when no process holds
# the pipe any more: killed_within MS ARGS
killed_within () {
	draw "$1" &&
	shift &&
	perl -MTime::HiRes=usleep -e '
		my ($ms, @command) = @ARGV;
		$^F = 255;
		pipe my $ended, my $held or die;
		my $pid = fork;
		if (!$pid) {
			close $ended;
			setpgrp(0, 0);
			open STDOUT, ">", "/dev/null";
			open STDERR, ">", "/dev/null";
			exec @command or exit 127;
		}
		close $held;
		usleep(1000 * $ms);
		kill "KILL", -$pid;
		waitpid $pid, 0;
		1 while sysread $ended, my $rest, 1;
	' "$killed_ms" "$AVOGIT" "$@"
}

# Candidates that have a measurement: "ID" lines.
scored () {
	avogit log --json | tr -d " \t" | sed -n \
		"/\"commit\"/s/.*:\"\(.*\)\".*/\1/p;/\"verdict\"/s/.*/+/p" |
	sed -n "N;/+/P;D" | sort
}

# Nothing is broken, nothing is in the way, nothing was lost.
check_whole () {
	git fsck --full >../fsck 2>&1 || { cat ../fsck; return 1; }
	! grep -e missing -e broken ../fsck || return 1
	users_state >../after && test_cmp ../before ../after || return 1
	scored >../scored.now
	comm -23 ../scored.before ../scored.now >../lost
	test ! -s ../lost || { echo lost; cat ../lost; return 1; }
	cp ../scored.now ../scored.before
}

test_expect_success 'setup: a run to begin with' '
	git init -q --bare hub.git &&
	make_repo repo &&
	offer_modes 0 1 2 3 4 5 &&
	git remote add origin ../hub.git &&
	avogit evolve --seed 1 --attempts 1 >/dev/null &&
	avogit sync >/dev/null &&
	users_state >../before &&
	scored >../scored.before &&
	test -s ../scored.before
'

test_expect_success "evolve, $AVOGIT_KILLS times" '
	for i in $(seq $AVOGIT_KILLS)
	do
		killed_within 2500 evolve --attempts 3 &&
		check_whole || return 1
	done &&
	avogit evolve --attempts 1 >../out &&
	grep "^resuming run scale" ../out &&
	check_whole
'

# The locks of a git that was killed in the other repository are not ours.
test_expect_success "sync, $AVOGIT_KILLS times" '
	for i in $(seq $AVOGIT_KILLS)
	do
		find ../hub.git -name "*.lock" -delete &&
		git -C ../hub.git for-each-ref --format="delete %(refname)" refs/avogit refs/notes |
		git -C ../hub.git update-ref --stdin &&
		killed_within 150 sync &&
		check_whole || return 1
	done &&
	avogit sync >../out &&
	avogit sync >../out &&
	grep "^nothing to move" ../out &&
	git -C ../hub.git fsck --full &&
	check_whole
'

# What was killed may leave the lock of the very ref that it was moving; the
# next avogit that writes removes it, plain git would stop at it.
test_expect_success "prune, $AVOGIT_KILLS times" '
	writer=$(git for-each-ref --format="%(refname)" refs/avogit/scale/journal | sed "s|.*/||") &&
	for i in $(seq $AVOGIT_KILLS)
	do
		tip= &&
		for n in 1 2 3 4 5
		do
			tree=$(printf "100644 blob %s\tlog-$n\n" "$(echo $i $n | git hash-object -w --stdin)" | git mktree) &&
			tip=$(git commit-tree -m log-$n ${tip:+-p $tip} $tree) || return 1
		done &&
		avogit doctor --repair >/dev/null &&
		git update-ref refs/avogit/scale/logs/$writer $tip &&
		killed_within 60 prune &&
		check_whole || return 1
	done &&
	avogit prune >/dev/null &&
	avogit prune >../out &&
	grep "no log to drop" ../out
'

# It is git that picks: the locks of a git that was killed (of HEAD, the index,
# CHERRY_PICK_HEAD, the branch) are a person's to remove, as after any git.
test_expect_success "pick, $AVOGIT_KILLS times" '
	git switch -q -c taken &&
	picked=$(git for-each-ref --format="%(refname)" refs/heads/avo/scale | head -1) &&
	for i in $(seq $AVOGIT_KILLS)
	do
		killed_within 120 pick $picked &&
		rm -f .git/*.lock .git/refs/heads/taken.lock &&
		{ git cherry-pick --quit 2>/dev/null || :; } &&
		git reset -q --hard main &&
		git fsck --full >../fsck 2>&1 || { cat ../fsck; return 1; }
	done &&
	git switch -q main && git branch -q -D taken &&
	scored >../scored.now && comm -23 ../scored.before ../scored.now >../lost &&
	test ! -s ../lost
'

test_expect_success 'locks of the dead are cleared, of the living respected' '
	ref=$(git for-each-ref --format="%(refname)" refs/avogit/scale/journal | head -1) &&
	touch -d "1 hour ago" .git/$ref.lock .git/refs/notes/avogit.lock .git/refs/heads/avo/scale/best.lock &&
	echo "999999999 $(hostname)" >.git/gc.pid &&
	: >.git/index.lock &&
	mkdir -p .git/avogit/ws/wdead .git/avogit/cache &&
	touch -d "1 hour ago" .git/avogit/cache/scale.999999999 &&
	git update-ref -d refs/notes/avogit 2>/dev/null;
	avogit doctor --repair >../out &&
	grep "stale lock.*journal" ../out &&
	grep "stale lock.*notes" ../out &&
	grep "stale lock.*best" ../out &&
	grep "gc.pid of a dead" ../out &&
	grep "abandoned workspace" ../out &&
	grep "half written" ../out &&
	test -e .git/index.lock && rm .git/index.lock &&
	avogit doctor --repair >../out &&
	grep "^nothing to repair" ../out
'

test_expect_success 'notes and branches that are gone are made again' '
	git update-ref -d refs/notes/avogit &&
	for ref in $(git for-each-ref --format="%(refname)" refs/heads/avo)
	do
		git update-ref -d $ref || return 1
	done &&
	avogit doctor --repair >../out &&
	grep "put back" ../out &&
	grep "pointed the branches of run scale" ../out &&
	git rev-parse -q --verify avo/scale/best
'

test_expect_success 'a gc that is under way is waited for' '
	sleep 3 & gc=$! &&
	echo "$gc $(hostname)" >.git/gc.pid &&
	avogit doctor --repair >../out & repair=$! &&
	wait $gc && wait $repair &&
	grep repair ../out &&
	test ! -e .git/gc.pid
'

test_done
