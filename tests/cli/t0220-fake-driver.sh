#!/bin/sh
# test: long no-asan
test_description='a GPU whose driver answers errors, hangs and dies'
. "$(dirname "$0")/lib-avogit.sh"

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

# By its size our driver is told from one of another such test beside us.
size=$((4194304 + $$))

# A driver with these faults: faults [LINE...]
faults () {
	{
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

# A scoring with these faults ends with a verdict that holds the text:
# verdict TEXT [FAULT...]
verdict () {
	verdict_text=$1
	shift
	faults "$@" &&
	git commit -q --allow-empty -m "faults: $*" &&
	test_expect_code 1 timeout 120 "$AVOGIT" score --again HEAD \
		>../out 2>../err &&
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
	test_expect_code 128 timeout 120 "$AVOGIT" score --again HEAD \
		>../out 2>../err &&
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
	{ avogit score --again HEAD >../out || cat ../out; } &&
	grep " pass, " ../out
}

git init -q packed && cp "$fake"/packed/* packed && (
	cd packed && git add . && git commit -qm 'the kernel and its task'
) || exit
git init -q repo && cp "$fake"/task/* repo && cd repo &&
git add . && git commit -qm 'the kernel and its task' || exit

test_expect_success 'a scoring from end to end, class replayed' '
	passes &&
	git notes --ref=avogit show HEAD >../note &&
	grep "trust=replayed" ../note &&
	grep "deterministic=yes" ../note
'

test_expect_success 'class isolated' '
	echo "class: isolated" >>avogit.yaml &&
	git commit -qam isolated &&
	passes &&
	git notes --ref=avogit show HEAD >../note &&
	grep "trust=isolated" ../note &&
	verdict "out-of-bounds: " "resident launch 2 700" &&
	verdict "timed-out: " "resident synchronize 3 hang" &&
	verdict "crashed: " "resident synchronize 3 die" &&
	sed -i "\$d" avogit.yaml && git commit -qam replayed &&
	passes
'

# The inodes of the inputs that residents map.
mapped_inputs () {
	for runner in $(runners resident)
	do
		awk '$2 == "r--s" && /memfd:device/ { print $5 }' \
			"/proc/$runner/maps"
	done
}

# One of them waits for ever, the other beside him.
stopped () {
	for runner in $(runners resident)
	do
		grep -q "^Threads:.2" "/proc/$runner/status" && return
	done
	return 1
}

test_expect_success 'class isolated: inputs and outputs appear at once, with the clock' '
	git tag honest &&
	echo "class: isolated" >>avogit.yaml &&
	cp "$fake/early.cu" kernel.cu &&
	git commit -qam "looks for inputs" &&
	passes
'

test_expect_success 'class isolated: everybody is handed inputs of the own' '
	sed -i "s/timeout: 1s/timeout: 100s/" avogit.yaml &&
	sed -i "1i #define STOPS" kernel.cu &&
	git commit -qam "stops" || return
	faults
	"$AVOGIT" score HEAD >../out 2>../err &
	scoring=$!
	until stopped
	do
		kill -0 $scoring || return
		sleep 0.1
	done
	mapped_inputs >../mapped
	kill -s KILL $scoring
	test "$(wc -l <../mapped)" = 2 &&
	test -z "$(sort ../mapped | uniq -d)" &&
	none_left &&
	git checkout -q honest avogit.yaml kernel.cu &&
	git commit -qm replayed && passes
'

test_expect_success 'kernels that are wrong, write their input, never end' '
	mode 3 && verdict "wrong: y[8192] is 7" &&
	mode 1 && verdict "out-of-bounds: a kernel touched memory" &&
	mode 2 && verdict "timed-out: its kernels did not end within 1 s" &&
	mode 4 && verdict "crashed: in its first call: it called abort()" &&
	mode 0 && passes
'

# It passes as a whole, since replayed it does this: whole WHY
whole () {
	passes &&
	git notes --ref=avogit show HEAD >../note &&
	grep "trust=isolated" ../note &&
	grep "isolated=\"replayed it is something else than called: $1" ../note
}

test_expect_success 'what a first call leaves behind is there when it is called as a whole' '
	mode 8 && git tag table && whole "y\[[0-9]*\] is .* where .* is right" &&
	mode 9 && whole "a kernel touched memory"
'

test_expect_success 'but not where it is wrong then, too' '
	mode 10 && verdict "wrong: y[" && mode 0
'

test_expect_success 'nor where the task demands that all is replayed' '
	echo "class: replayed" >>avogit.yaml && git commit -qam demands &&
	mode 8 && verdict "wrong: y[" && mode 0 &&
	sed -i "\$d" avogit.yaml && git commit -qam any
'

test_expect_success 'held against such a one all are called as a whole' '
	avogit score --time 2s --against table HEAD >../out &&
	cat ../out &&
	grep " pass, " ../out &&
	git notes --ref=avogit show HEAD >../note &&
	grep "trust=isolated" ../note &&
	grep "isolated=\"replayed [0-9a-f]* is something else than called: y\[" ../note &&
	grep "vs=incumbent" ../note
'

# The reference is asked for one element of 256, and a rival has them all.
test_expect_success 'one element that is left out is seen beside who did not' '
	git init -q ../unlike && cp * ../unlike &&
	(
		cd ../unlike &&
		sed -i "s/entry: scale_reference/&\n  rows: true/" avogit.yaml &&
		sed -e "s/8, 8, 4)/8, 8, 8, 8)/" \
			-e "s/int n = PARAMETER(2, int)/long begin = PARAMETER(2, long), end = PARAMETER(3, long)/" \
			-e "s/int i = 0; i < n/long i = begin; i < end/" \
			-e "s/int n, cuda/int n, long begin, long end, cuda/" \
			-e "s/&n)/\&begin, \&end)/" -i reference.cu &&
		git add . && git commit -qm "rows" && faults &&
		avogit score HEAD >../out && grep " pass, " ../out &&
		mode -1 &&
		test_expect_code 1 avogit score --against HEAD~1 HEAD >../out &&
		grep "wrong: y\[[0-9]*\] is 7" ../out
	)
'

test_expect_success 'a launcher whose driver answers errors' '
	faults "launcher launch 1 700" &&
	git commit -q --allow-empty -m "a fault of launchers" &&
	avogit score --again HEAD >../out && grep " pass, " ../out &&
	git notes --ref=avogit show HEAD >../note &&
	grep "isolated=\"replayed it is something else" ../note &&
	verdict "crashed: its kernels: a launch: CUDA_ERROR_LAUNCH_FAILED" \
		"launcher launch 3 719" &&
	verdict "crashed: it cannot be replayed: loading the cubin" \
		"launcher module_load 1 999"
'

test_expect_success 'one launch of a batch that does nothing is seen' '
	verdict "wrong: 16384 elements of \`y\` were not written" \
		"launcher scale_kernel 12 odd"
'

test_expect_success 'a launcher that dies' '
	verdict "crashed: its kernels: it ended by signal" \
		"launcher stream_wait 3 die" &&
	verdict "crashed: its kernels: it exited with status 3" \
		"launcher event_record 1 exit"
'

test_expect_success 'one launch of a batch that hangs is waited for once' '
	verdict "timed-out: its kernels did not end" \
		"launcher stream_wait 4 hang" &&
	verdict "timed-out: " "launcher event_wait 9 hang" &&
	passes
'

test_expect_success 'work that is done ahead, for launches that may not come' '
	mode 5 &&
	verdict "out-of-bounds: it wrote outside \`y\`" &&
	mode 0 && passes
'

test_expect_success 'work that is done ahead, and kept out of sight' '
	mode 7 &&
	verdict "forbidden: the first launch of a batch takes" &&
	mode 0 && passes
'

test_expect_success 'events that disagree with the clock' '
	verdict "forbidden: its events say 8.64e+04 s" \
		"launcher event_elapsed 1 odd" &&
	verdict "forbidden: its events say 0 s" \
		"launcher event_elapsed 1 short"
'

test_expect_success 'a host that is held up costs a batch, not a verdict' '
	faults "launcher stream_wait 1 late" "launcher stream_wait 3 late" &&
	git commit -q --allow-empty -m "held up" &&
	avogit score --again HEAD >../out &&
	grep " pass, " ../out &&
	verdict "forbidden: its events say" "launcher stream_wait * late"
'

test_expect_success 'a driver that says too early that all is done is not believed' '
	faults "launcher stream_wait * odd" &&
	git commit -q --allow-empty -m "done too early" &&
	avogit score --again HEAD >../out &&
	grep " pass, " ../out
'

test_expect_success 'a driver that waits for the card while it takes launches' '
	for n in 1 5
	do
		faults "launcher launch $n full" &&
		git commit -q --allow-empty -m "full at launch $n" &&
		timeout 60 "$AVOGIT" score --again HEAD >../out &&
		grep " pass, " ../out || return 1
	done
'

test_expect_success 'launches of many steps that take long are waited for one by one' '
	mode 6 &&
	faults "capturer graph_edges * odd" \
		"launcher stream_wait 240 slow" \
		"launcher stream_wait 240 slow" \
		"launcher stream_wait 240 slow" &&
	git commit -q --allow-empty -m "many steps" &&
	{ avogit score --again HEAD >../out || cat ../out; } &&
	grep " pass, " ../out &&
	mode 0
'

test_expect_success 'no candidate is blamed for a GPU that cannot be had' '
	no_verdict "a second process cannot use the GPU: opening the GPU: CUDA_ERROR_DEVICE_UNAVAILABLE" \
		"blank init 1 46" &&
	no_verdict "cannot use the GPU: taking over GPU memory (131072 bytes): CUDA_ERROR_OUT_OF_MEMORY" \
		"launcher import_fd 1 2" &&
	passes
'

test_expect_success 'memory that others have is no fault of a candidate' '
	no_verdict "65536 bytes are free, and a process that runs a candidate needs 5370" \
		"capturer create 2 2" "gpu-judge memory_info * odd" &&
	verdict "crashed: in its first call: taking GPU memory (131072 bytes" \
		"capturer create 2 2" &&
	no_verdict "65536 bytes are free, and a process" \
		"launcher import_fd 3 2" "gpu-judge memory_info * odd" &&
	verdict "crashed: it cannot be replayed: taking over GPU memory (" \
		"launcher import_fd 3 2" &&
	passes
'

test_expect_success 'a capturer that hangs, dies, cannot capture' '
	verdict "timed-out: " "capturer synchronize 1 hang" &&
	verdict "crashed: in its first call: it ended by signal" \
		"capturer launch 1 die" &&
	faults "capturer capture_begin 1 46" &&
	git commit -q --allow-empty -m uncapturable &&
	avogit score --again HEAD &&
	git notes --ref=avogit show HEAD >../note &&
	grep "isolated=\"beginning the capture: CUDA_ERROR_DEVICE" ../note
'

# What it launches for the next case is asked while the judge looks at this one.
test_expect_success 'a capturer that does so in the second case' '
	sed -i "/^  - {n: 16384}/a\\  - {n: 8192}" avogit.yaml &&
	git commit -qam "two cases" &&
	passes &&
	verdict "timed-out: " "capturer synchronize 2 hang" &&
	verdict "crashed: in its first call: it ended by signal" \
		"capturer launch 3 die" &&
	faults "capturer capture_begin 2 46" &&
	git commit -q --allow-empty -m "uncapturable later" &&
	avogit score --again HEAD &&
	git notes --ref=avogit show HEAD >../note &&
	grep "isolated=\"beginning the capture: CUDA_ERROR_DEVICE" ../note &&
	mode 3 && verdict "wrong: y[8192] is 7" && mode 0 &&
	sed -i "/^  - {n: 8192}/d" avogit.yaml &&
	git commit -qam "one case" && passes
'

test_expect_success 'addresses that are not the ones asked for' '
	faults "launcher reserve 2 odd" "capturer reserve 3 odd" &&
	git commit -q --allow-empty -m moved &&
	avogit score --again HEAD &&
	git notes --ref=avogit show HEAD >../note &&
	grep "trust=replayed" ../note &&
	faults "launcher reserve * odd" &&
	avogit score --again HEAD &&
	git notes --ref=avogit show HEAD >../note &&
	grep "isolated=\"the driver does not give" ../note &&
	no_verdict "the driver gives no address that is asked for" \
		"* reserve * odd"
'

test_expect_success 'a judge that dies, or whose driver answers errors' '
	no_verdict "the judge on the GPU was ended by signal" \
		"gpu-judge to_host 3 die" &&
	no_verdict "the judge on the GPU ended with exit status 3" \
		"gpu-judge init 1 exit" &&
	no_verdict "taking GPU memory (131072 bytes, where 65536 of 1073741824 are free): CUDA_ERROR_OUT_OF_MEMORY" \
		"gpu-judge create 3 2" "gpu-judge memory_info 1 odd" &&
	no_verdict "sharing GPU memory: " "gpu-judge export_fd 2 999" &&
	no_verdict "the reference (scale_reference) crashed" \
		"gpu-judge reference_kernel 1 die" &&
	no_verdict "leaves elements of \`y\` unwritten" \
		"gpu-judge reference_kernel 1 odd" &&
	passes
'

test_expect_success 'a GPU that does not pass the self-test' '
	no_verdict "the GPU does not answer: opening the GPU" \
		"gpu-judge init 1 999" &&
	no_verdict "the GPU does not answer: running one of the scorer" \
		"gpu-judge synchronize 1 719" &&
	no_verdict "the GPU does not answer rightly any more" \
		"gpu-judge avogit_look 1 odd" &&
	passes
'

test_expect_success 'after a fault or a hang the GPU is tested, and the next one scored' '
	mode 1 && git tag faulty &&
	mode 2 && git tag hanging &&
	mode 0 && git tag good &&
	faults &&
	test_expect_code 1 avogit score --again faulty hanging good >../out &&
	grep "out-of-bounds: " ../out &&
	grep "timed-out: " ../out &&
	grep " pass, " ../out &&
	faults "gpu-judge avogit_look 2 odd" &&
	for harm in faulty hanging
	do
		test_expect_code 128 avogit score --again $harm good \
			>../out 2>../err &&
		grep "out-of-bounds: \|timed-out: " ../out &&
		grep "the GPU does not answer rightly any more" ../err &&
		none_left || return 1
	done
'

# avogit is at work with a driver that hangs; it gets the signal. Its exit code
# is the result: signalled SIGNAL FAULT
signalled () {
	faults "$2" &&
	git commit -q --allow-empty -m "signal $1" || return
	"$AVOGIT" score --again HEAD >../out 2>../err &
	scoring=$!
	until at_work
	do
		kill -0 $scoring || return
		sleep 0.1
	done
	kill -s "$1" $scoring
	wait $scoring
}

test_expect_success 'nothing is left of a hang when avogit is killed' '
	for role in gpu-judge blank
	do
		test_expect_code 137 signalled KILL "$role init 1 hang" &&
		none_left &&
		test_expect_code 143 signalled TERM "$role init 1 hang" &&
		none_left || return 1
	done &&
	passes
'

# avogit is building a kernel, and goes on to score it when told so; launchers
# it has made ahead wait. Their processes are $waiting: building KERNEL
building () {
	rm -f "$CUDA_HOME/go"
	faults &&
	echo "/* HELD: $1 */" >>kernel.cu &&
	git commit -qam "$1" || return
	"$AVOGIT" score HEAD >../out 2>../err &
	scoring=$!
	until waiting=$(runners blank) && test "$(echo $waiting | wc -w)" = 5
	do
		kill -0 $scoring || return
		sleep 0.1
	done
}

# It scores it: goes_on
goes_on () {
	: >"$CUDA_HOME/go" &&
	wait $scoring &&
	grep " pass, " ../out &&
	none_left
}

test_expect_success 'launchers made while a kernel is built are those it gets' '
	building "made ahead" &&
	faults "blank init 1 46" &&
	goes_on
'

test_expect_success 'the reference is built while a kernel is' '
	kept=$XDG_CACHE_HOME/avogit/build &&
	rm -rf "$kept" && mkdir "$kept" &&
	building "beside" &&
	for i in $(seq 300)
	do
		test -z "$(ls "$kept")" || break
		sleep 0.1
	done &&
	ls "$kept" >../kept &&
	test "$(wc -l <../kept)" = 1 &&
	goes_on
'

test_expect_success 'host code is gone before anything is timed' '
	faults "launcher stream_wait 12 hang" &&
	sed -i "s/direction: in}/direction: in, fill: normal}/" avogit.yaml &&
	git commit -qam "hangs while it is timed, not in one of nine kinds" || return
	"$AVOGIT" score --again HEAD >../out 2>../err &
	scoring=$!
	until test -n "$(named hangs)"
	do
		kill -0 $scoring || return
		sleep 0.1
	done
	named capturer >../there
	wait $scoring
	test_must_be_empty ../there &&
	grep "timed-out" ../out &&
	none_left &&
	git checkout -q HEAD^ avogit.yaml && git commit -qm "all kinds"
'

test_expect_success 'one that died is replaced' '
	building "one dies" &&
	kill -s KILL ${waiting%%[!0-9]*} &&
	goes_on &&
	building "all die" &&
	kill -s KILL $waiting &&
	goes_on
'

test_expect_success 'one that does not answer is replaced' '
	building "one stops" &&
	kill -s STOP ${waiting%%[!0-9]*} &&
	goes_on
'

test_expect_success 'one that ends or hangs when it is done is no loss' '
	for end in die hang
	do
		faults "launcher synchronize 2 $end" &&
		git commit -q --allow-empty -m "done: $end" &&
		avogit score --again HEAD >../out &&
		grep " pass, " ../out &&
		none_left || return 1
	done
'

test_expect_success 'none is left when avogit is killed, or the kernel does not build' '
	building "killed" &&
	kill -s KILL $scoring &&
	none_left &&
	building "interrupted" &&
	kill -s TERM $scoring &&
	none_left &&
	: >"$CUDA_HOME/go" &&
	sed -i "s/^#define MODE.*/&\n#error HELD no/" kernel.cu &&
	git commit -qam broken &&
	test_expect_code 1 avogit score HEAD >../out &&
	grep "build-failed" ../out &&
	none_left &&
	git checkout -q HEAD~1 kernel.cu && git commit -qm mended
'

# What a scoring where kernels reach ordinary memory says, by NAME, which PARAMETER
# turns off: isolated_by NAME PARAMETER
isolated_by () {
	"$AVOGIT" score --again HEAD >../out &&
	grep " pass, " ../out &&
	git notes --ref=avogit show HEAD >../note &&
	grep "trust=isolated" ../note &&
	grep "isolated=\"on this machine kernels reach ordinary memory ($1), .*nvidia_uvm with $2 " \
		../note
}

test_expect_success 'where kernels reach ordinary memory, all is of class isolated' '
	faults "* hmm * odd" &&
	git commit -q --allow-empty -m "HMM" &&
	isolated_by HMM uvm_disable_hmm=1 &&
	grep " reach=HMM" ../note &&
	faults "* ats * odd" &&
	isolated_by ATS uvm_ats_mode=0 &&
	faults && avogit score HEAD >../out && ! grep "measured before" ../out &&
	git notes --ref=avogit show HEAD >../note &&
	grep "trust=replayed" ../note &&
	none_left
'

# A compiler is at work on the repository's kernel.
compiling () {
	grep -lzs "$CUDA_HOME/bin/nvcc" /proc/[0-9]*/cmdline |
		xargs -r grep -lzs "kernel.cu" >/dev/null
}

test_expect_success 'and no launchers are made ahead' '
	rm -f "$CUDA_HOME/go" &&
	faults "score hmm * odd" &&
	echo "/* HELD: none ahead */" >>kernel.cu &&
	git commit -qam "none ahead" || return
	"$AVOGIT" score HEAD >../out 2>../err &
	scoring=$!
	until compiling
	do
		kill -0 $scoring || return
		sleep 0.1
	done
	ahead=$(runners blank)
	goes_on &&
	test -z "$ahead"
'

test_expect_success 'there a task that demands class replayed is not scored' '
	echo "class: replayed" >>avogit.yaml && git commit -qam demands &&
	no_verdict "avogit: nothing can be replayed here, which the task demands (class: replayed): on this machine kernels reach ordinary memory (HMM)" \
		"* hmm * odd" &&
	test_must_fail git notes --ref=avogit show HEAD &&
	passes &&
	sed -i "\$d" avogit.yaml && git commit -qam any
'

test_expect_success 'a launcher looks for itself' '
	no_verdict "avogit: on this machine kernels reach ordinary memory (HMM), so that a candidate" \
		"blank hmm * odd" &&
	passes
'

test_expect_success 'and doctor says so' '
	faults "* hmm * odd" && avogit doctor >../out &&
	grep "warn .*gpu .*reach ordinary memory (HMM).*class isolated" ../out &&
	grep "load nvidia_uvm with uvm_disable_hmm=1" ../out &&
	faults && avogit doctor >../out &&
	! grep "ordinary memory" ../out
'

test_expect_success 'of two cards the one that CUDA_VISIBLE_DEVICES leaves' '
	faults "* count * odd" "* card_0 * 46" &&
	git commit -q --allow-empty -m "two cards" &&
	test_expect_code 128 avogit score --again HEAD 2>../err &&
	grep "CUDA_ERROR_DEVICE_UNAVAILABLE" ../err &&
	CUDA_VISIBLE_DEVICES=1 "$AVOGIT" score --again HEAD >../out &&
	grep " pass, " ../out &&
	git notes --ref=avogit show HEAD >../note &&
	grep "gpu_uuid=GPU-fbfbfbfb-fbfb-" ../note &&
	test -e /tmp/avogit-GPU-fbfbfbfb-fbfb-fbfb-fbfb-fbfbfbfbfbfb.lock &&
	CUDA_VISIBLE_DEVICES=7 test_expect_code 1 \
		"$AVOGIT" score --again HEAD >../out &&
	grep "the driver has no device; CUDA_VISIBLE_DEVICES is .7." ../out
'

test_expect_success 'doctor lists every card, and says which one is used' '
	CUDA_VISIBLE_DEVICES=1 "$AVOGIT" doctor >../out &&
	grep "gpu .*GPU-fafafafa-.*(not used: CUDA_VISIBLE_DEVICES chooses)" ../out &&
	grep "gpu .*GPU-fbfbfbfb-.*(used)" ../out &&
	avogit doctor >../out &&
	grep "gpu .*GPU-fafafafa-.*(used)" ../out
'

test_expect_success 'a card that runs no code for what is asked for' '
	faults &&
	test_expect_code 1 avogit score --arch sm_100a HEAD >../out &&
	grep "not-run: it builds for sm_100a; .*the a GPU that is none (sm_90a) runs no code for sm_100a" ../out
'

# What is prepared from static inputs, in either class.
packed () {
	passes &&
	git notes --ref=avogit show HEAD >../note &&
	grep "trust=$1" ../note &&
	grep "vs=baseline" ../note &&
	mode 1 && verdict "wrong: y[" &&
	mode 2 && verdict "wrong: y[" &&
	mode 3 && verdict "out-of-bounds: a kernel touched memory" &&
	mode 4 && verdict "timed-out: " &&
	mode 0 && passes
}

test_expect_success 'static inputs: what was prepared from them alone is there' '
	cd ../packed && packed replayed
'

test_expect_success 'the same of what is run as a whole' '
	echo "class: isolated" >>avogit.yaml &&
	git commit -qam isolated &&
	packed isolated &&
	sed -i "\$d" avogit.yaml && git commit -qam replayed
'

test_expect_success 'a half that is repeated is prepared for anew' '
	faults "launcher stream_wait 1 late" "launcher stream_wait 3 late" &&
	git commit -q --allow-empty -m "held up" &&
	avogit score --again HEAD >../out &&
	grep " pass, " ../out
'

# A scoring against the baseline passes with these faults: beside [FAULT...]
beside () {
	faults "$@" &&
	git commit -q --allow-empty -m "beside: $*" &&
	{ timeout 120 "$AVOGIT" score --again HEAD >../out 2>../err ||
		{ cat ../out ../err; false; }; } &&
	grep " pass, " ../out &&
	git notes --ref=avogit show HEAD >../note &&
	grep "trust=replayed" ../note &&
	grep "vs=baseline" ../note &&
	none_left
}

# It fails, and the scoring with it: not_beside FAULT...
not_beside () {
	no_verdict "packing is no rival to compare with: " "$@"
}

# Nothing is seen of what the baseline's host takes, many times a launch: the
# last scoring was beside one behind a gate.
hidden () {
	grep " ratio=[0-9]\." ../note
}

test_expect_success 'the own baseline waits behind a gate, as a launcher does' '
	not_beside "resident stream_wait_value 1 1" &&
	not_beside "resident stream_wait_value 2 1" &&
	beside "resident stream_wait_value 30 1"
'

test_expect_success 'what its host takes for a launch is no part of it' '
	sed -i "s/LAUNCH(multiply_kernel/usleep(600); &/" baseline.cu &&
	git commit -qam "a slow host" &&
	beside && hidden
'

test_expect_success 'it still does where the driver waited once before it was timed' '
	beside "resident launch 3 full" && hidden
'

test_expect_success 'it does so in pieces where its launches fill the queue' '
	not_beside "resident launch 80 full" "resident stream_wait_value 30 1"
'

test_expect_success 'and not at all where they do so again' '
	beside "resident launch 80 full" "resident launch 220 full" \
		"resident stream_wait_value 8 1"
'

test_expect_success 'nor where a call waits for the card itself' '
	sed -i "s/usleep(600); \(.*\)/\1 SYNCHRONIZE(stream);/" baseline.cu &&
	git commit -qam "a call that waits" &&
	not_beside "resident stream_wait_value 2 1" &&
	beside "resident stream_wait_value 3 1" &&
	sed -i "s/ SYNCHRONIZE(stream);//" baseline.cu &&
	git commit -qam "one that does not" && beside
'

test_expect_success 'preparing that fails while it is not timed' '
	verdict "crashed: in its prepare function: " \
		"launcher synchronize 2 719" &&
	verdict "timed-out: " "launcher synchronize 2 hang" &&
	verdict "crashed: in its prepare function: a launch: CUDA_ERROR_OUT_OF" \
		"launcher launch 1 2" &&
	no_verdict "65536 bytes are free, and a process that runs a candidate" \
		"launcher launch 1 2" "gpu-judge memory_info * odd" &&
	no_verdict "cannot use the GPU: taking GPU memory (131072 bytes" \
		"launcher create 2 2" &&
	faults "capturer capture_begin 2 46" &&
	git commit -q --allow-empty -m uncapturable &&
	avogit score --again HEAD &&
	git notes --ref=avogit show HEAD >../note &&
	grep "isolated=\"its prepare function: beginning the capture: CUDA_ERROR_DEVICE" ../note
'

test_expect_success 'warm caches are said, and another task' '
	cd ../repo && passes &&
	git notes --ref=avogit show HEAD >../note &&
	! grep "cache=" ../note &&
	echo "cache: warm" >>avogit.yaml && git commit -qam warm &&
	avogit score HEAD >../out &&
	grep " pass, " ../out && ! grep "measured before" ../out &&
	git notes --ref=avogit show HEAD >../note &&
	grep " cache=warm" ../note && grep "trust=replayed" ../note &&
	verdict "crashed: its kernels: it ended by signal" \
		"launcher avogit_touch 1 die" && faults &&
	sed -i "s/cache: warm/cache: cold/" avogit.yaml &&
	git commit -qam cold && avogit score HEAD~2 >/dev/null &&
	avogit score HEAD >../out && grep "measured before" ../out
'

# A kernel of some microseconds that is repeated so often: repeats FIRST NEXT
repeats () {
	git init -q "repeats$1" && cd "repeats$1" && cp "$fake"/task/* . &&
	sed -i "s/n: 16384/n: 1024/" avogit.yaml &&
	sed -i "s|^#define MODE.*|#define TIMES $1 // avogit: $1 $2|" kernel.cu &&
	sed -i "s|^\tfor (int i = 0; i < n; i++)\$|\tfor (int t = 0; t < TIMES; t++, ({ __asm__(\"\" ::: \"memory\"); }))\n&|" kernel.cu &&
	git add . && git commit -qm "the kernel and its task" &&
	faults && avogit evolve --seed 1 --attempts 1 >../out &&
	git notes --ref=avogit show "$(avogit log --json |
		sed -n "s/.*\"commit\":[[:space:]]*\"\([0-9a-f]*\)\".*/\1/p" |
		grep -v "$(git rev-parse HEAD)")" >../note &&
	cat ../note &&
	cd ..
}

