#!/bin/sh
# test: parallel
test_description='export --trace, --tensorboard, --openmetrics: a run for what people watch'
. "$(dirname "$0")/../lib-avogit.sh"

HERE=$SHARNESS_TEST_SRCDIR/export
command -v python3 >/dev/null && test_set_prereq PYTHON
# That of the system has its packages.
for python in python3 /usr/bin/python3
do
	$python -c 'import prometheus_client.openmetrics.parser' 2>/dev/null || continue
	test_set_prereq PROMETHEUS
	break
done

test_expect_success 'setup: a run of a model with hostile text' '
	make_repo repo &&
	printf "</script>\042\\\\ \033[31m\n{x=\042y\042} 1\n" >../hostile &&
	ids= &&
	for i in 1 2
	do
		echo "/* $i */" >>kernel.c && git commit -qam "step $i" &&
		ids="$ids $(git rev-parse HEAD)" || return 1
	done &&
	MADE_BY_MODEL=1 perl "$SHARNESS_TEST_SRCDIR/report/made-run.pl" "$(git rev-parse HEAD~2)" 100 ../hostile $ids
'

test_expect_success 'the trace has a line an attempt, as log has them, and more' '
	avogit export --run made --trace ../trace >../out &&
	grep "^exported 100 attempts of the run made to ../trace" ../out &&
	test "$(wc -l <../trace)" = 101 &&
	avogit export --run made --trace - >../again &&
	test_cmp ../trace ../again &&
	perl -MJSON::PP -ne '\''
		$a = decode_json($_); $a->{run} eq "made" or die $_;
		$a->{cases}[0]{seconds} == 0.001 && $a->{cases}[0]{error} == 0.1 or die $_ if $a->{verdict} eq "pass";
		printf "%d %s %.4g %s %.4g %d %.2f %s\n", @$a{qw(attempt outcome best)}, $a->{speedup} // "-",
			$a->{won_by} // 0, @$a{qw(tokens dollars)}, scalar @{$a->{cases}};
	'\'' ../trace >../lines &&
	cat >../expected <<-\EOF &&
	0 start 1 1 0 0 0.00 1
	1 kept 1.5 1.5 1.5 1100 0.01 1
	2 champion 2.25 2.25 1.5 2200 0.02 1
	3 slower 2.25 1.1925 0 3300 0.03 1
	4 slower 2.25 1.215 0 4400 0.04 1
	5 wrong 2.25 - 0 5500 0.05 0
	EOF
	head -n 6 ../lines >../head && test_cmp ../expected ../head
'

test_expect_success PYTHON 'an event file has each figure at its attempt' '
	avogit export --run made --tensorboard ../logs >../out &&
	set -- ../logs/made/events.out.tfevents.*.avogit && test -f "$1" &&
	grep "^exported 100 attempts of the run made to $1" ../out &&
	python3 "$HERE/watched-check.py" events "$1" >../scalars &&
	cat >../expected <<-\EOF &&
	4 run/best 2.25
	4 run/speedup 1.215
	4 run/passes 1
	4 spent/tokens 4400
	4 spent/dollars 0.04
	4 run/score 1.215e+09
	4 seconds/n=1 0.001
	4 error/n=1 0.1
	5 run/best 2.25
	5 run/passes 0
	5 spent/tokens 5500
	5 spent/dollars 0.05
	EOF
	grep "^version brain.Event:2" ../scalars &&
	grep "^[45] " ../scalars >../some && test_cmp ../expected ../some
'

test_expect_success 'OpenMetrics says what the run is now' '
	avogit export --run made --openmetrics ../run.prom &&
	for line in "run_active{run=\"made\"} 0" "run_attempts{run=\"made\",outcome=\"failed\"} 20" \
		"run_attempts{run=\"made\",outcome=\"champion\"} 1" "champion_attempt{run=\"made\"} 2" \
		"champion_speedup{run=\"made\"} 2.25" "champion_score{run=\"made\",unit=\"flop/s\"} 2250000000" \
		"run_work_seconds_total{run=\"made\"} 100" "run_interventions_total{run=\"made\"} 1" \
		"model_tokens_total{run=\"made\",direction=\"in\"} 100000"
	do
		grep -xF "avogit_$line" ../run.prom || return 1
	done &&
	test "$(tail -n 1 ../run.prom)" = "# EOF"
'

