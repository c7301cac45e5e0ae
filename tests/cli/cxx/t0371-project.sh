#!/bin/sh
# test: parallel
test_description='a task in a folder of its own, and a project with its own build'
. "$(dirname "$0")/../lib-avogit.sh"

score () {
	avogit score --task avogit/codec.yaml "$@"
}

test_expect_success 'a static function of a large file is scored through a shim' '
	git init -q repo &&
	cd repo &&
	cp -R "$SHARNESS_TEST_SRCDIR"/cxx/codec/. . &&
	git add . &&
	git commit -qm "the project" &&
	score >../out &&
	grep "pass, " ../out
'

test_expect_success 'a candidate changes the file, and its errors name it' '
	sed -i "s/MODE 0/MODE 1/" codec.c &&
	test_expect_code 1 score >../out &&
	grep "wrong: to\[" ../out &&
	sed -i "s/wide all = 0;/wide all = 0/" codec.c &&
	test_expect_code 1 score >../out &&
	grep "build-failed: codec.c:[0-9]*:[0-9]*: error" ../out &&
	git checkout -q codec.c
'

test_expect_success 'evolve varies it, and its winner is a commit of the project' '
	avogit evolve --task avogit/codec.yaml -n 1 >../out &&
	grep "ROUNDS 24 -> 1" ../out &&
	git cherry-pick avo/codec/winner >../out 2>&1 &&
	test "$(git diff --name-only HEAD^ HEAD)" = codec.c &&
	git reset -q --hard HEAD^
'

test_expect_success 'what a build leaves in the work tree is none of the task' '
	mkdir -p build/deep && echo junk >build/deep/config.h &&
	ln -s /nowhere build/broken.h &&
	avogit evolve --task avogit/codec.yaml --run second -n 1 >../out
'

test_expect_success 'a header of the project that was changed has to be committed' '
	echo "/* new */" >>codec.h &&
	test_expect_code 128 avogit evolve --task avogit/codec.yaml --run third -n 1 2>../err &&
	grep "what the task needs differs.* add codec.h" ../err &&
	git checkout -q codec.h
'

test_expect_success 'a link among the headers is passed over' '
	ln -s codec.h other.h && git add other.h && git commit -qm link &&
	score >../out && grep "pass, " ../out
'

test_expect_success 'a step that makes headers and fails is told' '
	sed -i "s/^sed.*/echo no configure >\&2; exit 3/" avogit/generate.sh &&
	git commit -qam "broken" &&
	test_expect_code 128 score 2>../err &&
	grep "no configure" ../err &&
	git reset -q --hard HEAD^
'

test_expect_success 'a path that leaves the repository is refused' '
	sed -i "s|../codec.c|../../codec.c|" avogit/codec.yaml &&
	git commit -qam "above" &&
	test_expect_code 128 score 2>../err &&
	grep "sources: found .../../codec.c.; paths are relative to the task file, and stay in the repository" ../err &&
	git reset -q --hard HEAD^
'

test_expect_success 'what build.compile names must be there' '
	sed -i "s/compile: .*/compile: [other.c]/" avogit/codec.yaml &&
	git commit -qam "other" &&
	test_expect_code 128 score 2>../err &&
	grep "build.compile: no file of sources or build.files is avogit/other.c" ../err &&
	git reset -q --hard HEAD^
'

test_expect_success 'in a flat repository, include: [.] finds its headers' '
	sed -i "s|\.\./||; s|include: .*|include: [.]|; s|../codec_config.h.in|codec_config.h.in|" avogit/codec.yaml &&
	sed -i "s|\.\./||g" avogit/shim.c avogit/generate.sh &&
	git mv avogit/codec.yaml avogit/shim.c avogit/generate.sh avogit/reference.c . &&
	git commit -qam flat &&
	avogit score --task codec.yaml >../out &&
	grep "pass, " ../out
'

test_done
