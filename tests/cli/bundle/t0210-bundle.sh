#!/bin/sh
# test: parallel long no-asan
test_description='the bundle runs where nothing is installed'
. "$(dirname "$0")/../lib-avogit.sh"

if ! command -v patchelf >/dev/null || ! command -v bwrap >/dev/null
then
	skip_all='no patchelf or no bubblewrap'
	test_done
fi

root=$(cd "$SHARNESS_TEST_SRCDIR/../.." && pwd)
# Libraries that a node does not have, and that neither git nor a compiler asks
# for: cases below take them away.
binaries='bundle/bin/avogit bundle/libexec/avogit/bwrap'
# Those that this build has, of the languages whose libraries are here.
built=${AVOGIT%/*}/libexec/avogit
languages=$(ls "$built" 2>/dev/null | sed -n 's/^avogit-runner-//p')
carried_runners=$(for l in $languages; do echo "bundle/libexec/avogit/avogit-runner-$l"; done)
carried_of_runners='libOpenCL libvulkan libcjson'
case $languages in
*opencl*) test -e /etc/OpenCL/vendors/pocl.icd && test_set_prereq OPENCL ;;
esac
case $languages in
*vulkan*)
	test -x /usr/bin/glslangValidator &&
		ls /usr/share/vulkan/icd.d/lvp_icd* >/dev/null 2>&1 &&
		test_set_prereq VULKAN ;;
esac

# make_bundle FOLDER
make_bundle () {
	set -- "$1" 1.2.3 "$AVOGIT" "${AVOGIT%/*}/avogit-runner"
	for l in $languages
	do
		set -- "$@" "$built/avogit-runner-$l"
	done
	"$root/dist/bundle.sh" "$@"
}
carried='libgit2 libcjson libyaml-0 libseccomp libmbedcrypto libssh2'
glibc='^\(linux-vdso\|ld-linux[^.]*\|libc\|libm\|libresolv\|libpthread\|libdl\|librt\)\.so'

if command -v bwrap >/dev/null &&
	bwrap --ro-bind / / --unshare-user true 2>/dev/null
then
	test_set_prereq BUBBLEWRAP
fi
grep -q __asan_init "$AVOGIT" || test_set_prereq NO_SANITIZER

# What the loader says of FILE, "NAME PATH" a line, glibc left out.
resolved () {
	LD_LIBRARY_PATH=${2-} ldd "$1" >ldd.out &&
	sed -n 's/^[[:space:]]*\([^ ]*\) => \(.*\) (0x.*/\1 \2/p' ldd.out |
		grep -v "$glibc"
}

# The libraries of PROGRAM into FOLDER, where it looks for them.
copy_libraries () {
	mkdir -p "$2" &&
	ldd "$1" | grep -o "/[^ ]*" | while read -r file
	do
		cp -L "$file" "$2/" || return 1
	done
}

test_expect_success 'a folder is made, with its sentence of what it is' '
	make_bundle "$PWD/bundle" >out 2>err &&
	test_must_be_empty out &&
	cat err &&
	head -n 1 bundle/BUNDLE | grep "^avogit 1\.2\.3," &&
	grep -E "glibc 2\.[0-9]+ or later" bundle/BUNDLE &&
	test "$(readlink bundle/bin/git-avogit)" = avogit &&
	test -x bundle/examples/demo.sh &&
	test -x bundle/libexec/avogit/bwrap &&
	for page in avogit git-avogit $("$AVOGIT" help --list | sed "s/^/avogit-/")
	do
		grep "^\.Dd " bundle/share/man/man1/$page.1 || return 1
	done &&
	grep "man -M share/man avogit" bundle/BUNDLE &&
	for l in $languages
	do
		grep "^    libexec/avogit/avogit-runner-$l\$" bundle/BUNDLE || return 1
	done &&
	grep "^    bwrap  *bubblewrap [0-9]" bundle/BUNDLE &&
	! test -e bundle.new
'

