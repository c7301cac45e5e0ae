#!/bin/sh
# test: parallel long no-asan
test_description='CUDA: what the compiler says, where there need be no GPU'
. "$(dirname "$0")/../lib-avogit.sh"

nvcc=${CUDA_HOME:+$CUDA_HOME/bin/}nvcc
command -v "$nvcc" >/dev/null || nvcc=/usr/local/cuda/bin/nvcc
if ! command -v "$nvcc" >/dev/null
then
	skip_all='no nvcc'
	test_done
fi

# No machine has this driver: the tests are of what is said without a GPU.
AVOGIT_LIBCUDA=/nonexistent/libcuda.so.1
export AVOGIT_LIBCUDA

# A repository in ./NAME with the kernel of saxpy/, committed.
make_cuda_repo () {
	git init -q "$1" &&
	cd "$1" &&
	cp "$SHARNESS_TEST_SRCDIR"/saxpy/* . &&
	git add . &&
	git commit -qm 'the kernel and its task'
}

test_expect_success 'it builds, and what it takes of a GPU is told' '
	make_cuda_repo repo &&
	test_expect_code 1 avogit score HEAD >../out 2>../err &&
	grep "not-run: it builds for sm_90a" ../out &&
	grep "no GPU here" ../out &&
	grep -E "kernel +registers +spills +stack +shared" ../out &&
	grep "saxpy_kernel(float const\*, float\*, int)" ../out &&
	grep -E "saxpy_kernel.* [0-9]+ +0/0 " ../out &&
	test "$(cat ../err | wc -l)" = 1 &&
	grep "nothing was run" ../err
'

test_expect_success 'the note and show say it too' '
	git notes --ref=avogit show HEAD >../note &&
	grep " 000 verdict=not-run .*trust=none" ../note &&
	grep -E " 700 kernel=[^ ]*saxpy_kernel[^ ]* registers=[1-9][0-9]* spills=0/0 stack=0 shared=0" ../note &&
	grep -E "compiler=\"nvcc [0-9.]+, gcc " ../note &&
	avogit show HEAD >../out &&
	grep -E "saxpy_kernel.* 0/0 " ../out
'

test_expect_success 'the same again is not compiled, nor noted twice' '
	test_expect_code 1 avogit score --json HEAD >../json &&
	grep -o "\"seconds_build\":[^,]*" ../json >../seconds &&
	awk -F: "{ exit !(\$2 < 0.2) }" ../seconds &&
	git notes --ref=avogit show HEAD >../after &&
	test_cmp ../note ../after
'

test_expect_success 'an attempt is proposed to a machine that can run it' '
	cd .. && make_cuda_repo proposed &&
	sed -i "1i // one" kernel.cu &&
	avogit score --run p -m "a comment" >../out &&
	grep "#1 .* in flight .*a comment" ../out &&
	grep "it builds, and nothing can be run here: .avogit sync" ../out &&
	avogit score --run p -m "the same comment" >../out &&
	grep "^nothing new: the work tree is .*, or an attempt of it" ../out &&
	! grep "in flight" ../out &&
	sed -i "1i broken" kernel.cu &&
	test_expect_code 1 avogit score --run p -m "broken" >../out &&
	grep "#2 .* build-failed .*broken: kernel.cu" ../out &&
	test_expect_code 1 avogit score --run p -m "broken as before" >../out &&
	git checkout -q kernel.cu &&
	avogit log --run p >../out &&
	grep "#1 .* in flight" ../out &&
	avogit runs | grep "^p .* hand  *3 " &&
	test_expect_code 128 avogit score --pending 2>../err &&
	grep "cannot be run here" ../err &&
	cd ../repo
'

test_expect_success 'flags that a source line chooses' '
	sed -i "1i // avogit-flags: -maxrregcount=32" kernel.cu &&
	test_expect_code 1 avogit score --json >../json &&
	grep "O3 -maxrregcount=32" ../json &&
	sed -i "s/=32/=16/" kernel.cu &&
	test_expect_code 1 avogit score >../out &&
	grep "build-failed: kernel.cu:1: the flag -maxrregcount=16 may not be" ../out
'

test_expect_success 'a compile error comes with its line' '
	git checkout -q kernel.cu &&
	sed -i "s/2 \* x/2 * z/" kernel.cu &&
	test_expect_code 1 avogit score >../out 2>../err &&
	grep "build-failed: kernel.cu(6): error: identifier .z. is undefined" ../out &&
	test_must_be_empty ../err
'

test_expect_success 'an error in inline PTX comes with its line' '
	git checkout -q kernel.cu &&
	sed -i "s/y\[i\] +=.*/asm volatile(\"mov.b99 %r1, 1;\");/" kernel.cu &&
	test_expect_code 1 avogit score >../out &&
	grep "build-failed: kernel.cu(6): .*b99" ../out
'

test_expect_success 'no file of the machine reaches the compiler' '
	git checkout -q kernel.cu &&
	echo "#include \"/etc/passwd\"" >>kernel.cu &&
	test_expect_code 1 avogit score >../out &&
	grep -E "build-failed: .*(No such file|Permission denied|cannot open)" ../out &&
	! grep "root:" ../out &&
	git checkout -q kernel.cu &&
	echo "asm(\".incbin \\\"/etc/passwd\\\"\");" >>kernel.cu &&
	test_expect_code 1 avogit score >../out &&
	grep "build-failed: " ../out &&
	! grep "root:" ../out
'

test_expect_success 'a reference that does not compile is told' '
	git checkout -q kernel.cu &&
	echo "int x = ;" >>reference.cu &&
	git commit -qam "a broken reference" &&
	test_expect_code 128 avogit score 2>../err &&
	grep "reference does not build: reference.cu([0-9]*): error" ../err &&
	git reset -q --hard HEAD~1
'

test_expect_success 'so is a function that C cannot call, or that is not there' '
	sed -i "s/extern \"C\"//" kernel.cu &&
	test_expect_code 1 avogit score >../out &&
	grep "build-failed: avogit.yaml: entry: the sources define no function .saxpy. that C could call: declare it extern .C." ../out &&
	git checkout -q kernel.cu &&
	sed -i "s/entry: saxpy_reference/entry: nosuch/" avogit.yaml &&
	git commit -qam "another reference" &&
	test_expect_code 128 avogit score 2>../err &&
	grep "avogit.yaml: reference.entry: its sources define no function .nosuch.; they have: saxpy_reference" ../err &&
	git reset -q --hard HEAD~1
'

test_expect_success 'with rdc a device function may lie in another file' '
	git checkout -q kernel.cu &&
	sed -i "s/kernel.cu\]/\"*kernel.cu\", twice.cu]/; s/^build:/&\n  rdc: true/" avogit.yaml &&
	echo "__device__ float twice(float x) { return 2 * x; }" >twice.cu &&
	sed -i "1i __device__ float twice(float);
		s/2 \* x\[i\]/twice(x[i])/" kernel.cu &&
	git add . && git commit -qm rdc &&
	test_expect_code 1 avogit score HEAD >../out &&
	grep -E "saxpy_kernel.* [0-9]+ +0/0 " ../out &&
	git notes --ref=avogit show HEAD >../note &&
	grep " cubins=" ../note
'

test_expect_success 'or in a file of PTX' '
	sed -i "s/twice.cu/twice.ptx/" avogit.yaml &&
	git rm -qf twice.cu &&
	sed -i "s/^__device__ float twice/extern \"C\" &/" kernel.cu &&
	cat >twice.ptx <<-\EOF &&
	.version 8.0
	.target sm_80
	.address_size 64
	.visible .func (.param .b32 func_retval0) twice(.param .b32 twice_param_0)
	{
		.reg .f32 %f<3>;
		ld.param.f32 %f1, [twice_param_0];
		add.f32 %f2, %f1, %f1;
		st.param.f32 [func_retval0+0], %f2;
		ret;
	}
	EOF
	git add . && git commit -qm ptx &&
	test_expect_code 1 avogit score HEAD >../out &&
	grep -E "saxpy_kernel.* [0-9]+ +0/0 " ../out
'

test_expect_success 'the task may build by a command of its own' '
	git checkout -q HEAD~2 kernel.cu avogit.yaml &&
	sed -i "s/^  flags:.*/  command: [sh, build.sh]/
		s/^  allow:.*/  object: out\/kernel.so\n  files: [build.sh]/
		/rdc:/d" avogit.yaml &&
	cat >build.sh <<-\EOF &&
	mkdir out && nvcc -arch=$AVOGIT_ARCH -shared \
		-Xcompiler -fPIC -o out/kernel.so kernel.cu
	EOF
	git add . && git commit -qm command &&
	test_expect_code 1 avogit score HEAD >../out &&
	grep "not-run" ../out &&
	grep -E "saxpy_kernel.* [0-9]+ +0/0 " ../out
'

test_expect_success 'a flag that names a program is no flag of a task' '
	cp "$SHARNESS_TEST_SRCDIR"/saxpy/avogit.yaml . &&
	for flag in -ccbin=x --compiler-bindir=x -Xcompiler=-fplugin=x.so \
		-Xcompiler=-B. -run --keep-dir=x @file -Xptxas=-o,x \
		-Xlinker=x -arch=sm_80 -include=x -lcublas
	do
		sed "s/flags: .*/flags: [\"$flag\"]/" \
			"$SHARNESS_TEST_SRCDIR"/saxpy/avogit.yaml >avogit.yaml &&
		git commit -qam "$flag" &&
		test_must_fail avogit score HEAD 2>../err &&
		grep "build.flags: found .$flag" ../err || return
	done
'

test_expect_success 'what init writes of a kernel builds, once its reference is said' '
	git init -q ../fresh && cd ../fresh &&
	cp "$SHARNESS_TEST_SRCDIR"/saxpy/kernel.cu . &&
	avogit init kernel.cu >../out &&
	sed -i "s/^ *direction: out.*/    direction: inout/" avogit.yaml &&
	git add . && git commit -qm task &&
	test_expect_code 128 avogit score 2>../err &&
	grep "say here what is right" ../err &&
	sed -i "/^#error/d" reference.cu && git commit -qam reference &&
	sed -i "1i // avogit-flags: -O3 | -maxrregcount=128" kernel.cu &&
	test_expect_code 1 avogit score >../out &&
	grep "not-run: it builds for" ../out &&
	cd ../repo
'

test_expect_success 'another architecture is a question, and not recorded' '
	cp "$SHARNESS_TEST_SRCDIR"/saxpy/* . &&
	git add . && git commit -qm "another question" --allow-empty &&
	test_expect_code 1 avogit score --arch sm_80 HEAD >../out &&
	grep "not-run: it builds for sm_80;" ../out &&
	grep -E "saxpy_kernel.* [0-9]+ +0/0 " ../out &&
	test_must_fail git notes --ref=avogit show HEAD &&
	avogit profile --ptx --arch sm_80 >../out &&
	grep "^.target sm_80" ../out &&
	test_expect_code 2 avogit score --arch "sm_9; rm" HEAD 2>../err &&
	grep "^avogit: --arch sm_9; rm: it must be such as sm_80 or sm_90a" ../err &&
	test_expect_code 128 avogit score --arch sm_99 HEAD 2>../err &&
	grep "Unsupported gpu architecture .compute_99" ../err
'

test_expect_success 'without a GPU nothing is evolved' '
	cp "$SHARNESS_TEST_SRCDIR"/saxpy/* . &&
	git add . &&
	git commit -qm task --allow-empty &&
	test_expect_code 128 avogit evolve --operator tuner 2>../err &&
	grep "no GPU here to run kernels on" ../err &&
	test -z "$(git for-each-ref refs/heads/avo)"
'

test_expect_success 'doctor knows the compiler and that there is no GPU' '
	test_might_fail avogit doctor >../out &&
	grep -E "nvcc +nvcc [0-9]" ../out &&
	grep -E "warn +gpu +no GPU" ../out
'

test_expect_success 'a folder of libraries that the sandbox cannot show is one sentence' '
	folder=$(mktemp -d /tmp/avogit-libraries.XXXXXX) &&
	test_when_finished "rmdir $folder" &&
	make_cuda_repo libraries &&
	if "$AVOGIT" doctor | grep "sandbox *bubblewrap"
	then
		AVOGIT_LIBRARY_PATH=$folder test_expect_code 128 avogit score HEAD 2>../err &&
		grep "^avogit: $folder, which AVOGIT_LIBRARY_PATH names, cannot be shown in the sandbox" ../err
	fi &&
	cd ..
'

test_done
