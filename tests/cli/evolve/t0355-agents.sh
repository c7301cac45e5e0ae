#!/bin/sh
# test: parallel no-asan

test_description='evolve --agents: several agents at once on one run'

. "$(dirname "$0")/../lib-avogit.sh"

. "$SHARNESS_TEST_SRCDIR/lib-llm.sh"
. "$SHARNESS_TEST_SRCDIR/lib-agents.sh"

test_expect_success BUBBLEWRAP 'they work at the same time: the first waits for what the second made' '
	make_agents overlap <<-\EOF &&
	saw () {
		until call lineage | grep -q "$1"
		do
			sleep 0.1
		done
	}
	case $AVOGIT_AGENT in
	1) saw "agent 2 was here" && speed 30 && score "agent 1 saw it" ;;
	2) speed 20 && score "agent 2 was here" && saw "agent 1 saw it" ;;
	esac
	EOF
	avogit evolve --agents 2 --attempts 2 >../out &&
	grep "#1 .*agent 2 was here" ../out &&
	grep "#2 .*agent 1 saw it" ../out &&
	is_whole
'

echo 'for i in 1 2 3 4
do
	sleep 0.$(($(od -An -N1 -tu1 /dev/urandom) % 4))
	speed $((8 + (AVOGIT_AGENT * 7 + i * 5) % 23))
	score "agent $AVOGIT_AGENT, idea $i"
done' >script
SCRIPT=$PWD/script

for n in 1 3
do
	test_expect_success BUBBLEWRAP "four agents in order, of which $n think at a time" '
		make_agents order$n <"$SCRIPT" &&
		avogit evolve --seed 7 --in-order 4 --agents $n --attempts 12 >../out &&
		is_whole &&
		mv ../tree ../tree$n &&
		test $(wc -l <../tree$n) = 13
	'
done

test_expect_success BUBBLEWRAP 'make the same tree' '
	test_cmp ../tree1 ../tree3 &&
	grep "champion" ../tree1 &&
	grep "^2 .* 0 agent 2, idea 1" ../tree1
'

test_expect_success BUBBLEWRAP 'an agent that is killed costs the others nothing' '
	make_agents killed <"$SCRIPT" &&
	evolve_until 4 --agents 3 --attempts 8 &&
	kill -9 $(program_of $evolving) &&
	evolve_rest &&
	grep "ended by signal 9" rest &&
	grep "stopped: attempts" rest &&
	rm -f progress* rest &&
	is_whole &&
	test $(wc -l <../tree) = 9
'

test_expect_success BUBBLEWRAP 'kill -9 of avogit: the run goes on, no attempt is lost' '
	make_agents crash <"$SCRIPT" &&
	evolve_until 5 --agents 4 --attempts 50 &&
	kill -9 $evolving &&
	{ evolve_rest || :; } &&
	tree >../before &&
	avogit evolve --agents 4 --attempts 4 >../out &&
	avogit doctor --repair >/dev/null &&
	is_whole &&
	cut -d" " -f1,4- ../before >../had &&
	cut -d" " -f1,4- ../tree | head -n $(wc -l <../had) >../has &&
	test_cmp ../had ../has &&
	test $(wc -l <../tree) -ge $(($(wc -l <../had) + 4))
'

test_expect_success BUBBLEWRAP 'Ctrl-C ends all of them, and what they had' '
	make_agents stopped <"$SCRIPT" &&
	evolve_until 4 --agents 4 --attempts 50 &&
	kill -INT $evolving &&
	test_expect_code 130 evolve_rest &&
	grep "stopped: interrupted" rest &&
	rm -f progress* rest &&
	is_whole &&
	test -z "$(ls .git/avogit/ws)"
'

test_expect_success BUBBLEWRAP 'an error of one ends the run with its sentence' '
	make_agents fails <<-\EOF &&
	test $AVOGIT_AGENT != 2 || exec /no/such/program
	sleep 60
	EOF
	test_expect_code 128 avogit evolve --agents 2 --attempts 4 >../out 2>../err &&
	grep "it could not be started in the sandbox" ../err
'

