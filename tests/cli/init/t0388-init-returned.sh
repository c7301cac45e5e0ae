#!/bin/sh
# test: parallel no-asan
test_description='avogit init: what is returned behind a pointer, and the recipe of docs/task.md for it'
. "$(dirname "$0")/../lib-avogit.sh"

# recipe FILE: the block of the recipe whose first line names FILE
recipe () {
	sed -n '/^### A result behind a pointer/,/^\*\*The project/p' \
		"$SHARNESS_TEST_SRCDIR/../../docs/task.md" |
	awk -v file="$1" '
		/^```/ { on = 0; first = fence = !fence; next }
		first { on = index($0, file); first = 0; next }
		on { print }'
}

# argument NAME KEY: its value in avogit.yaml
argument () {
	sed -n "/- name: $1\$/,/- name:/{s/^    $2: //p;}" avogit.yaml
}

test_expect_success 'a pointer that is returned is named, and arrays that change places are guesses' '
	git init -q repo && cd repo &&
	recipe heat.c >heat.c && git add . && git commit -qm kernel &&
	avogit init -y heat.c >out &&
	grep "what heat returns, .double [*]., is not looked at" out &&
	grep "^# GUESS: what it returns, .double [*]., is not looked at" avogit.yaml &&
	argument a direction | grep "^inout  # GUESS: it changes places" &&
	argument b direction | grep "^inout  # GUESS: it changes places" &&
	argument b shape | grep "ny [*] nx.*GUESS" &&
	grep "^hidden: {count: 3, ny: [0-9]*[.][.]259, nx: [0-9]*[.][.]259, " avogit.yaml
'

test_expect_success 'the recipe of the manual gives a task that scores, and sees a wrong result' '
	recipe shim.c >shim.c &&
	recipe avogit.yaml >changed &&
	{ sed "/^entry:/,\$d; /^# GUESS: what it returns/,\$d" avogit.yaml &&
	  sed -n "/^cases:/,/^hidden:/p; /^flops:/p; /^bytes:/p" avogit.yaml &&
	  cat changed; } >task && mv task avogit.yaml &&
	sed "/heat_reference(/,\$d" reference.c >whole &&
	recipe reference.c >>whole && mv whole reference.c &&
	sed -i "s/steps: [0-9]*/steps: 9/g" avogit.yaml &&
	git add . && git commit -qm task &&
	avogit score >out && grep "pass, " out &&
	sed -i "s/4 \* \*p/3 * *p/" heat.c &&
	test_expect_code 1 avogit score >out && grep "wrong: " out &&
	git checkout -q heat.c &&
	sed -i "s/return a;/return b;/" heat.c &&
	test_expect_code 1 avogit score >out && grep "wrong: " out &&
	git checkout -q heat.c
'

test_expect_success 'of the files of a task only those that HEAD has not as they are are to be added' '
	avogit init -y -o other.yaml heat.c >out &&
	grep "git add other.yaml other_reference.c$" out &&
	git add . && git commit -qm other &&
	avogit init -y -f -o other.yaml heat.c >out &&
	grep "^all of it is committed already" out && ! grep "git add" out &&
	echo "/* mine */" >>heat.c &&
	avogit init -y -f -o other.yaml heat.c >out &&
	grep "git add other_reference.c heat.c$" out
'

test_done
