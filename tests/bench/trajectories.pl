#!/usr/bin/perl
# The trajectories of the flagship lineages as a picture: what each attempt was of
# the start's speed, and the best so far.
#     tests/bench/trajectories.pl build/avogit >docs/flagship.svg
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename;
use File::Temp qw(tempdir);
use JSON::PP;

my $avogit = abs_path(shift // die "usage: trajectories.pl AVOGIT\n");
my $top = abs_path(dirname($0) . "/../..");
my ($wide, $high, $left, $head, $foot) = (430, 210, 48, 26, 22);

sub run {
	my @words = @_;

	open my $from, "-|", @words or die "$words[0]: $!\n";
	my $text = join "", <$from>;
	close $from or die "'@words' failed\n";
	return $text;
}

# The attempts of a lineage, in their order, as its bundle has them.
sub attempts {
	my $name = shift;
	my $dir = tempdir(CLEANUP => 1) . "/$name";

	run("git", "clone", "-q", "$top/examples/cuda-$name/flagship.bundle", $dir);
	run("git", "-C", $dir, "fetch", "-q", "--no-prune", "origin", "refs/avogit/flagship/*:refs/avogit/flagship/*",
	    "refs/notes/avogit:refs/notes/avogit");
	my $log = decode_json(run($avogit, "-C", $dir, "log", "--run", "flagship", "--json"));
	return sort { $a->{attempt} <=> $b->{attempt} } grep { defined $_->{attempt} } @{$log->{runs}[0]{attempts}};
}

# About four round numbers from `low` to `high`.
sub ticks {
	my ($low, $high) = @_;
	my $raw = ($high - $low) / 4;
	my $step = 10 ** int(log($raw) / log(10) - ($raw < 1 ? 1 : 0));

	for my $times (2, 2.5, 2) {
		$step *= $times if $step < $raw;
	}
	my @at;
	for (my $v = $step * int($low / $step + 0.999999); $v <= $high + 1e-9; $v += $step) {
		push @at, $v;
	}
	return @at;
}

sub panel {
	my ($x0, $y0, $name, @all) = @_;
	my @timed = grep { defined $_->{speedup} } @all;
	my ($low, $top_speed) = (1, 1);

	for (@timed) {
		$low = $_->{speedup} if $_->{speedup} < $low;
		$top_speed = $_->{speedup} if $_->{speedup} > $top_speed;
	}
	my $over = ($top_speed - $low) * 0.08 || 0.1;
	($low, $top_speed) = ($low - $over, $top_speed + $over);
	my $last = $all[-1]{attempt} || 1;
	my $x = sub { $x0 + $left + ($wide - $left - 14) * $_[0] / $last };
	my $y = sub { $y0 + $high - $foot - ($high - $head - $foot) * ($_[0] - $low) / ($top_speed - $low) };
	my $out = sprintf qq(<text x="%g" y="%g" font-weight="bold">%s</text>\n), $x0 + $left, $y0 + 16, $name;

	for my $v (ticks($low, $top_speed)) {
		$out .= sprintf qq(<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="#ddd"/>\n), $x->(0), $y->($v),
			$x->($last), $y->($v);
		$out .= sprintf qq(<text x="%.1f" y="%.1f" text-anchor="end" fill="#555">%gx</text>\n), $x->(0) - 6,
			$y->($v) + 4, $v;
	}
	$out .= sprintf qq(<text x="%.1f" y="%.1f" fill="#555">0</text>\n), $x->(0), $y0 + $high - 6;
	$out .= sprintf qq(<text x="%.1f" y="%.1f" text-anchor="end" fill="#555">attempt %d</text>\n), $x->($last),
		$y0 + $high - 6, $last;
	my ($best, $path) = (0, "");
	for (@timed) {
		next unless $_->{champion} || $_->{outcome} =~ /^(start|champion|kept)$/;
		next if $_->{speedup} <= $best;
		$path .= sprintf $path ? "H%.1fV%.1f" : "M%.1f,%.1f", $x->($_->{attempt}), $y->($best = $_->{speedup});
	}
	$out .= sprintf qq(<path d="%sH%.1f" fill="none" stroke="#1f6fb4" stroke-width="2"/>\n), $path, $x->($last);
	for (@all) {
		if (!defined $_->{speedup}) {
			$out .= sprintf qq(<text x="%.1f" y="%.1f" text-anchor="middle" fill="#b03030">&#215;</text>\n),
				$x->($_->{attempt}), $y0 + $high - $foot;
			next;
		}
		my $kept = $_->{outcome} =~ /^(start|champion|kept)$/;
		$out .= sprintf qq(<circle cx="%.1f" cy="%.1f" r="%g" fill="%s"/>\n), $x->($_->{attempt}),
			$y->($_->{speedup}), $kept ? 4 : 2.5, $kept ? "#1f6fb4" : "#999";
	}
	return $out;
}

my @names = qw(attention attention-backward matmul decode softmax layernorm rmsnorm gelu);
push @names, "fp8" if -e "$top/examples/cuda-fp8/flagship.bundle";
my $rows = int((@names + 1) / 2);
my $width = 2 * $wide;
my $height = $rows * ($high + 8) + 26;
printf qq(<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">\n),
	$width, $height, $width, $height;
print qq(<rect width="100%" height="100%" fill="white"/>\n);
for my $i (0 .. $#names) {
	print panel($i % 2 * $wide, int($i / 2) * ($high + 8), $names[$i], attempts($names[$i]));
}
printf qq(<text x="%d" y="%d" fill="#555">times the start: what was kept (blue, and the best of it so far), what was not (grey), what failed (&#215;)</text>\n),
	$left, $height - 10;
print "</svg>\n";
