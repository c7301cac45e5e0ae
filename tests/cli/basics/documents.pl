#!/usr/bin/perl
# What documents of this repository name is there: `links` and `messages`, of FILES.
#     documents.pl links FILE...      files, and sections of Markdown files
#     documents.pl messages FILE      each heading in backquotes, as text of the sources
use strict;
use warnings;
use File::Basename;

sub contents {
	my ($path) = @_;
	open my $in, '<', $path or die "$path: $!\n";
	local $/;
	return <$in>;
}

# The names of a page's sections, as GitHub makes them.
sub sections {
	my ($text) = @_;
	$text =~ s/^```.*?^```//gms;
	my %names;
	while ($text =~ /^#+ (.*)$/gm) {
		my $name = lc $1;
		$name =~ s/[^\w\- ]//g;
		$name =~ tr/ /-/;
		$names{$name} = 1;
	}
	return \%names;
}

sub check_links {
	my ($page) = @_;
	my $text = contents($page);
	$text =~ s/^```.*?^```//gms;
	$text =~ s/^(    |\t).*$//gm;
	my @lost;
	while ($text =~ /\]\(([^)\s]+)\)/g) {
		my ($path, $section) = split /#/, $1, 2;
		next if $path =~ /^[a-z]+:/;
		my $file = $path eq '' ? $page : dirname($page) . "/$path";
		if (!-e $file) {
			push @lost, "$page: no $path\n";
		} elsif (defined $section && !sections(contents($file))->{$section}) {
			push @lost, "$page: no section $section in $file\n";
		}
	}
	return @lost;
}

# All string literals of the sources, those that follow each other as one, a line each.
sub literals {
	my $all = '';
	for my $file (glob '{core,gitstore,scorer,agent,cmd}/*.[ch] {core,gitstore,scorer,agent,cmd}/*/*.[ch] tests/deps.sh') {
		my $text = contents($file);
		while ($text =~ /((?:"(?:[^"\\\n]|\\.)*"[\s\\]*(?:PRI\w+\s*)?)+)/g) {
			(my $one = $1) =~ s/"[\s\\]*(?:PRI\w+\s*)?"//g;
			$all .= "$one\n";
		}
		$all .= $text if $file =~ /\.sh$/;
	}
	$all =~ tr/`//d;
	return $all;
}

my ($what, @files) = @ARGV;
my @lost;
if ($what eq 'links') {
	@lost = map { check_links($_) } @files;
} else {
	my $said = literals();
	my $n = 0;
	for my $page (@files) {
		for my $message (contents($page) =~ /^### `(.*)`$/gm) {
			$n++;
			push @lost, "$page: avogit does not say: $message\n" if index($said, $message) < 0;
		}
	}
	die "no messages in @files\n" if !$n;
}
print @lost;
exit(@lost ? 1 : 0);
