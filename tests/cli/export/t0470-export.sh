#!/bin/sh
# test: parallel
test_description='export: a candidate as a package for other projects, whole or not at all'
. "$(dirname "$0")/../lib-avogit.sh"

# A run with one candidate: scored RUN TEXT
scored () {
	sed -i "s|^#define ROUNDS .*|#define ROUNDS $2|" kernel.c &&
	avogit score --run "$1" -m "$2 rounds" >/dev/null &&
	git checkout -q kernel.c
}

test_expect_success 'setup: a candidate, with a text that would end a comment' '
	make_light_repo repo &&
	git show HEAD:avogit.yaml | sed "/^baselines:/,+1d" >avogit.yaml &&
	printf "MIT License\n\nPermission is hereby granted, free of charge, to any person\n" >LICENSE &&
	echo "// SPDX-License-Identifier: MIT */ int main(void) { return 1; } /*" >>kernel.c &&
	sed -i "s|^name: scale|name: scale-9|" avogit.yaml &&
	git add LICENSE && git commit -qam "a licence" &&
	scored h 2
'

test_expect_success 'a header: it says score, machine, commit, shapes and licence' '
	avogit export "h#1" --as header -o ../plain >../out &&
	grep "^exported [0-9a-f]* as header: ../plain/README.md" ../out &&
	of=$(avogit show --json "h#1" | sed -n "s/.*\"commit\":[ \t]*\"\([0-9a-f]*\)\".*/\1/p" | head -n 1) &&
	for f in ../plain/README.md ../plain/avogit_scale_9.h
	do
		grep "commit: $of$" "$f" &&
		grep "score: .*GB/s" "$f" &&
		grep "machine: " "$f" &&
		grep "n=16384: .*B/s" "$f" &&
		grep "licence: MIT (LICENSE)" "$f" || return 1
	done &&
	cmp LICENSE ../plain/LICENSE &&
	grep "#define ROUNDS 2" ../plain/src/kernel.c &&
	grep "\"licence\":[^\"]*\"MIT\"" ../plain/export.json &&
	git status --porcelain >../status && test_must_be_empty ../status
'

cat >../use.c <<\EOF
#include "avogit_scale_9.h"
#include <stdio.h>
int main(void)
{
	static float x[16384], y[16384];
	for (int i = 0; i < 16384; i++)
		x[i] = (float)i;
	scale(x, y, 1.5f, 16384);
	printf("%g %g\n", (double)y[1], (double)y[16383]);
	return 0;
}
EOF
cp ../use.c ../use.cpp

test_expect_success 'its build makes a library that C and C++ call' '
	echo "1.5 24574.5" >../expected &&
	sh ../plain/build.sh &&
	for with in "cc ../use.c" "g++ ../use.cpp"
	do
		$with -Wall -Wextra -Werror -pedantic -I../plain -o ../use -L../plain -lavogit_scale_9 &&
		LD_LIBRARY_PATH=../plain ../use >../out && test_cmp ../expected ../out || return 1
	done
'

test_expect_success 'an export is not overwritten without --force' '
	echo mine >../plain/README.md &&
	test_expect_code 128 avogit export "h#1" -o ../plain 2>../err &&
	grep "^avogit: ../plain is there already: --force replaces" ../err &&
	grep mine ../plain/README.md &&
	avogit export "h#1" -o ../plain --force &&
	grep "commit:" ../plain/README.md &&
	test "$(ls -a .. | grep -c avogit-export-)" = 0
'

test_expect_success 'what is no export is never replaced' '
	mkdir ../home && echo dear >../home/diary &&
	test_expect_code 128 avogit export "h#1" -o ../home --force 2>../err &&
	grep "is not an export" ../err && grep dear ../home/diary &&
	echo file >../file &&
	test_expect_code 128 avogit export "h#1" -o ../file --force 2>../err &&
	grep "is not a folder" ../err && grep file ../file
'

test_expect_success 'an empty folder is taken; the usual name is that of task and form' '
	mkdir ../empty && avogit export "h#1" -o ../empty && test -f ../empty/export.json &&
	avogit export "h#1" && test -f avogit_scale_9-header/build.sh && rm -r avogit_scale_9-header
'

test_expect_success 'a candidate that failed is refused, so is what is no candidate, so is a form that is none' '
	sed -i "s|^#define MODE 0|#define MODE 1|" kernel.c &&
	test_might_fail avogit score --run h -m "wrong" >/dev/null && git checkout -q kernel.c &&
	test_expect_code 128 avogit export "h#2" -o ../none 2>../err &&
	grep "failed (wrong" ../err &&
	test_expect_code 128 avogit export HEAD~0 -o ../none 2>../err &&
	test_expect_code 2 avogit export "h#1" --as tarball 2>../err &&
	grep "not a form: --as takes header, torch" ../err &&
	test_expect_code 2 avogit export "h#1" --run other 2>../err &&
	! test -e ../none
'

test_expect_success 'a commit of no run is refused; what the sentence says makes it an attempt' '
	sed -i "s|^#define ROUNDS .*|#define ROUNDS 1|" kernel.c &&
	git commit -qam "one round" &&
	test_expect_code 128 avogit export HEAD -o ../none 2>../err &&
	test "$(wc -l <../err)" = 1 && ! test -e ../none &&
	grep "not a candidate of a run: name an attempt (RUN#N, .avogit log. has them)" ../err &&
	grep "or .avogit score --run NAME -m TEXT. makes the work tree one" ../err &&
	avogit score --run h -m "one round" >/dev/null &&
	avogit export "h#3" -o ../of-head &&
	git show HEAD:kernel.c >../committed && cmp ../committed ../of-head/src/kernel.c &&
	git reset -q --hard HEAD^
'

test_expect_success 'a folder that cannot be made leaves nothing' '
	test_expect_code 128 avogit export "h#1" -o /proc/none/x 2>../err &&
	test_expect_code 128 avogit export "h#1" -o ../file/x 2>../err
'

test_expect_success 'a path that a shell would act upon is refused' '
	mkdir inc && echo "int q;" >"inc/a \$(touch bad).h" &&
	echo "include: [inc]" >>avogit.yaml &&
	git add inc && git commit -qam "odd" &&
	scored e 4 &&
	test_expect_code 128 avogit export "e#1" -o ../evil 2>../err &&
	grep "the path .inc/a .*has characters" ../err &&
	! test -e ../evil
'

test_expect_success 'a function of C++ is called by the name that the linker has; without a LICENSE file that is said' '
	cd .. && git init -q cxx && cd cxx &&
	cp "$SHARNESS_TEST_SRCDIR"/cxx/softmax/* . &&
	git add . && git commit -qm "c++" &&
	sed -i "\$a// a remark" kernel.cpp &&
	avogit score --time 1s --run c -m "as it is" >/dev/null && git checkout -q kernel.cpp &&
	avogit export "c#1" -o ../cxxout >../out &&
	grep "no LICENSE file" ../out &&
	grep "licence: not stated" ../cxxout/README.md &&
	grep "__asm__(\"_ZN" ../cxxout/avogit_softmax.h &&
	sh ../cxxout/build.sh &&
	echo "#include \"avogit_softmax.h\"" >../call.cpp &&
	echo "int main() { return &avogit_softmax == nullptr; }" >>../call.cpp &&
	g++ -I../cxxout -o ../call ../call.cpp -L../cxxout -lavogit_softmax
'

test_done
