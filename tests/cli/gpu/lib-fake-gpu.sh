# What the tests of scorings on a GPU share where there is none: the driver of
# tests/fake, whose faults a test chooses, and the repository of a small kernel,
# which is the current folder. Its card and its toolkit are those of one script,
# so that several run beside each other.

. "$(dirname "$0")/../lib-avogit.sh"

# The lock of a GPU lies in /tmp, for all of its users: this says that the script
# times something (tests/prove.sh).
: >"$AVOGIT_LOCKS/gpu.lock"

fake=$SHARNESS_TEST_SRCDIR/../fake
source=$SHARNESS_TEST_SRCDIR/../..

# Not in /tmp, which a sandbox does not show.
CUDA_HOME=$(mktemp -d /var/tmp/avogit-fake.XXXXXX)
cleanup 'rm -rf "$CUDA_HOME"'
chmod 755 "$CUDA_HOME"
mkdir -p "$CUDA_HOME/bin" "$CUDA_HOME/nvvm/bin"
cp "$fake/nvcc" "$fake/device.h" "$CUDA_HOME/bin"
cp "$fake/nvcc" "$CUDA_HOME/nvvm/bin/cicc"
AVOGIT_LIBCUDA=$PWD/libcuda.so.1
XDG_CACHE_HOME=$PWD/cache
export CUDA_HOME AVOGIT_LIBCUDA XDG_CACHE_HOME

for part in cuda memory stream faults kernels
do
	cc -D_GNU_SOURCE -std=c11 -O1 -fPIC -I"$source" -c \
		-o "$CUDA_HOME/$part.o" "$fake/$part.c" || exit
done

# Our driver differs by its size from that of another script beside us, and our
# card, which has a lock, by the end of its UUID.
size=$((4194304 + $$))
card=$(printf '%08x' $$)
cleanup 'rm -f /tmp/avogit-GPU-*"$card".lock'

# A driver with these faults: faults [LINE...]
faults () {
	{
		echo "const unsigned fake_card = $$;" &&
		echo 'const char fake_faults[] = ""' &&
		printf '"%s\\n"\n' "$@" &&
		echo ';'
	} >"$AVOGIT_LIBCUDA.c" &&
	cc -shared -fPIC -Wl,-soname,libcuda.so.1 -o "$AVOGIT_LIBCUDA" \
		"$AVOGIT_LIBCUDA.c" "$CUDA_HOME"/*.o &&
	truncate -s $size "$AVOGIT_LIBCUDA"
}

# The repository's kernel in one of its modes, committed: mode N
mode () {
	sed -i "s|^#define MODE .*|#define MODE $1|" kernel.cu &&
	git commit -qam "mode $1" --allow-empty
}

# The runners that have the driver open, of this role alone: runners [ROLE]
runners () {
	for runner in $(grep -ls avogit-driver /proc/[0-9]*/maps)
	do
		runner=${runner%/maps}
		test "$(stat -Lc %s "$runner/fd/13" 2>/dev/null)" = $size &&
		tr '\0' ' ' <"$runner/cmdline" 2>/dev/null |
			grep -q " ${1:-.*} \$" &&
		echo "${runner#/proc/}"
	done
	return 0
}

# Those that have become this by now: named NAME
named () {
	for pid in $(runners)
	do
		test "$(cat "/proc/$pid/comm" 2>/dev/null)" = "$1" &&
		echo "$pid"
	done
}

is_named () {
	test -n "$(named "$1")"
}

# Until this is so, or the scoring in the background ended, which fails: await
# COMMAND...
await () {
	until "$@"
	do
		kill -0 $scoring || return
		sleep 0.05
	done
}

at_work () {
	test -n "$(runners)"
}

# None has it any more. What was just killed may take a moment to be gone.
none_left () {
	for i in $(seq 200)
	do
		at_work || return 0
		sleep 0.1
	done
	return 1
}

# HEAD is scored; where it has rivals, for a part of the usual time.
score_again () {
	timeout 120 "$AVOGIT" score --again --time "${span:-2s}" HEAD
}

# A scoring with these faults ends with a verdict that holds the text:
# verdict TEXT [FAULT...]
verdict () {
	verdict_text=$1
	shift
	faults "$@" &&
	git commit -q --allow-empty -m "faults: $*" &&
	test_expect_code 1 score_again >../out 2>../err &&
	cat ../out &&
	grep -F "$verdict_text" ../out &&
	none_left
}

# It ends without a verdict, in one line of this text: no_verdict TEXT [FAULT...]
no_verdict () {
	no_verdict_text=$1
	shift
	faults "$@" &&
	git commit -q --allow-empty -m "faults: $*" &&
	test_expect_code 128 score_again >../out 2>../err &&
	cat ../err &&
	grep -F "$no_verdict_text" ../err &&
	test "$(grep -vc "what the card can do" ../err)" = 1 &&
	test_must_be_empty ../out &&
	none_left
}

# The driver is well: so is the next scoring.
passes () {
	faults &&
	git commit -q --allow-empty -m again &&
	{ score_again >../out || cat ../out; } &&
	grep " pass, " ../out
}

four_wait () {
	waiting=$(runners spare) && test "$(echo $waiting | wc -w)" = 4
}

# avogit is building a kernel, and goes on to score it when told so; launchers
# it has made ahead wait. Their processes are $waiting: building KERNEL
building () {
	rm -f "$CUDA_HOME/go"
	faults &&
	echo "/* HELD: $1 */" >>kernel.cu &&
	git commit -qam "$1" || return
	"$AVOGIT" score HEAD >../out 2>../err &
	scoring=$!
	await four_wait
}

# It scores it: goes_on
goes_on () {
	: >"$CUDA_HOME/go" &&
	wait $scoring &&
	grep " pass, " ../out &&
	none_left
}

# The repository of a task of tests/fake, which is the current folder then, one
# below the scripts' own: fake_repo TASK
fake_repo () {
	git init -q "$1" && cp -r "$fake/$1"/* "$1" && cd "$1" &&
	git add . && git commit -qm 'the kernel and its task'
}