test_expect_success 'every library is found in the folder, whatever the environment' '
	mkdir elsewhere &&
	for library in $carried
	do
		cp -L bundle/lib/$library*.so.* elsewhere/ || return 1
	done &&
	for file in $binaries bundle/lib/*
	do
		resolved "$file" "$PWD/elsewhere" >where
		! grep -v " $PWD/bundle/" where || return 1
	done &&
	! grep "not found" ldd.out &&
	resolved bundle/bin/avogit >where &&
	for library in $carried
	do
		grep "^$library" where || return 1
	done
'

test_expect_success 'the libraries of a runner lie in the folder that the sandbox shows with it' '
	for file in $carried_runners
	do
		resolved "$file" "$PWD/elsewhere" >where &&
		test -s where &&
		! grep -v " $PWD/bundle/libexec/avogit/lib/" where || return 1
	done
'

test_expect_success 'no file names a folder of the machine that built it' '
	for file in $binaries $carried_runners $(find bundle -name "*.so*")
	do
		readelf -d "$file" |
			sed -n "s/.*(R\(UN\)\{0,1\}PATH).*\[\(.*\)\]/\2/p" |
			tee path &&
		case $(cat path) in
		"\$ORIGIN" | "\$ORIGIN/lib" | "\$ORIGIN/../lib" | "\$ORIGIN/../../lib") ;;
		*) return 1 ;;
		esac || return 1
	done
'

test_expect_success 'nothing is carried that nobody needs, and nothing of glibc' '
	for file in $binaries bundle/lib/*
	do
		readelf -d "$file" | sed -n "s/.*(NEEDED).*\[\(.*\)\]/\1/p"
	done | grep -v "$glibc" | sort -u >needed &&
	ls bundle/lib >carried &&
	test_cmp needed carried &&
	for file in $carried_runners
	do
		readelf -d "$file" | sed -n "s/.*(NEEDED).*\[\(.*\)\]/\1/p"
	done | grep -v "$glibc" | sort -u >needed &&
	{ ls bundle/libexec/avogit/lib 2>/dev/null || :; } >carried &&
	test_cmp needed carried
'

test_expect_success NO_SANITIZER 'what its symbols need of glibc is what it says' '
	needed=$(sed -n "s/.* glibc \([0-9.]*\) or later.*/\1/p" bundle/BUNDLE) &&
	for file in $binaries $carried_runners $(find bundle -name "*.so*")
	do
		readelf -W --version-info "$file"
	done | sed -n "s/.* Name: GLIBC_\([0-9.]*\) .*/\1/p" >versions &&
	{ cat versions; echo "$needed"; } | sort -V | tail -n 1 >highest &&
	echo "$needed" >expect &&
	test_cmp expect highest &&
	grep -x "$needed" versions
'

test_expect_success 'every library has its licence, and what that points to' '
	if test -s err
	then
		grep "licence is not in the bundle" err
	else
		sed -n "s/^    \(bwrap\|[^ ]*\.so\.[^ ]*\) *\([^ ]*\) .*/\2/p" \
			bundle/BUNDLE >packages &&
		test "$(wc -l <packages)" = "$(find bundle -name "*.so.*" -o -name bwrap | sed "s|.*/||" | sort -u | wc -l)" &&
		for package in libffi-dev $(cat packages)
		do
			test -s bundle/share/doc/$package/copyright || return 1
		done &&
		test -s bundle/share/doc/common-licenses/LGPL-2.1
	fi &&
	cmp "$root/LICENSE" bundle/share/doc/avogit/LICENSE
'

test_expect_success 'the same folder packs to the same bytes, whoever packs it' '
	"$root/dist/tar.sh" "$PWD/bundle" one.tar.gz &&
	mkdir again && cp -R bundle again/ &&
	touch -d "1999-01-01" again/bundle/BUNDLE again/bundle/bin &&
	chmod -R g+w again/bundle &&
	"$root/dist/tar.sh" "$PWD/again/bundle" two.tar.gz &&
	cmp one.tar.gz two.tar.gz &&
	SOURCE_DATE_EPOCH=86400 "$root/dist/tar.sh" bundle three.tar.gz &&
	tar -tvzf three.tar.gz | grep "1970-01-02.*bundle/BUNDLE" &&
	tar -tzf three.tar.gz >names &&
	tr / "\001" <names | LC_ALL=C sort | tr "\001" / | cmp - names &&
	mkdir unpacked &&
	tar -xzf one.tar.gz -C unpacked &&
	unpacked/bundle/bin/git-avogit --version &&
	diff -r bundle unpacked/bundle
