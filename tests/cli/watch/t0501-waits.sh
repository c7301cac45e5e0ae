#!/bin/sh
# test: parallel long
test_description='what commands wait for, at the foot of a terminal'
. "$(dirname "$0")/../lib-avogit.sh"
. "$SHARNESS_TEST_SRCDIR/lib-terminal.sh"

# The kernel of ./ loops for ever; it is given so long: hang TIMEOUT. Committed.
hang () {
	sed -i "s|^#define MODE .*|#define MODE 3|" kernel.c &&
	sed -i "s|^  timeout:.*|  timeout: $1|" avogit.yaml &&
	git commit -qam "hangs for $1"
}

# avogit ARGS with this terminal as stderr; stdout too, unless ARGS say more. What is
# drawn over a line is a line more.
on_terminal () {
	script -qec "stty cols 80 rows 24; \"$AVOGIT\" $*" /dev/null </dev/null | tr "\r" "\n"
}

# The same as `begin`, where the shell outlives what ends avogit.
begin_alone () {
	rm -f before after pid
	in_terminal 80 24 "trap : INT; stty -g >before; sh -c 'echo \$\$ >pid; exec \"$AVOGIT\" $*'
		code=\$?; stty -g >after; echo \"code \$code\""
}

escape=$(printf "\033")
clear="$escape\[K"

# The screen at last holds these and neither bar nor title of a wait.
ends_with () {
	shows "$@" && ! grep -e "^[a-z]* *\[[-#]*\]" -e "^checking" -e "^scoring" shown
}

within_ten_seconds () {
	tries=0
	until "$@"
	do
		tries=$((tries + 1)) && test $tries -le 100 && sleep 0.1 || return 1
	done
}

gone () {
	! kill -0 "$1" 2>/dev/null
}

test_expect_success 'in a pipe there are plain lines' '
	make_repo repo && two_steps &&
	avogit evolve --seed 3 -n 1 2>err | cat >plain && test_must_be_empty err &&
	grep "^\* #1 .* champion " plain && ! grep "$escape" plain && ! grep -e "$(printf "\r")" plain &&
	avogit score --again 2>err | cat >plain && test_must_be_empty err && ! grep "$escape" plain
'

# Checking may be over between two drawings.
test_expect_success TERMINAL 'a bar for timing; no line stays that is not of the run' '
	TERM=xterm on_terminal evolve --run two --seed 3 -n 1 >out && grep "^timing *\[" out &&
	grep "^scoring #1 ROUNDS" out && grep "attempt, " out &&
	sed "s/.*$escape\[J//; s/$escape\[[0-9;]*m//g" out >lines &&
	grep "^\* #1 .* champion " lines && grep "^stopped: attempts" lines
'

test_expect_success TERMINAL 'none where stdout is a pipe, stderr no terminal, or the terminal dumb' '
	TERM=xterm on_terminal "score --again | cat" >out && grep "pass, " out && ! grep "$clear" out &&
	TERM=xterm on_terminal "score --again 2>err" >out && grep "pass, " out && ! grep "$clear" out &&
	TERM=dumb on_terminal score --again >out && grep "pass, " out && ! grep "$clear" out &&
	TERM=xterm on_terminal "score --again --json >json" >out && grep "^timing *\[" out && grep "verdict" json
'

test_expect_success TERMINAL 'NO_COLOR has bars without colours' '
	NO_COLOR=1 TERM=xterm on_terminal score --again >out &&
	grep "^timing *\[[-#]*\]" out && ! grep "$escape\[[0-9;]*m" out
'

test_expect_success TERMINAL 'verify and gate have them, too' '
	TERM=xterm on_terminal verify "two#1" >out && grep "^measuring .* again" out && grep "^timing *\[" out &&
	sed -i "s|^#define ROUNDS .*|#define ROUNDS 60 // avogit: 60 1|" kernel.c && git commit -qam "faster" &&
	TERM=xterm on_terminal gate --time 2s HEAD~1 >out &&
	grep "^avogit.yaml: is .* slower than " out && grep "^timing *\[" out
'

test_expect_success TMUX 'it follows the width of the terminal' '
	hang 60s && begin_alone score &&
	shows "^checking *\[[-#]*\]  0 %, " "^scoring [0-9a-f]*$" &&
	in_tmux resize-window -x 30 -y 10 && shows "^checking 0 %, " &&
	in_tmux resize-window -x 60 -y 10 && shows "^checking *\[[-#]*\]  0 %, "
'

# A terminal of its own: one that became narrower may have wrapped a line and moved the
# first into its history, out of reach.
test_expect_success TMUX 'Ctrl-C leaves the terminal clean' '
	begin_alone score && shows "^checking *\[" && in_tmux send-keys C-c &&
	ends_with "^code 130" && test_cmp before after
'

test_expect_success TMUX 'so does SIGTERM' '
	begin_alone score && shows "^checking *\[" && kill "$(cat pid)" &&
	ends_with "^code 130" && test_cmp before after
'

test_expect_success TMUX 'a stopped terminal holds up neither its drawing nor its end' '
	begin_alone score && shows "^checking *\[" && in_tmux send-keys C-s && sleep 0.5 &&
	kill "$(cat pid)" && within_ten_seconds gone "$(cat pid)" &&
	in_tmux send-keys C-q && shows "^code 130"
'

test_expect_success TMUX 'nothing is drawn from the background' '
	rm -f pid &&
	in_terminal 80 24 "set -m; \"$AVOGIT\" score & echo \$! >pid; wait \$!; echo \"code \$?\"" &&
	within_ten_seconds test -s pid &&
	sleep 1 && screen >shown && ! grep -e "^checking" -e "^scoring" shown &&
	kill "$(cat pid)" && ends_with "^code 130"
'

test_expect_success TMUX 'evolve says below its lines that it finishes the attempt, and is gone at once the second time' '
	begin 80 24 evolve --run hangs &&
	shows "^starting run hangs" "^scoring #0" "^checking *\[" &&
	in_tmux send-keys C-c &&
	shows "^avogit: finishing the attempt, then stopping; again to stop now" "^checking *\[" &&
	in_tmux send-keys C-c &&
	ends_with "^starting run hangs" "^stopped: interrupted" "^code 130" && test_cmp before after &&
	test "$(grep -c "finishing the attempt" shown)" = 1
'

test_done
