#!/bin/sh
# test: parallel
test_description='output on a terminal, and events for programs'
. "$(dirname "$0")/../lib-avogit.sh"

# on COLUMNS COMMAND: its lines on a terminal so wide, without a pager
on () {
	columns=$1
	shift
	script -qec "stty cols $columns; GIT_PAGER=cat $*" /dev/null </dev/null |
		tr -d '\r' | sed "s/$(printf "\033")\[[0-9;]*m//g"
}

# The longest line of stdin, in characters.
longest () {
	awk '{ if (length > n) n = length } END { print n + 0 }'
}

test_expect_success 'setup: a run with an attempt that is right and one that is wrong' '
	make_light_repo repo &&
	offer_modes 0 1 &&
	avogit evolve --json --seed 3 -n 2 >events 2>said
'

test_expect_success 'every line of evolve --json is an object, by a parser of JSON' '
	perl -MJSON::PP -ne "
		\$e = decode_json(\$_);
		die \$_ unless \$e->{schema} == 1 && \$e->{event} && \$e->{run} eq q(scale);
		print \$e->{event}, q( ), \$e->{attempt} // q(-), q( ), \$e->{outcome} // q(-), qq(\n);
	" events >parsed &&
	head -n 1 parsed | grep "^started - -" &&
	tail -n 1 parsed | grep "^stopped - -" &&
	test "$(sed -n "s/^measured \([12]\) .*/\1/p" parsed | sort -u | wc -l)" = 2 &&
	grep "^measured [12] wrong" parsed &&
	grep "\"reason\":\"attempts\"" events
'

test_expect_success 'what is for people goes to stderr' '
	grep "run scale" said && ! grep -v "^{" events
'

test_expect_success 'the words and members are those of log --json' '
	avogit log --json >log &&
	perl -MJSON::PP -e "
		local \$/; open F, q(log); \$log = decode_json(<F>);
		%of = map { \$_->{attempt} => \$_ } @{\$log->{runs}[0]{attempts}};
		\$/ = qq(\n); open F, q(events);
		while (<F>) {
			\$e = decode_json(\$_);
			next unless \$e->{event} eq q(measured) && \$e->{attempt};
			# On a busy machine one is measured again: the last counts.
			\$last{\$e->{attempt}} = \$e;
		}
		for my \$e (values %last) {
			for (qw(commit parent lineage accepted verdict unit why subject)) {
				die qq(\$_ of \$e->{attempt}) unless
					(\$e->{\$_} // q(-)) eq (\$of{\$e->{attempt}}{\$_} // q(-));
			}
		}
		die unless keys %last == 2;
	"
'

test_expect_success 'a reader that goes away ends the run, and it can be gone on with' '
	avogit evolve --json --run other --seed 3 2>/dev/null | head -n 2 >two &&
	test "$(wc -l <two)" = 2 &&
	avogit evolve --json --run other -n 1 2>/dev/null >more &&
	tail -n 1 more | grep "\"event\":\"stopped\""
'

test_expect_success TERMINAL 'tables and the log fit 60 columns, and any wider terminal' '
	for columns in 60 72 80 100 140
	do
		for command in runs log "log --all"
		do
			on $columns "$AVOGIT" $command >out &&
			test -s out &&
			width=$(longest <out) &&
			{ test "$width" -le $columns || {
				echo "$command: $width of $columns" && cat out && return 1
			}; } || return 1
		done
	done
'

test_expect_success TERMINAL 'so do the tables of show, whose prose the terminal wraps' '
	for columns in 60 80
	do
		on $columns "$AVOGIT" "show scale#0" >out &&
		grep "n=16384" out >row && test "$(longest <row)" -le $columns &&
		sed -n "/^  cpu /,\$p" out >machine && test -s machine &&
		test "$(longest <machine)" -le $columns || return 1
	done
'

test_expect_success TERMINAL 'nothing is lost of a table that had to be broken' '
	on 60 "$AVOGIT" runs >narrow && avogit runs >wide &&
	for word in scale other operator speedup state
	do
		grep $word wide && grep $word narrow || return 1
	done
'

test_expect_success TERMINAL 'a pager gets the log, runs and show, and the pages are as wide' '
	cat >page <<-\EOF && chmod +x page &&
	#!/bin/sh
	cat >paged
	EOF
	for command in log runs "show scale#1"
	do
		rm -f paged &&
		script -qec "stty cols 64; GIT_PAGER=./page $AVOGIT $command" \
			/dev/null </dev/null >direct &&
		test -s paged && ! grep scale direct ||
		return 1
	done &&
	rm paged && script -qec "stty cols 64; GIT_PAGER=./page $AVOGIT runs" \
		/dev/null </dev/null >direct &&
	test "$(sed "s/$(printf "\033")\[[0-9;]*m//g" paged | longest)" -le 64
'

test_expect_success 'into a pipe nothing is cut and nothing is paged' '
	avogit runs >out && COLUMNS=60 GIT_PAGER=false avogit runs >again &&
	test_cmp out again && ! grep "[.][.][.]" out
'

test_done
