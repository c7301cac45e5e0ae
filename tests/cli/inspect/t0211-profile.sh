#!/bin/sh
# test: parallel
test_description='profile: what it refuses, and what needs no GPU'
. "$(dirname "$0")/../lib-avogit.sh"

# No machine has this driver, nor these tools.
AVOGIT_LIBCUDA=/nonexistent/libcuda.so.1
export AVOGIT_LIBCUDA
top=$PWD
data=$(cd "$SHARNESS_TEST_SRCDIR/../data/sass" && pwd)

nvcc=${CUDA_HOME:+$CUDA_HOME/bin/}nvcc
command -v "$nvcc" >/dev/null || nvcc=/usr/local/cuda/bin/nvcc
command -v "$nvcc" >/dev/null && test_set_prereq NVCC

# Where a sandbox of namespaces sees it: it has nothing of /tmp.
tools=$(mktemp -d /var/tmp/avogit-tools.XXXXXX)
chmod 755 "$tools"
mkdir "$tools/bin"
cleanup 'rm -rf "$tools"'

# A disassembler that prints FILE and keeps nothing: make_tool NAME FILE
make_tool () {
	cp "$2" "$tools/bin/$1.txt" &&
	printf "#!/bin/sh\ncat \"%s\"\n" "$tools/bin/$1.txt" >"$tools/bin/$1" &&
	chmod 755 "$tools/bin/$1" &&
	chmod 644 "$tools/bin/$1.txt"
}

test_expect_success 'a task in C is refused in a sentence' '
	cd "$top" &&
	(make_repo c) &&
	cd c &&
	test_expect_code 128 avogit profile HEAD >../out 2>../err &&
	test_must_be_empty ../out &&
	grep "profile is for language: cuda" ../err &&
	test "$(wc -l <../err)" = 1
'

test_expect_success 'one kind at a time, one commit at a time' '
	cd "$top" &&
	cd c &&
	test_expect_code 2 avogit profile --sass --ptx 2>../err &&
	grep "one at a time" ../err &&
	test_expect_code 2 avogit profile HEAD HEAD &&
	avogit help profile >../out &&
	grep "AVOGIT_NCU" ../out &&
	grep "Exit code 1" ../out
'

test_expect_success NVCC 'without a GPU there are no counters' '
	cd "$top" &&
	git init -q repo &&
	cd repo &&
	cp "$SHARNESS_TEST_SRCDIR"/saxpy/* . &&
	git add . &&
	git commit -qm "the kernel and its task" &&
	test_expect_code 128 avogit profile >../out 2>../err &&
	test_must_be_empty ../out &&
	grep "no GPU here to run kernels on" ../err
'

test_expect_success NVCC 'a case that is not there is named with those that are' '
	cd "$top" &&
	cd repo &&
	test_expect_code 128 avogit profile --ptx --case 7 2>../err &&
	grep "has no case 7: there is n=16384, or 1 to 1" ../err &&
	test_expect_code 128 avogit profile --ptx --case 0 2>../err &&
	test_expect_code 128 avogit profile --ptx --case 1x 2>../err &&
	avogit profile --ptx --case 1 >../out &&
	avogit profile --ptx --case n=16384 >../out
'

test_expect_success NVCC 'the PTX is that of the same flags' '
	cd "$top" &&
	cd repo &&
	avogit profile --ptx HEAD >../out &&
	grep "^\.target sm_90a" ../out &&
	grep "\.visible \.entry .*saxpy_kernel" ../out &&
	avogit profile --ptx --json HEAD >../json &&
	grep "\"truncated\":[[:space:]]*false" ../json &&
	grep "visible .entry" ../json
'

test_expect_success NVCC 'what does not build is told, with exit code 1' '
	cd "$top" &&
	cd repo &&
	sed -i "s/2 \* x/2 * z/" kernel.cu &&
	test_expect_code 1 avogit profile --ptx >../out 2>../err &&
	test_must_be_empty ../out &&
	grep "kernel.cu(6): error: identifier .z. is undefined" ../err &&
	test_expect_code 1 avogit profile --sass 2>../err &&
	grep "does not build" ../err &&
	test_expect_code 1 avogit profile --sass --json >../json &&
	grep "\"failed\":" ../json &&
	git checkout -q kernel.cu
'

test_expect_success NVCC 'without a disassembler the sentence says where it is looked for' '
	cd "$top" &&
	cd repo &&
	AVOGIT_CUOBJDUMP=/nonexistent/cuobjdump &&
	export AVOGIT_CUOBJDUMP &&
	test_expect_code 128 avogit profile --sass 2>../err &&
	grep "AVOGIT_CUOBJDUMP=/nonexistent/cuobjdump is not a program" ../err &&
	unset AVOGIT_CUOBJDUMP
'

test_expect_success NVCC 'the hot loop of what cuobjdump prints' '
	cd "$top" &&
	cd repo &&
	make_tool cuobjdump "$data/cuobjdump.txt" &&
	AVOGIT_CUOBJDUMP=$tools/bin/cuobjdump avogit profile --sass >../out &&
	grep "^loop .*12 instructions, 00020 to 000d0" ../out &&
	grep "^mix .*LDS 3 (2 of .128), .*HGMMA 2" ../out &&
	grep "000d0 .*BRA 0x20  -> 00020" ../out &&
	! grep "STG.E.64" ../out &&
	grep "scale(float\*, int), no loop" ../out
'

test_expect_success NVCC 'a disassembler that fails, or prints nothing, is an error' '
	cd "$top" &&
	cd repo &&
	make_tool cuobjdump /dev/null &&
	AVOGIT_CUOBJDUMP=$tools/bin/cuobjdump &&
	export AVOGIT_CUOBJDUMP &&
	test_expect_code 128 avogit profile --sass 2>../err &&
	grep "printed no instructions" ../err &&
	printf "#!/bin/sh\necho no; exit 3\n" >"$AVOGIT_CUOBJDUMP" &&
	test_expect_code 128 avogit profile --sass 2>../err &&
	grep "does not read the code: no" ../err &&
	unset AVOGIT_CUOBJDUMP
'

test_expect_success NVCC 'the checkout is as it was' '
	cd "$top" &&
	cd repo &&
	users_state >../before &&
	avogit profile --ptx >/dev/null &&
	users_state >../after &&
	test_cmp ../before ../after &&
	test -z "$(git status --porcelain)"
'

test_done
