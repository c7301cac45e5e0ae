#!/bin/sh
# test: parallel long

test_description='avogit gate: is a change slower or wrong, and does its claim hold'

. "$(dirname "$0")/../lib-avogit.sh"

# A program as fast as its source says, exactly, so that every answer is the same on
# a busy machine.
make_exact () {
	cd "$SHARNESS_TRASH_DIRECTORY" &&
	git init -q "$1" &&
	cd "$1" &&
	printf "%s\n" out err json found expected "refs-*" >.git/info/exclude &&
	cat >avogit.yaml <<-\EOF &&
	name: app
	sources: [kernel.c]
	score: {command: [sh, bench.sh], unit: ops/s, timeout: 20s, exact: true}
	build: {files: [bench.sh, build.sh], command: [sh, build.sh], object: app}
	EOF
	printf "#define SPEED 100\n#define WHY\n" >kernel.c &&
	cat >build.sh <<-\EOF &&
	! grep BROKEN kernel.c && cp kernel.c app
	EOF
	cat >bench.sh <<-\EOF &&
	speed=$(sed -n "s/^#define SPEED //p" kernel.c)
	why=$(sed -n "s/^#define WHY //p" kernel.c)
	case $why in
	?*) printf '{"verdict": "wrong", "why": "%s"}' "$why" ;;
	*) printf '{"verdict": "pass", "score": %s, "cases": [{"name": "a|b", "value": %s}]}' "$speed" "$speed" ;;
	esac
	EOF
	git add . &&
	git commit -qm "an application" &&
	git tag base
}

speed () {
	sed -i "s/^#define SPEED .*/#define SPEED $1/" kernel.c
}

# change MESSAGE: commits the work tree on top of base.
change () {
	git add -A &&
	git commit -qm "$1"
}

back () {
	git checkout -q --detach base
}

# gates EXIT TEXT ARGS: what `gate base ARGS` answers.
gates () {
	code=$1 text=$2 &&
	shift 2 &&
	test_expect_code "$code" avogit gate base "$@" >out 2>err &&
	grep -F -e "$text" out ||
	{ cat out err; return 1; }
}

test_expect_success 'what is faster or equal passes, and nothing is recorded' '
	make_exact app &&
	git for-each-ref >refs-before &&
	back && speed 120 && git commit -qam faster && git tag faster &&
	gates 0 "faster: 1.200x [1.200, 1.200] the speed of BASE" &&
	grep "^## avogit gate: not slower, and right" out &&
	gates 0 "no kernel is affected" base &&
	back && echo "// a comment" >>kernel.c && git commit -qam same &&
	gates 0 "same: 1.000x" &&
	git tag -d faster &&
	git for-each-ref >refs-after &&
	test_cmp refs-before refs-after
'

test_expect_success 'what is slower fails, unless the loss is allowed' '
	back && speed 97 && git commit -qam slower &&
	gates 1 "**slower**: 0.970x" &&
	grep "in fresh processes 0.970x" out &&
	gates 1 "**slower**: 0.970x" --allow 2.5% &&
	gates 0 "which \`--allow\` lets pass" --allow 3
'

test_expect_success 'a claim holds or it does not' '
	back && speed 120 && git commit -qam faster &&
	gates 0 "the claim of 1.2x holds" --claim 1.2x &&
	gates 1 "the claim of 1.25x does not hold" --claim 1.25 &&
	back && echo "// a comment" >>kernel.c && git commit -qam "twice as fast" &&
	gates 1 "the claim of 1x does not hold" --claim 1
'

test_expect_success 'what is wrong fails, and its words are nothing but words' '
	back &&
	why="\`</code><script>alert(1)</script> @all | ![x](http://localhost/) **right**" &&
	printf "#define SPEED 900\n#define WHY %s\n" "$why" >kernel.c &&
	git commit -qam "nine times as fast" &&
	gates 1 "**wrong**: \`" &&
	grep "^- \*\*wrong\*\*: \`[^\`|]*<script>[^\`|]*\`$" out
'

test_expect_success 'what measures comes from BASE, and a change of it is said' '
	back && speed 50 &&
	sed -i "s/^speed=.*/speed=1000/" bench.sh &&
	git commit -qam "another measure" &&
	gates 1 "**slower**: 0.500x" &&
	grep "another in HEAD: .bench.sh.$" out &&
	speed 200 && git commit -qam "faster, too" &&
	gates 2 "the change touches what measures, which was taken from BASE" &&
	grep "faster: 2.000x" out &&
	gates 0 "same: 1.000x" --head-task
'

test_expect_success 'a change of what measures alone is not run' '
	back && echo "exit 1" >bench.sh &&
	git commit -qam "another measure" &&
	gates 2 "not decided" &&
	! grep "speed of BASE" out &&
	back && echo "# a comment" >>avogit.yaml && git commit -qam "a comment" &&
	gates 0 "no kernel is affected" &&
	back && git rm -q avogit.yaml && speed 120 && git commit -qam gone &&
	gates 2 "another in HEAD: \`avogit.yaml\`"
'

test_expect_success 'only kernels that the change affects are measured' '
	back && mkdir other && cp avogit.yaml *.sh kernel.c other/ &&
	change "two kernels" && git tag two &&
	sed -i "s/100/90/" other/kernel.c && git commit -qam "one slower" &&
	test_expect_code 1 avogit gate two >out &&
	grep "affected: 1 of 2 tasks" out &&
	grep "### .other/avogit.yaml.: no" out &&
	test_expect_code 0 avogit gate two --task avogit.yaml >out &&
	grep "no kernel is affected" out &&
	gates 0 "that only HEAD has, whose kernels were not measured: \`other/avogit.yaml\`" two
