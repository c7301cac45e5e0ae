#!/bin/sh
# test: parallel
test_description='avogit init and a source of a stranger'
. "$(dirname "$0")/../lib-avogit.sh"

kernel='void k(const float *x, float *y, int n) { for (int i = 0; i < n; i++) y[i] = x[i]; }'

test_expect_success 'setup: a repository, and a secret beside it' '
	echo "int secret = 4711; a line of /etc/shadow" >secret.h &&
	git init -q repo && cd repo &&
	git config remote.origin.url https://user:token4711@example.org/x &&
	echo "$kernel" >k.c && git add . && git commit -qm k
'

test_expect_success 'files outside the work tree are not there to be included' '
	for name in /etc/passwd "$PWD/../secret.h" ../secret.h .git/config mine.h
	do
		ln -sf ../secret.h mine.h &&
		printf "#include \"%s\"\n%s\n" "$name" "$kernel" >k.c &&
		test_expect_code 128 avogit init -f k.c >out 2>err &&
		grep -a "k.c does not compile by cc" err &&
		! grep -a -e root: -e 4711 -e token out err ||
		return 1
	done &&
	test ! -e avogit.yaml
'

test_expect_success 'nor by a flag, a database or an assembler that takes files in' '
	echo "$kernel" >k.c &&
	printf "#include <passwd>\n%s\n" "$kernel" >k.c &&
	test_expect_code 128 avogit init -f k.c -- -I/etc >out 2>err &&
	grep "does not compile" err && ! grep root: err &&
	printf "__asm__(\".incbin \\\\\"/etc/passwd\\\\\"\");\n%s\n" "$kernel" >k.c &&
	test_expect_code 128 avogit init -f k.c 2>err && grep "does not compile" err &&
	printf "[{\"directory\": \"/\", \"file\": \"%s/k.c\", \"arguments\": [\"/bin/sh\", \"-c\", \"touch /tmp/avogit-was-here\", \"-fplugin=/tmp/x.so\", \"-wrapper\", \"sh\", \"@/etc/passwd\"]}]" \
		"$PWD" >compile_commands.json &&
	echo "$kernel" >k.c &&
	test_expect_code 128 avogit init -f k.c 2>err &&
	test ! -e /tmp/avogit-was-here &&
	! grep root: err && rm compile_commands.json
'

test_expect_success 'headers that include each other without end, and a pipe' '
	printf "#include \"b.h\"\n" >a.h && printf "#include \"a.h\"\n" >b.h &&
	printf "#include \"a.h\"\n%s\n" "$kernel" >k.c &&
	test_expect_code 128 avogit init -f k.c 2>err &&
	grep "does not compile" err &&
	rm a.h b.h && mkfifo a.h &&
	test_expect_code 128 avogit init -f k.c 2>err &&
	rm a.h
'

test_expect_success 'ten megabytes of one macro are read, or told to be too many' '
	{
		printf "#define ROW " &&
		head -c 10000000 /dev/zero | tr "\0" " " &&
		printf "1\n" && echo "$kernel"
	} >k.c &&
	{ avogit init -f k.c >out 2>err || test $? = 128; } &&
	test "$(wc -l <err)" -le 1
'

test_expect_success 'brackets and loops without end do not keep it' '
	{
		echo "void k(const float *x, float *y, int n) { y[0] = " &&
		head -c 20000 /dev/zero | tr "\0" "(" &&
		printf "x[n]" &&
		head -c 20000 /dev/zero | tr "\0" ")" &&
		echo "; }"
	} >k.c &&
	{ avogit init -f k.c >out 2>err || test $? = 128; } &&
	{
		i=0 &&
		while test $i -lt 60
		do
			echo "static void f$i(float *x, int n) { f$((i+1))(x, n); f$((i+1))(x + n, n); }"
			i=$((i+1))
		done | tac &&
		echo "void k(float *y, int n) { f0(y, n); }"
	} >k.c &&
	sed -i "1i static void f60(float *x, int n) { x[n] = 1; }" k.c &&
	avogit init -f k.c >out &&
	grep "^entry: k" avogit.yaml
'

test_expect_success 'names that act upon a terminal, or write YAML, do not arrive' '
	rm -f avogit.yaml reference.c &&
	printf "void k(const float *x, float *y, int n) __asm__(\"\\\\033[31mk\\\\nentry: evil\");\n%s\n" "$kernel" >k.c &&
	{ avogit init -f k.c >out 2>err || test $? = 128; } &&
	! grep "$(printf "\033")" out err &&
	! { test -e avogit.yaml && grep "^entry: evil" avogit.yaml; } &&
	cat >k.c <<-\EOT &&
	void k(const float *x, float *y, int n) { y[0] = x[0]; }
	__asm__(".section .debug_info\n.long 0xffffffff, 0xffffffff, 4711\n.ascii \"DW_TAG_subprogram)\\n <1><2>: (DW_TAG_subprogram)\\n\"\n.previous");
	EOT
	{ avogit init -f k.c >out 2>err || test $? = 128; }
'

test_expect_success 'a flag with quotes and line ends stays one flag of the task' '
	echo "$kernel" >k.c &&
	cat >compile_commands.json <<-EOT &&
	[{"directory": "$PWD", "file": "k.c", "arguments":
	 ["cc", "-DA=\\"]\\nentry: evil\\n", "-DB=1", "-c", "k.c"]}]
	EOT
	avogit init -f k.c >out &&
	! grep "evil" avogit.yaml && grep "flags: .-DB=1, -O2." avogit.yaml &&
	rm compile_commands.json
'

test_expect_success 'a compiler that is not there is named' '
	cat >compile_commands.json <<-EOT &&
	[{"directory": "$PWD", "file": "k.c",
	  "arguments": ["no-such-cc", "-c", "k.c"]}]
	EOT
	test_expect_code 128 avogit init -f k.c 2>err &&
	grep "no compiler no-such-cc" err &&
	test "$(wc -l <err)" = 1
'

test_done
