#!/bin/sh
# test: parallel long no-asan
test_description='nothing of a sandbox is left, however a scoring ends

With Landlock, and with none, its files lie in /tmp.'
. "$(dirname "$0")/../gpu/lib-fake-gpu.sh"

# Its own, which may be in /tmp.
cp "$AVOGIT" avogit && AVOGIT=$PWD/avogit || exit

unshare -m -p --fork --mount-proc true 2>/dev/null && test_set_prereq ALONE

# In a /tmp of its own and among processes of its own: alone COMMAND... What is
# left of both is in ../left. A program in a sandbox dies a moment after what it
# was started with.
alone () {
	unshare -m -p --fork --mount-proc sh -c '
		top=$1 here=$PWD && shift &&
		mount --bind "$top" /mnt &&
		mount -t tmpfs -o mode=1777 tmpfs /tmp && mkdir -p "$top" &&
		mount --move /mnt "$top" && cd "$here" || exit 99
		"$@"
		code=$?
		for i in $(seq 50)
		do
			ps -e -o uid=,args= | grep -v "^ *0 " >../left || break
			sleep 0.1
		done
		find /tmp -maxdepth 1 -name "avogit-??????" >>../left
		exit $code
	' sh "$SHARNESS_TEST_DIRECTORY" "$@"
}

# A scoring ends so, with this on stdout or stderr: ends CODE TEXT [COMMAND...]
ends () {
	ends_code=$1 ends_text=$2
	shift 2
	test $# -gt 0 || set -- "$AVOGIT" score --again HEAD
	AVOGIT_SANDBOX=$level test_expect_code $ends_code alone "$@" \
		>../out 2>../err &&
	grep "$ends_text" ../out ../err &&
	test_must_be_empty ../left
}

# SIGTERM as soon as a compiler is at work.
cat >stopped <<-\EOF
#!/bin/sh
"$AVOGIT" score --again HEAD &
scoring=$!
until ps -e -o args= | grep -q "[n]vcc.*kernel.cu"
do
	kill -0 $scoring || exit
	sleep 0.05
done
kill -TERM $scoring && wait $scoring
EOF

# SIGTERM when no compiler is at work but the baseline's, for which the scoring waits.
cat >waiting <<-\EOF
#!/bin/sh
timeout --foreground -s KILL 90 "$AVOGIT" score --again HEAD &
scoring=$! alone=0
until test $alone = 20
do
	kill -0 $scoring || exit
	case $(ps -e -o args= | grep -o "[n]vcc.*[a-z]*\.cu" | sed "s/.*[ /]//" | sort -u | tr "\n" " ") in
	"other.cu ") alone=$((alone + 1)) ;;
	*) alone=0 ;;
	esac
	sleep 0.05
done
kill -TERM $scoring && wait $scoring
EOF

# A file that the driver reads is closed to the sandbox.
cat >closed <<-\EOF
#!/bin/sh
: >../nobodys && chmod 0 ../nobodys &&
mount --bind ../nobodys /proc/devices &&
exec "$AVOGIT" score --again HEAD
EOF
chmod +x stopped waiting closed

# Its baseline is built for ever.
test_expect_success 'setup: a kernel on a GPU whose baseline is built ahead' '
	fake_repo task &&
	{ cat reference.cu && echo "/* HELD */"; } >other.cu &&
	cat >>avogit.yaml <<-\EOF &&
	baselines:
	  other: {source: other.cu, entry: scale_reference}
	EOF
	git add . && git commit -qm baseline
'

for level in bwrap landlock none
do
	AVOGIT_SANDBOX=$level "$AVOGIT" doctor >doctor.out
	grep "this machine cannot" doctor.out >&4 ||
		test_set_prereq LEVEL_$level

	test_expect_success ALONE,LEVEL_$level "$level: a card that does not answer in the sandbox" '
		faults "spare init * 304" &&
		ends 128 "opening the GPU: unknown error (304)"
	'
	test_expect_success ALONE,LEVEL_$level "$level: does not build, stopped while it is built" '
		faults &&
		sed -i "1i nonsense" kernel.cu && git commit -qam nonsense &&
		ends 1 "build-failed: " &&
		sed -i "1s|.*|/* HELD */|" kernel.cu && git commit -qam held &&
		{ ends 130 "stopped" ../stopped; code=$?; } &&
		sed -i 1d kernel.cu && git commit -qam "as it was" &&
		test $code = 0
	'
done

# In any sandbox.
test_expect_success ALONE 'stopped while it waits for what is built ahead' '
	faults && level=none && ends 130 "stopped" ../waiting
'

test_expect_success ALONE,ROOT,LEVEL_landlock 'what a driver that finds no card may not open is named' '
	faults "spare init * 304" &&
	level=landlock &&
	ends 128 "(304): /proc/devices may not be opened here; " ../closed
'

test_expect_success 'setup: a kernel in C that crashes, and one that hangs' '
	make_repo light &&
	sed -i "s/^  timeout:.*/  timeout: 1s/" avogit.yaml &&
	sed -i "s/MODE 0/MODE 2/" kernel.c && git commit -qam crashes &&
	sed -i "s/MODE 2/MODE 3/" kernel.c && git commit -qam hangs
'

for level in bwrap landlock none
do
	test_expect_success ALONE,LEVEL_$level "$level: crashed, timed out" '
		ends 1 "timed-out: " &&
		ends 1 "crashed: " "$AVOGIT" score --again HEAD^
	'
done

test_done
