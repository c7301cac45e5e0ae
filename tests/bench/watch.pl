# CPU seconds per second of the process PID while the run `made` of the current folder
# (made-run.pl) gets an attempt and its measurement ten times a second, that is 20
# entries: watch.pl PID SECONDS
use strict;
use warnings;
use Digest::SHA 'sha1_hex';
use JSON::PP;
use Time::HiRes qw(sleep time);

my ($pid, $seconds) = @ARGV;
my $ref = 'refs/avogit/made/journal/00000000000000aa';
my $json = JSON::PP->new->canonical->ascii;
chomp(my $tip = `git rev-parse $ref`);
chomp(my $tree = `git rev-parse $ref^{tree}`);
my ($number) = `git log -50 --format=%b $ref` =~ /"number":(\d+)/;

sub cpu {
	open my $f, '<', "/proc/$pid/stat" or die "watch.pl: $pid is gone\n";
	my @field = split ' ', (<$f> =~ s/.*\) //r);
	return ($field[11] + $field[12]) / 100;
}

sub entry {
	my ($kind, %rest) = @_;
	my $message = "$kind\n\n" . $json->encode({kind => $kind, run => 'made', time_us => int(time * 1e6), %rest});
	open my $text, '>', '.git/entry' or die;
	print $text $message;
	close $text;
	chomp($tip = `git -c user.name=a -c user.email=a\@b commit-tree -p $tip -F .git/entry $tree`);
	system('git', 'update-ref', $ref, $tip) == 0 or die;
}

my ($began, $used, $entries) = (time, cpu(), 0);
while (time < $began + $seconds) {
	my $id = sha1_hex(++$number);
	entry('attempt', candidate => $id, number => $number, lineage => 1, parent => sha1_hex(1), subject => "attempt $number");
	entry('measurement', candidate => $id, number => $number, accepted => JSON::PP::false, spent_seconds => $number,
		measurement => {format => 1, id => sprintf('20261123T%06dZ-%08x', $number % 100000, $number),
			time_us => int(time * 1e6), task => 'a' x 16, sources => sprintf('%016x', $number),
			machine => 'b' x 16, scorer => '8', verdict => 'wrong', trust => 'none', why => 'y[0] is not right',
			score => 0, rate_is_bytes => JSON::PP::false, noise => 0, seconds_total => 1,
			environment => {machine => 'a test'}, cases => [], comparisons => []});
	$entries += 2;
	my $rest = $began + $entries / 20 - time;
	sleep $rest if $rest > 0;
}
my $took = time - $began;
die sprintf "watch.pl: only %.1f entries a second\n", $entries / $took if $entries / $took < 15;
printf "%.4f\n", (cpu() - $used) / $took;
