#!/bin/sh
# test: parallel no-asan
test_description='avogit help --mdoc: the pages of the manual'
. "$(dirname "$0")/../lib-avogit.sh"

# `make deps-check` installs it.
command -v mandoc >/dev/null && test_set_prereq MANDOC

test_expect_success 'there is a page for avogit and for each command' '
	mkdir man1 &&
	"$AVOGIT" help --list >commands &&
	test $(wc -l <commands) -ge 20 &&
	"$AVOGIT" help --mdoc >man1/avogit.1 &&
	while read -r c; do
		"$AVOGIT" help --mdoc "$c" >man1/avogit-$c.1 &&
		grep -q "^.Xr avogit 1" man1/avogit-$c.1 &&
		grep -q "^.It Xr avogit-$c 1" man1/avogit.1 || return 1
	done <commands
'

# The options that a command's help lists, and those that its page has.
options_of_help () {
	"$AVOGIT" "$1" --help | grep -Eo "^  (-., |    )--[a-z-]+" |
		sed "s/.*--//" | sort
}
options_of_page () {
	tr -d "\\\\" <man1/avogit-$1.1 | grep "^\.It Fl" |
		grep -Eo "Fl -[a-z-]+" | sed "s/Fl -//" | grep -vx help | sort
}

test_expect_success 'a page has the options of --help, and no other' '
	while read -r c; do
		options_of_help "$c" >expect &&
		options_of_page "$c" >actual &&
		test_cmp expect actual || return 1
	done <commands &&
	options_of_page evolve | grep -x time
'

codes_of_page () {
	sed -n "/^\.Sh EXIT STATUS/,/^\.Sh SEE/s/^\.It //p" <man1/avogit-$1.1 | xargs
}

test_expect_success 'a page says what each exit code means, 1 where the help has one' '
	while read -r c; do
		codes=$(codes_of_page "$c") &&
		expr "$codes" : "0 .*2 .*128 130$" >/dev/null || { echo "$c: $codes"; return 1; }
		if "$AVOGIT" "$c" --help | tr "\n" " " | grep -iqE "exit code 1[^0-9]"; then
			expr "$codes" : "0 1 2 " >/dev/null || { echo "$c: $codes"; return 1; }
		fi
	done <commands &&
	test "$(codes_of_page log)" = "0 2 128 130" &&
	test "$(codes_of_page gate)" = "0 1 2 125 128 130"
'

test_expect_success 'a code that a command gives is on its page' '
	(cd "$SHARNESS_TEST_SRCDIR/../.." &&
	grep -l "= CODE_NO\|? CODE_NO\|: CODE_NO" cmd/*.c | sed "s|cmd/||;s|\.c||") >giving &&
	test $(wc -l <giving) -ge 12 &&
	while read -r c; do
		case $(codes_of_page "$c") in "0 1 2"*) ;; *) echo "$c" ;; esac
	done <giving >lost && test_must_be_empty lost
'

test_expect_success MANDOC 'mandoc finds nothing to warn of' '
	mandoc -T lint -W warning man1/*.1 >lint 2>&1 || { cat lint; false; } &&
	test_must_be_empty lint &&
	{ mandoc -T lint man1/*.1 2>&1 | grep -v "referenced manual not found"; true; } >style &&
	test_must_be_empty style
'

test_expect_success MANDOC 'a page reads as the help does' '
	mandoc -T utf8 man1/avogit-best.1 | col -b >page &&
	grep -q "Exit code 1 while there is none" page &&
	grep -q -- "-r, --run NAME" page
'

test_expect_success 'a command that is not there is named' '
	test_expect_code 2 "$AVOGIT" help --mdoc evolv 2>err &&
	grep "did you mean .evolve" err
'

test_done
