#!/usr/bin/perl
# The sizes that say whether one can find one's way in this tree: house.pl BUILD.
# Files and lines of each module; headers that one file includes; functions that
# one other file uses; cycles between modules; the length of functions. Prints
# and never fails: what must hold is checked by layers.sh and exports.sh.
use strict;
use warnings;

my $build = shift || 'build';
my @layers = qw(core gitstore scorer agent cmd);
my %text;    # of each file
for my $layer (@layers) {
	for my $file (glob("$layer/*.[ch] $layer/*/*.[ch]")) {
		open(my $in, '<', $file) or die "house: $file: $!\n";
		local $/;
		$text{$file} = <$in>;
	}
}

# What the users of a layer include is a module of its own, below all.
sub module {
	my ($file) = @_;
	return $file if $file =~ m,^(\w+)/\1\.h$,;
	$file =~ s,/[^/]*$,,;
	return $file;
}

my (%lines, %files, %includers, %edge, @functions, $total);
for my $file (sort keys %text) {
	my $n = () = $text{$file} =~ /\n/g;
	$lines{module($file)} += $n;
	$files{module($file)}++;
	$total += $n;
	(my $own = $file) =~ s/\.c$/.h/;
	while ($text{$file} =~ /^#include "([^"]+)"/mg) {
		next if !$text{$1};
		$includers{$1}{$file} = 1 if $1 ne $own;
		$edge{module($file)}{module($1)} = 1 if module($1) ne module($file);
	}
	next if $file !~ /\.c$/;
	my ($begin, $name, $line) = (0, '', 0);
	for (split /\n/, $text{$file}) {
		$line++;
		$name = $1 if /^[A-Za-z].*?([A-Za-z_0-9]+)\(/;
		$begin = $line if $_ eq '{';
		push @functions, [$line - $begin - 1, "$file: $name"]
			if $_ eq '}' && $begin;
		$begin = 0 if /^\}/;
	}
}

printf "%-20s %6s %6s\n", 'module', 'files', 'lines';
printf "%-20s %6d %6d\n", $_, $files{$_}, $lines{$_} for sort keys %files;
printf "%-20s %6d %6d\n", 'all', scalar(keys %text), $total;

# Modules that reach each other by includes; a layer's top counts as one.
my %reach = map { $_ => { %{ $edge{$_} || {} } } } keys %files;
for my $via (keys %files) {
	for my $from (keys %files) {
		next if !$reach{$from}{$via};
		$reach{$from}{$_} = 1 for keys %{ $reach{$via} };
	}
}
my @cyclic = grep { $reach{$_}{$_} } sort keys %files;
print "modules in a cycle of includes: ", scalar(@cyclic), " @cyclic\n";

my @headers = grep { /\.h$/ } keys %text;
my @single = grep { keys %{ $includers{$_} || {} } == 1 } @headers;
my @alone = grep { (my $c = $_) =~ s/h$/c/; !$text{$c} } @single;
printf "headers: %d; with one includer beside their own .c: %d, without a .c: %d\n",
	scalar(@headers), scalar(@single), scalar(@alone);

# An object file defines ("T") and needs ("U").
my (%where, %users);
for my $c (grep { /\.c$/ } keys %text) {
	(my $o = $c) =~ s/c$/o/;
	for my $object (grep { -e } "$build/$o", "$build/runner/$o") {
		for (`nm $object`) {
			$where{$1} = $c if / T (\w+)$/;
			$users{$1}{$c} = 1 if / U (\w+)$/;
		}
	}
}
delete $where{main};
my @one = grep { keys %{ $users{$_} || {} } == 1 } keys %where;
my @outside = grep { module($where{$_}) ne module((keys %{ $users{$_} })[0]) } @one;
printf "exported functions: %d; used by one other file: %d, of another module: %d\n",
	scalar(keys %where), scalar(@one), scalar(@outside);

my @size = sort { $a <=> $b } map { $_->[0] } @functions;
printf "functions: %d; lines: median %d, of nine in ten at most %d\n",
	scalar(@size), $size[@size / 2], $size[@size * 9 / 10];
for my $limit (50, 70) {
	my @long = sort grep { $_->[0] > $limit } @functions;
	printf "functions over %d lines: %d\n", $limit, scalar(@long);
	print "  $_->[1] $_->[0]\n" for $limit == 50 ? @long : ();
}
