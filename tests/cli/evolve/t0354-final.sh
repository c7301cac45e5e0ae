#!/bin/sh
# test: parallel long
test_description='a gain that was not told at first: measured again, in the final and by hand'
. "$(dirname "$0")/../lib-avogit.sh"

# An attempt with a gain of sixteen that no comparison had the time to see.
hidden_gain () {
	make_repo "$1" &&
	sed -i "s|^#define ROUNDS .*|#define ROUNDS 64|; s|^\(#define MODE 0\).*|\1|" kernel.c &&
	git commit -q --amend --no-edit kernel.c &&
	sed -i "s/ROUNDS 64/ROUNDS 16/" kernel.c &&
	avogit score --run r -m "once is enough" --time 0.001s >../out &&
	hidden=$(avogit show --json "r#1" |
		sed -n "s/.*\"commit\":[[:space:]]*\"\([0-9a-f]*\)\".*/\1/p" | sed 1q) &&
	test_must_fail git rev-parse -q --verify avo/r/winner
}

test_expect_success 'where --time leaves no room for a final, it says so first and what does it later' '
	hidden_gain final && git checkout -q kernel.c &&
	avogit evolve --run r --operator tuner --time 0.001s >../out &&
	grep "^time: attempts begin within .*, .* are for measuring the best once more; what is at work after 20.0 s is cut off$" ../out &&
	grep "^scorer: no time is left to measure #1 once more, which may be faster than the start: .avogit score --again --run r r#1. does that$" ../out &&
	grep "^stopped: time, it is up" ../out && ! grep "^. #1 " ../out
'

test_expect_success 'a run that has nothing else to try holds a final' '
	avogit evolve --run r --operator tuner >../out &&
	grep "final" ../out && grep "^. #1 .*champion" ../out &&
	grep "^stopped: .*nothing that the tuner could vary" ../out &&
	test "$(avogit best --run r)" = $hidden &&
	git rev-parse -q --verify avo/r/winner &&
	test "$(git rev-parse avo/r/best)" = $hidden &&
	git notes --ref=avogit show $hidden | grep "final=yes"
'

test_expect_success 'and is as it was in a clone that has the journal only' '
	git clone -q . ../clone && cd ../clone &&
	git fetch -q origin "refs/avogit/*:refs/avogit/*" &&
	test "$(avogit best --run r)" = $hidden
'

test_expect_success 'score --again --run compares an attempt again, and may crown it' '
	cd .. && hidden_gain by-hand && git checkout -q kernel.c &&
	avogit score --again --run r "r#1" >../out &&
	grep "^. #1 .*champion" ../out && grep "^  vs start " ../out &&
	! grep "vs champion" ../out &&
	test "$(avogit best --run r)" = $hidden &&
	git rev-parse -q --verify avo/r/winner &&
	test "$(avogit log --run r --json | tr -d " \t" | grep -c "^\"attempt\":")" = 2
'

test_expect_success 'of the work tree, where it is an attempt; the champion, against the start' '
	sed -i "s/ROUNDS 64/ROUNDS 16/" kernel.c &&
	avogit score --again --run r >../out && grep "^\* #1 " ../out &&
	echo "// another" >>kernel.c &&
	test_expect_code 128 avogit score --again --run r 2>../err &&
	grep "the work tree is no attempt of run r" ../err &&
	git checkout -q kernel.c
'

# The journal's newest measurement once more, as a busy machine would have given it:
# 1.9 times as fast as the start, and lost to noise, in the final too. What another
# scorer measured is in no final: lost_to_noise N [SCORER [ATTEMPT]]
lost_to_noise () {
	ref=$(git for-each-ref --format="%(refname)" refs/avogit/r/journal) &&
	git log -1 --format=%B $(git log --format=%H --grep="^measurement ${3:-1}" $ref | tail -1) >../entry &&
	perl -MJSON::PP -e "
		undef \$/; my (\$subject, \$j) = split /\n\n/, <STDIN>, 2; \$j = decode_json(\$j); \$m = \$j->{measurement};
		\$_->{ratio} = 1.9, \$_->{low} = 1.8, \$_->{high} = 2.0, \$_->{told} = q(faster),
			\$_->{confirmed} = JSON::PP::false for @{\$m->{comparisons}};
		@{\$m->{environment}}{qw(unsteady final)} = (q(other programs had its CPU for 79 % of the time), q(yes));
		\$j->{accepted} = JSON::PP::false; \$j->{time_us} += $1 * 1e9; \$m->{time_us} += $1 * 1e9;
		\$m->{id} =~ s/........\$/0000000$1/; \$m->{scorer} = q($2) if q($2);
		print qq(\$subject\n\n), JSON::PP->new->canonical->encode(\$j), qq(\n)" <../entry >../lost &&
	git update-ref $ref $(git commit-tree -F ../lost -p $ref -p $hidden $(git hash-object -t tree -w --stdin </dev/null))
}

