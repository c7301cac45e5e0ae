#!/bin/sh
# test: parallel long no-asan
test_description='tests/gpu/flagship.sh: what waits in a bundle is scored, and the bundle comes back'
. "$(dirname "$0")/lib-fake-gpu.sh"
fake_repo task || exit

flagship () {
	EXAMPLES=$PWD/../examples OUT=$PWD/../out-folder timeout 600 \
		"$SHARNESS_TEST_SRCDIR/../gpu/flagship.sh" "$@" >../out 2>../err
}
# Of the bundle that came back.
brought () {
	rm -rf ../brought && git clone -q ../out-folder/scale/flagship.bundle ../brought && (
		cd ../brought &&
		git fetch -q --no-prune origin "refs/avogit/flagship/*:refs/avogit/flagship/*" \
			"refs/notes/avogit*:refs/notes/avogit*" &&
		avogit log --run flagship
	)
}

test_expect_success 'without a card an attempt waits, and travels in a bundle' '
	sed -i "s|^#define MODE .*|#define MODE 0 // another|" kernel.cu &&
	AVOGIT_LIBCUDA=$PWD/none avogit score --run flagship -m "Another comment" >../out &&
	grep "nothing can be run here" ../out &&
	git checkout -q kernel.cu &&
	mkdir -p ../examples/scale &&
	git bundle create -q ../examples/scale/flagship.bundle HEAD --branches \
		--glob="refs/avogit/flagship/journal/*"
'

test_expect_success 'where there is no card the script says so' '
	AVOGIT_LIBCUDA=$PWD/none flagship scale &&
	grep "^1..0 # skipped" ../out &&
	for other in languages run ceilings profile sanitize
	do
		AVOGIT_LIBCUDA=$PWD/none OUT=$PWD/../out-folder \
			"$SHARNESS_TEST_SRCDIR/../gpu/$other.sh" >../out &&
		grep -x "1..0 # skipped: no GPU" ../out || return
	done &&
	! test -e ../out-folder
'

test_expect_success 'the corpus takes its parts in turn, and names what time was left for none of' '
	faults &&
	for part in 1 2
	do
		test_expect_code 1 env SECONDS_AT_MOST=0 PART=$part/2 CLASSES=isolated TASKS= \
			"$SHARNESS_TEST_SRCDIR/../gpu/run.sh" || return
	done >../out &&
	! grep -v -e "^not ok .*: no time was left" -e "^1[.][.]" ../out &&
	tail -n 2 ../out | grep "isolated never-ends:" &&
	sed -n "s/^not ok .* isolated \(.*\): no time.*/\1.cu/p" ../out | LC_ALL=C sort >../tried &&
	(cd "$SHARNESS_TEST_SRCDIR/../gpu/cheats" && LC_ALL=C ls -- *.cu) >../all &&
	test_cmp ../all ../tried
'

test_expect_success 'a signal ends a script, and its folder is gone' '
	faults &&
	printf "%s\n" ". \"$SHARNESS_TEST_SRCDIR/../gpu/lib.sh\"" "kill -TERM \$\$" \
		"echo \"goes on: \$scratch\"" >../script &&
	mkdir ../temporary &&
	TMPDIR=$PWD/../temporary test_expect_code 143 sh ../script >../out &&
	! test -s ../out &&
	test -z "$(ls ../temporary)"
'

test_expect_success 'without time it brings the bundle back as it was' '
	faults &&
	test_expect_code 1 env SECONDS_AT_MOST=0 EXAMPLES="$PWD/../examples" OUT="$PWD/../out-folder" \
		"$SHARNESS_TEST_SRCDIR/../gpu/flagship.sh" scale >../out &&
	grep "^not ok 1 - scale: nothing is pending, but 2 are" ../out &&
	brought >../log &&
	test "$(grep -c " in flight " ../log)" = 2
'

test_expect_success 'with a card the bundle comes back with figures' '
	mkdir ../more && sed "s/^name: .*/&  # beside more/" avogit.yaml >../more/avogit.yaml &&
	SLICE=1 BASELINES=$PWD/../more TUNE=1s flagship scale &&
	test "$(ls -A ../out-folder/scale | tr "\n" " ")" = "baselines flagship.bundle log scores tuned " &&
	grep "^ok 1 - scale: nothing is pending" ../out &&
	grep "^ok 3 - scale: the champion beside baselines" ../out &&
	grep "^# .* pass, [0-9]" ../out &&
	grep "^# scale: 2 of 2 measured" ../out &&
	brought >../log &&
	! grep " in flight " ../log &&
	grep "#1 .*Another comment" ../log &&
	none_left
'

test_expect_success 'a bundle that is none is named, and the others go on' '
	mkdir -p ../examples/broken && echo none >../examples/broken/flagship.bundle &&
	test_expect_code 1 flagship broken scale &&
	grep "^not ok 1 - broken: the bundle can be read" ../out &&
	grep "^ok 2 - scale: nothing is pending" ../out
'

test_done
