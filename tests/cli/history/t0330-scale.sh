#!/bin/sh
# test: parallel long no-asan
test_description='the cache of a run: made anew when missing, stale or damaged'
. "$(dirname "$0")/../lib-avogit.sh"

CACHE=.git/avogit/cache/scale

# N more entries in this clone's journal of run scale: interventions, which
# cost nothing to make: add_entries N
add_entries () {
	perl -e '
		my ($n, $ref, $base) = @ARGV;
		my $tip = `git rev-parse $ref`;
		my ($time) = `git log -1 --format=%B $ref` =~ /"time_us":(\d+)/;
		chomp($tip, $base);
		open my $f, "|-", "git fast-import --quiet" or die;
		for my $i (1 .. $n) {
			my $t = $time + $i;
			my $text = "intervention: word $t\n\n{\"kind\":\"intervention\",\"run\":\"scale\",\"time_us\":$t,\"candidate\":\"$base\",\"new_lineage\":" . ($t % 100000 + 2) . ",\"reason\":\"word $t\"}\n";
			printf $f "commit %s\ncommitter T <t> %d +0000\ndata %d\n%s",
				$ref, $t / 1e6, length $text, $text;
			print $f "from $tip\n" if $i == 1;
			print $f "\n";
		}
		close $f or die;
	' "$1" "$(git for-each-ref --format="%(refname)" refs/avogit/scale/journal | head -1)" "$(git rev-parse main)"
}

# The log, once as it is and once without any cache.
same_without_cache () {
	avogit log --json >../with && { avogit best >../best.with || :; } &&
	avogit show main >../show.with &&
	avogit log -n 3 >../few.with && avogit log -n 2 --json >>../few.with &&
	rm -rf .git/avogit/cache &&
	avogit log --json >../without && { avogit best >../best.without || :; } &&
	avogit show main >../show.without &&
	avogit log -n 3 >../few.without && rm -rf .git/avogit/cache &&
	avogit log -n 2 --json >>../few.without &&
	test_cmp ../few.without ../few.with &&
	test_cmp ../without ../with && test_cmp ../best.without ../best.with &&
	test_cmp ../show.without ../show.with
}

test_expect_success 'a small run has no cache' '
	make_repo repo &&
	offer_modes 0 1 2 3 4 5 &&
	avogit evolve --seed 1 --attempts 2 >/dev/null &&
	avogit log >/dev/null &&
	test ! -e .git/avogit/cache
'

test_expect_success 'a long one has, and it is as good as the journal' '
	add_entries 300 &&
	avogit log >/dev/null &&
	test -s $CACHE &&
	same_without_cache &&
	test "$(grep -c "word " ../with)" = 300
'

test_expect_success 'what came since is read from git and added' '
	avogit log >/dev/null && test -s $CACHE &&
	add_entries 5 &&
	cp $CACHE ../cache &&
	avogit log --json >../out &&
	test "$(grep -c "word " ../out)" = 305 &&
	cmp $CACHE ../cache &&
	same_without_cache &&
	avogit evolve --attempts 1 >../out &&
	grep "^resuming run scale .* 2 attempts so far" ../out &&
	same_without_cache
'

test_expect_success 'a journal that went back is believed, not the cache' '
	avogit log >/dev/null && test -s $CACHE &&
	ref=$(git for-each-ref --format="%(refname)" refs/avogit/scale/journal) &&
	git rev-parse $ref >../tip &&
	git update-ref $ref $ref~20 &&
	same_without_cache &&
	git update-ref $ref $(cat ../tip) &&
	same_without_cache
'

test_expect_success 'entries of another clone that came late are sorted in' '
	avogit log >/dev/null && test -s $CACHE &&
	ref=$(git for-each-ref --format="%(refname)" refs/avogit/scale/journal) &&
	old=$(git log --format=%H $ref | sed -n 150p) &&
	git update-ref refs/avogit/scale/journal/00000000000000aa \
		$(git commit-tree -m "stop: elsewhere" -m "{\"kind\":\"stop\",\"run\":\"scale\",\"time_us\":$(git log -1 --format=%B $old | sed -n "s/.*time_us\":\([0-9]*\).*/\1/p"),\"reason\":\"elsewhere\"}" $(git mktree </dev/null)) &&
	same_without_cache
'

test_expect_success 'a damaged cache is noticed, wherever it is damaged' '
	avogit log >/dev/null && size=$(wc -c <$CACHE) &&
	for at in 0 20 60 300 700 1200 2000 4000 $((size / 2)) $((size - 2000)) $((size - 3))
	do
		avogit log >/dev/null && test -s $CACHE &&
		printf "\377\176\001" | dd of=$CACHE bs=1 seek=$at conv=notrunc 2>/dev/null &&
		same_without_cache || return 1
	done
'

test_expect_success 'so is one that is cut off, empty, or no file' '
	for keep in 0 1 100 5000 $((size - 1))
	do
		avogit log >/dev/null &&
		truncate -s $keep $CACHE &&
		same_without_cache || return 1
	done &&
	rm -f $CACHE && mkdir -p $CACHE &&
	avogit log --json >../actual &&
	test_cmp ../without ../actual &&
	rmdir $CACHE &&
	ln -s /dev/zero $CACHE &&
	test_expect_code 128 avogit log 2>../err &&
	grep "is a pipe or a device" ../err &&
	rm $CACHE
'

test_expect_success 'the cache of another clone is not this one s' '
	avogit log >/dev/null && test -s $CACHE &&
	cp -a . ../copy &&
	git update-ref -d refs/avogit/scale/journal/00000000000000aa &&
	(cd ../copy && avogit log --json >../actual) &&
	test_cmp ../without ../actual &&
	(cd ../copy && same_without_cache)
'

test_expect_success 'who may only read reads without one' '
	rm -rf .git/avogit/cache &&
	: >.git/avogit/cache &&
	avogit log >/dev/null &&
	rm .git/avogit/cache
'

test_done
