#!/usr/bin/perl
# What is held across an early return. TRY (core/base/error.h) returns with an error
# where one can hardly see it, so what a function has acquired by then must be in
# a local with a cleanup attribute, or have an owner that outlives the function.
#
#     held-across-try.pl FOLDER...         every .c and .h in the folders
#     held-across-try.pl --faults FOLDER   every function wrong_* there is found,
#                                          and no other
#
# Five rules, function by function, in the order of the text:
#   local    a local without cleanup owns something (memory, a descriptor, a
#            process, a lock) at a TRY or a return, or to the end
#   release  what is released, or put back, at the end is not where a TRY between
#            returns
#   begin    a local with cleanup is not set at a way out of its block, or is read
#            before: a function that may fail and leave it untouched does not set it
#   element  a pointer into an array is used after a call that may have grown it
#   field    a pointer into an array is kept in a struct, and a function that has
#            the struct grows the array and does not renew the pointer at once
# Who gives ownership, takes it, and grows which array is found in the sources:
# only what the C library and git do is named here.
#
# A place that is right says why in a comment that begins with "held:", on its line
# or the line above. On a call it also means that the array in question does not grow
# there. A comment that allows nothing is reported, too.
use strict;
use warnings;

# ---- what is known of other people's functions -------------------------------

my $ALLOCATES = qr/^(?:x?(?:malloc|calloc|strdup|strndup|memdup|asprintf)
	|xstrdup_null|realpath|getline|fopen|fdopen|open_memstream|opendir|fdopendir|mmap|popen)$/x; # a library that was opened stays
my $DESCRIBES = qr/^(?:open|openat|socket|accept4?|dup|memfd_create|eventfd|
	epoll_create1?|signalfd|timerfd_create|inotify_init1|pidfd_open|mkstemp|mkostemp|fork)$/x;
my $FREES = qr/^(?:free|close|fclose|closedir|pclose|dlclose|munmap|steal|steal_fd|
	cleanup_\w+_fn|fdopen|fdopendir|waitpid|curl_\w+_cleanup|git_\w+_free|git_\w+_dispose|sqlite3_\w*close\w*|sqlite3_finalize)$/x;
# Halves of a pair: what is begun, and what ends it.
my @PAIRS = (
	[qr/lock/,            qr/unlock/],
	[qr/begin/,           qr/end|finish/],
	[qr/start/,           qr/stop|end|finish/],
	[qr/open/,            qr/close/],
	[qr/enter/,           qr/leave/],
	[qr/hold|take|keep/,  qr/let_go|release|give_back|drop|put/],
	[qr/push/,            qr/pop/],
	[qr/block/,           qr/unblock/],
	[qr/freeze|suspend|pause/, qr/thaw|resume/],
	[qr/mask/,            qr/unmask/],
	[qr/create|make/,     qr/remove|destroy|delete/],
	[qr/set|catch|watch/, qr/restore|reset|unset|unwatch/],
);

# ---- reading -----------------------------------------------------------------

my (%file, @functions, %global, %static, %member, %releases, %by_member, %growing);
my %allowed;	# file:line of a comment that says why
my %used;
my $findings = 0;
my $faults = @ARGV && $ARGV[0] eq '--faults' && shift @ARGV;

