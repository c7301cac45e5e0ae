#!/bin/sh
# test: parallel long
test_description='a winner that needs flags: said in its commit and by pick, or fixed by the task'
. "$(dirname "$0")/../lib-avogit.sh"

# The kernel takes 64 rounds unless a flag defines ONCE: a stand-in for a flag
# that makes code faster.
test_expect_success 'setup: a kernel that is fast by a flag alone' '
	make_repo repo &&
	sed -i "s|^#define ROUNDS .*|#ifdef ONCE\n#define ROUNDS 16\n#else\n#define ROUNDS 64\n#endif|" kernel.c &&
	sed -i "1i// avogit-flags: -O2 | -O2 -DONCE" kernel.c &&
	sed -i "s/flags: \[-O2\]/&\n  allow: [-DONCE]/; /^baselines:/,+1d" avogit.yaml &&
	git commit -qam "fast by a flag" && base=$(git rev-parse HEAD) &&
	avogit evolve --run f --seed 1 >../out &&
	grep "^champion .*flags" ../out
'

test_expect_success 'the flags are a trailer of the winner' '
	git log -1 --format="%(trailers:key=Avogit-Flags,valueonly)" avo/f/winner >../flags &&
	grep "^-O2 -DONCE$" ../flags
'

# Without --time what is equal would be told to be the same, or held against it for 20 s.
test_expect_success 'pick says them, and what the winner is without' '
	git switch -q -c taken &&
	timeout 18 "$AVOGIT" pick --time 0.01s --run f >../out &&
	grep "^measured with -O2 -DONCE$" ../out &&
	grep "its sources choose -O2 -DONCE, those of the start -O2 (it is compiled with -O2): your build" ../out &&
	grep "^under the flags of the start: undecided beside the start$" ../out &&
	grep "build the project with them, or it is not this winner" ../out &&
	git log -1 --format=%B >../message &&
	grep "^Avogit-Flags: -O2 -DONCE$" ../message &&
	sed -n "1s/^f: [0-9.]*x faster with its flags/told/p" ../message | grep ^told &&
	tr "\n" " " <../message | grep -F "With those of that commit (-O2) it was held against it again when it was picked: " &&
	git log -1 --format="%(trailers:key=Avogit-Without-Flags,valueonly)" |
		grep -x "same\|undecided\|[0-9.]* \[[0-9.]*, [0-9.]*\] slower" &&
	git log -1 --format="%(trailers:key=Avogit-Of,valueonly)" | grep -x "[0-9a-f]*" &&
	avogit show HEAD | grep "its scores\|pass" &&
	git diff --quiet HEAD avo/f/winner
'

# As a forge's button to squash writes it, and commit-tree takes it from a file.
test_expect_success 'a message without a line end, or with many, keeps its trailers' '
	grep -v Avogit-Without-Flags ../message >../own && grep "^Avogit" ../own >../trailers && printf %s "$(cat ../own)" >../short &&
	{ cat ../short && printf "\n\n\n"; } >../long &&
	for message in short long
	do
		c=$(git commit-tree -p $base -F ../$message "avo/f/winner^{tree}") &&
		git cat-file commit $c | sed "1,/^\$/d" | cmp - ../$message &&
		git switch -q -c $message $base && avogit pick --time 0.1s $c >../out &&
		git log -1 --format="%(trailers:only)" >../after &&
		grep "^Avogit-Without-Flags: [a-z0-9.]*" ../after &&
		grep -v Without-Flags ../after | sed "/^$/d" | test_cmp ../trailers - || return 1
	done
'

# Without them nobody would know whose it is.
test_expect_success 'of a message too long for another word the trailers stay' '
	c=$({ echo "much to say" && echo && head -c 66000 /dev/zero | tr "\0" x | fold -w 70 && printf "\n\n" &&
		cat ../trailers; } | git commit-tree -p $base -F - "avo/f/winner^{tree}") &&
	git switch -q -c much $base && avogit pick --time 0.1s $c >../out &&
	git log -1 --format="%(trailers:only)" | sed "/^$/d" | test_cmp ../trailers -
'

test_expect_success '--no-score leaves the measurement out and says the flags' '
	git switch -q -c quick $base &&
	avogit pick --no-score --run f >../out &&
	grep "^measured with -O2 -DONCE$" ../out &&
	grep "its sources choose" ../out &&
	! grep "^under the flags of the start" ../out
'

test_expect_success 'where it cannot be measured it is picked all the same, and why is said' '
	git switch -q -c nowhere $base &&
	echo "launcher: {command: [env]}" >>avogit.yaml && git commit -qam "a launcher" &&
	sed -i "s|^// avogit-flags: .*|// avogit-flags: -O2 -DONCE|" kernel.c &&
	avogit trust --yes >/dev/null &&
	avogit score --time 0.2s --run l -m "by a launcher" >/dev/null && git checkout -q kernel.c &&
	avogit trust --revoke >/dev/null &&
	avogit pick "l#1" >../out 2>../err &&
	grep "^not measured under the flags of the start: .*avogit trust" ../out &&
	git diff --exit-code HEAD "$(git log -1 --format="%(trailers:key=Avogit-Of,valueonly)" | sed "/^$/d")"
