#!/usr/bin/perl
# json.pl FILE EXPRESSION: is EXPRESSION true of $j, what FILE holds as JSON?
use strict;
use warnings;
use JSON::PP;

my ($file, $expression) = @ARGV;
open my $in, '<', $file or die "$file: $!\n";
my $j = decode_json(do { local $/; <$in> });
my $is_true = eval $expression;
die $@ if $@;
die "$expression: false of\n", JSON::PP->new->pretty->canonical->encode($j) unless $is_true;
