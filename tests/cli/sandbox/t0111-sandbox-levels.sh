#!/bin/sh
# test: parallel long no-asan
test_description='each level of the sandbox: what it is called, and the same verdicts

AVOGIT_SANDBOX asks for a level; the machine may not have every one.'
. "$(dirname "$0")/../lib-avogit.sh"

# Says on stdout what is in force under AVOGIT_SANDBOX=$1; false if the machine
# does not have that.
described () {
	AVOGIT_SANDBOX=$1 "$AVOGIT" doctor |
		sed -n 's/^[a-z]* *sandbox *//p' >described.all
	! grep "AVOGIT_SANDBOX=$1: this machine cannot" described.all ||
		return
	sed 's/; mend: .*//' described.all
}

for level in none landlock bwrap
do
	described $level >/dev/null && test_set_prereq "LEVEL_$level"
done
(
	unshare -Ur true &&
	setpriv --reuid 61300 --regid 61300 --clear-groups \
		test -x "$AVOGIT"
) 2>/dev/null && test_have_prereq ROOT && test_set_prereq LOCKED
unshare -m mount --bind /dev/null "$(command -v bwrap)" 2>/dev/null &&
	test_set_prereq HIDE

test_expect_success 'a kernel that is right and one that is wrong' '
	make_repo repo &&
	sed -i "s/MODE 0/MODE 5/" kernel.c &&
	git commit -qam "writes before its output" &&
	sed -i "s/MODE 5/MODE 2/" kernel.c &&
	git commit -qam "writes anywhere"
'

for level in bwrap landlock none
do
	test_expect_success "LEVEL_$level" "$level: a pass, with the sandbox in its note" '
		AVOGIT_SANDBOX='$level' avogit score --again HEAD^^ >../out &&
		grep "pass, " ../out &&
		git notes --ref=avogit show HEAD^^ >../note &&
		case '$level' in
		bwrap) what="bubblewrap [0-9.]*, seccomp" ;;
		landlock) what="Landlock ABI [0-9]*, seccomp" ;;
		none) what="none: AVOGIT_SANDBOX=none asks for it" ;;
		esac &&
		grep "sandbox=\"$what" ../note
	'
	test_expect_success "LEVEL_$level" "$level: out of bounds, and a crash" '
		AVOGIT_SANDBOX='$level' test_expect_code 1 \
			avogit score --again HEAD^ >../out &&
		grep "out-of-bounds: " ../out &&
		AVOGIT_SANDBOX='$level' test_expect_code 1 \
			avogit score --again HEAD >../out &&
		grep "crashed: " ../out
	'
done

# Honest as long as it cannot write the memory of avogit or of another program
# that it started: without namespaces it sees them, and they are of its user.
test_expect_success 'a kernel that opens the memory of other programs' '
	cat >kernel.c <<-\EOF &&
	#include <fcntl.h>
	#include <stdio.h>
	#include <unistd.h>

	static int parent_of(int pid)
	{
		char path[64];
		int parent = 0;
		FILE *f;

		snprintf(path, sizeof path, "/proc/%d/stat", pid);
		f = fopen(path, "r");
		if (f && fscanf(f, "%*d (%*[^)]) %*c %d", &parent) != 1)
			parent = 0;
		if (f)
			fclose(f);
		return parent;
	}

	static int opens(int pid)
	{
		char path[64];
		int fd;

		snprintf(path, sizeof path, "/proc/%d/mem", pid);
		fd = open(path, O_RDWR);
		if (fd >= 0)
			close(fd);
		return fd >= 0;
	}

	void scale(const float *x, float *y, float a, int n)
	{
		int opened = opens(getppid());

		for (int pid = 1; pid < 100000 && !opened; pid++)
			opened = pid != getpid() &&
				 parent_of(pid) == getppid() && opens(pid);
		for (int i = 0; i < n; i++)
			y[i] = opened ? 0 : a * x[i];
	}
	EOF
	git commit -qam "opens the memory of others" &&
	git tag opens
