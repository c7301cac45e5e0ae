# Which process of a program keeps a scoring waiting, looked at every few
# milliseconds: who.pl PID SECONDS [MILLISECONDS]
# PID and all below it. Of each moment the first of these that runs, or waits in
# the kernel for a device, with the call that it is in: a launcher in an ioctl
# maps memory or loads code, a launcher in none of them works or polls the card.
# To see what a call is needs root.
use strict;
use warnings;
use Time::HiRes qw(sleep time);

my ($top, $seconds, $every) = @ARGV;
die "usage: who.pl PID SECONDS [MILLISECONDS]\n" unless $seconds;
$every = ($every || 5) / 1000;
my @order = qw(judge launcher capturer resident arm spare ceilings compiler avogit other);
my %names = (16 => 'ioctl', 9 => 'mmap', 11 => 'munmap', 7 => 'poll', 271 => 'poll',
	47 => 'recvmsg', 202 => 'futex', 231 => 'exit', 257 => 'open', 3 => 'close');

sub contents {
	open my $f, '<', $_[0] or return '';
	local $/;
	return scalar(<$f>) // '';
}

# By its name, which a spare changes, or by the role on its command line.
sub role {
	my ($pid, $comm) = @_;
	return $comm if $comm =~ /^(launcher|capturer)$/;
	return 'compiler' if $comm =~ /^(nvcc|cicc|ptxas|cudafe|fatbinary|cc1|cc1plus|cc|gcc|as|ld|collect2)/;
	return 'avogit' if $comm eq 'avogit';
	my ($program, $role) = split /\0/, contents("/proc/$pid/cmdline");
	return 'other' unless ($program // '') =~ m{^/proc/self/fd/\d+$} && defined $role;
	$role =~ s/^gpu-//;
	return $role eq 'candidate' ? 'arm' : $role;
}

sub look {
	my (%parent, %state, %comm, %seen);
	for my $file (glob '/proc/[0-9]*/stat') {
		my ($pid, $comm, $state, $parent) = contents($file) =~ /^(\d+) \((.*)\) (\S) (\d+)/s or next;
		($parent{$pid}, $state{$pid}, $comm{$pid}) = ($parent, $state, $comm);
	}
	for my $pid (keys %parent) {
		next unless $state{$pid} =~ /[RD]/;
		my $above = $pid;
		$above = $parent{$above} while $above && $above != $top && defined $parent{$above};
		next unless $above && $above == $top;
		my ($call) = contents("/proc/$pid/syscall") =~ /^(\S+)/;
		$call = !defined $call || $call eq 'running' ? 'works' : $names{$call} // "call $call";
		$seen{role($pid, $comm{$pid})} //= $call;
	}
	for my $role (@order) {
		return ($role, $seen{$role}) if defined $seen{$role};
	}
	return %seen ? ('other', 'works') : ('nobody', '');
}

my $end = time + $seconds;
my (%n, %calls, $all);
while (time < $end && -d "/proc/$top") {
	my ($role, $call) = look();
	$n{$role}++;
	$calls{$role}{$call}++;
	$all++;
	sleep $every;
}
die "who.pl: $top is gone\n" unless $all;
printf "looked %d times in %d s; of each the first that ran:\n", $all, $seconds;
for my $role (sort { $n{$b} <=> $n{$a} } keys %n) {
	my $c = $calls{$role};
	printf "%-9s %5.1f %%  %s\n", $role, 100 * $n{$role} / $all,
		join ', ', map { sprintf '%s %.1f', $_, 100 * $c->{$_} / $all } grep { length } sort { $c->{$b} <=> $c->{$a} } keys %$c;
}