'

test_expect_success 'a kernel that is gone, and a branch beside BASE' '
	back && git rm -q kernel.c && git commit -qm gone &&
	gates 2 "has none of the task" &&
	git checkout -q main && speed 110 && git commit -qam "BASE is faster" &&
	git tag -f base HEAD && git checkout -q HEAD~1 && echo >>kernel.c &&
	git commit -qam beside &&
	gates 1 "does not descend from BASE"
'

test_expect_success 'a BASE that is wrong, and a change that mends it' '
	git tag -f good base && git checkout -q good &&
	echo "#define WHY it fails" >>kernel.c && git commit -qam wrong && git tag -f base &&
	git revert --no-edit HEAD >/dev/null &&
	gates 0 "right, where BASE itself fails, \`it fails\`" &&
	gates 2 "so the claim of 2x cannot be decided" --claim 2
'

test_expect_success '--json says the same, with the measurements' '
	test_expect_code 1 avogit gate --json HEAD base >json &&
	perl -MJSON::PP -e "
		local \$/; \$j = decode_json(<STDIN>); \$k = \$j->{kernels}[0];
		\$j->{answer} eq q(no) && \$j->{exit_code} == 1 &&
		\$k->{measurements}[0]{verdict} eq q(wrong) or die" <json
'

measured () { # COUNT: so often, says the JSON
	perl -MJSON::PP -e "
		local \$/; \$k = decode_json(<STDIN>)->{kernels}[0];
		exit(@{\$k->{measurements}} != \$ARGV[0])" "$1" <json
}

test_expect_success 'what is decided is not measured again' '
	make_exact decided &&
	back && speed 120 && git commit -qam faster &&
	avogit gate --json base >json &&
	measured 1 &&
	back && speed 97 && git commit -qam slower &&
	test_expect_code 1 avogit gate --json base >json &&
	measured 2
'

# A measurement finds a gain wrongly once in 200, and eight are made: about one gate
# in 25 ends early.
test_expect_success 'what decides nothing is measured eight times' '
	for i in 1 2 3 4
	do
		make_exact noisy$i &&
		sed -i "s/, exact: true//" avogit.yaml &&
		sed -i "s/^speed=.*/speed=\$(od -An -N3 -tu4 \/dev\/urandom)/" bench.sh &&
		git commit -qam "a figure that is chance" && git tag -f base &&
		echo "// a comment" >>kernel.c && git commit -qam same || return 1
		avogit gate base --time 1s >out
		test $? != 2 || break
		grep "faster: \|slower: " out || return 1
	done &&
	grep "undecided: .*, by 8 measurements together" out
'

test_expect_success 'git bisect finds what made it slower, past what does not build' '
	make_exact bisected && git checkout -q main &&
	for i in 1 2 3 4 5 6 7
	do
		echo "// $i" >>kernel.c &&
		case $i in
		3) echo "// BROKEN" >>kernel.c ;;
		4) sed -i /BROKEN/d kernel.c ;;
		5) speed 99 ;;
		esac &&
		git commit -qam "change $i" || return 1
	done &&
	test_expect_code 125 avogit gate --bisect base HEAD~4 >out &&
	grep "build-failed" out &&
	git bisect start HEAD base >out &&
	git bisect run "$AVOGIT" gate --bisect base >out 2>&1 &&
	git log -1 --format=%s refs/bisect/bad >found &&
	echo "change 5" >expected &&
	test_cmp expected found &&
	git bisect reset
'

test_expect_success 'a command line that is wrong is no answer' '
	test_expect_code 2 avogit gate 2>err &&
	grep "BASE" err &&
	test_expect_code 2 avogit gate base --allow 101 2>err &&
	grep "gate: .101. must be a number from 0 and below 100%" err &&
	test_expect_code 2 avogit gate base --claim 0.5 2>err &&
	test_expect_code 128 avogit gate --bisect base --clam 2 2>err &&
	grep "unknown option --clam" err &&
	test_expect_code 128 avogit gate nothing 2>err &&
	git rm -q avogit.yaml && git commit -qm "no task" &&
	test_expect_code 128 avogit gate HEAD 2>err &&
	grep "has no avogit.yaml.*--task" err
'

# On a busy machine the answer may be open, and never the other one.
test_expect_success 'a kernel in C, timed' '
	cd "$SHARNESS_TRASH_DIRECTORY" &&
	make_repo timed && git tag slow &&
	sed -i "s/ROUNDS 64/ROUNDS 4/" kernel.c && git commit -qam fast && git tag fast &&
	{ avogit gate slow --claim 2 >out; code=$?; } &&
	grep -e "the claim of 2x holds" -e "the claim of 2x is undecided" out &&
	test "$code" = 0 -o "$code" = 2 &&
	{ avogit gate fast slow >out; code=$?; } &&
	grep -e "^- \*\*slower\*\*: " -e "^- undecided: " out &&
	test "$code" = 1 -o "$code" = 2 &&
	sed -i "s/MODE 0/MODE 1/" kernel.c && git commit -qam wrong &&
	test_expect_code 1 avogit gate fast >out &&
	grep "\*\*wrong\*\*: .y.8192. is 1000" out
'

test_done