# The first reply never comes: the run ends without it.
test_expect_success 'models: one thinks while the other scores, and is not waited for at the end' '
	cd "$SHARNESS_TRASH_DIRECTORY" &&
	make_light_repo models &&
	with_model anthropic avogit evolve --agents 2 --attempts 1 >../out <<-\EOF &&
	exchange
	stall 0
	exchange
	usage 100 0 0 0
	call edit {"path":"kernel.c","old":"MODE 0 ","new":"MODE 4 "}
	call score {"subject":"Break it","hypothesis":"it is said so"}
	EOF
	grep "#1 .*build-failed.*Break it" ../out &&
	grep "stopped: attempts" ../out &&
	is_whole
'

# The commit of an attempt, by ../log.json: commit_of NUMBER
commit_of () {
	perl -MJSON::PP -e '
		local $/;
		my $all = decode_json(<STDIN>)->{runs}[0]{attempts};
		print map { $_->{commit} } grep { $_->{attempt} == $ARGV[0] } @$all;' "$1" <../log.json
}

# Agent 1 is island 1 and soon fast, agent 2 the other and slow.
echo 'for i in 1 2 3 4 5
do
	speed $((AVOGIT_AGENT == 1 ? 20 * i : 11 + i))
	score "island $AVOGIT_AGENT, idea $i$told" >answer
	! grep -q "champion of island 1 came to this one: lineage 3" answer || told=" told"
done' >islands
ISLANDS=$PWD/islands

for n in 1 2
do
	test_expect_success BUBBLEWRAP "islands: a champion migrates, with $n that think at a time" '
		make_agents islands$n <"$ISLANDS" &&
		sed -i "s/unit: ops/exact: true, unit: ops/" avogit.yaml &&
		echo "islands: {count: 2, attempts: 3}" >>avogit.yaml &&
		git commit -qam "two islands" &&
		avogit evolve --seed 7 --in-order 2 --agents $n --attempts 8 >../out 2>../err &&
		grep "^starting run app .*, 2 islands" ../out &&
		grep "^islands: island 2 of 2 begins at #0" ../out &&
		grep "^islands: migration: #5 (6.00x the start) of island 1 to island 2, whose best is #4 (1.30x)" ../out &&
		is_whole &&
		mv ../tree ../isle$n &&
		test $(wc -l <../isle$n) = 9
	'
done

test_expect_success BUBBLEWRAP 'and make the same tree, in which each island has its own line' '
	test_cmp ../isle1 ../isle2 &&
	grep "^4 .* 2 island 2, idea 2" ../isle1 &&
	grep "^8 .* 5 island 2, idea 4 told" ../isle1
'

test_expect_success BUBBLEWRAP 'plain git and log tell of the islands, and json does' '
	avogit log --json >../log.json &&
	git log --format="%s %P" --glob="refs/avogit/app/journal/*" >../journal &&
	grep "^intervention: migration: #5 .* $(commit_of 5)\$" ../journal &&
	git log -2 --format="%(trailers:key=Avogit-Island)" $(commit_of 8) | grep . >../islands &&
	printf "Avogit-Island: %d\n" 2 1 >../expected && test_cmp ../expected ../islands &&
	grep "\"trigger\":.*\"migration\"" ../log.json &&
	avogit log >../log &&
	grep -e "-- islands: migration: #5 (6.00x the start)" ../log &&
	! grep -e "-- supervisor" ../log
'

test_expect_success 'numbers that make no sense, and operators that do not wait' '
	make_agents refused </dev/null &&
	test_expect_code 2 avogit evolve --agents 65 2>../err &&
	grep "a run has at most 64 agents" ../err &&
	test_expect_code 2 avogit evolve --agents 3 --in-order 2 2>../err &&
	grep "no work for 3 agents" ../err &&
	test_expect_code 2 avogit evolve --agents 3 --islands 4 2>../err &&
	grep "no agent for each: give --agents 4" ../err &&
	test_expect_code 2 avogit evolve --islands 2 2>../err &&
	grep "no agent for each: give --agents 2" ../err &&
	test_expect_code 128 avogit evolve --agents 2 --operator tuner 2>../err &&
	grep "waits for nothing" ../err
'

test_done
