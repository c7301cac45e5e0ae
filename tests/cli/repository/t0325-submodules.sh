#!/bin/sh
# test: parallel
test_description='includes in submodules: built as they are recorded'
. "$(dirname "$0")/../lib-avogit.sh"

# Only these tests clone by file name, and only git itself does.
submodule () {
	git -c protocol.file.allow=always submodule --quiet "$@"
}

# What avogit says against a command is one line with this text: says TEXT ARG...
says () {
	says_text=$1
	shift
	test_expect_code 128 avogit "$@" >../out 2>../err &&
	cat ../err &&
	grep -F "$says_text" ../err &&
	test "$(wc -l <../err)" = 1
}

here=$PWD

test_expect_success 'setup: a library in a library, a kernel that includes both' '
	git init -q inner && (
		cd inner && mkdir include &&
		echo "#define INNER 1" >include/inner.h &&
		git add . && git commit -qm inner
	) &&
	git init -q outer && (
		cd outer && mkdir include &&
		echo "#define OUTER 1" >include/outer.h &&
		submodule add "$here/inner" deps/inner &&
		git add . && git commit -qm outer
	) &&
	make_repo repo &&
	submodule add --name library "$here/outer" third_party/outer &&
	submodule update --init --recursive &&
	sed -i "s|^entry:.*|&\ninclude: [third_party/outer/include, third_party/outer/deps/inner/include]|" avogit.yaml &&
	sed -i "1i #include \"inner.h\"\n#include \"outer.h\"\n#if INNER != 1 || OUTER != 1\n#error not what is recorded\n#endif" kernel.c &&
	git add . && git commit -qm "include both" &&
	avogit score --time 1s HEAD >../out &&
	grep " pass, " ../out
'

test_expect_success 'the checkout is not what is built' '
	echo "#define INNER 2" >third_party/outer/deps/inner/include/inner.h &&
	echo "#define OUTER 2" >third_party/outer/include/outer.h &&
	avogit score --time 1s --again HEAD >../out &&
	grep " pass, " ../out &&
	git -C third_party/outer/deps/inner checkout -q . &&
	git -C third_party/outer checkout -q .
'

test_expect_success 'a work tree that differs in one is refused, with what to do' '
	avogit score --time 1s >../out && grep " pass, " ../out &&
	echo "#define OUTER 2" >third_party/outer/include/outer.h &&
	says "the checkout of the submodule third_party/outer is not what" score &&
	grep "git submodule update --init --recursive" ../err &&
	says "the checkout of the submodule third_party/outer is not" evolve &&
	git -C third_party/outer checkout -q . &&
	echo "int more;" >third_party/outer/deps/inner/include/more.h &&
	says "the checkout of the submodule third_party/outer is not" evolve &&
	rm third_party/outer/deps/inner/include/more.h
'

test_expect_success 'another recorded commit is another task' '
	(
		cd third_party/outer &&
		echo "/* the same, longer */" >>include/outer.h &&
		git commit -qam longer &&
		git push -q "$here/outer" HEAD:refs/heads/newer
	) &&
	says "the checkout of the submodule third_party/outer is not" score &&
	git commit -qam "a newer library" &&
	avogit score --time 1s >../out &&
	grep " pass, " ../out &&
	! grep "measured before" ../out &&
	git checkout -q HEAD~1 && submodule update --recursive &&
	avogit score --time 1s HEAD >../out &&
	grep "measured before" ../out &&
	git checkout -q main && submodule update --recursive
'

test_expect_success 'candidates keep the submodule as it is' '
	avogit evolve --seed 1 --attempts 1 >../out &&
	attempt=$(avogit show --json "scale#1" |
		sed -n "s/.*\"commit\":[[:space:]]*\"\([0-9a-f]*\)\".*/\1/p" | sed 1q) &&
	git ls-tree -r "$attempt" third_party >../actual &&
	git ls-tree -r HEAD third_party >../expect &&
	test_cmp ../expect ../actual
'

test_expect_success 'a linked work tree has what it, or the repository, has' '
	git worktree add -q ../linked HEAD &&
	cd ../linked &&
	says "which is not initialised" score HEAD &&
	submodule update --init --recursive &&
	avogit score --time 1s --again HEAD >../out &&
	grep " pass, " ../out &&
	cd ../repo && git worktree remove --force ../linked &&
	mkdir .git/modules/third_party &&
	cp -R .git/modules/library .git/modules/third_party/outer &&
	git worktree add -q ../linked HEAD &&
	cd ../linked &&
	avogit score --time 1s --again HEAD >../out &&
	grep " pass, " ../out &&
	cd ../repo && git worktree remove --force ../linked &&
	rm -r .git/modules/third_party
'

test_expect_success 'one that is not initialised is a sentence with the command' '
	cd .. && git clone -q repo fresh && cd fresh &&
	for command in score evolve "score HEAD"
	do
		says "needs files of the submodule third_party/outer, which is not initialised: run" \
			$command || return 1
	done &&
	grep "git submodule update --init --recursive" ../err
'

test_expect_success 'neither is a commit that is not there, nor one in the inner one' '
	submodule update --init &&
	says "needs files of the submodule third_party/outer/deps/inner, which is not" score &&
	submodule update --init --recursive &&
	avogit score --time 1s >../out && grep " pass, " ../out &&
	lost=1234567890123456789012345678901234567890 &&
	git update-index --cacheinfo 160000,$lost,third_party/outer &&
	git commit -qm lost &&
	says "the submodule third_party/outer does not have commit 123456789012" score &&
	git reset -q --hard HEAD~1
'

test_expect_success 'sources cannot lie in one' '
	(
		cd third_party/outer &&
		cp ../../kernel.c . && git add . && git commit -qm kernel
	) &&
	sed -i "s|^sources:.*|sources: [\"third_party/outer/*.c\"]|" avogit.yaml &&
	git commit -qam "a kernel in a submodule" &&
	for command in score evolve "score HEAD"
	do
		says "reaches into the submodule third_party/outer" $command ||
			return 1
	done &&
	git reset -q --hard HEAD~1 && submodule update
'

test_expect_success 'one that no pattern reaches need not be there' '
	git reset -q --hard HEAD && submodule deinit --force --all &&
	rm -rf .git/modules &&
	sed -i "s|^include:.*||" avogit.yaml &&
	sed -i "1,5d" kernel.c &&
	git commit -qam "without" &&
	avogit score --time 1s >../out &&
	grep " pass, " ../out
'

test_done
