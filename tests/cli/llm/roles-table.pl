# A table of runs beside each other, from `avogit log --json` and the journals:
# perl roles-table.pl NAME:REPOSITORY ...
use strict;
use warnings;
use JSON::PP;

printf "%-10s %7s %7s %8s %8s %7s %9s\n", qw(run replies tokens money attempts failed speed);
for (@ARGV) {
	my ($name, $folder) = split /:/;
	my %sum = (turns => 0, tokens_in => 0, tokens_out => 0, dollars => 0);
	my $entries = `git -C $folder log --format=%x00%b --glob='refs/avogit/*/journal/*'`;

	for my $text (split /\0/, $entries) {
		my $entry = eval { decode_json($text) } or next;

		$sum{$_} += $entry->{spend}{$_} // 0 for keys %sum;
	}
	my $log = `cd $folder && "$ENV{AVOGIT}" log --json`;
	my $run = decode_json($log)->{runs}[0];
	my @made = grep { $_->{attempt} } @{$run->{attempts}};
	my ($best) = grep { $_->{champion} } @made;

	printf "%-10s %7d %7d %8.2f %8d %7d %8.1fx\n", $name, $sum{turns},
		$sum{tokens_in} + $sum{tokens_out}, $sum{dollars}, scalar @made,
		scalar(grep { $_->{verdict} ne 'pass' } @made),
		$best ? $best->{speedup} : 1;
}
