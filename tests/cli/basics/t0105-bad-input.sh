#!/bin/sh
# test: parallel
test_description='bad input: one clear sentence, the documented exit code, nothing half-written'
. "$(dirname "$0")/../lib-avogit.sh"

# Runs `avogit ARGS`; it must be fatal, with one line that has PATTERN, and
# leave no ref: fatal PATTERN ARGS
fatal () {
	pattern=$1
	shift
	test_expect_code 128 avogit "$@" >../out 2>../err &&
	grep "^avogit: " ../err &&
	grep -e "$pattern" ../err &&
	test "$(wc -l <../err)" = 1 &&
	test -z "$(git for-each-ref refs/avogit refs/notes/avogit refs/heads/avo)"
}

test_expect_success 'no task file' '
	git init -q none && cd none &&
	git commit -q --allow-empty -m empty &&
	fatal "no avogit.yaml here or above" evolve &&
	fatal "no avogit.yaml here or above" score &&
	cd ..
'

test_expect_success 'a repository without a commit' '
	git init -q unborn && cd unborn &&
	fatal . evolve &&
	cd ..
'

test_expect_success 'a task file that is not committed: the commands to run' '
	make_repo uncommitted &&
	git rm -q --cached avogit.yaml && git commit -qm "not yet" &&
	fatal "git .*add avogit.yaml.*git commit" evolve &&
	fatal "git .*add avogit.yaml.*git commit" score &&
	cd ..
'

test_expect_success 'the nearest task counts, and has to be committed too' '
	make_repo nearest &&
	mkdir sub && cp avogit.yaml kernel.c reference.c sub &&
	cd sub &&
	fatal "git .*add sub/avogit.yaml" evolve &&
	cd ../..
'

test_expect_success 'a malformed task file: file, line, what is allowed' '
	make_repo malformed &&
	sed -i "s/^language: c/language: cobol/" avogit.yaml &&
	git commit -qam broken &&
	fatal "avogit.yaml:[0-9]*: language: .*cobol" evolve &&
	cd ..
'

test_expect_success 'an unknown key: the nearest known one' '
	make_repo unknown &&
	sed -i "s/^  timeout:/  timeuot:/" avogit.yaml &&
	git commit -qam broken &&
	fatal "timeuot.*timeout" score &&
	cd ..
'

test_expect_success 'a source that is not there' '
	make_repo missing &&
	git rm -q kernel.c && git commit -qm gone &&
	fatal "kernel.c" evolve &&
	cd ..
'

test_expect_success 'a source that was deleted from the work tree' '
	make_repo deleted &&
	rm kernel.c &&
	fatal "kernel.c, named under sources, is not in the work tree" score &&
	cd ..
'

test_expect_success 'a reference that is not there' '
	make_repo noref &&
	git rm -q reference.c && git commit -qm gone &&
	fatal "reference.c" evolve &&
	cd ..
'

test_expect_success 'sources that differ from the commit: the commands to run' '
	make_repo dirty &&
	echo "/* more */" >>kernel.c &&
	fatal "git .*add kernel.c.*git commit" evolve &&
	git checkout -q kernel.c &&
	cd ..
'

test_expect_success 'a start that fails its own task is refused with the reason' '
	make_repo wrongstart &&
	sed -i "s/MODE 0 .*/MODE 1/" kernel.c &&
	git commit -qam wrong &&
	test_expect_code 128 avogit evolve >../out 2>../err &&
	grep "fails its own task (wrong" ../err &&
	cd ..
'

test_expect_success 'a compiler error in the start is told by the compiler s own words' '
	make_repo nocompile &&
	sed -i "s/MODE 0 .*/MODE 4/" kernel.c &&
	git commit -qam broken &&
	test_expect_code 128 avogit evolve >../out 2>../err &&
	grep "kernel.c:[0-9]*:[0-9]*: error" ../err &&
	cd ..
'

# avogit.yaml with the sed SCRIPT, committed: task_with SCRIPT
task_with () {
	git checkout -q main avogit.yaml &&
	sed -i "$1" avogit.yaml &&
	git commit -qam "$1"
}