'

test_expect_success 'a second one takes the place of the first' '
	: >bundle/lib/old.so &&
	make_bundle "$PWD/bundle" &&
	! test -e bundle/lib/old.so &&
	"$root/dist/tar.sh" "$PWD/bundle" two.tar.gz &&
	cmp one.tar.gz two.tar.gz
'

test_expect_success 'a runner that needs a library is refused' '
	test_must_fail "$root/dist/bundle.sh" "$PWD/other" 1 "$AVOGIT" \
		bundle/lib/libgit2.so.* 2>err &&
	grep "^bundle: the runner, .* needs " err &&
	! test -e other
'

# A machine with glibc, a shell, what util-linux and coreutils have, of which a
# sandbox needs two programs, and git, and no more. Its git has libraries of
# its own that nothing else finds.
make_bare_machine () {
	mkdir -p bare/bin bare/git bare/tmp bare/proc bare/dev &&
	loader=$(readelf -lW "$AVOGIT" |
		sed -n 's/.*interpreter: \(.*\)\]/\1/p') &&
	mkdir -p "bare/${loader%/*}" bare/usr/lib &&
	cp -L "$loader" "bare/$loader" &&
	ldd "$AVOGIT" | sed -n 's/.* => \([^ ]*\).*/\1/p' |
		grep -e '/libc\.so' -e '/libm\.so' -e '/libresolv\.so' |
		while read -r file
		do
			cp -L "$file" bare/usr/lib/ || return 1
		done &&
	ln -s usr/lib bare/lib &&
	cp -L /bin/sh bare/bin/sh &&
	for program in /bin/true /usr/bin/prlimit
	do
		cp -L "$program" bare/bin/ &&
		copy_libraries "$program" bare/usr/lib || return 1
	done &&
	copy_libraries "$(command -v git)" bare/git &&
	cp -L "$(command -v git)" bare/git/git &&
	cat >bare/bin/git <<-\EOF &&
	#!/bin/sh
	LD_LIBRARY_PATH=/git exec /git/git "$@"
	EOF
	chmod +x bare/bin/git
}

on_bare_machine () {
	bwrap --unshare-all --die-with-parent --ro-bind bare / --proc /proc \
		--dev /dev --tmpfs /tmp --dir /opt --ro-bind bundle /opt/avogit \
		--bind repo /repo --chdir /repo --clearenv \
		--setenv PATH /bin --setenv HOME /repo "$@"
}

test_expect_success BUBBLEWRAP 'on a machine with glibc, a shell and git' '
	mkdir bare repo &&
	mkdir -p bare/opt/avogit bare/repo &&
	make_bare_machine &&
	! ls bare/lib | grep -v -e "$glibc" -e libsmartcols &&
	echo "avogit $("$AVOGIT" --version | cut -d" " -f2)" >expect &&
	on_bare_machine /opt/avogit/bin/avogit --version >out &&
	test_cmp expect out
'

test_expect_success BUBBLEWRAP 'it starts there through its link and a path of another folder' '
	on_bare_machine sh -c "cd / && PATH=/opt/avogit/bin:/bin &&
		git-avogit --version && git avogit --version" >out &&
	cat expect expect >twice &&
	test_cmp twice out
'

test_expect_success BUBBLEWRAP 'doctor says there what is missing, and no library is' '
	on_bare_machine sh -c "git init -q ." &&
	test_expect_code 1 on_bare_machine /opt/avogit/bin/avogit doctor \
		>out 2>err &&
	test_must_be_empty err &&
	grep "^missing  *compiler" out &&
	grep "^ok  *git  *git version" out &&
	grep "^ok  *repository  */repo/.git" out &&
	! grep "shared librar" out
'

test_expect_success BUBBLEWRAP 'so does init, which reads a kernel by the compiler' '
	cp "$SHARNESS_TEST_SRCDIR/scale/kernel.c" repo/ &&
	test_expect_code 128 on_bare_machine /opt/avogit/bin/avogit \
		init kernel.c >out 2>err &&
	grep "no compiler cc .*: install gcc" err &&
	test ! -e repo/avogit.yaml
