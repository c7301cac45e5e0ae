#!/bin/sh
# test: parallel long no-asan
test_description='class isolated: nobody works while another is timed'
. "$(dirname "$0")/lib-fake-gpu.sh"
fake_repo task || exit
echo "class: isolated" >>avogit.yaml && git commit -qam isolated || exit

# How many processes with a candidate's code there are, and how many are stopped.
states () {
	for runner in $(runners resident)
	do
		sed -n 's/^State:[[:space:]]*\(.\).*/\1/p' "/proc/$runner/status"
	done 2>/dev/null | sort | tr -d '\n'
}

one_stopped () {
	states >../states && grep "^[RS]T$" ../states
}

test_expect_success 'all that have host code are stopped but the one whose turn it is' '
	faults "resident run_0 * late" &&
	git commit -q --allow-empty -m "takes its time" || return
	"$AVOGIT" score HEAD >../out 2>../err &
	scoring=$!
	await one_stopped || return
	kill -s KILL $scoring
	none_left
'

test_expect_success 'how long a kernel takes on a quiet card is measured before a candidate runs' '
	faults "gpu-judge avogit_touch 1 waits" &&
	git commit -q --allow-empty -m "sets no measure" || return
	"$AVOGIT" score HEAD >../out 2>../err &
	scoring=$!
	await is_named waits || return
	runners resident >../there
	kill -s KILL $scoring
	test_must_be_empty ../there &&
	none_left
'

# Three kernels of the judge say whether the card is quiet: three times before a
# resident is started, then before the first turn (the 10th and so on), and after
# each. It looks five times, and again after it has ended a process. A line of
# faults does not count the calls at which one before it acts.
busy () {
	before=0
	for i in "$@"
	do
		echo "gpu-judge avogit_touch $((i - before)) late"
		before=$((before + 1))
	done
}

each_line () {
	IFS="
"
	set -- $(busy "$@")
	unset IFS
	faults "$@"
}

for first in 10 13
do
	test_expect_success "kernels that go on and end with their process: $first" '
		each_line $(seq $first 3 $((first + 12))) &&
		git commit -q --allow-empty -m "goes on" &&
		test_expect_code 1 score_again >../out 2>../err &&
		cat ../out &&
		grep "forbidden: its kernels go on after a launch, while others are timed" ../out &&
		none_left
	'
done

against () {
	timeout 120 "$AVOGIT" score --again --time 2s --against HEAD^ HEAD >../out 2>../err
}

test_expect_success 'of two it is the one with which they end: the candidate' '
	echo "/* another */" >>kernel.cu && git commit -qam another &&
	each_line 10 13 16 19 22 &&
	test_expect_code 1 against &&
	cat ../out &&
	grep "forbidden: its kernels go on" ../out &&
	none_left
'

test_expect_success 'or the rival' '
	each_line $(seq 10 3 37) &&
	test_expect_code 128 against &&
	cat ../err &&
	grep "cannot compare with .* it fails itself: its kernels go on" ../err &&
	none_left
'

test_expect_success 'those of another program are no fault of it' '
	each_line $(seq 10 3 52) &&
	git commit -q --allow-empty -m "not alone" &&
	test_expect_code 128 score_again >../out 2>../err &&
	cat ../err &&
	grep "another program works on the GPU while kernels are timed" ../err &&
	test_must_be_empty ../out &&
	none_left
'

test_expect_success 'a host that is held up is not taken for that' '
	each_line 10 14 17 19 &&
	git commit -q --allow-empty -m "held up" &&
	score_again >../out &&
	grep " pass, " ../out &&
	none_left
'

test_expect_success 'what cannot be stopped is forbidden, and ends' '
	mode 12 &&
	verdict "forbidden: its processes cannot be stopped while others are timed" &&
	mode 0
'

test_expect_success 'of two it is the one that cannot be stopped' '
	test_expect_code 128 against &&
	cat ../err &&
	grep "it fails itself: its processes cannot be stopped" ../err &&
	test_must_be_empty ../out &&
	none_left
'

test_expect_success 'the card is looked at before the first turn, too' '
	faults &&
	git commit -q --allow-empty -m "seen before" &&
	AVOGIT_TRACE=$PWD/../trace score_again >../out &&
	sort -n ../trace | awk "/ quiet\$/ { n++ } n >= 3 && / run\$/ { print n; exit }" >../looks &&
	test "$(cat ../looks)" -ge 4
'

# The first phase launches one at a time, and so do the first halves.
test_expect_success 'several launches are timed at once, and all of them are looked at' '
	mode 11 && verdict " wrong: y[8192] is 7 where" && mode 0
'

test_done