test_expect_success 'a function that is not there: the key, and what there is' '
	make_repo names &&
	git checkout -q --detach &&
	task_with "s/entry: scale$/entry: scael/" &&
	test_expect_code 1 avogit score >../out &&
	grep "build-failed: avogit.yaml: entry: the sources define no function .scael.; they have: scale$" ../out &&
	test "$(wc -l <../out)" = 1 &&
	task_with "s/entry: scale_reference/entry: scale_ref/" &&
	test_expect_code 128 avogit score 2>../err &&
	grep "avogit.yaml: reference.entry: its sources define no function .scale_ref.; they have: scale_plain, scale_reference$" ../err &&
	task_with "s/plain: scale_plain/plain: plain/" &&
	test_expect_code 128 avogit score 2>../err &&
	grep "avogit.yaml: reference.plain: its sources define no function .plain." ../err &&
	task_with "s/entry: scale_naive/entry: naive/" &&
	test_expect_code 128 avogit score 2>../err &&
	grep "avogit.yaml: baselines.naive.entry: its sources define no function .naive.; they have: scale_naive$" ../err &&
	cd ..
'

test_expect_success 'a task that cannot tell right from wrong is refused' '
	make_repo constant &&
	sed -i "s/= *(double)a \* x\[i\]/= 1/" reference.c &&
	git commit -qam constant &&
	fatal "." evolve &&
	cd ..
'

test_expect_success 'a reference that takes more stack than there is' '
	make_repo deep-reference &&
	sed -i "s/^{/{ volatile double room[2 << 20]; for (int i = 0; i < n; i++) room[(2 << 20) - 1 - i] = 0; room[0] = 1;/" reference.c &&
	git commit -qam "16 MiB" &&
	test_expect_code 128 avogit score 2>../err &&
	grep "the reference (scale_reference) crashed: Segmentation fault: the stack (.* MiB) overflowed$" ../err &&
	cd ..
'

test_expect_success 'a branch called avo is in the way: what to do' '
	make_repo blocked &&
	git branch avo &&
	test_expect_code 128 avogit evolve 2>../err &&
	grep "git branch -m avo" ../err &&
	git branch -m avo mine &&
	git branch avo/scale &&
	test_expect_code 128 avogit evolve 2>../err &&
	grep "avo/scale" ../err &&
	cd ..
'

test_expect_success 'a task elsewhere, by --task' '
	make_repo elsewhere &&
	mkdir deep && git mv avogit.yaml kernel.c reference.c baseline.c deep &&
	git commit -qm moved &&
	fatal "no avogit.yaml" score &&
	avogit score --task deep/avogit.yaml >../out &&
	cd deep && avogit score --task avogit.yaml >../../out &&
	grep "measured before" ../../out &&
	test_expect_code 128 avogit score --task nix.yaml 2>../../err &&
	grep "no task file deep/nix.yaml" ../../err &&
	cd ../..
'

test_expect_success 'a ref that moved meanwhile is put right' '
	make_repo moved &&
	evolve_until 2 --seed 1 &&
	git update-ref refs/heads/avo/scale/best HEAD &&
	evolve_rest &&
	test "$(git rev-parse avo/scale/best)" = "$(avogit best)" &&
	cd ..
'

# refused TEXT: by the tuner, before there is a run.
refused () {
	git commit -qam "off" &&
	test_expect_code 128 avogit evolve --operator tuner --run x >../out 2>../err &&
	grep "$1" ../err &&
	! grep "starting run" ../out &&
	test -z "$(git for-each-ref "refs/heads/avo/x" refs/avogit/x)"
}

test_expect_success 'sources that the tuner can do nothing with: no run is begun' '
	make_repo tunables && cp kernel.c ../kernel.good &&
	sed -i "s|// avogit:.*||" kernel.c &&
	refused "declare nothing that the tuner could vary" &&
	sed "s/ROUNDS 64 /ROUNDS 63 /" ../kernel.good >kernel.c &&
	refused "kernel.c:2: the value in force is not among" &&
	{ cat ../kernel.good && echo "// avogit-require: TILE < 4"; } >kernel.c &&
	refused "avogit-require.*TILE" &&
	avogit runs | grep "no run yet" &&
	cd ..
'

test_done
