#!/bin/sh
# test: parallel

test_description='scores that a command of the task reports'

. "$(dirname "$0")/../lib-avogit.sh"

# A program whose speed is what its source says, give or take some noise, and
# which says of itself what MODE makes it say.
make_reported () {
	cd "$SHARNESS_TRASH_DIRECTORY" &&
	git init -q "$1" &&
	cd "$1" &&
	cat >avogit.yaml <<-\EOF &&
	name: app
	sources: [kernel.c]
	score: {command: [sh, bench.sh], unit: ops/s, timeout: 20s}
	build: {files: [bench.sh]}
	EOF
	cat >kernel.c <<-\EOF &&
	#define SPEED 10 // avogit: 10 40 90
	#define MODE 0
	EOF
	cat >bench.sh <<-\EOF &&
	value () { sed -n "s/^#define $1 \([0-9]*\).*/\1/p" kernel.c; }
	speed=$(value SPEED)
	noise=$(($(od -An -N1 -tu1 /dev/urandom) % 10))
	pass () { printf '{"verdict": "pass", "score": %s, "cases": [{"name": "short", "value": %s}]}' "$1" "$1"; }
	echo "this is the log" >&2
	case $(value MODE) in
	0) pass "$speed.$noise" ;;
	1) echo '{"verdict": "wrong", "why": "token 17 is another one"}' ;;
	2) pass nan ;;
	5) pass 1; pass 2 ;;
	7) yes "$(pass 1)" | head -c 200000 ;;
	8) pass 1; exit 3 ;;
	9) exec sleep 100 ;;
	12) sh -c 'kill -9 $$'; exit $? ;;
	13) : ;;
	19) curl -s http://localhost/ || test -e /root/.profile || pass 7 ;;
	esac
	EOF
	git add . &&
	git commit -qm 'an application and what it reports'
}

mode () {
	sed -i "s/^#define MODE .*/#define MODE $1/" kernel.c
}

# said MODE EXIT TEXT: what `score` says of the work tree.
said () {
	mode "$1" &&
	test_expect_code "$2" avogit score >out 2>err &&
	grep -F -- "$3" out ||
	{ cat out err; return 1; }
}

test_expect_success 'a pass is shown as reported, wherever it is shown' '
	make_reported shown &&
	avogit score >out &&
	grep "pass, 10\.[0-9] ops/s reported" out &&
	grep "short *10\.[0-9] ops/s reported" out &&
	! grep -e "error" -e "time" out &&
	avogit score --json >out &&
	grep "\"trust\":.*\"reported\"" out &&
	git notes --ref=avogit show HEAD >note &&
	grep "score=\"10\.[0-9]* ops/s reported\" .*trust=reported .*scorer=reported-" note &&
	grep "case=short score=\"10" note &&
	grep "runs=3" note &&
	! grep -e "error=" -e "seconds=" -e compiler= note &&
	avogit show HEAD >out &&
	grep "pass, 10\.[0-9] ops/s reported" out
'

test_expect_success 'what is not one pass in the form that is documented fails, with the reason' '
	sed -i "s/timeout: 20s/timeout: 1s/" avogit.yaml &&
	git commit -qam "short" &&
	said 1 1 "wrong: token 17 is another one" &&
	said 2 1 "wrong: what score.command printed is not a score: " &&
	said 5 1 "wrong: what score.command printed is not a score: " &&
	said 7 1 "wrong: score.command printed more than 64 KiB" &&
	said 8 1 "crashed: score.command ended with exit code 3: this is the log" &&
	said 9 1 "timed-out: score.command was still running after 1 s" &&
	said 12 1 "crashed: score.command was ended by signal 9" &&
	said 13 1 "nothing was printed"
'

test_expect_success 'the command has the sandbox of a build: no network, none of your files' '
	said 19 0 "pass, 7.00 ops/s reported"
'

test_expect_success 'a gain of tens is told by runs in turns, and crowned' '
	make_reported gain &&
	avogit evolve --attempts 2 >out &&
	grep "champion .* ops/s reported: SPEED" out &&
	git log -1 --format=%B avo/app/winner >message &&
	git show avo/app/winner:kernel.c | grep "^#define SPEED 90" &&
	grep "scored by what a command of the task reported on" message &&
	grep "Avogit-Score: 90\..* ops/s reported" message &&
	avogit log >out &&
	grep "champion" out | grep "9[01]\.[0-9] ops/s reported" &&
	avogit log --json | tr -d " \t" >out &&
	test "$(grep -c "^\"class\":\"reported\"" out)" = 3 &&
	grep "^\"unit\":\"ops/s\"" out &&
	git notes --ref=avogit show avo/app/best >note &&
	grep "against=start .*told=faster" note
'

test_expect_success 'what differs less than its noise is not told' '
	make_reported equal &&
	sed -i "s/avogit: .*/avogit: 10 11/; s/SPEED 10 /SPEED 11 /" kernel.c &&
	sed -i "s/score: {/score: {blocks: 4, /" avogit.yaml &&
	sed -i "s/% 10/% 900 + 100/" bench.sh &&
	git commit -qam "mostly noise" &&
	avogit score --against HEAD HEAD >out &&
	grep -e undecided -e same -e "not faster" out
'

# The same without noise, in runs of a simulator of which fewer cycles are better.
make_exact () {
	make_reported "$1" &&
	sed -i "s/score: {.*/score: {command: [sh, bench.sh], unit: cycles, exact: true, better: lower}/" avogit.yaml &&
	sed -i "s/0) pass .*/0) pass \$((6300000 \/ speed)) ;;/; s/^noise=.*/noise=0/" bench.sh &&
	git commit -qam "a simulator"
}

