#!/bin/sh
test_description='avogit doctor: what the machine has and lacks'
. "$(dirname "$0")/lib-avogit.sh"

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
