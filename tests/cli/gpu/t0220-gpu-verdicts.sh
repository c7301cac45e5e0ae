#!/bin/sh
# test: parallel long no-asan
test_description='what a kernel on a GPU gets, replayed and called as a whole'
. "$(dirname "$0")/lib-fake-gpu.sh"
fake_repo task || exit

test_expect_success 'a scoring from end to end, class replayed' '
	passes &&
	git notes --ref=avogit show HEAD >../note &&
	grep "trust=replayed" ../note &&
	grep "deterministic=yes" ../note
'

test_expect_success 'class isolated' '
	echo "class: isolated" >>avogit.yaml &&
	git commit -qam isolated &&
	passes &&
	git notes --ref=avogit show HEAD >../note &&
	grep "trust=isolated" ../note &&
	verdict "out-of-bounds: " "resident launch 2 700" &&
	verdict "timed-out: " "resident synchronize 3 hang" &&
	verdict "crashed: " "resident synchronize 3 die" &&
	sed -i "\$d" avogit.yaml && git commit -qam replayed &&
	passes
'

# The inodes of the inputs that residents map.
mapped_inputs () {
	for runner in $(runners resident)
	do
		awk '$2 == "r--s" && /memfd:device/ { print $5 }' \
			"/proc/$runner/maps"
	done
}

# One of them waits for ever, the other beside him.
stopped () {
	for runner in $(runners resident)
	do
		grep -q "^Threads:.2" "/proc/$runner/status" && return
	done
	return 1
}

test_expect_success 'class isolated: inputs and outputs appear at once, with the clock' '
	git tag honest &&
	echo "class: isolated" >>avogit.yaml &&
	cp "$fake/early.cu" kernel.cu &&
	git commit -qam "looks for inputs" &&
	passes
'

test_expect_success 'class isolated: everybody is handed inputs of the own' '
	sed -i "s/timeout: 1s/timeout: 100s/" avogit.yaml &&
	sed -i "1i #define STOPS" kernel.cu &&
	git commit -qam "stops" || return
	faults
	"$AVOGIT" score HEAD >../out 2>../err &
	scoring=$!
	await stopped || return
	mapped_inputs >../mapped
	kill -s KILL $scoring
	test "$(wc -l <../mapped)" = 2 &&
	test -z "$(sort ../mapped | uniq -d)" &&
	none_left &&
	git checkout -q honest avogit.yaml kernel.cu &&
	git commit -qm replayed && passes
'

test_expect_success 'kernels that are wrong, write their input, never end' '
	mode 3 && verdict "wrong: y[8192] is 7" &&
	mode 1 && verdict "out-of-bounds: a kernel touched memory" &&
	mode 2 && verdict "timed-out: its kernels did not end within 1 s" &&
	mode 4 && verdict "crashed: in its first call: it called abort()" &&
	mode 0 && passes
'

# It passes as a whole, since replayed it does this: whole WHY
whole () {
	passes &&
	git notes --ref=avogit show HEAD >../note &&
	grep "trust=isolated" ../note &&
	grep "isolated=\"replayed it is something else than called: $1" ../note
}

test_expect_success 'what a first call leaves behind is there when it is called as a whole' '
	mode 8 && git tag table && whole "y\[[0-9]*\] is .* where .* is right" &&
	mode 9 && whole "a kernel touched memory"
'

test_expect_success 'but not where it is wrong then, too' '
	mode 10 && verdict "wrong: y[" && mode 0
'

test_expect_success 'nor where the task demands that all is replayed' '
	echo "class: replayed" >>avogit.yaml && git commit -qam demands &&
	mode 8 && verdict "wrong: y[" && mode 0 &&
	sed -i "\$d" avogit.yaml && git commit -qam any
'

test_expect_success 'held against such a one all are called as a whole' '
	avogit score --time 2s --against table HEAD >../out &&
	cat ../out &&
	grep " pass, " ../out &&
	git notes --ref=avogit show HEAD >../note &&
	grep "trust=isolated" ../note &&
	grep "isolated=\"replayed [0-9a-f]* is something else than called: y\[" ../note &&
	grep "vs=incumbent" ../note
'

# The reference is asked for one element of 256, and a rival has them all.
test_expect_success 'one element that is left out is seen beside who did not' '
	git init -q ../unlike && cp * ../unlike &&
	(
		cd ../unlike &&
		sed -i "s/entry: scale_reference/&\n  rows: true/" avogit.yaml &&
		sed -e "s/8, 8, 4)/8, 8, 8, 8)/" \
			-e "s/int n = PARAMETER(2, int)/long begin = PARAMETER(2, long), end = PARAMETER(3, long)/" \
			-e "s/int i = 0; i < n/long i = begin; i < end/" \
			-e "s/int n, cuda/int n, long begin, long end, cuda/" \
			-e "s/&n)/\&begin, \&end)/" -i reference.cu &&
		git add . && git commit -qm "rows" && faults &&
		avogit score HEAD >../out && grep " pass, " ../out &&
		mode -1 &&
		test_expect_code 1 avogit score --against HEAD~1 HEAD >../out &&
		grep "wrong: y\[[0-9]*\] is 7" ../out
	)
'

test_expect_success 'work that is done ahead, for launches that may not come' '
	mode 5 &&
	verdict "out-of-bounds: it wrote outside \`y\`" &&
	mode 0 && passes
'

test_expect_success 'work that is done ahead, and kept out of sight' '
	mode 7 &&
	verdict "forbidden: the first launch of a batch takes" &&
	mode 0 && passes
'


test_expect_success 'warm caches are said, and another task' '
	passes &&
	git notes --ref=avogit show HEAD >../note &&
	! grep "cache=" ../note &&
	echo "cache: warm" >>avogit.yaml && git commit -qam warm &&
	avogit score HEAD >../out &&
	grep " pass, " ../out && ! grep "measured before" ../out &&
	git notes --ref=avogit show HEAD >../note &&
	grep " cache=warm" ../note && grep "trust=replayed" ../note &&
	verdict "crashed: its kernels: it ended by signal" \
		"launcher avogit_touch 1 die" && faults &&
	sed -i "s/cache: warm/cache: cold/" avogit.yaml &&
	git commit -qam cold && avogit score HEAD~2 >/dev/null &&
	avogit score HEAD >../out && grep "measured before" ../out
'

test_done
