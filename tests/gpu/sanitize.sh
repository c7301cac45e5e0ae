#!/bin/sh
# `avogit score --sanitize` and the key `sanitize:` where there is a GPU with
# compute-sanitizer, as TAP. Needs AVOGIT, git, nvcc and the tool itself.
# KEEP=folder keeps every log of the tool; EXAMPLES="cuda-softmax ..." sanitizes
# the last step of those examples too (minutes each).
. "$(dirname "$0")/lib.sh"
tool=${AVOGIT_COMPUTE_SANITIZER:-$(command -v compute-sanitizer ||
	ls -d /usr/local/cuda*/bin/compute-sanitizer 2>/dev/null | tail -n 1)}
if test ! -x "$tool"
then
	echo "1..0 # skipped: no compute-sanitizer"
	exit 0
fi
keep=${KEEP:-$scratch/keep}
mkdir -p "$keep" || exit

# The tool, whose logs and own words are kept.
cat >"$scratch/tool" <<END
#!/bin/sh
"$tool" "\$@" >"$scratch/words" 2>&1
code=\$?
name= log= last=
for word in "\$@"
do
	test "\$last" = --tool && name=\$word
	test "\$last" = --log-file && log=\$word
	last=\$word
done
to="$keep/\$(cat "$scratch/name").\$name"
echo "# exit code \$code" >>"\$to"
cat "\$log" "$scratch/words" >>"\$to" 2>/dev/null
for word in said refused played
do
	test ! -f "\${log%/log}/\$word" ||
	sed "s/^/# \$word: /; s/\\\$/\\n/" "\${log%/log}/\$word" >>"\$to"
done
cat "$scratch/words"
exit \$code
END
chmod +x "$scratch/tool"
AVOGIT_COMPUTE_SANITIZER=$scratch/tool
export AVOGIT_COMPUTE_SANITIZER

# A repository of the small task, with a kernel that is right.
begin () { # LINE OF THE TASK
	rm -rf "$scratch/repo"
	cp -r "$here/task" "$scratch/repo"
	cd "$scratch/repo" || exit
	sed -i 's/rows: 8192, cols: 8192/rows: 512, cols: 512/
		s/flags: \[-O3\]/flags: [-O3, -lineinfo]/' avogit.yaml
	test -z "$1" || echo "$1" >>avogit.yaml
	cp "$here/cheats/control.cu" kernel.cu
	git init -q . && git add . && git commit -qm control || exit
}

found () {
	sed -n "s/^[[:space:]]*\"$1\":[[:space:]]*\(.*[^,]\),*\$/\1/p" ../json |
	sed "s/^\"\(.*\)\"\$/\1/" | head -n 1
}

say () { # ok|"not ok" WHAT
	n=$((n + 1))
	test "$1" = ok || failed=$((failed + 1))
	echo "$1 $n - $2 # $(found verdict) $(found sanitized) $(found unsanitized) $(found why) $(head -c 300 ../err | tr '\n' ' ')"
}

# score NAME OPTIONS: the kernel of the work tree.
score () {
	echo "$1" >"$scratch/name"
	shift
	timeout 500 "$AVOGIT" score --again --json --time 2s "$@" >../json 2>../err
}

# holds WHAT VERDICT KEY PATTERN: of the last score.
holds () {
	ok=ok
	test "$(found verdict)" = "$2" || ok="not ok"
	found "$3" | grep -qE -e "$4" || ok="not ok"
	say "$ok" "$1"
}

# The kernel around this body, which may use x, y, a, n, i and t, in blocks of
# 64 threads; it passes every check of an ordinary scoring.
kernel () {
	{
		cat <<'END'
#include <cuda_bf16.h>
#include <cuda_runtime.h>
static __global__ void body(const __nv_bfloat16 *x, __nv_bfloat16 *y, float a, long n)
{
	int t = threadIdx.x;
	long i = blockIdx.x * 64l + t;
END
		cat
		cat <<'END'
}
extern "C" void axpb(const __nv_bfloat16 *x, __nv_bfloat16 *y, float a, int rows, int cols, cudaStream_t s)
{
	long n = (long)rows * cols;

	body<<<(n + 63) / 64, 64, 0, s>>>(x, y, a, n);
}
END
	} >kernel.cu
}

all=memcheck,racecheck,initcheck

begin ""
score control --sanitize
holds 'an honest kernel is clean' pass sanitized "^$all\$"
score control
holds 'without --sanitize nothing is said of it' pass verdict pass
test -z "$(found sanitized)$(found unsanitized)" || say "not ok" 'nothing, really'

kernel <<'END'
	__shared__ float tile[64];

	tile[t] = i < n ? (float)x[i] : 0;
	__syncthreads();
	float v = tile[63 - t];
	__syncthreads();
	tile[63 - t] = v;
	__syncthreads();
	if (i < n)
		y[i] = a * tile[t] + 1;
