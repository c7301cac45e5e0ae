# What the command-line tests share: sharness, the built binary, and a
# repository with a small kernel.
#
# AVOGIT is the path of the binary. A test script sets test_description and
# sources this file, which lies in the folder above its own.
# SHARNESS_TEST_SRCDIR is tests/cli for all of them.

: "${AVOGIT:?must name the built avogit}"
SHARNESS_TEST_EXTENSION=sh
SHARNESS_TEST_SRCDIR=$(cd "$(dirname "$0")/.." && pwd)
SHARNESS_TEST_DIRECTORY=$(mktemp -d "${TMPDIR:-/tmp}/avogit-cli.XXXXXX")
chmod 755 "$SHARNESS_TEST_DIRECTORY"
. /usr/share/sharness/sharness.sh
cleanup 'cd / && rm -rf "$SHARNESS_TEST_DIRECTORY"'

unset $(git rev-parse --local-env-vars) XDG_CONFIG_HOME XDG_CACHE_HOME NO_COLOR
# Of the make that runs the tests: its jobs' descriptors are sharness's here.
unset MAKEFLAGS MFLAGS MAKELEVEL
LSAN_OPTIONS="suppressions=$SHARNESS_TEST_SRCDIR/lsan.supp:print_suppressions=0"
export LSAN_OPTIONS
# Each script has the locks of CPUs for itself: others run beside it. tests/prove.sh
# asks for them in a folder that stays: they tell that a script times something.
AVOGIT_LOCKS=${TEST_LOCKS:+$TEST_LOCKS/$(basename "$0" .sh)}
AVOGIT_LOCKS=${AVOGIT_LOCKS:-$SHARNESS_TEST_DIRECTORY}
mkdir -p "$AVOGIT_LOCKS"
export AVOGIT_LOCKS
# What the cases print, for tests/prove.sh, which shows it of those that fail.
if test -n "$TEST_SAID" && test "$verbose" != t
then
	exec 3>"$TEST_SAID/$(basename "$0" .sh)" 4>&3
fi
GIT_CONFIG_NOSYSTEM=1
export GIT_CONFIG_NOSYSTEM
git config --global user.name 'A Tester'
git config --global user.email 'tester@example.org'
git config --global init.defaultBranch main

test "$(id -u)" = 0 && test_set_prereq ROOT
command -v script >/dev/null && test_set_prereq TERMINAL

avogit () {
	"$AVOGIT" "$@"
}

# Reads lines of descriptor 8 until one has TEXT; false: they ended before. It is a
# pipe that is opened for reading alone, behind what writes to it was started in the
# background: so they end with that.
told () { # TEXT
	while read -r line <&8
	do
		case $line in
		*"$1"*)
			printf "%s\n" "$line"
			return 0 ;;
		esac
	done
	return 1
}

# A repository in ./NAME with the kernel of scale/ and its task, committed; the
# current folder is its top afterwards. On a busy machine a launch waits for
# milliseconds, so a gain that must be found there is one of tens: from 64 rounds
# (8 ms) to 16 (500 us). From 64 to 4 or 1 (30, 4 us) it may be found, too: launches
# of less than 100 us are timed in series, and what such a one might do alone often
# leaves it open on a busy machine. two_steps makes two gains possible.
make_repo () {
	git init -q "$1" &&
	cd "$1" &&
	cp "$SHARNESS_TEST_SRCDIR"/scale/* . &&
	git add . &&
	git commit -qm 'the kernel and its task'
}

# The same with a launch of half a millisecond, for tests of something else than
# gains: one to four rounds may be found faster, and need not be.
make_light_repo () {
	make_repo "$1" &&
	sed -i "s|^#define ROUNDS .*|#define ROUNDS 16 // avogit: 16 4 1|" kernel.c &&
	git commit -q --amend --no-edit kernel.c
}

# The kernel of ./ takes 50 ms now; 40 rounds (3 ms) are a gain that is found
# anywhere, and 10 rounds (200 us) are another: of 16 each, so that where others have
# nine tenths of a CPU they could not have made it. Committed.
two_steps () {
	sed -i "s|^#define ROUNDS .*|#define ROUNDS 160 // avogit: 160 40 10|" kernel.c &&
	git commit -qam "slower still"
}

# What the tunable MODE of ./kernel.c may be; the one that hangs (3) is not
# waited for long; committed.
offer_modes () {
	sed -i "s|// avogit: 0\$|// avogit: $*|" kernel.c &&
	sed -i "s/^  timeout:.*/  timeout: 2s/" avogit.yaml &&
	git commit -qam "modes $*"
}

# The work tree's kernel makes so many rounds, and what else is said. It can ask for
# a limit that nothing here counts on, and that `later` lowers:
# kernel_of_rounds COUNT [LINE]
kernel_of_rounds () {
	cat >kernel.c <<-EOF
	#include <sys/resource.h>

	void scale(const float *x, float *y, float a, int n)
	{
		struct rlimit queues = {0};

		getrlimit(RLIMIT_MSGQUEUE, &queues);
		for (int round = 0; round < $1; round++) {
			for (int i = 0; i < n; i++)
				y[i] = a * x[i];
			__asm__ volatile("" ::: "memory");
		}
		${2-}
	}
	EOF
}

crashes_later="if (queues.rlim_cur == 1000) __builtin_trap();"

# avogit, where that crashes.
later () {
	prlimit --msgqueue=1000 "$AVOGIT" "$@"
}

# Everything in ./ that is the user's and not avogit's, as text.
users_state () {
	git symbolic-ref HEAD
	git for-each-ref | grep -v -e refs/heads/avo/ -e refs/avogit/ \
		-e refs/notes/avogit
	find . -path ./.git -prune -o -type f -exec sha1sum {} + | sort
	sha1sum .git/index .git/config .git/HEAD
	find .git/logs -type f ! -path '*/avo/*' -exec sha1sum {} + | sort
}

# Starts `avogit evolve ARGS` and returns at its N-th attempt line, with the
# process still at work as $evolving; $evolved has the lines until then:
# evolve_until N ARGS
evolve_until () {
	evolve_lines=$1 evolved=
	shift
	rm -f progress &&
	mkfifo progress || return
	"$AVOGIT" evolve "$@" >progress 2>progress.err &
	evolving=$!
	exec 8<progress
	while test "$evolve_lines" -gt 0 && read -r line <&8
	do
		evolved="$evolved$line
"
		case $line in
		[*o.x]' #'*)
			evolve_lines=$((evolve_lines - 1)) ;;
		esac
	done
	test "$evolve_lines" = 0
}

# Reads the rest of its lines into ./rest; its exit code is the result.
evolve_rest () {
	cat <&8 >rest
	exec 8<&-
	wait "$evolving"
}

# Attempts of the one run, as `log` has them; the base is not one.
attempts () {
	avogit log --json | tr -d " \t" | sed -n '/^"attempt":[1-9]/p' | wc -l
}

# The transcripts of a run, oldest first: transcripts RUN
transcripts () {
	git rev-list --reverse --glob="refs/avogit/$1/logs" |
	while read -r id
	do
		git cat-file blob "$(git ls-tree "$id" | sed 's/.* blob \([0-9a-f]*\)	.*/\1/')"
	done
}
