#!/bin/sh
# test: parallel
test_description='avogit doctor: what the machine has and lacks'
. "$(dirname "$0")/../lib-avogit.sh"

test_expect_success 'a line each for compiler, sandbox, git, cpu, noise, memory' '
	make_repo repo &&
	avogit doctor >out &&
	for what in compiler sandbox git repository identity task cpu load \
		noise memory
	do
		grep -E "^(ok|warn) +$what " out || return 1
	done
'

test_expect_success 'JSON holds the same findings' '
	avogit doctor --json >out &&
	grep "\"schema\":[[:space:]]*1" out &&
	grep "\"compiler\"" out
'

test_expect_success 'NVIDIA tools are told in a line with their versions' '
	mkdir -p ../tools &&
	cat >../tools/ncu <<-\EOF &&
	#!/bin/sh
	echo "NVIDIA (R) Nsight Compute Command Line Profiler"
	echo "Copyright (c) 2018-2025 NVIDIA Corporation"
	echo "Version 2025.3.1.0 (build 36398880) (public-release)"
	EOF
	cat >../tools/cuobjdump <<-\EOF &&
	#!/bin/sh
	echo "Cuda compilation tools, release 13.0, V13.0.85"
	EOF
	printf "#!/bin/sh\nexit 1\n" >../tools/compute-sanitizer &&
	chmod +x ../tools/* &&
	(
		AVOGIT_NCU=$(cd ../tools && pwd)/ncu &&
		AVOGIT_CUOBJDUMP=$(cd ../tools && pwd)/cuobjdump &&
		AVOGIT_COMPUTE_SANITIZER=$(cd ../tools && pwd)/compute-sanitizer &&
		export AVOGIT_NCU AVOGIT_CUOBJDUMP AVOGIT_COMPUTE_SANITIZER &&
		avogit doctor >out
	) &&
	line="ncu 2025.3.1.0, compute-sanitizer, cuobjdump 13.0" &&
	grep -E "^ok +profiler +$line *$" out
'

test_expect_success 'for a kernel in CUDA what is missing is named' '
	git init -q ../cuda &&
	(
		cd ../cuda &&
		cp "$SHARNESS_TEST_SRCDIR"/saxpy/* . &&
		git add . &&
		git commit -qm "the kernel and its task" &&
		AVOGIT_NCU=/nonexistent/ncu &&
		export AVOGIT_NCU &&
		test_might_fail avogit doctor >../out
	) &&
	grep -E "^warn +profiler .*no ncu.*; mend: " ../out
'

test_expect_success 'a missing compiler is missing, with the mend, exit code 1' '
	sed -i "s/^  compiler:.*/  compiler: no-such-cc/" avogit.yaml &&
	git commit -qam "no compiler" &&
	test_expect_code 1 avogit doctor >out &&
	grep "^missing *compiler .*no-such-cc.*mend: " out
'

test_expect_success 'without an identity it warns and says the mend' '
	git config --global --unset user.name &&
	git config --global --unset user.email &&
	test_might_fail avogit doctor >out &&
	grep "^warn *identity .*mend: git config" out
'

test_expect_success 'outside a repository it still looks at the machine' '
	mkdir ../empty &&
	avogit -C ../empty doctor >out &&
	grep "^warn *repository" out &&
	grep "^ok *compiler" out
'

test_done