'

# With a compiler, but without the libraries that were carried: each is hidden
# behind an empty file.
without_carried () {
	hide=
	for library in $carried $carried_of_runners
	do
		for file in $(ldconfig -p | sed -n "s|.* => \(.*/$library\.so.*\)|\1|p")
		do
			hide="$hide --ro-bind /dev/null $(readlink -f "$file")"
		done
	done
	bwrap --dev-bind / / $hide "$@"
}

if test_have_prereq BUBBLEWRAP && without_carried bwrap --ro-bind / / \
	--unshare-user true 2>/dev/null
then
	test_set_prereq NESTED
fi

# With the processes of this machine, as this user: a namespace that is within
# another may hide nothing of /proc, or a sandbox can have none of its own.
sandbox_of () {
	bwrap --die-with-parent --cap-add ALL --ro-bind bare / --dev-bind /proc /proc \
		--dev /dev --tmpfs /tmp --dir /opt --ro-bind bundle /opt/avogit \
		--bind repo /repo --chdir /repo --clearenv \
		--setenv PATH /bin --setenv HOME /repo "$@" \
		/opt/avogit/bin/avogit doctor | sed -n "s/^[^ ]* *sandbox *//p"
}

test_expect_success NESTED 'the sandbox there is the bubblewrap of the folder' '
	version=$(bwrap --version) &&
	sandbox_of >out &&
	cat out &&
	grep "^$version, seccomp, uid " out &&
	chmod -x bundle/libexec/avogit/bwrap &&
	{ sandbox_of >out; chmod +x bundle/libexec/avogit/bwrap; } &&
	cat out &&
	grep -e "^Landlock ABI [0-9]*, seccomp, uid " -e "^none: no bubblewrap" out
'

test_expect_success NESTED 'a bubblewrap of the machine that fails is not used there' '
	printf "#!/bin/sh\necho bubblewrap 9; test \$1 = --version\n" >bare/bin/bwrap &&
	chmod +x bare/bin/bwrap &&
	{ sandbox_of >out; rm bare/bin/bwrap; } &&
	cat out &&
	grep "^$(bwrap --version), seccomp" out
'

# checked EXAMPLE: its runner keeps the protocol, as the avogit of the bundle starts
# it. Nothing is timed.
checked () {
	"$root/examples/make-repo.sh" "$1" "$PWD/$1" && (
		cd "$1" &&
		without_carried ../bundle/bin/avogit score --check-runner HEAD >out &&
		cat out &&
		! grep "not ok" out &&
		grep "^ok  *go: the right outputs" out
	)
}

test_expect_success NESTED,OPENCL 'a kernel in OpenCL runs there, by the loader that was carried' '
	test_expect_code 127 without_carried "$built/avogit-runner-opencl" &&
	checked opencl-matmul
'

test_expect_success NESTED,VULKAN 'so does a compute shader' '
	test_expect_code 127 without_carried "$built/avogit-runner-vulkan" &&
	checked vulkan-softmax
'

test_expect_success NESTED 'a kernel is scored, and git reads its score' '
	test_expect_code 127 without_carried "$AVOGIT" --version &&
	bundle=$PWD/bundle/bin/avogit &&
	make_repo scored &&
	without_carried "$bundle" score HEAD >../out &&
	grep pass ../out &&
	git log -1 --notes=avogit | grep "verdict=pass"
'

# Of an agent the sandbox shows a copy of avogit, elsewhere than in the folder.
test_expect_success NESTED 'an agent can start avogit there' '
	cat >>avogit.yaml <<-\EOF &&
	operator: {command: [sh, -c, "$AVOGIT --version >&2; false"]}
	EOF
	git commit -qam "an agent" &&
	without_carried "$bundle" trust --yes >../out &&
	test_expect_code 1 without_carried "$bundle" evolve --attempts 1 >../out 2>&1 &&
	cat ../out &&
	grep "last words: avogit [0-9]" ../out
'

test_done
