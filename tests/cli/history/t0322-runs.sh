#!/bin/sh
# test: parallel long
test_description='avogit runs: what was evolved here, and how it stands'
. "$(dirname "$0")/../lib-avogit.sh"

test_expect_success 'none yet' '
	make_repo repo &&
	sed -i "s|// avogit: 64 16 4 1|// avogit: 64 32 16|" kernel.c &&
	git commit -qam "fewer points" &&
	avogit runs >../out &&
	grep "avogit evolve" ../out &&
	avogit runs --json >../out &&
	grep "\"runs\":[[:space:]]*\[\]" ../out
'

test_expect_success 'a line a run, the newest first, with what it came to' '
	avogit evolve --seed 1 >/dev/null &&
	avogit evolve --run short --attempts 1 >/dev/null &&
	avogit runs >../out &&
	sed -n 2p ../out | grep "^short .*avogit.yaml .* tuner .* stopped: attempts$" &&
	sed -n 3p ../out | grep "^scale .*stopped: exhausted$" &&
	grep "^scale .* $(git rev-parse --short $(avogit best --run scale)) #[1-9]" ../out &&
	grep "^scale *$(git rev-parse --short HEAD) " ../out
'

test_expect_success 'as JSON' '
	avogit runs --json >../out &&
	grep "\"state\":[[:space:]]*\"stopped\"" ../out &&
	grep "\"stopped\":[[:space:]]*\"exhausted\"" ../out &&
	grep "\"commit\":[[:space:]]*\"$(avogit best --run scale)\"" ../out
'

test_expect_success 'one at work, by its process; looking does not disturb it' '
	evolve_until 1 --run live &&
	avogit runs >../out &&
	avogit runs --json >../json &&
	kill -INT $evolving &&
	{ evolve_rest || :; } &&
	grep "^live .*running (process $evolving)" ../out &&
	grep "\"pid\":[[:space:]]*$evolving" ../json &&
	avogit runs >../out &&
	grep "^live .*stopped: interrupted" ../out
'

test_expect_success 'one whose process is gone' '
	evolve_until 1 --run killed &&
	kill -KILL $evolving &&
	{ evolve_rest || :; } &&
	avogit runs >../out &&
	grep "^killed .* interrupted$" ../out
'

test_expect_success 'one that ended in an error says in which, and goes on' '
	sed -i "s/MODE 0 .*/MODE 1/" kernel.c &&
	git commit -qam "a wrong start" &&
	test_expect_code 128 avogit evolve --run wrong 2>../err &&
	avogit runs >../out &&
	grep "^wrong .* stopped: error: the kernel that the run starts from .*fails its own task (wrong" ../out &&
	test_expect_code 128 avogit evolve --run wrong >../out 2>../err &&
	grep "^starting run wrong" ../out &&
	git revert -n HEAD && git commit -qm "right again"
'

test_expect_success 'in another clone it is nobody s to know' '
	git clone -q . ../clone &&
	git -C ../clone fetch -q ../repo "refs/avogit/*:refs/avogit/*" &&
	avogit -C ../clone runs >../out &&
	grep "^killed .* unfinished$" ../out &&
	grep "^scale .*stopped: exhausted$" ../out
'

test_expect_success 'a damaged one does not hide the others' '
	git update-ref refs/avogit/broken/journal/0123456789abcdef \
		$(git commit-tree -m nonsense $(git mktree </dev/null)) &&
	test_expect_code 1 avogit runs >../out 2>../err &&
	grep "^broken .* unreadable$" ../out &&
	grep "^scale " ../out &&
	grep "journal entry" ../err
'

test_expect_success 'there a run has branches as soon as it is looked at' '
	cd ../clone &&
	test_must_fail git rev-parse -q --verify avo/scale/winner &&
	avogit show avo/scale/winner >../out &&
	test "$(git rev-parse avo/scale/winner)" = \
		"$(git -C ../repo rev-parse avo/scale/winner)" &&
	test_must_fail git rev-parse -q --verify avo/live/best &&
	avogit log -r live >/dev/null &&
	test "$(git rev-parse avo/live/best)" = \
		"$(git -C ../repo rev-parse avo/live/best)"
'

test_done