'

for level in bwrap landlock none
do
	test_expect_success "LEVEL_$level" "$level: the memory of judge and rivals cannot be opened" '
		AVOGIT_SANDBOX='$level' avogit score --again --time 1s \
			--against HEAD^^^ opens >../out &&
		grep "pass, " ../out
	'
done

test_expect_success 'an empty variable asks for nothing' '
	AVOGIT_SANDBOX= AVOGIT_LOCKS= AVOGIT_LIBRARY_PATH= AVOGIT_TRACE= "$AVOGIT" doctor >../empty &&
	"$AVOGIT" doctor >../unset &&
	grep "^[a-z]* *sandbox " ../unset | grep -v "AVOGIT_SANDBOX" >../sandbox &&
	grep -xFf ../sandbox ../empty
'

test_expect_success 'a level that does not exist is one sentence' '
	AVOGIT_SANDBOX=strong test_expect_code 128 \
		avogit score HEAD^^ 2>../err &&
	grep "AVOGIT_SANDBOX=strong" ../err &&
	test "$(wc -l <../err)" = 1
'

# In a mount namespace of its own.
hide () {
	unshare -m sh -c '
		mount --bind /dev/null "$(command -v bwrap)" && exec "$@"' \
		sh "$@"
}

test_expect_success HIDE,LEVEL_landlock 'without bubblewrap: Landlock, and what to install' '
	hide "$AVOGIT" doctor >../out &&
	grep "^warn *sandbox *Landlock .*; mend: .*apt-get install bubblewrap" \
		../out &&
	AVOGIT_SANDBOX=bwrap test_expect_code 128 hide "$AVOGIT" score HEAD^^ \
		2>../err &&
	grep "AVOGIT_SANDBOX=bwrap: .*not installed" ../err
'

test_expect_success HIDE,ROOT,LEVEL_bwrap 'one that is carried below a folder of root alone is used' '
	mkdir -p closed/bin closed/libexec/avogit &&
	cp "$AVOGIT" closed/bin/avogit &&
	cp "$(command -v bwrap)" closed/libexec/avogit/bwrap &&
	chmod 700 closed &&
	hide "$PWD/closed/bin/avogit" doctor >out &&
	grep "^ok *sandbox *bubblewrap .*, uid [1-9]" out
'

test_expect_success HIDE,LEVEL_bwrap 'one that cannot show a process alone hides the files of /proc one by one' '
	cp "$(command -v bwrap)" ../bwrap &&
	cat >../refuses <<-EOF &&
	#!/bin/sh
	if test "\$1" = --args && grep -q /newroot /proc/self/fd/"\$2"
	then
		exit 1
	fi
	exec "$(realpath ..)/bwrap" "\$@"
	EOF
	chmod +x ../refuses &&
	unshare -m sh -c "
		mount --bind ../refuses \"\$(command -v bwrap)\" &&
		exec \"\$@\"" sh "$AVOGIT" score --again HEAD^^^ >../out &&
	grep "pass, " ../out &&
	git notes --ref=avogit show HEAD^^^ >../note &&
	tail -n 1 ../note | grep "sandbox=\"bubblewrap"
'

# As an ordinary user, where no user namespace may be made.
lock () {
	setpriv --reuid 61300 --regid 61300 --clear-groups unshare -Ur sh -c '
		echo 0 >/proc/sys/user/max_user_namespaces &&
		cd / && exec "$@"' sh "$@"
}

test_expect_success LOCKED,LEVEL_landlock 'without user namespaces: Landlock, and the switch' '
	lock "$AVOGIT" doctor >../out &&
	grep "^warn *sandbox *Landlock .*; mend: .*sysctl user.max_user_namesp" \
		../out &&
	AVOGIT_SANDBOX=bwrap lock "$AVOGIT" doctor >../out &&
	grep "^warn *sandbox *AVOGIT_SANDBOX=bwrap: .*cannot" ../out
'

test_done