# A final may crown an earlier attempt.
test_expect_success 'the best so far does not fall, whatever was crowned last' '
	git update-ref -d refs/avogit/made/journal/00000000000000aa &&
	MADE_BY_FINAL=1 perl "$SHARNESS_TEST_SRCDIR/report/made-run.pl" "$(git rev-parse HEAD~2)" 3 ../hostile $ids &&
	avogit export --run made --trace ../late &&
	perl -MJSON::PP -ne '\''
		$a = decode_json($_);
		printf "%d %.4g %.4g\n", @$a{qw(attempt best speedup)};
	'\'' ../late >../lines &&
	printf "%s\n" "0 1 1" "1 2 2" "2 2 1.5" "3 2 0.795" >../expected && test_cmp ../expected ../lines &&
	avogit report made --format svg >../late.svg &&
	sed -n "s/.*class=.best. d=\"[^V]*//p" ../late.svg >../steps &&
	test "$(tr -cd V <../steps)" = V
'

# A label may hold anything: here the name of a machine.
test_expect_success PROMETHEUS 'the parsers of Prometheus take it, whatever its labels hold' '
	git update-ref -d refs/avogit/made/journal/00000000000000aa &&
	sed "s|machine_name => .a test.|machine_name => \"a\\\\042b\\\\134 {c=\\\\042d\\\\042}\\\\012e 1\"|" \
		"$SHARNESS_TEST_SRCDIR/report/made-run.pl" >../made-run.pl &&
	MADE_BY_MODEL=1 perl ../made-run.pl "$(git rev-parse HEAD~2)" 10 ../hostile &&
	avogit export --run made --openmetrics ../run.prom &&
	grep -F "machine=\"a\\\"b\\\\ {c=\\\"d\\\"} e 1\"" ../run.prom &&
	$python "$HERE/watched-check.py" metrics ../run.prom >../counts &&
	samples=$(grep -c "^avogit" ../run.prom) &&
	printf "%s\n" $samples $samples >../expected && test_cmp ../expected ../counts
'

test_expect_success 'a timer replaces its own file of metrics, and nothing else of somebody' '
	avogit export --run made --openmetrics ../run.prom &&
	echo mine >../mine &&
	for option in --trace --openmetrics
	do
		test_expect_code 128 avogit export --run made $option ../mine 2>../err &&
		grep "^avogit: export: ../mine is there already: --force replaces it" ../err &&
		grep -x mine ../mine || return 1
	done &&
	avogit export --run made --tensorboard ../more &&
	test_expect_code 128 avogit export --run made --tensorboard ../more 2>../err &&
	grep "avogit is there already: --force" ../err &&
	avogit export --run made --tensorboard ../more --force &&
	avogit export --run made --openmetrics ../mine --force && grep "# EOF" ../mine &&
	ls .. >../names && test_must_fail grep "new" ../names
'

test_expect_success 'a run under way is active until its process has gone' '
	cd .. && (make_light_repo live) && cd live &&
	evolve_until 1 --run live --seed 3 &&
	avogit export --run live --openmetrics ../live.prom &&
	kill -INT $evolving; evolve_rest
	grep -xF "avogit_run_active{run=\"live\"} 1" ../live.prom &&
	test_must_fail grep "stopped=" ../live.prom &&
	avogit export --run live --openmetrics ../live.prom &&
	grep -xF "avogit_run_active{run=\"live\"} 0" ../live.prom &&
	grep "stopped=" ../live.prom &&
	avogit export --run live --trace - >../trace && grep "\"attempt\":1," ../trace &&
	cd ../repo
'

test_expect_success 'each is of a run, and one at a time' '
	for option in --trace --tensorboard --openmetrics
	do
		for with in HEAD "--as hub" "-o ../dir"
		do
			test_expect_code 2 avogit export $option ../new $with 2>../err &&
			grep "^avogit: export: $option writes a whole run and goes with no REV, --as or -o" ../err || return 1
		done &&
		test_expect_code 2 avogit export --t4 ../t4 $option ../new 2>../err &&
		grep "at a time" ../err &&
		test_expect_code 2 avogit export --t1 ../t1 $option ../new 2>../err &&
		test ! -e ../new || return 1
	done &&
	test_expect_code 2 avogit export --trace ../new --openmetrics ../new 2>../err &&
	test_expect_code 128 avogit export --trace ../new --run none 2>../err &&
	grep "none" ../err
'

test_done
