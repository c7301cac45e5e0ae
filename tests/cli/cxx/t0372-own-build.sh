#!/bin/sh
# test: parallel long
test_description='a library of C++ that its own CMake builds'
. "$(dirname "$0")/../lib-avogit.sh"

command -v cmake >/dev/null || {
	skip_all='there is no cmake here'
	test_done
}

score () {
	avogit score --task avogit/blur.yaml "$@"
}

test_expect_success 'the object that the project builds is scored' '
	git init -q repo &&
	cd repo &&
	cp -R "$SHARNESS_TEST_SRCDIR"/cxx/cmake/. . &&
	git add . &&
	git commit -qm "the project" &&
	score >../out &&
	grep "pass, " ../out &&
	test -z "$(git status --porcelain)"
'

test_expect_success 'an error in a file is told as the compiler tells it' '
	sed -i "s/int left = /int left /" src/blur.cpp &&
	test_expect_code 1 score >../out &&
	grep "build-failed: src/blur.cpp:[0-9]*:[0-9]*: error: " ../out &&
	git checkout -q src
'

test_expect_success 'a build that leaves nothing at its place is told' '
	sed -i "s|out/libgeo.so|out/libgeometry.so|" avogit/blur.yaml &&
	git commit -qam "another place" &&
	test_expect_code 1 score >../out &&
	grep "build-failed: error: build.command left no file out/libgeometry.so" ../out &&
	git reset -q --hard HEAD^
'

test_expect_success 'a file that the build lacks is told' '
	sed -i "s|, ../include/||" avogit/blur.yaml &&
	git commit -qam "without headers" &&
	test_expect_code 1 score >../out &&
	grep "build-failed: .*include/geo/config.hpp.in" ../out &&
	git reset -q --hard HEAD^
'

test_expect_success 'what the command decides is not also asked for' '
	sed -i "s|^  command:|  flags: [-O3]\n&|" avogit/blur.yaml &&
	git commit -qam "flags too" &&
	test_expect_code 128 score 2>../err &&
	grep "flags: .*with build.command it is the command that decides" ../err &&
	git reset -q --hard HEAD^
'

test_expect_success 'evolve finds a gain, and the winner builds in the project' '
	avogit evolve --task avogit/blur.yaml -n 1 >../out &&
	grep "ROUNDS 32 -> 1" ../out &&
	git cherry-pick avo/blur/winner >../out 2>&1 &&
	cmake -S . -B ../built >../out && cmake --build ../built >../out &&
	test -e ../built/libgeo.so
'

test_done
