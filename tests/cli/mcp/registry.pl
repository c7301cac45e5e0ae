#!/usr/bin/perl
# Checks a server.json (stdin) against what its schema of 2025-12-11 requires of
# a server without packages, and prints the command that starts it, then its
# title and version.
use strict;
use warnings;
use JSON::PP;

local $/;
my $j = decode_json(<STDIN>);
my %known = map { $_ => 1 } qw($schema name title description version _meta);
my $publisher = 'io.modelcontextprotocol.registry/publisher-provided';

$known{$_} or die "unknown member $_\n" for keys %$j;
my %form = (
	'$schema' => qr{https://static\.modelcontextprotocol\.io/schemas/2025-12-11/server\.schema\.json},
	name => qr{(?=.{3,200}\z)[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+},
	title => qr{.{1,100}},
	description => qr{.{1,100}},
	version => qr{\d+\.\d+\.\d+},
);
($j->{$_} // '') =~ /\A$form{$_}\z/ or die "$_ is missing or wrong\n" for keys %form;
join(' ', keys %{$j->{_meta}}) eq $publisher or die "_meta is wrong\n";
my $m = $j->{_meta}{$publisher};
print join(' ', $m->{command}, @{$m->{arguments}}), "\n";
print "$j->{title} $j->{version}\n";
