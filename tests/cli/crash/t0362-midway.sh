#!/bin/sh
# test: parallel long no-asan
test_description='eight agents that are killed, whose disk fills, whose objects become read-only

AVOGIT_KILLS says how often avogit is killed, and then one agent (4).'
. "$(dirname "$0")/../lib-avogit.sh"
. "$SHARNESS_TEST_SRCDIR/lib-agents.sh"

: "${AVOGIT_KILLS:=4}"

mkdir mnt
if test_have_prereq ROOT && mount -t tmpfs -o size=4m none mnt 2>/dev/null
then
	umount mnt
	test_have_prereq BUBBLEWRAP && test_set_prereq MOUNT
fi

echo 'for i in 1 2 3 4 5 6 7 8 9 10 11 12
do
	speed $((8 + (AVOGIT_AGENT * 7 + i * 5) % 23))
	score "agent $AVOGIT_AGENT, idea $i"
done' >script
SCRIPT=$PWD/script

# What the run of ./ said of each attempt that it had measured: number, agent, idea.
said () {
	{ printf "%s" "$evolved" && cat rest; } |
	sed -n "s/^[*o.x] #\([0-9]*\) .*\(agent [0-9]*, idea [0-9]*\).*/\1 \2/p"
}

# Each of them has its measurement, those of the calls before, too. A journal that is
# set back is brought back from the record of the tips, and says so: here it must not
# have to be. At the end of a journal that was cut off are entries of which nothing was
# said (an attempt in flight, a stop), so a few less are no loss.
all_there () {
	git fsck --full >../fsck 2>&1 &&
	! grep -e missing -e broken ../fsck &&
	tree >../tree 2>../err && test_must_be_empty ../err &&
	sed -n "/in-flight/d; s/^\([0-9]*\) [^ ]* [^ ]* /\1 /p" ../tree | sort >../has &&
	said >>said && test -s said && sort -u said >../said &&
	comm -23 ../said ../has >../lost && test_must_be_empty ../lost
}

# And the run goes on to the end.
nothing_lost () {
	all_there &&
	rm -f progress* rest && evolved= &&
	avogit evolve --agents 8 --attempts 9 >rest &&
	grep "^resuming run app" rest &&
	all_there &&
	avogit doctor --repair >../out &&
	is_whole
}

# The folder of ./ is a file system of its own: mounted SIZE FOLDER
mounted () {
	mv "$2" ../kept && mkdir "$2" &&
	mount -t tmpfs -o size="$1" none "$2" && cp -a ../kept/. "$2" && rm -rf ../kept
}

test_expect_success BUBBLEWRAP "avogit is killed $AVOGIT_KILLS times: one attempt at most is in flight each time" '
	make_agents killed <"$SCRIPT" &&
	for i in $(seq $AVOGIT_KILLS)
	do
		evolve_until $((1 + i % 3)) --agents 8 --attempts 40 &&
		kill -9 $evolving &&
		test_expect_code 137 evolve_rest &&
		all_there &&
		test "$(grep -c in-flight ../tree)" -le 1 || return 1
	done &&
	nothing_lost
'

# One each time that an attempt was measured.
test_expect_success BUBBLEWRAP "one agent is killed $AVOGIT_KILLS times: the run makes what it was asked for" '
	make_agents one <"$SCRIPT" &&
	evolve_until 3 --agents 8 --attempts $((2 * AVOGIT_KILLS + 4)) &&
	for i in $(seq $AVOGIT_KILLS)
	do
		until program=$(program_of $evolving)
		do
			kill -0 $evolving || return 1
			sleep 0.1
		done &&
		{ kill -9 $program || :; } &&
		read -r line <&8 && evolved="$evolved$line
" || return 1
	done &&
	evolve_rest &&
	all_there &&
	{ printf "%s" "$evolved" && cat rest; } | grep "ended by signal 9" &&
	rm -f progress* rest &&
	is_whole &&
	test $(wc -l <../tree) = $((2 * AVOGIT_KILLS + 5))
'

for round in 1 2
do
	test_expect_success MOUNT "the disk fills: one sentence, nothing is lost ($round)" '
		make_agents full$round <"$SCRIPT" &&
		mounted 6m .git &&
		test_when_finished "cd \"$SHARNESS_TRASH_DIRECTORY\"; umount full$round/.git" &&
		evolve_until $((5 * round)) --agents 8 --attempts 80 &&
		{ dd if=/dev/zero of=.git/filler bs=4k 2>/dev/null || :; } &&
		test_expect_code 128 evolve_rest &&
		grep -i "no space.*free s" progress.err && test "$(wc -l <progress.err)" = 1 &&
		rm .git/filler &&
		nothing_lost
	'
done

test_expect_success MOUNT "objects become read-only: one sentence, nothing is lost" '
	make_agents readonly <"$SCRIPT" &&
	mount --bind .git/objects .git/objects &&
	test_when_finished "cd \"$SHARNESS_TRASH_DIRECTORY\"; umount readonly/.git/objects" &&
	evolve_until 5 --agents 8 --attempts 80 &&
	# Not while a file is open there.
	until mount -o remount,ro,bind .git/objects 2>../busy
	do
		kill -0 $evolving || return 1
	done &&
	test_expect_code 128 evolve_rest &&
	grep -i "read-only" progress.err && test "$(wc -l <progress.err)" = 1 &&
	mount -o remount,rw,bind .git/objects &&
	nothing_lost
'

test_done