test_expect_success 'of a run whose gain was lost to noise it is said which, why and what measures it again' '
	cd .. && hidden_gain noise && git checkout -q kernel.c && lost_to_noise 1 another &&
	said="#1 was 1.900x the speed of the start, but got no crown (faster, but the machine was not steady: other programs had its CPU for 79 % of the time)" &&
	again="avogit score --again --run r r#1" &&
	test_expect_code 1 avogit best --run r 2>../err &&
	echo "avogit: no champion yet: $said: \`$again\` measures it again" >../expect &&
	test_cmp ../expect ../err &&
	test_expect_code 128 avogit pick --run r 2>../err &&
	echo "avogit: run r has no champion yet: $said: \`$again\` measures it again, \`avogit verify r#1\` holds it against the start, \`avogit pick r#1\` takes it as it is" >../expect &&
	test_cmp ../expect ../err &&
	test_expect_code 128 avogit show --run r 2>../err &&
	grep "measures it again, .* .avogit show r#1. shows it$" ../err &&
	test_expect_code 128 avogit export --run r -o ../nothing 2>../err &&
	grep ", .avogit export r#1. writes it as it is$" ../err &&
	test_expect_code 128 avogit diff --run r 2>../err &&
	grep ", .avogit diff r#1. shows its changes$" ../err &&
	avogit runs >../out && grep "none yet (#1: unsteady)" ../out &&
	avogit report --run r --format md >../out &&
	grep "^1 attempt in .* No champion: \`$said\`" ../out &&
	grep "^| #1 | 1.900x | \`faster, but the machine was not steady: .*\` | \`once is enough\` |$" ../out &&
	grep "^\`$again\` measures the fastest again" ../out && ! grep "steps to it" ../out &&
	avogit report --run r --format json | perl -MJSON::PP -e "undef \$/; \$j = decode_json(<STDIN>); print qq(\$j->{nearest}\n\$j->{again}\n)" >../json &&
	printf "%s\n" "$said" "$again" >../expect && test_cmp ../expect ../json &&
	avogit evolve --run r --operator tuner >../out &&
	grep -F "no champion yet: $said" ../out && grep "^measure it again, which may crown it:$" ../out &&
	grep "^  $again$" ../out
'

test_expect_success 'and going on measures it again, though it had its final' '
	lost_to_noise 2 &&
	avogit evolve --run r --operator tuner >../out &&
	test "$(avogit best --run r)" = $hidden
'

test_expect_success 'what an unsteady machine left open is named beside the champion' '
	cd .. && make_repo maybe &&
	sed -i "s|^#define ROUNDS .*|#define ROUNDS 64|; s|^\(#define MODE 0\).*|\1|" kernel.c &&
	git commit -q --amend --no-edit kernel.c &&
	sed -i "s/ROUNDS 64/ROUNDS 16/" kernel.c && avogit score --run r -m "a quarter" >../out &&
	avogit score --again --run r "r#1" >../out &&
	sed -i "s/ROUNDS 16/ROUNDS 4/" kernel.c && avogit score --run r -m "less" --time 0.001s >../out &&
	hidden=$(avogit show --json "r#2" |
		sed -n "s/.*\"commit\":[[:space:]]*\"\([0-9a-f]*\)\".*/\1/p" | sed 1q) &&
	git checkout -q kernel.c && lost_to_noise 1 another 2 &&
	avogit evolve --run r --operator tuner >../out &&
	grep "^champion .* #1, " ../out &&
	grep "^maybe faster: #2 .*x the speed of the start, but the machine was not steady$" ../out &&
	again="avogit score --again --run r r#2" && grep "^  $again$" ../out &&
	avogit report --run r --format md >../out &&
	grep "^Maybe faster: #2 .*x the speed of the start, but the machine was not steady. .$again. measures it again.$" ../out &&
	avogit report --run r --format json | perl -MJSON::PP -e "undef \$/; print decode_json(<STDIN>)->{again}, qq(\n)" >../json &&
	echo "$again" >../expect && test_cmp ../expect ../json
'

test_expect_success 'a commit that is none of the run is refused' '
	git commit -q --allow-empty -m "another" &&
	test_expect_code 128 avogit score --again --run r HEAD 2>../err &&
	grep "is no attempt of run r" ../err &&
	test_expect_code 2 avogit score --again --run r -m "both" 2>../err &&
	test_expect_code 2 avogit score --run r "r#1" 2>../err
'

test_done
