#!/bin/sh
# `avogit profile` where there is a GPU with Nsight Compute, as TAP. Needs what
# run.sh needs, and ncu. KEEP=folder keeps what ncu printed and what came of it.
. "$(dirname "$0")/lib.sh"
keep=${KEEP:-}
mkdir "$scratch/repo" && cp -r "$here/task/." "$scratch/repo"
cp "$here/cheats/control.cu" "$scratch/repo/kernel.cu"
cd "$scratch/repo" && git init -q . && git add . && git commit -qm control || exit 1

say () { # ok|"not ok" WHAT
	n=$((n + 1))
	test "$1" = ok || failed=$((failed + 1))
	echo "$1 $n - $2"
	test "$1" = ok || sed 's/^/# /' ../out ../err 2>/dev/null | tail -n 30
}
check () { # WHAT COMMAND...
	what=$1
	shift
	if "$@" >/dev/null 2>&1
	then say ok "$what"
	else say "not ok" "$what"
	fi
}
profile () { # ARGS; the exit code goes to $code
	timeout 400 "$AVOGIT" profile "$@" >../out 2>../err
	code=$?
}
fact () { # NAME of the JSON in ../out
	sed -n "s/^[[:space:]]*\"$1\":[[:space:]]*\([0-9.e+-]*\),*\$/\1/p" ../out |
	head -n 1
}
holds () { # EXPRESSION with $1.. as numbers; false where one is missing
	expression=$1
	shift
	for v in "$@"
	do
		test -n "$v" || return 1
	done
	awk "BEGIN { a = \"$1\" + 0; b = \"$2\" + 0; exit !($expression) }"
}

