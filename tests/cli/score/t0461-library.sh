#!/bin/sh
# test: parallel
test_description='a baseline of a library that the user built'
. "$(dirname "$0")/../lib-avogit.sh"

own=$SHARNESS_TEST_DIRECTORY/own
library=$own/libtwice.so
for level in bwrap landlock
do
	AVOGIT_SANDBOX=$level "$AVOGIT" doctor |
		grep "AVOGIT_SANDBOX=$level: this machine cannot" ||
		test_set_prereq $level
done >/dev/null

# The baseline's keys besides entry, committed: baseline KEYS
baseline () {
	sed -i "s|^  naive:.*|  naive: {source: baseline.c, entry: scale_naive, $*}|" \
		avogit.yaml &&
	git commit -qam "another baseline" --allow-empty
}

# This library is not one: refused PATH SENTENCE
refused () {
	baseline "library: $1" &&
	avogit trust --yes >out &&
	test_expect_code 128 avogit score 2>err &&
	grep "avogit.yaml: baselines.naive.library: .*$2" err
}

test_expect_success 'setup: a library and a secret beside it' '
	mkdir "$own" &&
	cat >twice.c <<-EOF &&
	float twice(float x)
	{
		return 2 * x;
	}
	EOF
	cc -shared -fPIC -o "$library" twice.c &&
	echo secret >"$own/secret" &&
	chmod 644 "$own/secret" &&
	make_light_repo scale &&
	cat >baseline.c <<-EOF &&
	#include <fcntl.h>
	#include <stdlib.h>
	float twice(float x);
	void scale_naive(const float *x, float *y, float a, int n)
	{
		if (open("$own/secret", O_RDONLY) >= 0)
			abort();
		if (open("$library", O_RDONLY) < 0)
			abort();
		for (int i = 0; i < n; i++)
			y[i] = twice(x[i]) * (a / 2);
	}
	EOF
	cat >>kernel.c <<-EOF &&
	#include <fcntl.h>
	#include <stdlib.h>
	__attribute__((constructor)) static void look_round(void)
	{
		if (open("$own/secret", O_RDONLY) >= 0 ||
		    open("$library", O_RDONLY) >= 0)
			abort();
	}
	EOF
	baseline "library: $library, version: 2.1"
'

test_expect_success 'what a repository names is loaded only after consent' '
	test_expect_code 128 avogit score 2>err &&
	grep "avogit.yaml: baselines.library would load libraries of this machine" err &&
	grep "refused until .avogit trust" err &&
	test_expect_code 128 avogit evolve --operator tuner --attempts 1 2>err &&
	grep "refused until .avogit trust" err &&
	avogit trust --yes >out &&
	grep "baselines.library" out &&
	grep -F "$library" out
'

test_expect_success 'consent to one path is none to another' '
	baseline "library: $own/other.so" &&
	test_expect_code 128 avogit score 2>err &&
	grep "refused until .avogit trust" err &&
	baseline "library: $library, version: 2.1"
'

for level in bwrap landlock
do
	test_expect_success $level "$level: its baseline reads that file alone, a candidate nothing" '
		AVOGIT_SANDBOX=$level avogit score --again >out &&
		grep pass out &&
		git notes --ref=avogit show >note &&
		grep "against=baseline of=naive" note
	'
done

test_expect_success 'the note says which library it was' '
	hash=$(sha256sum "$library" | cut -c 1-16) &&
	git notes --ref=avogit show >note &&
	grep -F "library.naive=\"version 2.1, $library sha256 $hash\"" note &&
	avogit show HEAD >shown &&
	grep -F "$hash" shown
'

test_expect_success 'another file under the same path is linked again' '
	sed "s/2 \* x/3 * x/" ../twice.c >../thrice.c &&
	cc -shared -fPIC -o "$library" ../thrice.c &&
	test_must_fail avogit score --again >out 2>&1 &&
	grep "naive" out &&
	cc -shared -fPIC -o "$library" ../twice.c
'

test_expect_success 'several, of which one needs the other by its soname' '
	echo "float three(float x) { return 3 * x; }" >../three.c &&
	cc -shared -fPIC -Wl,-soname,libthree.so.1 -o "$own/libthree.so.1.0" \
		../three.c &&
	ln -s libthree.so.1.0 "$own/libthree.so.1" &&
	echo "float three(float x); float twice(float x) { return three(x) / 1.5f; }" >../on.c &&
	cc -shared -fPIC -o "$own/libon.so" ../on.c "$own/libthree.so.1" &&
	sed -i "s|$library|$own/libon.so|" baseline.c &&
	baseline "library: [$own/libthree.so.1, $own/libon.so]" &&
	avogit trust --yes &&
	avogit score >out &&
	grep pass out
'

test_expect_success 'what cannot be loaded is one clear sentence' '
	refused "$own/none.so" "there is no file $own/none.so" &&
	ln -s none "$own/nowhere.so" &&
	refused "$own/nowhere.so" "is a link that leads to nothing" &&
	refused "$own" "is a folder: give the library in it" &&
	refused "$own/secret" "is not a shared library" &&
	refused "$own/libthree.so.1.0" "is looked for as libthree.so.1, its soname" &&
	cp "$library" "$own/alien.so" &&
	printf "\\026\\000" |
		dd of="$own/alien.so" bs=1 seek=18 conv=notrunc 2>dd &&
	refused "$own/alien.so" "is for another kind of processor" &&
	mkfifo "$own/pipe.so" &&
	refused "$own/pipe.so" "is not a shared library"
'

test_expect_success 'the task file takes absolute paths only' '
	for path in own/libtwice.so ../libtwice.so "/usr/../$library" "\"/a b.so\"" "[]"
	do
		baseline "library: $path" &&
		test_expect_code 128 avogit score 2>err &&
		grep "avogit.yaml:[0-9]*: baselines.naive: .*library must be " err || return
	done &&
	baseline "version: 2" &&
	test_expect_code 128 avogit score 2>err &&
	grep "avogit.yaml:[0-9]*: baselines.naive.*library.*missing" err
'

test_done
