#!/bin/sh
# test: parallel
test_description='avogit scan: which function is worth the work'
. "$(dirname "$0")/../lib-avogit.sh"

DATA=$SHARNESS_TEST_SRCDIR/../data
command -v valgrind >/dev/null && test_set_prereq VALGRIND

# Tools that the test makes up, before all others.
mkdir tools
PATH=$PWD/tools:$PATH

# tool NAME <SCRIPT
tool () {
	cat >"$SHARNESS_TRASH_DIRECTORY/tools/$1" &&
	chmod +x "$SHARNESS_TRASH_DIRECTORY/tools/$1"
}

test_expect_success 'setup: a program with debug information, and a perf' '
	git init -q repo && cd repo &&
	cp "$SHARNESS_TEST_SRCDIR"/scale/kernel.c . &&
	cat >main.c <<-\EOF &&
	#include <stdio.h>
	void scale(const float *x, float *y, float a, int n);
	static float x[4096], y[4096];
	int main(int argc, char **argv)
	{
		for (int i = 0; i < 20; i++)
			scale(x, y, 2, 4096);
		printf("said %s\n", argc > 1 ? argv[1] : "nothing");
		return 3;
	}
	EOF
	cc -g -O1 -fno-inline -o ../prog kernel.c main.c &&
	git add . && git commit -qm "a program" &&
	tool perf <<-\EOF
	#!/bin/sh
	case $1 in
	record) while test "$1" != --; do shift; done; shift; exec "$@" ;;
	script) cat "$PERF_SAYS" ;;
	esac
	EOF
'

test_expect_success 'shares, Amdahl, and where a function begins' '
	for i in 1 2 3 4 5 6
	do
		echo "    250000      55e99e56a16b scale ($SHARNESS_TRASH_DIRECTORY/prog)"
	done >samples &&
	for i in 1 2 3 4
	do
		echo "    250000      7f587169262a memcpy (/usr/lib/libc.so.6)"
	done >>samples &&
	PERF_SAYS=$PWD/samples avogit scan -- ../prog --help >out 2>err &&
	head -n 1 out | grep "^said --help" &&
	grep "^2 functions; shares are of time$" out &&
	grep "^1  60.0%  1.43x  *2.50x  *not known  scale  *kernel.c:[0-9]" out &&
	grep "^2  40.0%  1.25x  *1.67x  *not known  memcpy  *libc.so.6" out &&
	grep "its ceiling is not known" out &&
	grep "^avogit: the command ended with exit code 3" err
'

test_expect_success 'as JSON' '
	PERF_SAYS=$PWD/samples avogit scan --json -n 1 -- echo ran >out 2>err &&
	grep "^ran$" err &&
	perl -MJSON::PP -e "
		local \$/; \$j = decode_json(<STDIN>);
		\$j->{schema} == 1 && \$j->{of} eq q(time) && @{\$j->{hottest}} == 1 or die;
		\$f = \$j->{hottest}[0];
		\$f->{name} eq q(scale) && abs(\$f->{share} - 0.6) < 1e-9 && !exists \$f->{of_ceiling} or die" <out
'

test_expect_success 'names that are hostile reach no terminal, no shell and no file' '
	printf "  1 5 a\033]0;x\007\342\200\256\$(touch owned);b (/nowhere\033[31m/x)\n" >hostile &&
	PERF_SAYS=$PWD/hostile avogit scan -- true >out &&
	grep "a^\[\]0;x^G?\$(touch owned);b" out &&
	! grep "$(printf "\033")" out &&
	PERF_SAYS=$PWD/hostile test_expect_code 128 avogit scan --init 1 -- true >out 2>err &&
	grep "is not known: compile it with -g" err &&
	! grep "$(printf "\033")" out err &&
	! test -e owned
'

test_expect_success 'a kernel near its ceiling says so: a table that ncu printed on an H200' '
	avogit scan --read "$DATA/ncu/h200.csv" >out &&
	grep "^[0-9]* functions; shares are of time" out &&
	grep -E "^1 +[0-9.]+% .* [0-9]+% +[a-z]" out &&
	grep "reaches its ceiling" out
'

test_expect_success 'ncu and nsys are run where they are named' '
	tool ncu <<-\EOF &&
	#!/bin/sh
	test "$1" != --version || exit 0
	while test "$1" != --log-file; do shift; done
	cp "$NCU_SAYS" "$2" && shift 2 && exec "$@"
	EOF
	NCU_SAYS=$DATA/ncu/h200.csv avogit scan --with ncu -- echo ran >again &&
	sed 1d again >rest && head -n 1 again | grep "^ran$" && test_cmp out rest &&
	tool nsys <<-\EOF &&
	#!/bin/sh
	case $1 in
	profile) test "$3" = -o && echo x >"$4" && shift 4 && exec "$@" ;;
	stats)
		printf "Processing\n\nTime (%%),Total Time (ns),Instances,Name\n"
		printf "75.0,3000,5,\"void copy<float>(float *, int)\"\n25.0,1000,5,scale\n" ;;
	esac
	EOF
	avogit scan --with nsys -- true >out &&
	grep "^1  75.0%  .*not known  void copy<float>(float \*, int)  *-$" out
'

test_expect_success VALGRIND 'where perf may not count, callgrind does, and init begins with what was chosen' '
	tool perf <<-\EOF &&
	#!/bin/sh
	exit 255
	EOF
	avogit scan -n 2 --init 1 -- ../prog >out 2>err &&
	grep "counting instructions under callgrind" err &&
	grep "shares are of instructions, not of time" out &&
	grep "^1 .* scale  *kernel.c:[0-9]" out &&
	grep "^avogit init kernel.c --entry scale$" out &&
	grep "entry: *scale\|scale(" avogit.yaml &&
	test_expect_code 128 avogit scan --with perf -- ../prog 2>err &&
	grep "may not count .*perf_event_paranoid" err
'

test_expect_success 'what is not there or not right is said in one sentence' '
	one () {
		code=$1 words=$2 &&
		shift 2 &&
		test_expect_code "$code" avogit scan "$@" >out 2>err &&
		grep "$words" err && test "$(wc -l <err)" = 1
	} &&
	one 2 "which command" &&
	one 2 "runs nothing: leave out the command" --read samples -- true &&
	one 2 "with takes perf, callgrind, ncu or nsys" --with magic -- true &&
	one 2 "only 2 functions were seen" --read samples --init 3 &&
	one 128 "this profile has no function" --read main.c &&
	one 128 "nowhere" --read nowhere
'

test_done
