#!/bin/sh
# test: parallel long no-asan
test_description='what a machine with GPUs says of itself, and which card is used'
. "$(dirname "$0")/lib-fake-gpu.sh"
fake_repo task || exit

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
	await compiling || return
	ahead=$(runners spare)
	goes_on &&
	test -z "$ahead"
'

test_expect_success 'a driver that opens its own process works in the sandbox of Landlock too' '
	faults &&
	if ! AVOGIT_SANDBOX=landlock avogit doctor | grep "mend.*landlock\|machine cannot"
	then
		AVOGIT_SANDBOX=landlock avogit score --again HEAD >../out &&
		grep " pass, " ../out &&
		git notes --ref=avogit show HEAD | grep "sandbox=\"*Landlock"
	fi
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
		"spare hmm * odd" &&
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
	test_expect_code 128 score_again 2>../err &&
	grep "CUDA_ERROR_DEVICE_UNAVAILABLE" ../err &&
	CUDA_VISIBLE_DEVICES=1 "$AVOGIT" score --again HEAD >../out &&
	grep " pass, " ../out &&
	git notes --ref=avogit show HEAD >../note &&
	grep "gpu_uuid=GPU-fbfbfbfb-fbfb-fbfb-fbfb-fbfb$card" ../note &&
	test -e "/tmp/avogit-GPU-fbfbfbfb-fbfb-fbfb-fbfb-fbfb$card.lock" &&
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

# A compiler of this version, which fails unless it is told to read headers side by
# side, or where it is: compiler VERSION yes|no
compiler () {
	sed -e "s/V13.0.1/V$1/" -e "2i case \" \$* \" in *--version*) ;; \\
		*\" --threads=2 \"*) test $2 = yes || exit 9 ;; *) test $2 = no || exit 9 ;; esac" \
		"$fake/nvcc" >"$CUDA_HOME/bin/nvcc"
}

# What ptxas says of two architectures at once would be mixed, and older ones have
# no such option.
test_expect_success 'nvcc reads headers side by side, of one file for one architecture' '
	compiler 13.0.1 yes && passes &&
	compiler 11.2.67 yes && passes &&
	compiler 11.1.105 no && passes &&
	sed -i "s/^  arch: sm_90$/&\n  also_build: [sm_80]/" avogit.yaml &&
	git commit -qam "two architectures" &&
	compiler 13.0.1 no && passes &&
	sed -i -e "/^  also_build:/d" -e "s/^sources: .*/sources: [kernel.cu, other.cu]/" avogit.yaml &&
	echo "/* nothing */" >other.cu && git add other.cu &&
	git commit -qam "two files" &&
	sed "2i case \" \$* \" in *--threads*/other.cu*) exit 9 ;; esac" \
		"$fake/nvcc" >"$CUDA_HOME/bin/nvcc" && passes
'

test_done