'

test_expect_success 'a winner that fails without its flags is said to' '
	git switch -q -c broken $base &&
	sed -i "s|^#else$|#else\n#error \"define ONCE\"|" kernel.c &&
	sed -i "s|^// avogit-flags: .*|// avogit-flags: -DONCE|" kernel.c &&
	avogit score --time 0.2s --run b -m "needs it" >/dev/null && git checkout -q kernel.c &&
	avogit pick "b#1" >../out &&
	grep "^under the flags of the start: build-failed: .*define ONCE" ../out &&
	git log -1 --format="%(trailers:key=Avogit-Without-Flags,valueonly)" | grep -x "build-failed" &&
	git log -1 --format=%s | grep -x "needs it"
'

test_expect_success 'of a start that chooses none it says what the task compiles it with' '
	git switch -q -c bare $base && sed -i 1d kernel.c && git commit -qam "no flags" &&
	sed -i "1i// avogit-flags: -DONCE" kernel.c &&
	avogit score --time 0.2s --run n -m "by a flag" >/dev/null && git checkout -q kernel.c &&
	avogit pick --time 0.1s "n#1" >../out && ! grep "faster so" ../out &&
	grep "its sources choose -DONCE, those of the start none (it is compiled with -O2)" ../out &&
	git log -1 --format=%b | tr "\n" " " | grep "With those of that commit (-O2) it was held against it again"
'

test_expect_success 'a change without flags of its own says only what it was measured with' '
	git switch -q -c plain $base &&
	sed -i "s|^#define ROUNDS 64|#define ROUNDS 32|" kernel.c &&
	avogit score --time 0.2s --run p -m "32 rounds" >/dev/null && git checkout -q kernel.c &&
	avogit pick "p#1" >../out &&
	grep "^measured with -O2$" ../out &&
	! git log -1 --format=%B | grep "Without-Flags" &&
	! grep -e "its sources choose" -e "^under the flags" ../out
'

test_expect_success 'of one that chooses what the task has anyway nothing is said or measured again' '
	git switch -q -c anyway "bare~1" && test -z "$(grep avogit-flags kernel.c)" &&
	sed -i "1i// avogit-flags: -O2 | -DONCE" kernel.c &&
	avogit score --time 0.2s --run o -m "a line that changes nothing" >/dev/null && git checkout -q kernel.c &&
	avogit pick "o#1" >../out &&
	grep "^measured with -O2$" ../out &&
	! git log -1 --format=%B | grep -e "Without-Flags" -e "chooses* other flags" &&
	! grep -e "its sources choose" -e "under the flags" ../out
'

# The journal says 1.5 times, and the kernel has a quarter of the rounds, so a sixteenth of the work.
test_expect_success 'one that is faster without them, too, has both figures in its subject' '
	git switch -q -c both $base &&
	sed -i "s|^#define ROUNDS 64|#define ROUNDS 16|; s|^// avogit-flags: .*|// avogit-flags: -O2 -DONCE|" kernel.c &&
	git commit -qam "a quarter of it" -m "Avogit-Operator: tuner" && quarter=$(git rev-parse HEAD) &&
	git reset -q --hard HEAD~1 &&
	echo why >../why && perl "$SHARNESS_TEST_SRCDIR/report/made-run.pl" "$(git rev-parse HEAD)" 1 ../why "$quarter" &&
	avogit pick "made#1" >../out &&
	grep "faster so than with the flags that it chooses: take their line out" ../out &&
	git log -1 --format=%s | grep -x "made: [0-9.]*x faster (1.50x with its flags): a quarter of it" &&
	git log -1 --format=%s | sed "s/^made: \([0-9.]*\)x.*/\1/" | awk "{ exit !(\$1 > 5 && \$1 < 50) }"
'

test_expect_success 'flags: fixed tunes without them' '
	git switch -q -c fixed $base &&
	echo "flags: fixed" >>avogit.yaml &&
	sed -i "s|^#define ROUNDS 64|#define FEWER 64 // avogit: 64 16\n#define ROUNDS FEWER|" kernel.c &&
	git commit -qam "no flags" &&
	avogit evolve --run x --seed 1 >../out &&
	grep "the tuner varies: FEWER (2), MODE (1): 2 points" ../out &&
	! grep "DONCE" ../out &&
	avogit show "x#0" >../out && grep "flags  *-O2$" ../out &&
	sed -i "1i// avogit-flags: -O3 -funroll-loops" kernel.c &&
	avogit score --time 0.2s >../out && grep pass ../out
'

test_expect_success 'another word is refused with its line' '
	sed -i "s/^flags: fixed/flags: frozen/" avogit.yaml && git commit -qam frozen &&
	test_expect_code 128 avogit score 2>../err &&
	grep "^avogit: avogit.yaml:[0-9]*: flags: found .frozen.; allowed are: chosen fixed" ../err
'

test_done
