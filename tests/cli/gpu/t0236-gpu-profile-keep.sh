#!/bin/sh
# test: parallel no-asan
test_description='profile --keep: figures of attempts that a report shows before and after'
. "$(dirname "$0")/lib-fake-gpu.sh"
fake_repo task || exit

# It plays nothing, and prints what one printed on an H200.
cp "$SHARNESS_TEST_SRCDIR/../data/ncu/h200.csv" "$CUDA_HOME/said"
printf "#!/bin/sh\ncat '%s'\n" "$CUDA_HOME/said" >"$CUDA_HOME/bin/ncu"
chmod 755 "$CUDA_HOME/bin/ncu"
AVOGIT_NCU=$CUDA_HOME/bin/ncu
export AVOGIT_NCU

test_expect_success 'setup: a run of one attempt' '
	faults && git commit -q --allow-empty -m kernel &&
	echo "/* another */" >>kernel.cu &&
	avogit score --run fake -m another --time 2s >/dev/null &&
	git checkout -q kernel.cu
'

test_expect_success 'what is no attempt of the run is refused before anything is measured' '
	git commit -q --allow-empty -m other &&
	test_expect_code 128 avogit profile HEAD --keep --run fake 2>../err &&
	grep "is not an attempt of the run .fake." ../err &&
	test_expect_code 128 avogit profile HEAD --keep --run none 2>../err &&
	test_expect_code 2 avogit profile --keep 2>../err &&
	grep "name it, without --sass" ../err &&
	test_expect_code 2 avogit profile HEAD --keep --ptx 2>../err &&
	test_expect_code 2 avogit profile HEAD --run fake 2>../err &&
	grep "goes with --keep" ../err &&
	git for-each-ref --format="%(refname)" >../refs &&
	test_must_fail grep "fake/logs" ../refs
'

test_expect_success 'the figures of the start are kept, and the report has them' '
	mkdir ../tmp &&
	TMPDIR=$PWD/../tmp avogit profile HEAD~ --keep --run fake >../out &&
	grep "^kept with the run fake: .avogit report. shows it" ../out &&
	avogit profile "fake#0" --keep --run fake --json >../json &&
	grep "\"kept\":[[:space:]]*\"fake\"" ../json &&
	avogit report fake --format json >../report &&
	perl -MJSON::PP -e '\''
		my ($kept, $report) = map { open my $f, "<", $_ or die; local $/; decode_json(<$f>) } @ARGV;
		my ($p) = @{$report->{profiles}[0]};
		@{$report->{profiles}} == 1 && @{$report->{profiles}[0]} == 1 or die "not one";
		$p->{attempt} == 0 && $p->{case} eq "n=16384" or die "of another";
		my ($x, $y) = map { JSON::PP->new->canonical->encode($_) } $kept->{profile}{facts}, $p->{facts};
		$x eq $y && length $x > 200 or die "$x\n$y";
	'\'' ../json ../report &&
	ls ../tmp >../left && test_must_be_empty ../left
'

test_done
