# The journal of a run `made` that two kinds of machines measured, without measuring
# anything: two-machines.pl BASE [more [ID...]], in the repository of the current folder.
# With `more` two attempts follow that each kind measured, and a third kind began the
# run. The IDs are the commits of its attempts; without them they are of none.
use strict;
use warnings;
use JSON::PP;

my ($base, $more, @id) = @ARGV;
my $time = 1795473425000000;
my $n = 0;
my $json = JSON::PP->new->canonical->ascii;
my %name = ('c' x 16 => 'Card C, 8 cpus', 'a' x 16 => 'Card A, 8 cpus', 'b' x 16 => 'Card B, 8 cpus');
open my $import, '|-', 'git fast-import --quiet' or die;

sub entry {
	my ($kind, %rest) = @_;
	$time += 1000000;
	my $message = "$kind\n\n" . $json->encode({kind => $kind, run => 'made', time_us => $time, %rest}) . "\n";
	printf $import "commit %s\ncommitter T <t> %d +0000\ndata %d\n%s\n",
		'refs/avogit/made/journal/00000000000000aa', $time / 1e6, length $message, $message;
}

sub id {
	my ($number) = @_;
	return $number ? $id[$number - 1] // sprintf('%040x', $number) : $base;
}

sub attempt {
	my ($number, $parent) = @_;
	entry('attempt', candidate => id($number), number => $number, lineage => 1, parent => id($parent),
		subject => "change $number");
}

# The ratios: [RIVAL, NUMBER, RATIO]...
sub measured {
	my ($machine, $number, $accepted, @ratios) = @_;
	entry('measurement', candidate => id($number), number => $number, accepted => $accepted ? \1 : \0, measurement => {
		format => 1, id => sprintf('20261123T000000Z-%08x', ++$n), time_us => $time, task => 'a' x 16,
		sources => sprintf('%016x', $number), machine => $machine, scorer => '8', verdict => 'pass',
		trust => 'isolated', score => 1e9 * $n, rate_is_bytes => \0, noise => 0.01, seconds_total => 1,
		environment => {machine => $name{$machine}},
		cases => [{name => 'n=1', weight => 1, seconds => 0.001, rate => 1e9 * $n, error => 0.1, launches => 8}],
		comparisons => [map {{rival => $_->[0], name => id($_->[1]), ratio => $_->[2], low => $_->[2] * 0.99,
			high => $_->[2] * 1.01, told => $_->[2] > 1 ? 'faster' : 'slower', blocks => 8,
			confirmed => $_->[2] > 1 ? \1 : \0, worst_case => $_->[2], case_ratios => [$_->[2]]}} @ratios]});
}

sub crown {
	my ($machine, $number) = @_;
	entry('crown', candidate => id($number), number => $number, machine => $machine);
}

my ($a, $b, $c) = ('a' x 16, 'b' x 16, 'c' x 16);
my $first = $more ? $c : $a;
entry('run', candidate => $base, base => $base, task_path => 'avogit.yaml', task => 'a' x 16, seed => '1',
	machine => $first, machine_name => $name{$first}, operator => 'tuner');
entry('start', operator => 'tuner', machine => $a);
measured($a, 0, 1);
attempt(1, 0);
measured($a, 1, 1, ['incumbent', 0, 2]);
crown($a, 1);
# On B: what it found first is known beside the champion of A only, then that one
# beside the start.
entry('start', operator => 'tuner', machine => $b);
attempt(2, 1);
measured($b, 2, 0, ['incumbent', 1, 1.5]);
measured($b, 1, 1, ['start', 0, 10]);
attempt(3, 1);
measured($b, 3, 1, ['incumbent', 1, 1.2]);
crown($b, 3);
# And on A again.
attempt(4, 3);
measured($a, 4, 0, ['champion', 1, 0.5], ['incumbent', 3, 0.25]);
if ($more) {
	measured($b, 0, 1);
	attempt(5, 4);
	measured($a, 5, 1, ['champion', 1, 1.5]);
	crown($a, 5);
	measured($b, 5, 1, ['start', 0, 4]);
	attempt(6, 5);
	measured($a, 6, 1, ['incumbent', 5, 2]);
	crown($a, 6);
	measured($b, 6, 1, ['start', 0, 2.5]);
	# Fast on both, and not kept on either.
	attempt(7, 6);
	measured($a, 7, 0, ['start', 0, 9]);
	measured($b, 7, 0, ['start', 0, 9]);
}
entry('stop', reason => 'attempts');
close $import or die;