# A profiler that keeps what it prints.
ncu=${AVOGIT_NCU:-$(command -v ncu || ls -d /usr/local/cuda*/bin/ncu \
	/opt/nvidia/nsight-compute/*/ncu 2>/dev/null | tail -n 1)}
cat >"$scratch/tee" <<END
#!/bin/sh
"$ncu" "\$@" >"$scratch/raw" 2>&1
code=\$?
cat "$scratch/raw"
exit \$code
END
chmod +x "$scratch/tee"
AVOGIT_NCU=$scratch/tee
export AVOGIT_NCU

profile HEAD
test -z "$keep" || { mkdir -p "$keep"; cp "$scratch/raw" "$keep/control.csv"
	cp ../out "$keep/control.txt"; cp ../err "$keep/control.err"; }
check 'a kernel is profiled' test "$code" = 0
check 'one asking of ncu was enough' sh -c "! grep 'Failed to find metric' '$scratch/raw'"
check 'the table has its lines' sh -c '
	for line in case kernel duration launch "of the card" DRAM L2 L1/TEX \
		"global loads" "other pipes" "issue slots" occupancy \
		"a block takes" "warps wait for" divergence
	do grep -q "^$line " ../out || exit 1; done'
check 'bottlenecks are named' grep -q '^1\. ' ../out
# Two bytes a thread: on a fast card few bytes are on their way, on a slow one
# DRAM is full.
check 'what moves two bytes a thread waits for memory' grep -q \
	-e '^1\. waiting .* long_scoreboard' -e '^1\. dram-bandwidth (' ../out
check 'a bottleneck is told with no more than two others' sh -c '! grep -q "^4\. " ../out'

profile --json HEAD
check 'as JSON' test "$code" = 0
check 'DRAM is in use' holds 'a > 10 && a <= 105' "$(fact dram_percent)"
check 'it reads what the input has' \
	holds 'a > 0.9 * 134217728 && a < 1.3 * 134217728' "$(fact dram_read_bytes)"
check 'no spills' holds 'a == 0' "$(fact local_load_bytes)"
check 'figures are short' sh -c '! grep -q "[.][0-9]*00000[0-9]\|[.][0-9]*99999" ../out'
check 'all sectors are used' holds 'a > 31' "$(fact load_bytes_a_sector)"

cat >kernel.cu <<'END'
#include <cuda_bf16.h>
static __global__ void conflicts(const __nv_bfloat16 *x, __nv_bfloat16 *y, float a, long n)
{
	__shared__ volatile float tile[32 * 32];
	int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
	long i = blockIdx.x * 1024l + threadIdx.x;

	tile[lane * 32 + warp] = i < n ? a * (float)x[i] + 1 : 0;
	__syncthreads();
	float v = tile[lane * 32 + warp];
	if (i < n)
		y[i] = v;
}
extern "C" void axpb(const __nv_bfloat16 *x, __nv_bfloat16 *y, float a, int rows, int cols, cudaStream_t s)
{
	long n = (long)rows * cols;

	conflicts<<<(n + 1023) / 1024, 1024, 0, s>>>(x, y, a, n);
}
END
profile --json
test -z "$keep" || { cp "$scratch/raw" "$keep/conflicts.csv"; cp ../out "$keep/conflicts.json"; }
check 'the work tree is profiled without REV' test "$code" = 0
check 'bank conflicts are counted' \
	holds 'a > 0.9 * b * 31 / 32 && b > 0' "$(fact shared_load_conflicts)" "$(fact shared_load_wavefronts)"
check 'and named' grep -q '"bank-conflicts"' ../out

cat >kernel.cu <<'END'
#include <cuda_bf16.h>
static __global__ void strided(const __nv_bfloat16 *x, __nv_bfloat16 *y, float a, int rows, int cols)
{
	int r = blockIdx.x * blockDim.x + threadIdx.x;

	if (r < rows)
		for (int c = 0; c < cols; c++)
			y[(long)r * cols + c] = a * (float)x[(long)r * cols + c] + 1;
}
extern "C" void axpb(const __nv_bfloat16 *x, __nv_bfloat16 *y, float a, int rows, int cols, cudaStream_t s)
{
	cudaMemsetAsync(y, 0, 2l * rows * cols, s);
	strided<<<(rows + 63) / 64, 64, 0, s>>>(x, y, a, rows, cols);
}
END
profile --json
test -z "$keep" || { cp "$scratch/raw" "$keep/strided.csv"; cp ../out "$keep/strided.json"; }
check 'rows a thread are uncoalesced' grep -q '"uncoalesced"' ../out
check 'a card that is not filled is named' grep -q '"small-grid"' ../out
check 'and not called uneven' sh -c '! grep -q "\"uneven-work\"" ../out'

profile --sass
check 'the hot loop is shown' sh -c 'grep -q "^loop " ../out && grep -q LDG ../out'
test -z "$keep" || cp ../out "$keep/strided.sass"
profile --ptx
check 'and the PTX' grep -q '^\(\.visible \)\{0,1\}\.entry ' ../out

printf '#!/bin/sh\necho "==ERROR== ERR_NVGPUCTRPERM - The user does not"\nexit 1\n' >"$scratch/tee"
profile HEAD
check 'no permission is said with the mend' sh -c \
	"test $code = 128 && grep -q NVreg_RestrictProfilingToAdminUsers=0 ../err"
printf '#!/bin/sh\necho "==WARNING== No kernels were profiled."\n' >"$scratch/tee"
profile HEAD
check 'an empty capture is an error' test "$code" = 128 -a ! -s ../out
printf '#!/bin/sh\nprintf "\\"ID\\",\\"Kernel Name\\",\\"a__b\\"\\n\\"\\",\\"\\",\\"\\"\\n\\"0\\",\\"k\\",\\"n/a\\"\\n"\n' >"$scratch/tee"
profile HEAD
check 'so is one without a value' test "$code" = 128 -a ! -s ../out

AVOGIT_NCU=$ncu
for name in synchronises host-exits never-ends
do
	cp "$here/cheats/$name.cu" kernel.cu
	profile
	check "$name: told, not profiled" test "$code" = 1 -a -s ../err -a ! -s ../out
done

# Ctrl-C while the profiler runs: it is ended, and nothing is left.
git checkout -q kernel.cu
printf '#!/bin/sh\n: >"%s"\nsleep 300\n' "$scratch/started" >"$scratch/tee"
AVOGIT_NCU=$scratch/tee
"$AVOGIT" profile >../out 2>../err &
profiling=$!
tries=0
while ! test -e "$scratch/started" && test "$tries" -lt 240
do
	tries=$((tries + 1))
	sleep 0.5
done
# A background command of sh ignores SIGINT until it asks for it.
kill -INT "$profiling"
wait "$profiling"
check 'Ctrl-C ends it with exit code 130' test "$?" = 130
check 'no folder is left' sh -c '! ls -d /tmp/avogit-profile-* 2>/dev/null'
finish