test_expect_success 'a search lets who is far slower go after the first processes' '
	( cd .. && repeats 1 60 ) &&
	grep "against=incumbent .*told=slower blocks=[1-3] " ../note &&
	! grep "noise=" ../note
'

test_expect_success 'its winners are confirmed beside a twin' '
	( cd .. && repeats 60 1 ) &&
	grep "against=incumbent .*told=faster blocks=" ../note &&
	grep " 000 .* vs=incumbent .* noise=" ../note
'

# A softmax in one of its modes gets this verdict: softmax MODE [TEXT]
softmax () {
	mode "$1" && faults &&
	git commit -q --allow-empty -m "softmax $1" &&
	if test -z "$2"
	then
		passes
	else
		test_expect_code 1 timeout 120 "$AVOGIT" score --again HEAD >../out &&
		cat ../out && grep "$2" ../out
	fi
}

for class in replayed isolated
do
	test_expect_success "class $class: contents that betray a softmax without its maximum" "
		rm -rf ../softmax && mkdir ../softmax &&
		( cd ../softmax && git init -q . &&
		  cp -r \"\$fake\"/softmax/* . && mkdir include &&
		  cp \"\$source\"/tests/cheats/tasks/common/include/exponential.h include &&
		  echo \"class: $class\" >>avogit.yaml &&
		  git add . && git commit -qm softmax &&
		  softmax 0 &&
		  softmax 1 'wrong: y.* is .* where .* is right' &&
		  softmax 2 'wrong: y.* is .* where .* is right' &&
		  { test $class = isolated || softmax 3 'wrong: y.*stray_rows inputs'; } )
	"
done

test_expect_success 'a driver that is none: nothing is run' '
	faults "score init 1 die" &&
	test_expect_code 1 avogit score --again HEAD >../out &&
	grep "the driver.s library ended by signal" ../out &&
	faults "score init 1 100" &&
	test_expect_code 1 avogit score --again HEAD >../out &&
	grep "answers cuInit with 100 (no device)" ../out &&
	AVOGIT_LIBCUDA=/nonexistent test_expect_code 1 \
		avogit score --again HEAD >../out &&
	grep "the driver.s library cannot be opened" ../out
'

test_done