# The same text with blanks in place of comments and of what is in quotes.
sub strip
{
	my ($name, $t) = @_;
	my $line = 1;
	my $out  = '';

	while ($t =~ m{\G(?:(/\*.*?\*/|//[^\n]*)|("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|([^/"']+)|(.))}gs) {
		my ($comment, $quoted, $rest) = ($1, $2, $3 // $4);
		my $all = $comment // $quoted // $rest;
		my $n   = ($all =~ tr/\n//);

		$allowed{$name}{$line + $n} = 1
		    if defined $comment && $comment =~ m{^/\*\s*held: \S};
		if (defined $comment) {
			$all =~ s/[^\n]/ /g;
		} elsif (defined $quoted) {
			my $q = substr($all, 0, 1);
			$all = $q . ('_' x (length($all) - 2)) . $q;
		}
		$out .= $all;
		$line += $n;
	}
	return $out;
}

# The offset after the bracket that closes the one at $at.
sub closes
{
	my ($t, $at) = @_;
	my $depth = 0;

	pos($$t) = $at;
	while ($$t =~ /([()\[\]{}])/g) {
		$depth += $1 =~ /[(\[{]/ ? 1 : -1;
		return pos $$t if !$depth;
	}
	return length $$t;
}

sub split_list
{
	my ($t) = @_;
	my ($depth, $item, @items) = (0, '');

	for my $part (split /([,()\[\]{}])/, $t) {
		if ($part eq ',' && !$depth) {
			push @items, $item;
			$item = '';
			next;
		}
		$depth++ if $part =~ /^[(\[{]$/;
		$depth-- if $part =~ /^[)\]}]$/;
		$item .= $part;
	}
	push @items, $item if $item =~ /\S/;
	s/^\s+|\s+$//g for @items;
	return @items;
}

my $BASE = qr/(?:(?:struct|union|enum)\s+\w+|unsigned(?:\s+(?:long|char|int|short))*|long(?:\s+long)?|\w+_t|
	void|char|int|bool|double|float|short|FILE|DIR|git_\w+|CU\w+|CURLM?|[a-z]\w*_fn|sqlite3(?:_stmt)?)/x;

# "cleanup_x struct foo *a = 1, b[3]": a list of {name, type, stars, array, init}.
sub declarators
{
	my ($t) = @_;
	my @out;

	$t =~ s/^\s+//;
	return if $t !~ /^((?:(?:static|const|volatile|register|UNUSED|_Atomic)\s+|cleanup_\w+\s+|CLEANUP\(\w+\)\s*)*)($BASE)\b\s*(?:const\s+)?([\s*(].*)$/s;
	my ($how, $base, $rest) = ($1, $2, $3);
	my $const = $how =~ /const/;

	for my $d (split_list($rest)) {
		next if $d !~ /^([\s*]*)(?:const\s+)?(\w+)\s*((?:\[.*?\]\s*)*)(?:=(?!=)\s*(.*))?$/s;
		my ($stars, $name, $array, $init) = ($1, $2, $3, $4);
		push @out, {name => $name, base => $base, stars => ($stars =~ tr{*}{}),
			    array => $array ne q(), init => $init, const => $const,
			    cleanup => $how =~ /cleanup_|CLEANUP/ ? 1 : 0,
			    static => $how =~ /static/ ? 1 : 0};
	}
	return @out;
}

sub read_structs
{
	my ($file, $t) = @_;

	while ($t =~ /\bstruct\s+(\w+)\s*\{/g) {
		my $name = $1;
		my $at   = pos($t) - 1;
		my $end  = closes(\$t, $at);
		my $body = substr($t, $at + 1, $end - $at - 2);

		pos($t) = $at + 1;
		1 while $body =~ s/\{[^{}]*\}//g;
		for my $s (split /;/, $body) {
			for my $d (declarators($s =~ s/^\s*#.*$//mgr)) {
				$member{$file}{$name}{$d->{name}} = $d;
			}
		}
	}
}

sub read_calls
{
	my ($t) = @_;
	my @calls;

	while ($t =~ /((?:->|\.)\s*)?\b(\w+)\s*\(/g) {
		my ($via, $name, $start, $at) = ($1, $2, $-[2], pos($t) - 1);

		next if $name =~ /^(?:if|for|while|switch|return|sizeof|TRY|defined)$/;
		my $end = closes(\$t, $at);
		pos($t) = $at + 1;
		push @calls, {name => $name, via => defined $via, at => $start, end => $end,
			      args => [split_list(substr($t, $at + 1, $end - $at - 2))]};
	}
	return \@calls;
}

sub read_functions
{
	my ($name, $t) = @_;

	while ($t =~ /^\{\n/gm) {
		my $open = $-[0];
		my $at   = pos $t;
		my $end  = index($t, "\n}", $at - 1);
		my ($from) = sort { $b <=> $a } map { rindex($t, $_, $open - 1) + 1 } ';', '}';
		my $all  = substr($t, $from, $open - $from);
		my $body = $end < $at ? "" : substr($t, $at, $end - $at + 1);

		pos($t) = $end;
		next if $all !~ /^\s*(?:PRINTF\([^()]*\)\s*)?([a-zA-Z_][^()]*?)\b(\w+)\((.*)\)\s*$/s;
		my ($head, $f, $params) = ($1, $2, $3);
		my %f = (file => $name, name => $f, body => $body,
			 line => 1 + (substr($t, 0, $at) =~ tr/\n//),
			 static => $head =~ /\bstatic\b/ ? 1 : 0,
			 returns => $head, local => {}, param => []);

		for my $p (split_list($params)) {
			my ($d) = declarators($p);
			push @{$f{param}}, $d;
			$f{local}{$d->{name}} = {%$d, is_param => 1} if $d;
		}
		# Statements of the body, for its declarations.
		$from = 0;
		my $depth = 0;
		while ($body =~ /([;{}()])/g) {
			my ($c, $to) = ($1, pos $body);
			if ($c eq '(') { $depth++; next }
			if ($c eq ')') { $depth--; next }
			next if $depth > 0 && $c eq ';' && substr($body, $from, $to - $from) !~ /^\s*for \($/;
			if ($c eq '{' && substr($body, $from, $to - $from) =~ /=\s*(?:\([^()]*\)\s*)?\{$/) {
				$to = closes(\$body, $to - 1);
				pos($body) = $to;
				next;
			}
			my $s = substr($body, $from, $to - $from - 1);
			for my $d (declarators($s)) {
				$d->{at} = $from + length($s) - length($s =~ s/^\s+//r);
				$f{local}{$d->{name}} //= $d;
			}
			$from = $to;
		}
		while ($body =~ /\bfor \(((?:const )?$BASE[\s*][^;]*);/g) {
			my $at = $-[1];
			$f{local}{$_->{name}} //= {%$_, at => $at} for declarators($1);
		}
		$f{calls} = read_calls($body);
		push @functions, \%f;
		if ($f{static} && $name =~ /\.c$/) {
			$static{$name}{$f} = \%f;
		} else {
			$global{$f} = \%f;
		}
	}
}

sub text_of
{
	my ($name) = @_;

	open my $in, '<', $name or die "$name: $!\n";
	local $/;
	return scalar <$in>;
}

# A macro that stands for the head of a function.
my %head;
sub read_heads
{
	my $t = text_of($_[0]) =~ s/\\\n/ /gr;

	while ($t =~ /^#define (\w+)\((\w+)\)\s+((?:static\s+)?(?:struct \w+|void|bool|int) \*?)\2(\([^()]*\))\s*$/gm) {
		$head{$1} = [$3, $4];
	}
}

sub read_file
{
	my ($name) = @_;
	my $t = strip($name, text_of($name));
	my ($scope) = $name =~ /\.c$/ ? $name : $name =~ m{^([^/]*)};

	while ($t =~ /^DEFINE_(CLEANUP|RELEASE)\((\w+),\s*([\w ]+?),\s*(\w+)\)/gm) {
		$releases{$scope}{$3} = $4
		    if $1 eq 'RELEASE' && $3 ne 'int';
	}
	$t =~ s/^[ \t]*#(?:[^\n]*\\\n)*[^\n]*/$& =~ s,[^\n], ,gr/gme;
	$t =~ s/^([A-Z_]+)\((\w+)\)(?=\n\{)/$head{$1} ? "$head{$1}[0]$2$head{$1}[1]" : $&/gme;
	# Behind another macro comes a function with a name of its own.
	$t =~ s/^[A-Z_]+\([^()]*\)[ \t]*$/$& =~ s,[^\n], ,gr/gme;
	read_structs($scope, $t);
	read_functions($name, $t);
	# Which functions a member may be: a table, or an assignment.
	while ($t =~ /\.(\w+)\s*=\s*(\w+)\s*[,;}]/g) { $by_member{$1}{"$name:$2"} = 1 }
	while ($t =~ /->(\w+)\s*=\s*(\w+)\s*;/g) { $by_member{$1}{"$name:$2"} = 1 }
}

# Where a file looks for what a struct is: in itself, its layer, below and above.
sub scopes
{
	my ($file) = @_;
	my ($layer) = $file =~ m{^([^/]*)};

	return ($file, $layer, grep { $_ ne $layer } qw(core gitstore scorer agent cmd));
}

sub members
{
	my ($f, $struct) = @_;

	return $f->{struct}{$struct} if $f->{struct}{$struct};
	for my $s (scopes($f->{file})) {
		return $f->{struct}{$struct} = $member{$s}{$struct} if $member{$s}{$struct};
	}
	return {};
}

# The function that releases a struct's contents, if it has one.
sub release_of
{
	my ($f, $base) = @_;

	my ($struct) = $base =~ /^struct\s+(\w+)/ or return undef;
	for my $s (scopes($f->{file})) {
		return $releases{$s}{$base} if $releases{$s}{$base};
		return undef if $member{$s}{$struct};
	}
	return undef;
}

sub find_function
{
	my ($file, $name) = @_;
	return $static{$file}{$name} // $global{$name};
}

# The functions that a call may be of.
sub callees
{
	my ($f, $c) = @_;
	my @out;

	return @{$c->{callees}} if $c->{callees};
	if ($c->{via}) {
		for my $k (keys %{$by_member{$c->{name}} // {}}) {
			my ($file, $name) = split /:/, $k;
			my $g = find_function($file, $name);
			push @out, $g if $g && @{$g->{param}} == @{$c->{args}};
		}
	} else {
		my $g = find_function($f->{file}, $c->{name});
		push @out, $g if $g;
	}
	$c->{callees} = \@out;
	return @out;
}

# ---- words about a place in a function -----------------------------------------

sub line_of
{
	my ($f, $at) = @_;
	return $f->{line} + (substr($f->{body}, 0, $at) =~ tr/\n//);
}

sub is_allowed
{
	my ($f, @at) = @_;

	for my $at (@at) {
		my $line = line_of($f, $at);
		for my $l ($line, $line - 1) {
			next if !$allowed{$f->{file}}{$l};
			$used{$f->{file}}{$l} = 1;
			return 1;
		}
	}
	return 0;
}

my (%said, %found);
sub report
{
	my ($f, $at, $what, @more) = @_;

	return if is_allowed($f, $at, @more);
	my $line = line_of($f, $at);
	return if $said{"$f->{file}:$line:$what"}++;
	$found{$f->{name}} = 1;
	print STDERR "$f->{file}:$line: $f->{name}: $what\n" if !$faults;
	$findings++;
}

# The ways out of a function: {at, end, text, try}.
sub exits
{
	my ($f) = @_;
	my @out;

	return @{$f->{exits}} if $f->{exits};
	while ($f->{body} =~ /\b(TRY\(|return\b)/g) {
		my ($at, $try) = ($-[1], $1 ne 'return');
		my $end = $try ? closes(\$f->{body}, $at + 3)
			       : index($f->{body}, ';', $at);
		pos($f->{body}) = $at + 3;
		push @out, {at => $at, end => $end, try => $try,
			    text => substr($f->{body}, $at, $end - $at)};
	}
	$f->{exits} = \@out;
	return @out;
}

# The beginning of the statement at $at, and its end.
sub statement
{
	my ($f, $at) = @_;
	my ($from) = sort { $b <=> $a } map { rindex($f->{body}, $_, $at - 1) + 1 } ';', '{', '}';
	my $to   = index($f->{body}, ';', $at);

	return ($from, $to < 0 ? length $f->{body} : $to);
}

# ---- who gives ownership, and who takes it --------------------------------------

# What calls give by their value ("returns") or through an argument (its number).
my (%gives, %takes);	# function -> {returns|number => 1}
sub key { return "$_[0]{file}:$_[0]{name}" }

sub call_gives
{
	my ($f, $c) = @_;

	return 'memory' if !$c->{via} && $c->{name} =~ $ALLOCATES;
	return 'descriptor' if !$c->{via} && $c->{name} =~ $DESCRIBES;
	return 'descriptor' if $c->{name} eq 'fcntl' && ($c->{args}[1] // '') =~ /F_DUPFD/;
	for my $g (callees($f, $c)) {
		return 'an error' if $g->{returns} =~ /\bstruct error \*\s*$/;
		return $gives{key($g)}{returns} if $gives{key($g)}{returns};
	}
	return undef;
}

# The end of the text before $at.
sub before
{
	my ($f, $at) = @_;
	my $from = $at > 100 ? $at - 100 : 0;

	return substr($f->{body}, $from, $at - $from);
}

# Ownership that lies in the local $v (or the parameter, with a star) after $at.
sub gives_into
{
	my ($f, $lvalue) = @_;
	my @out;

	for my $c (@{$f->{calls}}) {
		my ($what, $n);
		if (before($f, $c->{at}) =~ /(?:[\w,] \*+|(?<![\w>.\]*=])(?<!= ))\Q$lvalue\E\s*=\s*(?:\([^()]*\)\s*)?$/ &&
		    ($what = call_gives($f, $c))) {
			push @out, {at => $c->{at}, end => $c->{end}, what => $what, by => $c->{name}};
		}
	}
	return @out;
}

sub learn_gives
{
	my $changed = 0;

	for my $f (@functions) {
		my $k = key($f);
		if (!$gives{$k}{returns} && $f->{returns} =~ /[*]\s*$|\bint\s*$|\bpid_t\s*$/ &&
		    $f->{returns} !~ /\bconst\b.*\*\s*$/ && $f->{returns} !~ /struct error \*\s*$/) {
			for my $x (exits($f)) {
				next if $x->{try};
				my $what;
				$what = 'memory' if $x->{text} =~ /^return\s+steal\(/;
				$what = 'descriptor' if $x->{text} =~ /^return\s+steal_fd\(/;
				for my $c (@{$f->{calls}}) {
					next if $c->{at} < $x->{at} || $c->{at} > $x->{end};
					next if substr($f->{body}, $x->{at}, $c->{at} - $x->{at}) !~ /^return\s+(?:[^()]*[?:]\s*)?$/;
					$what //= call_gives($f, $c);
				}
				if ($x->{text} =~ /^return\s+(\w+)$/ && $f->{local}{$1} &&
				    !$f->{local}{$1}{is_param} && !$f->{local}{$1}{static} &&
				    !$f->{local}{$1}{cleanup}) {
					my ($g) = gives_into($f, $1);
					# Stored elsewhere before, it has an owner.
					my $v = $1;
					$what //= $g->{what} if $g && $f->{body} !~ /[\w\])]\s*=\s*\Q$v\E;/;
				}
				next if !$what;
				$gives{$k}{returns} = $what;
				$changed = 1;
			}
		}
		for my $i (0 .. $#{$f->{param}}) {
			my $p = $f->{param}[$i];
			next if !$p || $gives{$k}{$i} || !$p->{stars};
			my $v = $p->{name};
			my $what;
			if ($p->{stars} == 2 || ($p->{stars} == 1 && $p->{base} =~ /^(?:int|pid_t)$/)) {
				$what = 'memory' if $f->{body} =~ /\*\Q$v\E\s*=\s*steal\(/;
				$what = 'descriptor' if $f->{body} =~ /\*\Q$v\E\s*=\s*steal_fd\(/;
				# A lock's guard is its object, once what can fail is over.
				my ($g) = gives_into($f, "*$v");
				$what //= $g->{what} if $g;
				if ($f->{body} =~ /\*\Q$v\E\s*=\s*(\w+);/ && $f->{local}{$1} && !$f->{local}{$1}{is_param}) {
					my ($h) = gives_into($f, $1);
					$what //= $h->{what} if $h;
				}
				$what //= 'a lock' if $f->{name} =~ /(?:^|_)lock$/ && $f->{body} =~ /\*\Q$v\E\s*=\s*\w+;/;
				$what //= 'a process' if $p->{base} eq 'pid_t' && $f->{body} =~ /\*\Q$v\E\s*=\s*\w*(?:pid|child)\w*/;
			}
			for my $pass (@{passes($f)->{$i} // []}) {
				my ($c, $j) = @$pass;
				$what //= $gives{key($_)}{$j} for callees($f, $c);
			}
			next if !$what;
			$gives{$k}{$i} = $what;
			$changed = 1;
		}
	}
	return $changed;
}

sub call_takes
{
	my ($f, $c, $i) = @_;

	return 1 if !$c->{via} && $c->{name} =~ $FREES;
	my @g = callees($f, $c);
	for my $g (@g) {
		return 1 if $takes{key($g)}{$i};
		return 1 if $takes{key($g)}{$#{$g->{param}}} && $i > $#{$g->{param}};
	}
	return 0;
}

# Does the text hand the local on: freed, stored, returned, given to who takes it?
sub hands_on
{
	my ($f, $v, $from, $to) = @_;
	my $t = substr($f->{body}, $from, $to - $from);
	my @at;

	# Into a field, an element, behind a pointer, another local, a table.
	while ($t =~ /(?:[\w\])]\s*=\s*|[{,]\s*\.\w+\s*=\s*|[?:]\s*)(?:\([^()]*\*\)\s*)?\Q$v\E\s*(?=[;,}:])/g) { push @at, $from + $-[0] }
	while ($t =~ /\bTRY\(\Q$v\E\)/g) { push @at, $from + $-[0] }
	while ($t =~ /=\s*&\Q$v\E->\w+\s*;/g) { push @at, $from + $-[0] }
	while ($t =~ /\{\s*(?:[^{};]*,\s*)?\Q$v\E\s*[,}]/g) { push @at, $from + $-[0] }
	while ($t =~ /\breturn\b[^;]*(?<![\w>.])\Q$v\E\b(?!\s*(?:->|\.|\[|[<>=!]=|[<>]|\())[^;]*;/g) { push @at, $from + $-[0] }
	for my $c (@{$f->{calls}}) {
		next if $c->{at} < $from || $c->{at} >= $to;
		for my $i (0 .. $#{$c->{args}}) {
			my $a = $c->{args}[$i];
			next if $a !~ /^(?:\([^()]*\)\s*)?&?\Q$v\E$/;
			push @at, $c->{at} if call_takes($f, $c, $i);
		}
	}
	@at = sort { $a <=> $b } @at;
	return @at;
}

# The calls that are given a parameter as it is: {parameter => [call, its number]...}.
sub passes
{
	my ($f) = @_;

	return $f->{passes} if $f->{passes};
	my %number = map { $f->{param}[$_] ? ($f->{param}[$_]{name} => $_) : () } 0 .. $#{$f->{param}};
	$f->{passes} = {};
	for my $c (@{$f->{calls}}) {
		for my $j (0 .. $#{$c->{args}}) {
			my $i = $number{$c->{args}[$j]};
			push @{$f->{passes}{$i}}, [$c, $j] if defined $i;
		}
	}
	return $f->{passes};
}

# Stored by the function itself: in a member, an element, behind a pointer, a table.
sub stores
{
	my ($f, $p) = @_;
	my $v = $p->{name};

	return 0 if !$p->{stars} && $p->{base} !~ /^(?:int|pid_t)$/;
	return 0 if $f->{body} !~ /[=,{]\s*(?:\([^()]*\)\s*)?\Q$v\E\s*[,;}]/;
	return $f->{body} =~ /(?:(?:->|\.)\w+|\])\s*=\s*(?:\([^()]*\)\s*)?\Q$v\E\s*[,;}]/
	    || $f->{body} =~ /\*\w+\s*=\s*\Q$v\E;/
	    || $f->{body} =~ /(?:=\s*|\))\{(?:[^{};]*[,\s])?\Q$v\E\s*[,}]/
	    || $f->{body} =~ /cleanup_\w+\s+[\w\s]+\**\w+\s*=\s*\Q$v\E\s*;/;
}

sub learn_takes
{
	my ($changed, $first) = (0, !%takes);

	for my $f (@functions) {
		my $k = key($f);
		for my $i (0 .. $#{$f->{param}}) {
			my $p = $f->{param}[$i];
			next if !$p || $takes{$k}{$i};
			next if !($first && stores($f, $p)) &&
			    !grep { call_takes($f, @$_) } @{passes($f)->{$i} // []};
			$takes{$k}{$i} = 1;
			$changed = 1;
		}
	}
	return $changed;
}

# ---- rule: local -----------------------------------------------------------------

# Is the exit one that is taken only where $v was not acquired?
sub is_of_failure
{
	my ($f, $v, $end, $x) = @_;
	my $between = substr($f->{body}, $end, $x->{at} - $end);

	return 1 if $between =~ /\b(?:if|while) \((?:[^;{}]*[^\w>.])?\Q$v\E\b[^;]*$/s;
	return 1 if $between =~ /\b(?:if|while) \((?:[^;{}]*[^\w>.])?\Q$v\E\b[^;{}]*\{[^{}]*$/s;
	return 0;
}

sub check_owner
{
	my ($f, $d, $at, $end, $what, $by) = @_;
	my $v = $d->{name};
	my (undef, $after) = statement($f, $end);
	my ($gone) = hands_on($f, $v, $after, length $f->{body});

	for my $x (exits($f)) {
		next if $x->{at} < $after;
		last if defined $gone && $gone <= $x->{end};
		next if is_of_failure($f, $v, $after, $x);
		report($f, $x->{at}, sprintf("'%s' has %s of %s (line %d) and no cleanup attribute where %s leaves",
		       $v, $what, $by, line_of($f, $at), $x->{try} ? 'TRY' : 'return'), $at);
		return;
	}
	report($f, $at, "'$v' has $what of $by, no cleanup attribute, and no owner comes")
	    if !defined $gone && $f->{returns} !~ /_Noreturn/ && $f->{body} !~ /\b_exit\([^;]*;\s*$/;
}

sub check_locals
{
	my ($f) = @_;

	for my $d (values %{$f->{local}}) {
		my $v = $d->{name};
		check_ends($f, $d) if $d->{array} && !$d->{is_param} && $d->{base} eq 'int';
		next if $d->{is_param} || $d->{cleanup} || $d->{static};
		if (!$d->{stars} && !$d->{array} && release_of($f, $d->{base})) {
			check_value($f, $d) if !$d->{const};
			next;
		}
		next if $d->{array};
		my @got = gives_into($f, $v);
		for my $c (@{$f->{calls}}) {
			for my $i (0 .. $#{$c->{args}}) {
				next if $c->{args}[$i] ne "&$v";
				push @got, {at => $c->{at}, end => $c->{end}, what => 'an object', by => $c->{name}}
				    if $c->{name} =~ /^git_(?!config_next)(?!\w*_get_)/ && $d->{stars} == 1 && !$d->{const} && $d->{base} =~ /^git_/;
				for my $g (callees($f, $c)) {
					my $what = $gives{key($g)}{$i} or next;
					push @got, {at => $c->{at}, end => $c->{end}, what => $what, by => $c->{name}};
				}
			}
		}
		check_owner($f, $d, $_->{at}, $_->{end}, $_->{what}, $_->{by}) for @got;
	}
}

# The ends of a pipe in an array, which no attribute closes.
sub check_ends
{
	my ($f, $d) = @_;
	my ($c) = grep { my $c = $_; $c->{name} =~ /^(?:pipe2?|socketpair)$/ &&
			 grep { $_ eq $d->{name} } @{$c->{args}} } @{$f->{calls}};

	return if !$c;
	for my $v ("$d->{name}\[0]", "$d->{name}\[1]") {
		my ($gone) = hands_on($f, $v, $c->{end}, length $f->{body});
		for my $x (exits($f)) {
			next if !$x->{try} || $x->{at} < $c->{end};
			last if defined $gone && $gone <= $x->{end};
			report($f, $x->{at}, "'$v' is an end of $c->{name} (line " . line_of($f, $c->{at}) . ') where TRY leaves', $c->{at});
			last;
		}
	}
}

# A struct that has a release function, in a local without it.
sub check_value
{
	my ($f, $d) = @_;
	my $v = $d->{name};
	my $release = release_of($f, $d->{base});
	my ($filled) = grep { my $c = $_; !$c->{via} && $c->{name} ne $release &&
		$c->{at} > $d->{at} && grep { $_ eq "&$v" } @{$c->{args}} } @{$f->{calls}};

	return if !$filled;
	my ($start) = statement($f, $filled->{at});
	return if substr($f->{body}, $start, $filled->{at} - $start) =~ /\b_exit\(/;
	my ($gone) = hands_on($f, $v, $filled->{end}, length $f->{body});
	for my $x (exits($f)) {
		next if $x->{at} < $filled->{end};
		last if defined $gone && $gone <= $x->{end};
		report($f, $x->{at}, "'$v' is a $d->{base} without cleanup attribute where " .
		       ($x->{try} ? 'TRY' : 'return') . ' leaves', $d->{at}, $filled->{at});
		return;
	}
}

# ---- rule: release ---------------------------------------------------------------

sub check_releases
{
	my ($f) = @_;
	my @try = grep { $_->{try} } exits($f);

	return if !@try;
	# A pair of calls with a TRY between.
	for my $c (@{$f->{calls}}) {
		for my $pair (@PAIRS) {
			my ($begin, $end) = @$pair;
			next if $c->{via} || $c->{name} !~ /(?:^|_)(?:$begin)(?:_|$)/ ;
			for my $e (@{$f->{calls}}) {
				next if $e->{via} || $e->{at} < $c->{end} || $e->{name} !~ /(?:^|_)(?:$end)(?:_|$)/;
				my ($b1, $e1) = ($c->{name}, $e->{name});
				$b1 =~ s/(?:^|_)(?:$begin)(?=_|$)//; $e1 =~ s/(?:^|_)(?:$end)(?=_|$)//;
				s/^(?:for|of)?_|_?(?:for|of)_/_/g for $b1, $e1;
				s/^_+|_+$//g for $b1, $e1;
				next if $b1 ne $e1 || is_owned($f, $c) || "@{$e->{args}}" =~ /\bsteal/;
				check_between($f, $c->{end}, $e->{at}, "$c->{name} waits for $e->{name}", $c->{at}, $e->{at});
			}
		}
	}
	# A setting that is put back.
	my %set;
	while ($f->{body} =~ /(?<![\w>.*])((?:\w+)(?:(?:->|\.)\w+(?:\[\w+\])?)*)\s*=\s*([^=;][^;]*);/g) {
		my ($lvalue, $value, $at) = ($1, $2, $-[0]);
		my $first = $set{$lvalue};
		my ($base) = $lvalue =~ /^(\w+)/;
		my $shared = $lvalue =~ /->/ || !$f->{local}{$base} || $f->{local}{$base}{static};
		if ($first && $shared && opposite($first->{value}, $value, $f)) {
			check_between($f, $first->{at}, $at, "'$lvalue' is set to $first->{value} and put back", $first->{at}, $at);
		}
		$set{$lvalue} = {value => $value, at => $at};
	}
}

# Does the call fill an object whose owner releases it?
sub is_owned
{
	my ($f, $c) = @_;

	for my $a (@{$c->{args}}) {
		my ($base) = $a =~ /^&?(\w+)/ or next;
		my $d = $f->{local}{$base} or next;
		return 1 if $d->{cleanup} && !$d->{is_param};
		return 1 if release_of($f, type_of($f, $a) // '');
	}
	return 0;
}

sub opposite
{
	my ($a, $b, $f) = @_;

	return 1 if $a eq 'true' && $b eq 'false';
	return 1 if $a eq 'false' && $b eq 'true';
	return $b =~ /^(?:saved|old|before|was|previous|kept)\w*$/;
}

sub check_between
{
	my ($f, $from, $to, $what, @at) = @_;
	my $between = substr($f->{body}, $from, $to - $from);

	for my $x (exits($f)) {
		next if !$x->{try} || $x->{at} < $from || $x->{at} > $to;
		report($f, $x->{at}, "$what (line " . line_of($f, $to) . '), where TRY may leave before', @at);
		return;
	}
}

# ---- rule: begin -------------------------------------------------------------------

# What the C library fills: the function and which of its arguments.
my %FILLS = (memset => 0, sigemptyset => 0, sigfillset => 0, sigaction => 2);
my %begins;	# function -> {number of a parameter: it is set on every way out}

# How an object is set: the local $v itself or what the parameter $v points to, or
# with $m one member of it.
sub ways_to_set
{
	my ($v, $is_param, $m) = @_;
	my $set = $is_param ? qr/(?:^|[^\w)\]\s])\s*\*\Q$v\E\s*=(?!=)/ : qr/(?<![\w>.*])\Q$v\E\s*=(?!=)/;
	my $of = $is_param ? "$v->" : "$v.";

	return {set => $set, read => qr/(?<![\w>.])\Q$v\E\b/, given => {($is_param ? $v : "&$v") => 1}}
	    if !defined $m;
	return {read => qr/(?<![\w>.])(?:\Q$of$m\E\b|\Q$v\E\b(?!->|\.))/, set => qr/$set|(?<![\w>.*])\Q$of$m\E\s*=(?!=)/,
		given => {($is_param ? $v : "&$v") => 1, "&$of$m" => 1, "$of$m" => 1}};
}

# Does this text set the object, whatever else happens in it?
sub text_begins
{
	my ($w, $from, $to) = @_;
	my $f = $w->{f};
	my $t = substr($f->{body}, $from, $to - $from);
	my $sure = $t =~ /&&|\|\||\?/ ? $-[0] : length $t;

	return 1 if $t =~ /$w->{how}{set}/ && $-[0] < $sure;
	for my $c (@{$f->{calls}}) {
		next if $c->{at} < $from || $c->{at} >= $from + $sure;
		for my $i (0 .. $#{$c->{args}}) {
			next if !$w->{how}{given}{$c->{args}[$i]};
			return 1 if !$c->{via} && ($FILLS{$c->{name}} // -1) == $i;
			my @g = callees($f, $c);
			return 1 if @g && !grep { !sets_parameter($_, $i) } @g;
		}
	}
	return 0;
}

# Follows one object through a function's text: each way out of its block where it may
# not be set is given to $walk->{leaves}.
sub walk_text
{
	my ($w, $from, $to, $state) = @_;
	my $t = substr($w->{f}{body}, $from, $to - $from);

	$state ||= text_begins($w, $from, $to);
	$w->{leaves}->($from + $-[1]) if !$state && ($t =~ /\b(TRY\()/ || $t =~ /($w->{how}{read})/);
	return $state;
}

sub skip_blank
{
	my ($w, $at) = @_;

	pos($w->{f}{body}) = $at;
	$w->{f}{body} =~ /\G\s*/gc;
	return pos $w->{f}{body};
}

# The end of the simple statement at $at, after its semicolon.
sub simple_end
{
	my ($w, $at) = @_;
	my $b = \$w->{f}{body};

	pos($$b) = $at;
	while ($$b =~ /([;(\[{])/g) {
		return pos $$b if $1 eq ';';
		my $end = closes($b, pos($$b) - 1);
		pos($$b) = $end;
	}
	return length $$b;
}

# Walks the statement at $at: (its end, is the object set after it, or undef where
# nothing comes after it).
sub walk_statement
{
	my ($w, $at, $state) = @_;
	my $b = \$w->{f}{body};

	$at = skip_blank($w, $at);
	pos($$b) = $at;
	if ($$b =~ /\G\{/gc) {
		my $end = closes($b, $at);
		return ($end, walk_block($w, $at + 1, $end - 1, $state));
	}
	if ($$b =~ /\G(?:case\b[^:;]*|default|[a-z]\w*)\s*:(?!:)/gc) {
		my $after = pos $$b;
		$state = @{$w->{switch}} ? $w->{switch}[-1] && ($state // 1) : 0;
		$w->{default} = 1 if substr($$b, $at, 7) eq 'default';
		return walk_statement($w, $after, $state);
	}
	if ($$b =~ /\G(if|while|for|switch)\s*\(/gc) {
		my ($word, $open) = ($1, pos($$b) - 1);
		my $end = closes($b, $open);
		return walk_if($w, $open, $end, $state) if $word eq 'if';
		return walk_switch($w, $open, $end, $state) if $word eq 'switch';
		return walk_loop($w, $word, $open, $end, $state);
	}
	if ($$b =~ /\Gdo\b/gc) {
		my $body = pos $$b;
		my ($end, @s) = walk_nested($w, 'loop', $body, $state);
		@s = grep { defined } @s;
		return (simple_end($w, $end), @s ? !grep({ !$_ } @s) : undef);
	}
	my $end = simple_end($w, $at);
	return ($end, undef) if !defined $state;
	$state = walk_text($w, $at, $end, $state);
	my $t = substr($$b, $at, $end - $at);
	if ($t =~ /^return\b/) {
		$w->{leaves}->($at) if !$state;
		return ($end, undef);
	}
	return ($end, undef) if $t =~ /^(?:die|fatal|abort|_?exit|__builtin_unreachable)\s*\(/;
	if ($t =~ /^(break|continue|goto)\b/) {
		my $inner = $1 eq 'break' ? $w->{breaks}[-1] : $1 eq 'goto' ? undef : $w->{loops} ? [] : undef;
		push @$inner, $state if $inner;
		$w->{leaves}->($at) if !$inner && !$state;
		return ($end, undef);
	}
	return ($end, $state);
}

sub walk_block
{
	my ($w, $at, $end, $state) = @_;

	for ($at = skip_blank($w, $at); $at < $end; $at = skip_blank($w, $at)) {
		($at, $state) = walk_statement($w, $at, $state);
	}
	return $state;
}

sub walk_if
{
	my ($w, $open, $end, $state) = @_;

	$state = walk_text($w, $open, $end, $state) if defined $state;
	my ($after, $yes) = walk_statement($w, $end, $state);
	my $no = $state;
	pos($w->{f}{body}) = skip_blank($w, $after);
	if ($w->{f}{body} =~ /\Gelse\b/gc) {
		my $else = pos $w->{f}{body};
		($after, $no) = walk_statement($w, $else, $state);
	}
	return ($after, defined $yes && defined $no ? $yes && $no : $yes // $no);
}

# The body of a loop or a switch, which a break leaves for what is after it:
# (its end, what is after its last statement, what each break leaves with).
sub walk_nested
{
	my ($w, $what, $at, $state) = @_;
	my @breaks;

	push @{$w->{breaks}}, \@breaks;
	$w->{loops}++ if $what eq 'loop';
	my ($end, $s) = walk_statement($w, $at, $state);
	$w->{loops}-- if $what eq 'loop';
	pop @{$w->{breaks}};
	return ($end, $s, @breaks);
}

sub walk_loop
{
	my ($w, $word, $open, $end, $state) = @_;
	my $head = substr($w->{f}{body}, $open, $end - $open);
	# What is between the last semicolon and the end runs after the body only.
	my $sure = $word eq 'for' ? $open + rindex($head, ';') : $end;

	$state = walk_text($w, $open, $sure, $state) if defined $state;
	my ($after, undef, @breaks) = walk_nested($w, 'loop', $end, $state);
	if ($head =~ /^\(\s*(?:true|1|;\s*;\s*|.*;\s*;.*)\s*\)$/s) {
		return ($after, undef) if !@breaks;
		return ($after, !grep { !$_ } @breaks);
	}
	return ($after, $state);
}

sub walk_switch
{
	my ($w, $open, $end, $state) = @_;
	my $outer = $w->{default};

	$state = walk_text($w, $open, $end, $state) if defined $state;
	$w->{default} = 0;
	push @{$w->{switch}}, $state;
	my ($after, $s, @breaks) = walk_nested($w, 'switch', $end, $state);
	pop @{$w->{switch}};
	push @breaks, $s if defined $s;
	push @breaks, $state if !$w->{default} && defined $state;
	$w->{default} = $outer;
	return ($after, @breaks ? !grep({ !$_ } @breaks) : undef);
}

# Where the text from $from to $to may be left without the object set, or undef.
sub left_unset
{
	my ($f, $how, $from, $to) = @_;
	my $left;
	my %w = (f => $f, how => $how, leaves => sub { $left //= $_[0] },
		 breaks => [], switch => [], loops => 0, default => 0);
	my $state = walk_block(\%w, $from, $to, 0);

	$left //= $to if defined $state && !$state;
	# The searches elsewhere begin at the beginning.
	pos($f->{body}) = undef;
	return $left;
}

# The same for an object as a whole, or else member by member.
sub object_left_unset
{
	my ($f, $d, $from, $to) = @_;
	my $left = left_unset($f, ways_to_set($d->{name}, $d->{is_param}), $from, $to) // return undef;
	my ($struct) = $d->{base} =~ /^struct\s+(\w+)/ or return $left;
	my @members = values %{members($f, $struct)};

	return $left if $d->{stars} != ($d->{is_param} ? 1 : 0) || !@members;
	for my $m (@members) {
		my $x = left_unset($f, ways_to_set($d->{name}, $d->{is_param}, $m->{name}), $from, $to);
		return $left if defined $x;
	}
	return undef;
}

# Does a function set what its parameter points to, on every way out?
sub sets_parameter
{
	my ($f, $i) = @_;
	my $p = $f->{param}[$i];
	my $known = \$begins{key($f)}{$i};

	return $$known if defined $$known;
	# One that calls itself for it has to set it elsewhere.
	$$known = 0;
	return 0 if !$p || !$p->{stars} || $p->{const};
	return $$known = defined object_left_unset($f, {%$p, is_param => 1}, 0, length $f->{body}) ? 0 : 1;
}

# The end of the block that $at is in.
sub block_end
{
	my ($f, $at) = @_;
	my $depth = 0;

	pos($f->{body}) = $at;
	while ($f->{body} =~ /([{}])/g) {
		$depth += $1 eq '{' ? 1 : -1;
		return pos($f->{body}) - 1 if $depth < 0;
	}
	return length $f->{body};
}

# A local that is released at every way out of its block, and is not set at one.
sub check_begins
{
	my ($f) = @_;

	pos($f->{body}) = undef;
	while ($f->{body} =~ /(?:^|[;{}])\s*((?:cleanup_\w+|CLEANUP\(\w+\))\s[^;{]*?)(?:;|=\s*\{)/g) {
		my $at = $-[1];
		my $after = simple_end({f => $f}, $at);
		pos($f->{body}) = $after - 1;
		for my $d (declarators(substr($f->{body}, $at, $after - 1 - $at))) {
			next if defined $d->{init};
			my $x = object_left_unset($f, $d, $after, block_end($f, $after)) // next;
			report($f, $at, "'$d->{name}' is released at line " . line_of($f, $x) .
			       ', where it may not be set');
		}
		pos($f->{body}) = $after - 1;
	}
}

# ---- rules: element and field ------------------------------------------------------

# The struct and the member that an expression like a->b.c[i] ends in, and what is
# left after it.
sub resolve
{
	my ($f, $e) = @_;

	$e =~ s/^\s*[&(]+\s*//;
	return if $e !~ /^(\w+)/;
	my $d = $f->{local}{$1} or return;
	my $rest = substr($e, length $1);
	my ($struct, $field, $owner) = ($d->{base}, undef, '');
	my $text = $1;
	my $last = $d;

	while ($rest =~ s/^((?:\[[^\[\]]*(?:\[[^\[\]]*\][^\[\]]*)*\])*)(->|\.)(\w+)//) {
		my $name = $3;
		return if $struct !~ /^(?:struct|union)\s+(\w+)/;
		my $in = $1;
		my $m = members($f, $in)->{$name} or return;
		$owner  = $in;
		$field  = $name;
		$struct = $m->{base};
		$last   = $m;
	}
	return if !defined $field;
	return ($owner, $field, $rest, $last);
}

# The type of an expression, without stars.
sub type_of
{
	my ($f, $e) = @_;
	my @r = resolve($f, $e);

	return $r[3]{base} if @r;
	return $e =~ /^[&*]?(\w+)$/ && $f->{local}{$1} ? $f->{local}{$1}{base} : undef;
}

# The arrays that a function may grow, itself or by who it calls.
my %grows;
sub learn_arrays
{
	for my $f (@functions) {
		for my $c (@{$f->{calls}}) {
			my $e;
			$e = $c->{args}[0] if $c->{name} eq 'GROW';
			$e = $c->{args}[0] if $c->{name} eq 'xrealloc';
			next if !defined $e;
			my ($s, $m, undef, $d) = resolve($f, $e);
			next if !defined $s || !$d->{stars};
			$growing{"$s.$m"} = 1;
			$grows{key($f)}{"$s.$m"} = 1;
		}
	}
}

sub learn_grows
{
	my $changed = 0;

	for my $f (@functions) {
		my $mine = $grows{key($f)} //= {};
		for my $c (@{$f->{calls}}) {
			for my $g (callees($f, $c)) {
				my @new = grep { !$mine->{$_} } keys %{$grows{key($g)} // {}};
				next if !@new || is_allowed($f, $c->{at});
				$mine->{$_} = 1 for @new;
				$changed = 1;
			}
		}
	}
	return $changed;
}

# The array that an expression points into: "struct.member", or undef.
my %points;	# function -> array that its value points into
my %holds;	# "struct.member" -> array that it points into
sub points_into
{
	my ($f, $e) = @_;

	$e =~ s/^\s+|\s+$//g;
	if ($e =~ /^(.+?)\?(.+):(.+)$/s) {
		my ($yes, $no) = ($2, $3);
		return points_into($f, $yes) // points_into($f, $no);
	}
	if ($e =~ /^(\w+)\(/ && (my $g = find_function($f->{file}, $1))) {
		return $points{key($g)};
	}
	my $address = $e =~ s/^&\s*//;
	my @r = resolve($f, $e);
	if (@r) {
		my ($s, $m, $rest, $d) = @r;
		# a->list[i].name is an array of the element
		if ($d->{array} && !$address || $address) {
			my $up = $e;
			while ($up =~ s/(?:\.)\w+\s*$//) {
				my @u = resolve($f, $up);
				return "$u[0].$u[1]" if @u && $growing{"$u[0].$u[1]"} && $u[2] =~ /^\[/;
			}
		}
		if ($growing{"$s.$m"}) {
			return "$s.$m" if $address && $rest =~ /^\[/;
			return "$s.$m" if !$address && ($rest eq '' || $rest =~ /^\s*\+/);
		}
		return $holds{"$s.$m"} if !$address && $rest eq '';
	}
	return undef;
}

sub learn_points
{
	my $changed = 0;

	for my $f (@functions) {
		next if $f->{returns} !~ /\*\s*$/ || $points{key($f)};
		for my $x (exits($f)) {
			next if $x->{try} || $x->{text} !~ /^return\s+(.+)$/s;
			my $e = $1;
			my $a = points_into($f, $e);
			if (!$a && $e =~ /^(\w+)$/ && $f->{local}{$1} && !$f->{local}{$1}{is_param}) {
				my $v = $1;
				while ($f->{body} =~ /(?<![\w>.])\Q$v\E\s*=\s*([^=;][^;,]*(?:\([^;]*\))?)[;,]/g) {
					$a //= points_into($f, $1);
				}
			}
			next if !$a;
			$points{key($f)} = $a;
			$changed = 1;
			last;
		}
	}
	return $changed;
}

# Members that are given such a pointer.
sub learn_holds
{
	for my $f (@functions) {
		while ($f->{body} =~ /(?<![\w>.])(\w+(?:(?:->|\.)\w+)+)\s*=\s*([^=;][^;]*);/g) {
			my ($l, $e) = ($1, $2);
			my $a = points_into($f, $e) or next;
			my ($s, $m, $rest, $d) = resolve($f, $l);
			next if !defined $s || $rest ne '' || $growing{"$s.$m"} || !$d->{stars};
			next if $a =~ /^(?:buf|strvec)\./;
			$holds{"$s.$m"} = $a;
		}
	}
}

sub growing_calls
{
	my ($f, $array) = @_;
	my @out;

	return if !$grows{key($f)}{$array} && !grep { $_->{name} eq 'GROW' } @{$f->{calls}};
	return @{$f->{growing}{$array}} if $f->{growing}{$array};
	for my $c (@{$f->{calls}}) {
		push @out, $c if ($c->{name} eq 'GROW' || $c->{name} eq 'xrealloc') &&
		    join('.', (resolve($f, $c->{args}[0]))[0, 1]) eq $array;
		next if !grep { $grows{key($_)}{$array} } callees($f, $c);
		next if is_allowed($f, $c->{at});
		push @out, $c;
	}
	$f->{growing}{$array} = \@out;
	return @out;
}

# The object that an array is of, without the names that a function gives to it.
sub object_of
{
	my ($f, $struct, $e) = @_;

	$e =~ s/^&?(\w+)\((.*)\)$/$2/s;
	for my $a (split_list($e)) {
		my $o = $a =~ s/^[&\s]+//r;
		for (1 .. 4) {
			my @r = resolve($f, $o);
			my ($base, $rest) = $o =~ /^(\w+)(.*)$/s or last;
			my $d = $f->{local}{$base} or last;
			my $type = @r ? $r[3]{base} : $d->{base};
			if ($type eq "struct $struct" && (!@r || $r[2] eq '')) {
				$o = $d->{init} . $rest if !$d->{is_param} && ($d->{init} // '') =~ /^[\w>.&-]+$/;
				return $o =~ s/^&//r =~ s/->/./gr;
			}
			last if !@r || $o !~ s/\s*(?:(?:->|\.)\w+|\[[^\[\]]*\]|\+[^+]*)$//s;
		}
	}
	return undef;
}

# Do the array and the call speak of one object, as far as they name any?
sub is_same_object
{
	my ($f, $array, $e, $c) = @_;
	my ($struct) = split /\./, $array;
	my $mine = object_of($f, $struct, $e);
	my @its = grep { defined } map { object_of($f, $struct, $_) } @{$c->{args}};

	return $struct !~ /^(?:buf|strvec|fileset)$/ if !@its || !defined $mine;
	return scalar grep { $_ eq $mine } @its;
}

sub check_elements
{
	my ($f) = @_;

	while ($f->{body} =~ /(?<![\w>.])\*?(\w+)\s*=\s*([^=;][^;]*?)(?=[;,)])/g) {
		my ($v, $e, $at) = ($1, $2, $-[0]);
		my $d = $f->{local}{$v} or next;
		next if !$d->{stars};
		# To the end of the expression, over commas in brackets.
		my (undef, $end) = statement($f, $at);
		my $full = substr($f->{body}, $at, $end - $at);
		$full =~ s/^\*?\w+\s*=\s*//;
		($e) = split_list($full);
		my $array = points_into($f, $e) or next;
		for my $c (growing_calls($f, $array)) {
			next if $c->{at} < $end || !is_same_object($f, $array, $e, $c) ||
			    grep { $_ eq "&$v" } @{$c->{args}};
			my (undef, $after) = statement($f, $c->{end});
			my $use = next_use($f, $v, $after);
			next if !defined $use;
			# The growing call leaves, when it is in a return.
			my ($from) = statement($f, $c->{at});
			next if substr($f->{body}, $from, $c->{at} - $from) =~ /\breturn\b/;
			next if leaves_block($f, $after, $use);
			report($f, $use, "'$v' points into $array since line " . line_of($f, $at) .
			       ", which $c->{name} (line " . line_of($f, $c->{at}) . ') may move', $at, $c->{at});
			last;
		}
	}
}

# Where the local is read after $from, before it is set again.
sub next_use
{
	my ($f, $v, $from) = @_;

	my $rest = substr($f->{body}, $from);

	return undef if $rest !~ /(?<![\w>.])\Q$v\E\b(\s*=(?!=))?/ || defined $1;
	return $from + $-[0];
}

# The arrays that may have moved when a function reads a parameter:
# {number}{array} = the line.
my %reads_after;
sub learn_reads
{
	my $changed = 0;

	for my $f (@functions) {
		my $k = key($f);
		# Of these there are many, and their functions are given what is in others.
		my @arrays = grep { !/^(?:buf|strvec|fileset)\./ } keys %{$grows{$k} // {}} or next;
		for my $i (0 .. $#{$f->{param}}) {
			my $p = $f->{param}[$i];
			next if !$p || !$p->{stars};
			for my $a (@arrays) {
				next if $reads_after{$k}{$i}{$a};
				my $line = reads_after($f, $p, $a);
				for my $pass (@{passes($f)->{$i} // []}) {
					my ($c, $j) = @$pass;
					next if is_allowed($f, $c->{at});
					$line //= $reads_after{key($_)}{$j}{$a} for callees($f, $c);
				}
				next if !$line;
				$reads_after{$k}{$i}{$a} = $line;
				$changed = 1;
			}
		}
	}
	return $changed;
}

sub reads_after
{
	my ($f, $p, $array) = @_;

	for my $c (growing_calls($f, $array)) {
		my (undef, $after) = statement($f, $c->{end});
		my $use = next_use($f, $p->{name}, $after);
		next if !defined $use || leaves_block($f, $after, $use);
		my ($from) = statement($f, $c->{at});
		next if substr($f->{body}, $from, $c->{at} - $from) =~ /\breturn\b/;
		next if is_allowed($f, $use, $c->{at});
		return "$f->{file}:" . line_of($f, $use);
	}
	return undef;
}

# An element, or a part of one, given to a function that reads it after it grew
# the array.
sub check_arguments
{
	my ($f) = @_;

	for my $c (@{$f->{calls}}) {
		for my $g (callees($f, $c)) {
			for my $j (keys %{$reads_after{key($g)} // {}}) {
				my $a = $c->{args}[$j] // next;
				my $array = points_to($f, $a, $c->{at});
				next if !$array || !$reads_after{key($g)}{$j}{$array};
				next if !is_same_object($f, $array, $a, $c);
				report($f, $c->{at}, "$c->{name} is given '$a', which points into $array, and $reads_after{key($g)}{$j}{$array} reads it after the array may have moved");
			}
		}
	}
}

# What an expression points into, through a local that was set before.
sub points_to
{
	my ($f, $e, $at) = @_;
	my $array = points_into($f, $e);

	return $array if $array;
	my ($v, $rest) = $e =~ /^(\w+)((?:->\w+)?)$/ or return undef;
	my $d = $f->{local}{$v} or return undef;
	return undef if $d->{is_param} || !$d->{stars};
	if ($rest ne '') {
		my @r = resolve($f, $e);
		return undef if !@r || !$r[3]{array};
	}
	my $head = substr($f->{body}, 0, $at);
	while ($head =~ /(?<![\w>.])\Q$v\E\s*=\s*([^=;][^;]*);/g) {
		my ($first) = split_list($1);
		$array = points_into($f, $first);
	}
	return $array;
}

# Does the block that $from is in end with a return before $to?
sub leaves_block
{
	my ($f, $from, $to) = @_;
	my $t = substr($f->{body}, $from, $to - $from);
	my $depth = 0;
	my $last = '';

	while ($t =~ /([{};])|(\breturn\b|\bbreak\b|\bcontinue\b|\bgoto\b)/g) {
		if (defined $2) {
			return 1 if $depth <= 0 && index($t, ';', $-[0]) >= 0 && substr($t, 0, $-[0]) !~ /(?:\)|else)\s*$/;
		} elsif ($1 eq '{') {
			$depth++;
		} elsif ($1 eq '}') {
			$depth--;
		}
	}
	return 0;
}

# Has the function an object that contains the struct $s by value?
my %contains;
sub contains_struct
{
	my ($f, $type, $s, $depth) = @_;

	return 0 if $type !~ /^struct\s+(\w+)/;
	return 1 if $1 eq $s;
	my $t = $1;
	my $seen = "$f->{file} $t $s";
	return $contains{$seen} if exists $contains{$seen};
	return 0 if $depth > 3;
	$contains{$seen} = 0;
	for my $m (values %{members($f, $t)}) {
		next if $m->{stars};
		$contains{$seen} ||= contains_struct($f, $m->{base}, $s, $depth + 1);
	}
	return $contains{$seen};
}

# May a function that is given such an object renew the struct $s: is it in it, or
# reached by a pointer of it?
sub leads_to
{
	my ($f, $type, $s, $depth) = @_;

	return 0 if $type !~ /^struct\s+(\w+)/ || $depth > 3;
	return 1 if $1 eq $s;
	return scalar grep { $_->{stars} ? $_->{base} eq "struct $s"
				: leads_to($f, $_->{base}, $s, $depth + 1) } values %{members($f, $1)};
}

# Is the local as its declaration left it, when $at comes?
sub is_fresh
{
	my ($f, $d, $at) = @_;

	return 0 if $d->{is_param} || $d->{stars} || !$d->{at};
	my (undef, $from) = statement($f, $d->{at});
	return substr($f->{body}, $from, $at - $from) !~ /\b\Q$d->{name}\E\b/;
}

sub check_fields
{
	my ($f) = @_;

	for my $h (keys %holds) {
		my ($s, $m) = split /\./, $h;
		my ($has) = grep { !$_->{const} && contains_struct($f, $_->{base}, $s, 0) } values %{$f->{local}};
		next if !$has;
		for my $c (growing_calls($f, $holds{$h})) {
			next if $has->{at} && $has->{at} > $c->{at};
			next if is_fresh($f, $has, $c->{at});
			# Who is given the object looks after it.
			next if grep { my $t = type_of($f, $_); defined $t && leads_to($f, $t, $s, 0) } @{$c->{args}};
			my (undef, $after) = statement($f, $c->{end});
			my $rest = substr($f->{body}, $after);
			my ($renewed) = $rest =~ /(?:->|\.)\Q$m\E\s*=(?!=)/ ? $after + $-[0] : undef;
			my ($x) = grep { $_->{end} >= $c->{end} && (!defined $renewed || $_->{at} < $renewed) } exits($f);
			next if defined $renewed && !$x;
			report($f, $c->{at}, "$c->{name} may move $holds{$h}, and '$h', which points into it, is not renewed at once");
		}
	}
}

# ---- all of it --------------------------------------------------------------------

my @files = map { (sort glob("$_/*.[ch]"), glob("$_/*/*.[ch]")) } @ARGV;
read_heads($_) for @files;
read_file($_) for @files;
1 while learn_takes();
1 while learn_gives();
learn_arrays();
1 while learn_grows();
for (1 .. 3) {
	1 while learn_points();
	learn_holds();
}
1 while learn_reads();
for my $f (@functions) {
	check_locals($f);
	check_releases($f);
	check_begins($f);
	check_elements($f);
	check_fields($f);
	check_arguments($f);
}
for my $file (sort keys %allowed) {
	for my $line (sort { $a <=> $b } keys %{$allowed{$file}}) {
		next if $used{$file}{$line};
		print STDERR "$file:$line: this \"held:\" allows nothing: take it away\n";
		$findings++;
	}
}
if ($faults) {
	my @off = grep { !$found{$_->{name}} != ($_->{name} !~ /^wrong_/) } @functions;

	print STDERR "$_->{file}:$_->{line}: $_->{name}: ",
	    $found{$_->{name}} ? "is reported and right\n" : "is wrong and not found\n" for @off;
	exit(@off || !@functions ? 1 : 0);
}
exit 1 if $findings;
print "held: ok\n";
