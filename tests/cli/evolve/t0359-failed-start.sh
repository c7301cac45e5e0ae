#!/bin/sh
# test: parallel
test_description='a run that fails at its start leaves nothing in the way of the next'
. "$(dirname "$0")/../lib-avogit.sh"

# Sources that compute something else; committed.
break_kernel () {
	sed -i "s/y\[i\] = a \* x/y[i] = a + x/" kernel.c && git commit -qam wrong
}

# The one run here is this one, begun at HEAD, with one attempt.
began_at_head () {
	grep "^starting run $1 at $(git rev-parse --short HEAD) " ../out &&
	avogit runs >../runs && test "$(wc -l <../runs)" = 2 &&
	grep "^$1 *$(git rev-parse --short HEAD) .* 1 " ../runs &&
	test "$(attempts)" = 1
}

test_expect_success 'setup: a start that is wrong' '
	make_light_repo repo && break_kernel &&
	test_expect_code 128 avogit evolve 2>../err &&
	grep "fails its own task" ../err
'

test_expect_success 'once more it is measured once more, since the machine may be mended' '
	test_expect_code 128 avogit evolve >../out 2>../err &&
	grep "^run scale failed at its start and had no attempt: it begins anew$" ../out &&
	grep "^starting run scale at $(git rev-parse --short HEAD) " ../out &&
	grep "^x #0 .* wrong" ../out && grep "fails its own task" ../err
'

test_expect_success 'the kernel is mended: the run of that name begins there' '
	git revert --no-edit HEAD >/dev/null &&
	avogit evolve --attempts 1 >../out && began_at_head scale &&
	avogit evolve --attempts 1 >../out &&
	grep "^resuming run scale " ../out && ! grep anew ../out
'

test_expect_success 'by --run and its name, and as an attempt by hand' '
	cd .. && make_light_repo byname && break_kernel &&
	test_expect_code 128 avogit evolve --run mine 2>../err &&
	git revert --no-edit HEAD >/dev/null &&
	sed -i "s|ROUNDS 16 |ROUNDS 4 |" kernel.c &&
	avogit score --run mine -m "four rounds" >../out && began_at_head mine
'

test_expect_success 'the reference is mended: another task, and no other name' '
	cd .. && make_light_repo reference &&
	echo "#error not yet" >>reference.c && git commit -qam "a reference to come" &&
	test_expect_code 128 avogit evolve 2>../err &&
	grep "not yet" ../err &&
	git revert --no-edit HEAD >/dev/null &&
	avogit evolve --attempts 1 >../out && began_at_head scale
'

test_expect_success 'a reference that crashes is no run at all' '
	cd .. && make_light_repo crashing &&
	sed -i "s|^{|{ __builtin_trap();|" reference.c && git commit -qam "crashes" &&
	test_expect_code 128 avogit evolve 2>../err &&
	avogit runs | grep "no run yet"
'

test_expect_success 'what cannot begin leaves the failed run where it is' '
	cd .. && make_light_repo stays && break_kernel &&
	test_expect_code 128 avogit evolve 2>../err &&
	git rm -q avogit.yaml && git commit -qm "no task" &&
	test_expect_code 128 avogit evolve --run scale 2>../err &&
	avogit runs >../runs && grep "^scale .* stopped: error: " ../runs
'

test_expect_success 'nor does it go for options that prove wrong late' '
	git revert --no-edit HEAD >/dev/null && echo "[]" >../known.json &&
	test_expect_code 128 avogit evolve --known ../known.json >../out 2>../err &&
	grep "known.json" ../err && ! grep anew ../out &&
	avogit runs >../runs && grep "^scale .* stopped: error: " ../runs
'

test_expect_success 'of two that failed each begins anew, though the first one changed the name of the writer' '
	test_expect_code 128 avogit evolve --run second 2>../err &&
	test_expect_code 128 avogit evolve >../out 2>../err && grep "^run scale .* anew$" ../out &&
	test_expect_code 128 avogit evolve --run second >../out 2>../err &&
	grep "^run second .* anew$" ../out && grep "fails its own task" ../err
'

test_expect_success 'one of another clone is not removed' '
	git clone -q . ../other && cd ../other &&
	git fetch -q ../stays "refs/avogit/scale/journal/*:refs/avogit/scale/journal/*" &&
	git for-each-ref refs/avogit/scale/journal >../before &&
	test_expect_code 128 avogit evolve 2>../err &&
	grep "^avogit: run scale failed at its start in another clone: begin another (--run NAME)$" ../err &&
	git for-each-ref refs/avogit/scale/journal >../after && test_cmp ../before ../after &&
	test -s ../after
'

test_expect_success 'a start that passes is kept, and of another task the remedy is said' '
	cd .. && make_light_repo passed &&
	avogit evolve --time 0.001s >../out &&
	avogit runs >../runs && grep "^scale .* 0 " ../runs &&
	base=$(git rev-parse --short HEAD) &&
	git commit -q --allow-empty -m "went on" &&
	avogit evolve --time 0.001s >../out && grep "^resuming run scale at $base" ../out &&
	echo "/* another */" >>reference.c && git commit -qam "another reference" &&
	test_expect_code 128 avogit evolve 2>../err &&
	grep "^avogit: run scale began under another version of its task and has no attempt: .avogit rm scale. removes it, then start again$" ../err
'

test_expect_success 'a version on the base that fails is an attempt: the mended one is the next, with the same command' '
	cd .. && make_light_repo based && git branch production &&
	sed -i "s|y\[i\] = a|y[i] = RB * a|" kernel.c && git commit -qam "unroll" &&
	test_expect_code 128 avogit evolve --base production 2>../err &&
	base=$(git rev-parse production | cut -c1-12) &&
	grep "fails its own task (build-failed: .*RB.*): mend it, commit, and start again with --base $base$" ../err &&
	sed -i "s|RB \* ||; s|ROUNDS 16 |ROUNDS 4 |" kernel.c && git commit -qam "mended" &&
	test_expect_code 128 avogit evolve 2>../err && grep "start again with --base $base$" ../err &&
	avogit evolve --base production --attempts 1 >../out &&
	grep "^resuming run scale " ../out && ! grep anew ../out &&
	avogit log >../log && grep "#1 .* build-failed .*unroll" ../log &&
	grep "#2 .*mended" ../log && grep "#3 " ../log && grep "#0 .*the start" ../log &&
	avogit show HEAD >../shown && grep "#2" ../shown &&
	avogit evolve --base production >../out && grep "^resuming .* 3 attempts so far$" ../out
'

test_expect_success 'or a person scores it by hand, and the run goes on' '
	cd .. && make_light_repo byhand && git branch production &&
	sed -i "s|y\[i\] = a|y[i] = RB * a|" kernel.c && git commit -qam "unroll" &&
	test_expect_code 128 avogit evolve --base production 2>../err &&
	sed -i "s|RB \* ||; s|ROUNDS 16 |ROUNDS 4 |" kernel.c &&
	avogit score --run scale -m "four rounds" >../out &&
	avogit evolve --attempts 1 >../out 2>../err && grep "^resuming run scale " ../out &&
	avogit log >../log && grep "#1 .* build-failed .*unroll" ../log &&
	grep "#2 .* four rounds" ../log && grep "#3 " ../log
'

test_done
