#!/usr/bin/perl
# Speaks MCP with a server, line by line, as a client does: sends each request
# of the script on stdin once the one before is answered, and prints a line an
# answer. A script line is "METHOD JSON-PARAMS", "!METHOD PARAMS" for one that
# is not waited for, "<JSON" for a line sent as it is, or "~WORDS METHOD PARAMS"
# for one that is sent until its answer holds the words (with _ for blanks).
#
#     mcp-client.pl COMMAND... <SCRIPT
use strict;
use warnings;
use IPC::Open2;

$| = 1;
$SIG{ALRM} = sub { print "no answer\n"; exit 1 };
my $pid = open2(my $from, my $to, @ARGV);
$to->autoflush(1);
my $id = 0;

sub await {
	my ($wanted) = @_;
	alarm 120;
	while (my $line = <$from>) {
		print $line;
		return $line if $line =~ /"id":$wanted\b/;
	}
	return 0;
}

sub request {
	my ($method, $params) = @_;
	$params = '{}' unless defined $params;
	$id++;
	print $to qq({"jsonrpc":"2.0","id":$id,"method":"$method","params":$params}\n);
}

while (my $line = <STDIN>) {
	chomp $line;
	next if $line eq '' or $line =~ /^#/;
	if ($line =~ s/^<//) {
		print $to "$line\n";
		next;
	}
	my $words = $line =~ s/^~(\S+) // ? $1 : '';
	my $waits = $line !~ s/^!//;
	my $answer;
	$words =~ tr/_/ /;
	do {
		request(split / /, $line, 2);
		$answer = $waits && await($id);
	} while ($words && $answer && index($answer, $words) < 0);
	last if $waits and !$answer;
}
close $to;
alarm 120;
print while <$from>;
waitpid $pid, 0;
exit $? >> 8;
