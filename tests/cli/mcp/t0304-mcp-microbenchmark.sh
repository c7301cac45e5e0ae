#!/bin/sh
# test: parallel no-asan
test_description='avogit mcp: the tool microbenchmark, in the sandbox'
. "$(dirname "$0")/../lib-avogit.sh"
. "$SHARNESS_TEST_SRCDIR/mcp/lib-mcp.sh"

# A call with the program in ../NAME.c, and more arguments: program NAME [MORE]
program () {
	call microbenchmark "$(perl -MJSON::PP -e '
		local $/;
		print JSON::PP->new->ascii->encode({source => scalar <STDIN>,
			@ARGV ? (seconds => 0 + $ARGV[0]) : ()})' \
		${2:+"$2"} <../"$1".c)"
}

# ../NAME.c, a program with this body: body NAME <TEXT
body () {
	{
		printf "#include <%s>\n" stdio.h stdlib.h unistd.h arpa/inet.h &&
		echo "int main(void) {" && cat && echo "}"
	} >../"$1".c
}

test_expect_success 'a program runs, and what it prints comes back with its time' '
	make_light_repo repo &&
	body prints <<-\C &&
	printf("costs %d\n", 6 * 7);
	C
	body fails <<-\C &&
	puts("so far"); return 3;
	C
	body broken <<-\C &&
	this is no C
	C
	serve <<-EOF &&
	$(program prints)
	$(program fails)
	$(program broken)
	EOF
	grep "\"id\":1,.*costs 42.*exit code 0 after [0-9.]* s by avogit.s clock.*\"isError\":false" ../out &&
	grep "\"id\":2,.*so far.*exit code 3 after .*\"isError\":true" ../out &&
	grep "\"id\":3,.*it does not compile.*microbenchmark.c:.*error.*\"isError\":true" ../out
'

test_expect_success 'it is no attempt, and leaves no commit' '
	avogit log >../log &&
	! grep "#1 " ../log &&
	! git log --format=%s --glob="refs/avogit/scale/journal/*" | grep "^attempt"
'

test_expect_success 'it has no network, no repository, and limits' '
	body network <<-\C &&
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(9)};
	int s = socket(AF_INET, SOCK_DGRAM, 0);
	a.sin_addr.s_addr = inet_addr("192.0.2.1");
	printf("reached %d\n", s >= 0 && !connect(s, (void *)&a, sizeof a));
	C
	body files <<-C &&
	printf("seen %d", !access("$PWD/kernel.c", R_OK));
	C
	body hangs <<-\C &&
	for (;;) __asm__ volatile("");
	C
	body memory <<-\C &&
	printf("had %d\n", calloc(8L << 30, 1) != NULL);
	C
	body much <<-\C &&
	for (int i = 0; i < 100000; i++) puts("0123456789");
	C
	body escapes <<-\C &&
	printf("%c[2J%c]0;x%c\n", 27, 27, 7);
	C
	serve <<-EOF &&
	$(program network)
	$(program files)
	$(program hangs 1)
	$(program memory)
	$(program much)
	$(program escapes)
	EOF
	grep "\"id\":1,.*reached 0" ../out &&
	{ ! avogit doctor | grep -q bubblewrap || grep "\"id\":2,.*seen 0" ../out; } &&
	grep "\"id\":3,.*ended: it took longer than 1 s.*\"isError\":true" ../out &&
	grep "\"id\":4,.*had 0" ../out &&
	grep "\"id\":5,.*it printed more than 256 KiB" ../out &&
	test "$(grep "\"id\":5," ../out | wc -c)" -lt 40000 &&
	grep -F "^[[2J^[]0;x^G" ../out
'

test_expect_success 'hostile arguments are refused in a sentence' '
	body good <<-\C &&
	return 0;
	C
	{ cat ../good.c && head -c 70000 /dev/zero | tr "\\0" " "; } >../long.c &&
	echo "#include \"../../../../etc/passwd\"" >../outside.c &&
	: >../empty.c &&
	serve <<-EOF &&
	$(call microbenchmark)
	$(call microbenchmark "{\"source\":[1]}")
	$(program long)
	$(program empty)
	$(program good 1e300)
	$(call microbenchmark "{\"source\":\"int main(void){}\",\"shell\":\"id\"}")
	$(program outside)
	EOF
	grep "\"id\":1,.*needs the argument" ../out &&
	grep "\"id\":2,.*must be a string" ../out &&
	grep "\"id\":3,.*at most 64 KiB" ../out &&
	grep "\"id\":4,.*it does not compile" ../out &&
	grep "\"id\":5,.*must be an integer" ../out &&
	grep "\"id\":6,.*no argument .shell." ../out &&
	grep "\"id\":7,.*it does not compile" ../out
'

test_done
