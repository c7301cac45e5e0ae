#!/bin/sh
# test: parallel long no-asan
test_description='avogit evolve: an attempt at the very end is the fastest'
. "$(dirname "$0")/../lib-avogit.sh"
. "$SHARNESS_TEST_SRCDIR/lib-operator.sh"

# A repository in ./NAME whose operator makes these numbers of rounds, one an attempt,
# and then proposes nothing: make_steps NAME SECONDS ROUNDS...
make_steps () {
	make_repo "$1" && takes=$2 && shift 2 &&
	use_operator "silence: 60s" <<-EOT
	for rounds in $*; do
		sleep $takes
		sed -i "s/^#define ROUNDS [0-9]*/#define ROUNDS \$rounds/" kernel.c
		score "\$rounds rounds" "less work"
	done
	EOT
}

# Of the run of ./, whose output is ../out: the last attempt that was measured is the
# fastest of all by its source. It is the champion, or the output names it as one that
# is not proven; and no comparison of it with the champion says that it is faster.
last_is_crowned_or_named () {
	avogit log --json >../log.json &&
	perl -MJSON::PP -e '
		undef $/;
		my @all = @{decode_json(<STDIN>)->{runs}[0]{attempts}};
		my ($last) = sort { $b->{attempt} <=> $a->{attempt} }
			grep { $_->{attempt} && ($_->{verdict} // "") eq "pass" } @all;
		print $last ? "$last->{attempt} $last->{commit} $last->{outcome}\n" : "0 none none\n"' \
		<../log.json >../last &&
	read -r number commit outcome <../last &&
	echo "the last: #$number, $outcome" &&
	test "$number" != 0 &&
	case $outcome in
	champion)
		test "$(avogit best)" = "$commit" ;;
	faster*)
		false ;;
	*)
		grep -e "^maybe faster: #$number " -e "measure #$number once more" \
			-e "no champion yet: #$number " -e "#$number was cut off" ../out ;;
	esac
}

test_expect_success BUBBLEWRAP 'of --attempts' '
	make_steps attempts 0 52 58 13 &&
	avogit evolve --attempts 3 >../out && cat ../out &&
	last_is_crowned_or_named && test "$number" = 3
'

test_expect_success BUBBLEWRAP 'of --time' '
	cd .. && make_steps time 2 52 43 36 30 25 21 17 14 12 10 8 7 6 5 4 3 2 1 &&
	avogit evolve --time 12s >../out && cat ../out &&
	last_is_crowned_or_named
'

test_done