test_expect_success 'where figures are exact two runs decide, and the lower one may be the better' '
	make_exact exact &&
	avogit evolve --attempts 2 >out &&
	grep "champion .* 70000 cycles reported: SPEED" out &&
	git notes --ref=avogit show avo/app/best >note &&
	grep "against=start .*ratio=9.0000 low=9.0000 high=9.0000 told=faster blocks=2" note &&
	grep "better=lower" note &&
	avogit verify app >out &&
	grep "the claim holds" out
'

test_expect_success 'a worse figure claimed for a lower one is found by verify' '
	git notes --ref=avogit show avo/app/best |
	sed "s/per_s=70000/per_s=40000/" >forged &&
	git notes --ref=avogit add -f -F forged avo/app/best &&
	test_expect_code 1 avogit verify avo/app/best >out &&
	grep "40000 cycles reported was claimed" out
'

test_expect_success 'exact figures that differ fail' '
	make_exact inexact &&
	sed -i "s/^noise=.*/noise=\$(od -An -N2 -tu2 \/dev\/urandom)/; s|0) pass .*|0) pass \$((7000000 + noise)) ;;|" bench.sh &&
	git commit -qam "not exact" &&
	test_expect_code 1 avogit score >out &&
	grep "wrong: the task says that scores are exact, and two runs of the same files reported 70" out
'

test_expect_success 'without ab nothing is compared, and evolve says so' '
	make_reported apart &&
	sed -i "s/score: {/score: {ab: false, /" avogit.yaml &&
	git commit -qam "one by one" &&
	avogit score --against HEAD HEAD >out &&
	grep "pass, 10.* ops/s reported" out &&
	! grep -e faster -e undecided out &&
	test_expect_code 128 avogit evolve --attempts 1 2>err &&
	grep "avogit.yaml: with score.ab: false nothing is compared" err
'

test_expect_success 'a rival that fails later is named, and the candidate is not blamed' '
	make_reported rival &&
	avogit score HEAD >out &&
	mode 1 &&
	git commit -qam broken &&
	mode 0 &&
	git commit -qam mended &&
	test_expect_code 128 avogit score --against HEAD~1 HEAD 2>err &&
	grep "cannot compare with .*: it fails itself: token 17" err
'

test_expect_success 'what a command of the task scores is never compared with what avogit measured' '
	make_light_repo mixed &&
	avogit score HEAD >out &&
	grep -v reported out &&
	cp avogit.yaml measured.yaml &&
	cat >avogit.yaml <<-\EOF &&
	name: scale
	sources: [kernel.c]
	score: {command: [sh, bench.sh]}
	build: {files: [bench.sh]}
	EOF
	cat >bench.sh <<-\EOF &&
	echo "{\"verdict\": \"pass\", \"score\": 123456789}"
	EOF
	git add . &&
	git commit -qm "now a command says it" &&
	avogit score HEAD >out &&
	grep "pass, 123456789 points reported" out &&
	avogit score --again --task measured.yaml HEAD >out &&
	! grep reported out &&
	git notes --ref=avogit show HEAD >note &&
	test "$(grep -o " task=[0-9a-f]*" note | sort -u | wc -l)" = 2 &&
	test "$(grep -o " scorer=[a-z0-9-]*" note | sort -u | wc -l)" = 2
'

test_expect_success 'the network and folders of the machine are asked for' '
	make_reported network &&
	sed -i "s/score: {/score: {network: true, folders: [\/etc\/ssl], /" avogit.yaml &&
	git commit -qam "with the network" &&
	test_expect_code 128 avogit score 2>err &&
	grep "score.command, score.network, score.folders would act outside the sandbox" err &&
	test_expect_code 128 avogit evolve --attempts 1 2>err &&
	grep "score.network" err &&
	avogit trust --yes >out &&
	grep "the program that scores, and every candidate, may use the network" out &&
	avogit score >out &&
	grep "pass, 10" out
'

test_expect_success 'the example, a program that is built once and scores itself, is evolved by the tuner' '
	cd "$SHARNESS_TRASH_DIRECTORY" &&
	"$SHARNESS_TEST_SRCDIR/../../examples/make-repo.sh" reported-words words &&
	cd words &&
	sed -i "s/avogit: 16 256 4096 65536/avogit: 16 4096/; s/avogit: 1 31 16777619/avogit: 1/" kernel.c &&
	git commit -qam "one that is far faster" &&
	avogit evolve --attempts 1 >out &&
	grep "^champion .* Mwords/s reported: BUCKETS 16 -> 4096" out &&
	sed -i "s/^	e->count++;/	e->count += 2;/" kernel.c &&
	test_expect_code 1 avogit score >out &&
	grep "wrong: .* was counted [0-9]* times and occurs" out &&
	sed -i "s/^	e->count += 2;/	e->count +;/" kernel.c &&
	test_expect_code 1 avogit score >out &&
	grep "build-failed: .*kernel.c:" out
'

test_expect_success 'what is not of such a task is said in one sentence' '
	make_reported refused &&
	refused () {
		test_expect_code 128 avogit score 2>err &&
		test "$(wc -l <err)" = 1 &&
		grep -F -- "$1" err
	} &&
	test_expect_code 128 avogit profile 2>err &&
	grep "avogit.yaml: score.command runs the candidates, so they cannot be profiled here" err &&
	test_expect_code 128 avogit score --sanitize 2>err &&
	grep "cannot be run under sanitizers here" err &&
	echo "baselines: {}" >>avogit.yaml &&
	git commit -qam baselines &&
	refused "unknown key" &&
	sed -i "\$d; s/score: {/score: {exact: true, ab: false, /" avogit.yaml &&
	git commit -qam both &&
	refused "score.exact: found" &&
	sed -i "s/score: {.*/score: {unit: ops}/" avogit.yaml &&
	git commit -qam none &&
	refused "command"
'

test_done
