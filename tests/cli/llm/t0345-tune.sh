#!/bin/sh
# test: parallel long
test_description='the tool tune: a model declares tunables, the tuner sweeps them'
. "$(dirname "$0")/../lib-avogit.sh"
. "$SHARNESS_TEST_SRCDIR/lib-llm.sh"

# A small matmul that does its work ROUNDS times: a gain of tens is in it, and a
# FAULT that makes it wrong.
make_rounds () {
	make_matmul "$1" &&
	sed -i -e "s/256/64/g" -e "s/1\.\.200/1..64/g" avogit.yaml &&
	cat >kernel.c <<-\EOF &&
	#define ROUNDS 40
	#define FAULT 0
	void matmul(const float *a, const float *b, float *c, int m, int n, int k)
	{
		for (int round = 0; round < ROUNDS; round++)
			for (int i = 0; i < m; i++)
				for (int j = 0; j < n; j++) {
					float sum = FAULT;

					for (int p = 0; p < k; p++)
						sum += a[i * k + p] * b[p * n + j];
					c[i * n + j] = sum;
					__asm__ volatile("" ::: "memory");
				}
	}
	EOF
	git commit -qa --amend --no-edit
}

declares='call edit {"path":"kernel.c","old":"ROUNDS 40","new":"ROUNDS 40 // avogit: 40 1"}
call edit {"path":"kernel.c","old":"FAULT 0","new":"FAULT 0 // avogit: 0 1"}'

# The text of the answer to a call of the tool in the last request: answer TOOL
answers () {
	perl -MJSON::PP -e '
		local $/; my @l = split /\n/, <STDIN>;
		my $body = decode_json($l[-1])->{body};
		my %name;
		for my $m (@{$body->{messages}}) {
			next unless ref $m->{content};
			for my $b (@{$m->{content}}) {
				$name{$b->{id}} = $b->{name} if $b->{type} eq "tool_use";
				next unless $b->{type} eq "tool_result" && $name{$b->{tool_use_id}} eq $ARGV[0];
				my $t = $b->{content};
				$t = join "", map { $_->{text} } @$t if ref $t;
				print "$t\n";
			}
		}' "$1" <../requests
}

test_expect_success 'what the sweep finds wins, and each point is an attempt' '
	make_rounds sweep &&
	with_model anthropic avogit evolve --steps 3 >../out <<-EOF &&
	exchange
	$declares
	exchange
	call tune {}
	exchange
	text that was it
	EOF
	answers tune >../table &&
	cat ../out ../table >&2 &&
	avogit log >../log &&
	cat ../log &&
	grep "^3 points, best first; speed over #0:" ../table &&
	sed -n 2p ../table | grep "champion .*x  ROUNDS 1, FAULT 0$" &&
	test "$(grep -c "^#.* wrong .* -  .*FAULT 1: " ../table)" = 2 &&
	grep "every point that is allowed was measured" ../table &&
	grep "ROUNDS 40 -> 1" ../log
'

# The ratio is that of the moment: a champion is compared with the start once
# more when the run ends.
test_expect_success 'the lines of the table are those of the log' '
	grep "^#" ../table >../rows &&
	test "$(wc -l <../rows)" = 3 &&
	while read -r number outcome ratio rest
	do
		grep "$number .* $outcome " ../log &&
		perl -ne "/^. $number +(\\S+)/ and \$x = \$1;
			END { exit !(\$x eq q($ratio) || abs(\$x / q($ratio) - 1) < 0.01) }" \
			../out 2>../err || return 1
	done <../rows
'

test_expect_success 'the best lies in the workspace, and is what the run goes on from' '
	git show avo/matmul/best:kernel.c | grep "ROUNDS 1 // avogit: 40 1" &&
	git show avo/matmul/best:kernel.c | grep "FAULT 0 // avogit: 0 1"
'

# Kills the run as soon as a point of the sweep is measured, and goes on with it.
killed_in_a_sweep () {
	"$AVOGIT" evolve --steps 3 >../before 2>&1 &
	pid=$!
	for i in $(seq 1200)
	do
		grep -q "^[*.xo?] #1 " ../before && break
		kill -0 $pid || break
		sleep 0.05
	done
	kill -9 $pid || return 1
	wait $pid 2>/dev/null
	"$AVOGIT" evolve --steps 3 >../out 2>&1
}

test_expect_success 'a sweep that is killed goes on, and measures no point twice' '
	cd .. && make_rounds killed &&
	with_model anthropic killed_in_a_sweep <<-EOF &&
	exchange
	$declares
	exchange
	call tune {}
	exchange
	text that was it
	EOF
	avogit log >../log &&
	cat ../before ../out ../log >&2 &&
	! grep "#3 " ../before &&
	test "$(grep -c "ROUNDS\|FAULT" ../log)" = 3 &&
	test "$(grep -c "#[0-9]* .* champion " ../log)" = 1 &&
	answers tune >../table &&
	grep "champion .*x  ROUNDS 1, FAULT 0$" ../table &&
	test "$(grep -c "^#.* wrong " ../table)" = 2 &&
	test "$(wc -l <../requests)" = 3
'

test_done
