#!/bin/sh
# test: parallel
test_description='avogit verify --in COMMAND: the benchmark of the project itself, before and after'
. "$(dirname "$0")/../lib-avogit.sh"

test_expect_success 'setup: a project with a benchmark, and a change' '
	git init -q repo && cd repo &&
	echo 40 >speed && mkdir sub && echo x >sub/file &&
	printf "#!/bin/sh\necho compiling 3 files >&2\nv=\$(cat speed)\n" >bench.sh &&
	printf "echo \"size 1024 gemm2: \$v.5 ms, \$((1000 / v)) MB/s\"\ntest -e sub/file\n" >>bench.sh &&
	git add . && git commit -qm before && base=$(git rev-parse HEAD) &&
	echo 20 >speed && git commit -qam after && echo 7 >speed
'

test_expect_success 'every number that varies is shown before and after, and who is who' '
	users_state >../before &&
	avogit verify --in "sh bench.sh" --runs 3 HEAD >../out &&
	grep "^3 runs each, in turns: before $(git rev-parse --short $base), after $(git rev-parse --short HEAD)$" ../out &&
	grep "size # gemm2: \* ms, # MB/s  *40.5  *20.5  *0.506 \[0.506, 0.506\]" ../out &&
	grep "size # gemm2: # ms, \* MB/s  *25  *50  *2.000 \[2.000, 2.000\]" ../out &&
	! grep -e "size \*" -e compiling ../out &&
	grep "the command itself, in s" ../out &&
	grep "avogit has said nothing of this change" ../out &&
	users_state >../after && test_cmp ../before ../after
'

test_expect_success '--json has the commits, every figure of every run, and the ratio' '
	avogit verify --in "sh bench.sh; echo delta \$((\$(cat speed) - 20))" --runs 3 --json HEAD >../out &&
	"$SHARNESS_TEST_SRCDIR/json.pl" ../out "
		\$j->{before} eq \"$base\" && \$j->{after} eq \"$(git rev-parse HEAD)\" &&
		\$j->{runs} == 3 && @{\$j->{figures}} == 3 && !exists \$j->{claim}" &&
	"$SHARNESS_TEST_SRCDIR/json.pl" ../out "
		my (\$ms, \$rate, \$delta) = @{\$j->{figures}};
		\$ms->{label} eq q(size # gemm2: * ms, # MB/s) &&
		\$ms->{before} == 40.5 && \$ms->{after} == 20.5 &&
		join(q(,), @{\$ms->{before_runs}}) eq q(40.5,40.5,40.5) && @{\$ms->{after_runs}} == 3 &&
		abs(\$rate->{ratio} - 2) < 1e-9 && \$rate->{low} <= 2.0001 && \$rate->{high} >= 1.9999 &&
		\$delta->{after} == 0 && !exists \$delta->{ratio}" &&
	"$SHARNESS_TEST_SRCDIR/json.pl" ../out "
		\$j->{seconds}{before} > 0 && @{\$j->{seconds}{after_runs}} == 3 && !exists \$j->{seconds}{label}"
'

test_expect_success '--json of a command that fails: nothing on stdout, its output on stderr' '
	test_expect_code 128 avogit verify --in "echo about to; false" --runs 2 --json HEAD >../out 2>../err &&
	test ! -s ../out && grep "about to" ../err && grep "before the change" ../err
'

test_expect_success 'in turns, after a run each that is not counted, in folders that go' '
	rm -f ../turns && here=$(cd .. && pwd) &&
	env TMPDIR="$here" HERE="$here" "$AVOGIT" verify --in "cat speed >>\"\$HERE\"/turns; pwd >>\"\$HERE\"/dirs; sh bench.sh" --runs 3 HEAD >../out &&
	test "$(tr "\n" " " <../turns)" = "40 20 40 20 20 40 40 20 " &&
	test "$(sort -u ../dirs | wc -l)" = 2 &&
	test -z "$(ls -d ../avogit-verify.* 2>/dev/null)"
'

test_expect_success 'a command that prints nothing, or no number: only its time' '
	avogit verify --in true --runs 2 HEAD >../out &&
	grep "it printed no number" ../out && grep "the command itself" ../out &&
	avogit verify --in "echo all is well nan inf 0x10" --runs 2 HEAD >../out &&
	grep "it printed no number" ../out
'

test_expect_success 'what acts on a terminal does not come through' '
	avogit verify --in "printf \"\\033]0;t\\007rate \$(cat speed)\\n\"" --runs 2 HEAD >../out &&
	grep "rate \*  *40  *20" ../out && ! grep -P "[\x00-\x08\x0b-\x1f]" ../out
'

test_expect_success 'one that fails says on which side, with its output, and compares nothing' '
	test_expect_code 128 avogit verify --in "echo about to; test \$(cat speed) = 40" --runs 2 HEAD >../out 2>../err &&
	grep "about to" ../out && ! grep "in turns" ../out &&
	grep "the command failed after the change (exit code 1)" ../err
'

test_expect_success 'one that never ends is ended' '
	here=$(cd .. && pwd) &&
	test_expect_code 128 env TMPDIR="$here" "$AVOGIT" verify --in "sleep 1000 & sleep 1000" --time 1s HEAD >../out 2>../err &&
	grep "did not end within 1 s, before the change" ../err &&
	test -z "$(ls -d ../avogit-verify.* 2>/dev/null)"
'

test_expect_success 'the first commit has nothing before it; usage is said' '
	test_expect_code 128 avogit verify --in true $base 2>../err &&
	grep "nothing before" ../err &&
	test_expect_code 2 avogit verify --runs 3 HEAD 2>../err &&
	test_expect_code 2 avogit verify --in true --runs 1 HEAD 2>../err &&
	test_expect_code 2 avogit verify --in "" HEAD 2>../err
'

test_expect_success 'no repository can set it' '
	cd .. && make_light_repo task && git commit -q --allow-empty -m next &&
	for key in "in: touch ../ran" "verify: {in: touch ../ran}" "benchmark: touch ../ran"
	do
		git checkout -q HEAD avogit.yaml && echo "$key" >>avogit.yaml &&
		git commit -qam "$key" &&
		test_expect_code 128 avogit score 2>../err && grep "unknown key" ../err || return 1
	done &&
	git config avogit.in "touch ../ran" && git config avogit.verify.in "touch ../ran" &&
	git config alias.verify "!touch ../ran" &&
	test_must_fail avogit verify HEAD 2>/dev/null &&
	test ! -e ../ran
'

test_expect_success 'a candidate is held against the base of its run, beside what avogit said' '
	git reset -q --hard HEAD~3 &&
	sed -i "s|ROUNDS 16 |ROUNDS 1 |" kernel.c &&
	avogit score --run r -m "one round" >/dev/null && git checkout -q kernel.c &&
	avogit verify --in "sed -n s/.define.ROUNDS//p kernel.c" --runs 2 "r#1" >../out &&
	grep "before $(git rev-parse --short HEAD)," ../out &&
	grep "\* // avogit: # # #  *16  *1  *0.062" ../out &&
	grep "^avogit said: " ../out &&
	avogit verify --in "sed -n s/.define.ROUNDS//p kernel.c" --runs 2 --json "r#1" >../out &&
	"$SHARNESS_TEST_SRCDIR/json.pl" ../out "\$j->{claim}{verdict} eq q(pass)"
'

test_done
