#!/bin/sh
# test: parallel long
test_description='notes and journals of others: huge, and with figures that cannot be'
. "$(dirname "$0")/../lib-avogit.sh"

# The note of HEAD becomes what is read.
note () {
	git notes --ref=avogit add -f -F - HEAD 2>/dev/null
}

own_note () {
	git notes --ref=avogit show HEAD
}

forget_journals () {
	git for-each-ref --format="delete %(refname)" refs/avogit |
	git update-ref --stdin &&
	rm -f .git/avogit/tips
}

# No number in it that JSON has no word for, and none beyond its range.
sound_json () {
	grep . "$1" >/dev/null &&
	! grep -iE "[:,[][[:space:]]*-?(nan|inf|[0-9.]+e[+]?[0-9]{3})" "$1"
}

test_expect_success 'setup: a score whose journal is not here' '
	make_repo repo &&
	avogit score HEAD &&
	own_note >../first &&
	id=$(cut -d" " -f1 <../first | head -n1) &&
	forget_journals
'

test_expect_success 'a note of 300,000 lines does not hide the measurement' '
	{ cat ../first && seq -f "zzzz %.0f" 300000 && seq 1 300000; } | note &&
	avogit show --json HEAD >../out &&
	grep "\"id\":.*\"$id\"" ../out
'

test_expect_success 'lines of megabytes do not, and the next score fits in' '
	{
		cat ../first &&
		printf "99990101T000000Z-00000000 900 " &&
		head -c 6000000 /dev/zero | tr "\0" x && echo &&
		head -c 6000000 /dev/zero | tr "\0" y
	} | note &&
	avogit show --json HEAD >../out &&
	grep "\"id\":.*\"$id\"" ../out &&
	avogit score --again HEAD &&
	own_note >../second &&
	test "$(wc -c <../second)" -lt 4194305 &&
	grep "^$id 000" ../second &&
	test "$(grep -c " 000 verdict=pass" ../second)" = 2 &&
	forget_journals
'

test_expect_success 'one that is longer than anybody reads: a sentence' '
	head -c 70000000 /dev/zero | tr "\0" x | note &&
	test_expect_code 128 avogit show HEAD 2>../err &&
	grep "is over 67108864 bytes and not read: .git notes --ref=avogit remove" ../err &&
	avogit score --again HEAD &&
	own_note >../second &&
	grep " 000 verdict=pass" ../second &&
	forget_journals
'

test_expect_success 'figures that cannot be are shown as unusable' '
	for figure in nan inf -1 1e99 1e999999 0x1p999
	do
		sed "s/bytes_per_s=[^ ]*/bytes_per_s=$figure/" ../first | note &&
		avogit show HEAD >../out &&
		grep "^unusable: it says score=" ../out &&
		avogit show --json HEAD >../out &&
		sound_json ../out || return 1
	done &&
	test_expect_code 1 avogit verify HEAD >../out &&
	grep "fails: pass, and unusable was claimed" ../out &&
	forget_journals
'

test_expect_success 'a usable measurement stands before a newer one of these' '
	{
		cat ../first &&
		echo "99990101T000000Z-00000000 000 verdict=pass flop_per_s=nan"
	} | note &&
	avogit show --json HEAD >../out &&
	grep "\"id\":.*\"$id\"" ../out &&
	git notes --ref=avogit remove HEAD
'

# An entry of another clone on top of $tip, about the candidate $forged:
# entry JSON
entry () {
	tip=$(printf "x\n\n%s\n" "$1" |
		git commit-tree "$empty" ${tip:+-p "$tip"} -p "$forged")
}

test_expect_success 'a journal of such figures: no champion, no rank' '
	offer_modes 0 1 2 3 4 5 &&
	avogit evolve --seed 1 --attempts 3 &&
	avogit log --json >../before &&
	best=$(avogit best || :) &&
	base=$(git rev-parse HEAD) &&
	empty=$(git hash-object -t tree /dev/null) &&
	forged=$(git commit-tree -p HEAD -m forged "HEAD^{tree}") &&
	now=$(date +%s) &&
	head="\"run\":\"scale\",\"candidate\":\"$forged\",\"number\":900" &&
	tip= &&
	entry "{\"kind\":\"attempt\",$head,\"time_us\":${now}000001,\"parent\":\"$base\",\"lineage\":1,\"subject\":\"forged\"}" &&
	entry "{\"kind\":\"measurement\",$head,\"time_us\":${now}000002,\"accepted\":true,\"spent_seconds\":1e999,\"measurement\":{\"id\":\"20990101T000000Z-00000000\",\"verdict\":\"pass\",\"score\":1e999,\"comparisons\":[{\"rival\":\"start\",\"name\":\"$base\",\"ratio\":1e999,\"low\":1e300,\"high\":1e999,\"told\":\"faster\",\"confirmed\":true}]}}" &&
	entry "{\"kind\":\"crown\",$head,\"time_us\":${now}000003}" &&
	git update-ref refs/avogit/scale/journal/0123456789abcdef "$tip" &&
	test "$(avogit best || :)" = "$best" &&
	avogit log >../out &&
	grep "unusable .*forged: it says score=inf" ../out &&
	for command in "log --json" "runs --json" "show --json $forged"
	do
		avogit $command >../out && sound_json ../out || return 1
	done
'

test_expect_success 'the run goes on: what nobody measured is measured' '
	avogit evolve --attempts 1 >../out &&
	avogit log >../out &&
	! grep unusable ../out &&
	grep "#900 .*forged" ../out &&
	git fsck --no-dangling
'

# One measurement of another clone, of the start, right but for a case that took
# -1 seconds: what is skimmed off when a run is folded.
test_expect_success 'one bad figure in a case of a fetched journal ends in an answer' '
	cd .. && make_repo case && offer_modes 0 1 &&
	avogit evolve --run first --seed 1 --attempts 1 &&
	journal=$(git for-each-ref --format="%(refname)" refs/avogit/first) &&
	empty=$(git hash-object -t tree /dev/null) && tip= &&
	for id in $(git rev-list --reverse --first-parent "$journal" ^HEAD)
	do
		second=$(git rev-parse -q --verify "$id^2" || :)
		test -n "$tip" || second=$(git rev-parse HEAD)
		tip=$(git log -1 --format=%B "$id" |
			sed "s/\"seconds\":[0-9][0-9.e+-]*/\"seconds\":-1/g" |
			git commit-tree "$empty" ${tip:+-p "$tip"} \
				${second:+-p "$second"}) || return 1
	done &&
	git log --first-parent --format=%B "$tip" | grep "seconds.:-1" &&
	git update-ref "$journal" "$tip" &&
	rm -rf .git/avogit &&
	avogit evolve --run second --seed 1 --attempts 1 >../out &&
	avogit score HEAD >../out && ! grep unusable ../out &&
	avogit evolve --run first --attempts 1 >../out &&
	test "$(git rev-list --all | wc -l)" -lt 60 &&
	git fsck --no-dangling
'

test_done