END
score shared --sanitize
holds 'shared memory with its barriers is clean' pass sanitized "^$all\$"

# What is written once more is what was there: right, in any order of threads.
kernel <<'END'
	__shared__ volatile float tile[64];
	float mine = i < n ? (float)x[i] : 0;

	tile[t] = mine;
	__syncthreads();
	float other = tile[63 - t];
	tile[t] = mine;
	if (other != other + 1 && i < n)
		y[i] = a * mine + 1;
	else if (i < n)
		y[i] = a * mine + 1;
END
score race
holds 'a race that gives the right result passes' pass verdict pass
score race --sanitize
holds 'and racecheck finds it' wrong why '^racecheck: .*(Race|hazard).*body'

kernel <<'END'
	if (i < n) {
		(void)*(volatile const unsigned short *)&y[i];
		y[i] = a * (float)x[i] + 1;
	}
END
score uninitialised-global --sanitize
holds 'an uninitialised global read is found' wrong why '^initcheck: .*Uninitialized __global__.*body'

kernel <<'END'
	__shared__ volatile float tile[33];

	if (t == 0)
		tile[*(volatile const long *)&n == 0 ? 0 : 33] = 1;
	if (i < n)
		y[i] = a * (float)x[i] + 1;
END
score shared-past-end --sanitize
holds 'a step past the end of shared memory is found' out-of-bounds why '^memcheck: .*Invalid __shared__ write.*body'

cp "$here/cheats/read-past-end.cu" kernel.cu
score read-past-end
holds 'a read past the end of an input passes' pass verdict pass
score read-past-end --sanitize
holds 'and memcheck finds it' out-of-bounds why '^memcheck: .*Invalid __global__ read.*body|memory that is not its own'

for name in control-memset control-two-streams control-own-room control-scratch control-early control-printf
do
	cp "$here/cheats/$name.cu" kernel.cu
	score "$name" --sanitize
	ok=ok
	test "$(found verdict)" = pass || ok="not ok"
	test "$(found sanitized)" = "$all" || found unsanitized | grep -qE 'replayed|same address' || ok="not ok"
	say "$ok" "$name is clean, or not replayed"
done

begin 'sanitize: [synccheck]'
kernel <<'END'
	if (t < 48)
		__syncthreads();
	if (i < n)
		y[i] = a * (float)x[i] + 1;
END
score barrier --sanitize
holds 'a barrier that not all reach is found where the task chose synccheck' wrong why '^synccheck: .*Barrier error.*body'

begin 'class: isolated'
score isolated --sanitize
holds 'what is not replayed cannot be sanitized, and says so' pass unsanitized 'only what is replayed'

# Two settings, of which the other is much faster.
tunable () {
	kernel <<'END'
	for (int k = 0; k < ROUNDS; k++)
		if (i < n)
			*(volatile unsigned short *)&y[i] = __bfloat16_as_ushort(__float2bfloat16(a * (float)x[i] + 1));
END
	sed -i '1i #define ROUNDS 64 // avogit: 1 64' kernel.cu
	git commit -qam tunable
}
champion () { # is it still the start?
	git rev-parse -q --verify refs/heads/avo/axpb/best 2>/dev/null
}

begin 'sanitize: true'
tunable
AVOGIT_COMPUTE_SANITIZER=/nonexistent/tool timeout 300 "$AVOGIT" evolve --attempts 1 --time 3m >../json 2>../err
"$AVOGIT" log >../log 2>&1
test "$(champion)" = "$(git rev-parse HEAD)" || test -z "$(champion)" && ok=ok || ok="not ok"
say "$ok" 'without the tool nothing is crowned'
grep -q 'not sanitized' ../json && ok=ok || ok="not ok"
say "$ok" 'and its line says why'

begin 'sanitize: true'
tunable
echo evolve >"$scratch/name"
timeout 400 "$AVOGIT" evolve --attempts 1 --time 5m >../json 2>../err
test -n "$(champion)" && test "$(champion)" != "$(git rev-parse HEAD)" && ok=ok || ok="not ok"
say "$ok" 'with it the winner is'
git log -1 --notes=avogit --format=%N avo/axpb/best 2>/dev/null | grep -q 'sanitized=' && ok=ok || ok="not ok"
say "$ok" 'and its note names the tools'

for example in ${EXAMPLES-}
do
	rm -rf "$scratch/repo" && mkdir "$scratch/repo" && cd "$scratch/repo" || exit
	from=$here/../../examples/$example
	last=$(ls "$from/steps" | tail -n 1)
	cp "$from"/*.* . && cp "$from/steps/$last"/*.cu .
	git init -q . && git add . && git commit -qm "$last" || exit
	score "$example" --sanitize
	holds "$example, $last" pass sanitized "^$all\$"
done
ls -d /tmp/avogit-sanitize-* >/dev/null 2>&1 && ok="not ok" || ok=ok
say "$ok" 'no folder is left'
finish
