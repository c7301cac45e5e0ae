# Is the page one file that runs nothing but its own script, and has it every attempt?
# check-page.pl FILE HOSTILE ATTEMPTS
use strict;
use warnings;
use JSON::PP;

my ($file, $hostile, $n) = @ARGV;
sub slurp { open my $f, '<:encoding(UTF-8)', $_[0] or die; local $/; return scalar <$f> }
sub is { my ($ok, $what) = @_; die "$what\n" unless $ok }

my $page = slurp($file);
my $text = slurp($hostile);
chomp $text;
my ($data, $nonce, $script) = $page =~
	m{<script type="application/json" id="data">(.*?)</script>\s*<script nonce="([0-9a-f]{32})">(.*?)</script>}s
	or die "no data or no script\n";
is(2 == (() = $page =~ /<script/gi), 'another script begins');
is(2 == (() = $page =~ m{</script}gi), 'another script ends');
is($page =~ /default-src 'none'; style-src 'unsafe-inline'; script-src 'nonce-$nonce';/, 'no policy');
is($page !~ /<!--/, 'a comment begins');
is($data !~ /[^\x20-\x7e]/, 'the data has more than printable ASCII');
is($data !~ /[<>&]/, 'the data has characters of HTML');
is($script !~ /innerHTML|outerHTML|insertAdjacent|document\.write|eval|Function\(|fetch|XMLHttp|import/, 'the script parses text');
my $rest = $page;
substr($rest, index($rest, $data), length $data) = '';
$rest =~ s{ xmlns="http://www\.w3\.org/2000/svg"}{}g;
is($rest !~ m{https?:|//[a-z]|\bsrc=|url\(|\@import|javascript:}i, 'it refers to something else');
is($rest !~ /href="[^#]/, 'it links to something else');
is($rest !~ / on[a-z]+=/i, 'it has a handler in its HTML');
is($rest !~ /alert/, 'text of others is outside the data');

my $run = JSON::PP->new->decode($data);
is(@{$run->{attempts}} == $n + 1, 'attempts are missing');
my %dot = map { $_ => 1 } $page =~ /data-n="(\d+)"/g;
for my $a (@{$run->{attempts}}) {
	is($dot{$a->{attempt}}, "no dot for attempt $a->{attempt}");
	is($a->{outcome} && $a->{verdict}, "no verdict of attempt $a->{attempt}");
	is($a->{hypothesis} eq $text, 'the hypothesis is another') if $a->{attempt} && $a->{attempt} % 3 == 0;
}
is((grep { $_->{patch} =~ /alert\(1\)/ } @{$run->{steps}}) > 0, 'no diff of a step');
print "ok\n";
