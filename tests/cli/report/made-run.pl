# The journal of a run `made` of N attempts in the repository of the current folder,
# without measuring anything: made-run.pl BASE N HOSTILE KEPT...
#
# KEPT are commits, each on the one before and the first on BASE: attempts 1, 2, ...
# are these, each faster than the last, and crowned. Of the others some fail, some are
# slower. HOSTILE is a file whose text is the subject, the hypothesis and the reason, and a
# part of what a failure printed.
# With MADE_BY_MODEL in the environment each attempt took tokens and money, a supervisor
# began a second lineage before the fifth, and the cases know their ceiling. With
# MADE_BY_ISLANDS a champion migrated before the sixth, with MADE_BY_FINAL the first
# attempt is the fastest and crowned last. MADE_OF_COMMITS is a file with a commit for
# each attempt, for those that are not KEPT; else theirs are not there.
use strict;
use warnings;
use Digest::SHA 'sha1_hex';
use JSON::PP;

my ($base, $n, $hostile, @kept) = @ARGV;
my $ref = 'refs/avogit/made/journal/00000000000000aa';
my $time = 1795473425000000;
my $json = JSON::PP->new->canonical->ascii;
open my $h, '<:encoding(UTF-8)', $hostile or die;
my $text = do { local $/; <$h> };
chomp $text;
my $line = $text =~ s/\n/ /gr;
my $by_model = $ENV{MADE_BY_MODEL};
my @commits;
if ($ENV{MADE_OF_COMMITS}) {
	open my $c, '<', $ENV{MADE_OF_COMMITS} or die;
	chomp(@commits = <$c>);
}
open my $import, '|-', 'git fast-import --quiet' or die;

sub entry {
	my ($kind, %rest) = @_;
	$time += 1000000;
	my $message = "$kind\n\n" . $json->encode({kind => $kind, run => 'made', time_us => $time, %rest}) . "\n";
	printf $import "commit %s\ncommitter T <t> %d +0000\ndata %d\n%s\n",
		$ref, $time / 1e6, length $message, $message;
}

sub measured {
	my ($id, $number, $verdict, $score, @comparisons) = @_;
	my $bad = $verdict ne 'pass';
	return (candidate => $id, number => $number, accepted => ($number == 0 || $number <= @kept) ? \1 : \0,
		spent_seconds => $number, measurement => {
			format => 1, id => sprintf('20261123T%06dZ-%08x', $number % 100000, $number),
			time_us => $time, task => 'a' x 16, sources => sprintf('%016x', $number),
			machine => 'b' x 16, scorer => '8', verdict => $verdict, trust => $bad ? 'none' : 'isolated',
			$bad ? (why => $line, log => "kernel.c:$number: error\n$text") : (), score => $bad ? 0 : $score, rate_is_bytes => \0, noise => 0.01,
			seconds_total => 1, environment => {machine => 'a test', sandbox => $line},
			cases => $bad ? [] : [{name => "n=1", weight => 1, seconds => 0.001, rate => $score, error => 0.1, launches => 8,
				$by_model ? (ceiling => $score / 1e10, spread => 0.02) : ()}],
			$by_model && !$bad ? (kernels => [{name => '_Z5scalePf', registers => 32}]) : (),
			comparisons => $bad ? [] : \@comparisons});
}

sub against {
	my ($rival, $name, $ratio) = @_;
	return {rival => $rival, name => $name, ratio => $ratio, low => $ratio * 0.99, high => $ratio * 1.01,
		told => $ratio > 1 ? 'faster' : 'slower', blocks => 8, confirmed => $ratio > 1 ? \1 : \0,
		worst_case => $ratio, case_ratios => [$ratio]};
}

entry('run', candidate => $base, base => $base, task_path => 'avogit.yaml', task => 'a' x 16,
	seed => '1', machine => 'b' x 16, machine_name => 'a test', operator => 'tuner');
entry('start', operator => 'tuner', max_attempts => $n);
entry('measurement', measured($base, 0, 'pass', 1e9));
my ($tip, $speed) = ($base, 1);
for my $i (1 .. $n) {
	my $id = $i <= @kept ? $kept[$i - 1] : $commits[$i - 1] // sha1_hex($i);
	my $late = $ENV{MADE_BY_FINAL} && $i == 1;
	my $ratio = $late ? 2 : $i <= @kept ? 1.5 : 0.5 + ($i % 40) / 100;
	entry('intervention', candidate => $tip, new_lineage => 2, trigger => 'stall',
		reason => "a stall: $line", direction => $text) if $by_model && $i == 5;
	entry('intervention', candidate => $tip, new_lineage => 3, trigger => 'migration',
		reason => 'a faster one', direction => '') if $ENV{MADE_BY_ISLANDS} && $i == 6;
	entry('attempt', candidate => $id, number => $i, lineage => $by_model && $i >= 5 ? 2 : 1, parent => $tip,
		$by_model ? (spend => {turns => 2, tokens_in => 1000, tokens_out => 100, dollars => 0.01}) : (),
		subject => $i % 3 ? "attempt $i" : $line, hypothesis => $i % 3 ? "because of $i" : $text);
	entry('measurement', $i > @kept && $i % 5 == 0 ? measured($id, $i, 'wrong')
		: measured($id, $i, 'pass', 1e9 * $speed * $ratio, against('incumbent', $tip, $ratio),
			against('baseline', 'library', $speed * $ratio / 4)));
	next if $i > @kept || $late;
	entry('crown', candidate => $id, number => $i);
	($tip, $speed) = ($id, $speed * $ratio);
}
entry('crown', candidate => $kept[0], number => 1) if $ENV{MADE_BY_FINAL};
entry('stop', reason => 'attempts', spent_seconds => $n);
close $import or die;
