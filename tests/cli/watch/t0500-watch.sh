#!/bin/sh
# test: parallel
test_description='avogit watch: a run in the terminal, from another process'
. "$(dirname "$0")/../lib-avogit.sh"
. "$SHARNESS_TEST_SRCDIR/lib-terminal.sh"

HERE=$SHARNESS_TEST_SRCDIR

test_expect_success 'not a terminal: one sentence, and exit code 2' '
	make_light_repo repo &&
	test_expect_code 2 avogit watch </dev/null >out 2>err &&
	test_must_be_empty out &&
	test "$(wc -l <err)" = 1 &&
	grep "not a terminal: .avogit log" err
'

test_expect_success TMUX 'a run that is not there yet is waited for' '
	begin 80 24 watch &&
	shows "^waiting for a run: no run yet" "^q quits" &&
	printf "</x> \342\200\256 \033]0;title\007 \344\270\255\346\226\207\n" >../hostile &&
	for i in 1 2
	do
		echo "/* $i */" >>kernel.c &&
		git commit -qam "step $i" || return 1
	done &&
	git for-each-ref >../refs &&
	perl "$HERE/report/made-run.pl" "$(git rev-parse HEAD~2)" 40 ../hostile \
		$(git rev-parse HEAD~1 HEAD) &&
	shows "^made  ended: as many attempts were made"
'

test_expect_success TMUX 'at 80x24 it has champion, machine, spending, picture, line and tree' '
	shows "^champion #2 2.250x  2.25 GFLOPS" "^40 attempts, 2 kept, 8 failed; tuner; a test" \
		"of work; newest entry .* ago; no model was asked" \
		"^ *2.250x |.*$(printf "\342\240")" "^ *1.000x |$(printf "\342\240")" \
		"^champion.s line: #0 1.000x > #1 1.500x > #2 2.250x" \
		"^|x #40  *-  wrong" "^|. #39 .* slower  *</x> ? ^\[\]0;title^G $(printf "\344\270\255")" \
		"^q quits" &&
	test "$(wc -l <shown)" = 24 &&
	! grep "#20 " shown
'

test_expect_success TMUX 'it follows the size of the terminal, to 200x60 and to nothing' '
	in_tmux resize-window -x 200 -y 60 &&
	shows "^|. #16 " "^q quits" &&
	test "$(sed -n "60s/ .*//p" shown)" = q &&
	in_tmux resize-window -x 10 -y 3 &&
	shows "^mad" "^q q" &&
	in_tmux resize-window -x 80 -y 24 &&
	shows "^|. #39 " "^q quits"
'

test_expect_success TMUX 'q leaves the terminal as it was, and the repository too' '
	in_tmux send-keys q &&
	shows "^code 0" &&
	! grep made shown &&
	test_cmp before after &&
	git for-each-ref | grep -v refs/avogit/made/ >../refs.now &&
	test_cmp ../refs ../refs.now
'

test_expect_success TMUX 'so does Ctrl-C, with exit code 130' '
	begin 80 24 watch made --color always &&
	shows "^|. #39 " &&
	in_tmux send-keys C-c &&
	shows "^code 130" &&
	test_cmp before after
'

test_expect_success TMUX 'a running run: its process, and what it does now' '
	evolve_until 1 --run live --seed 3 &&
	kill -STOP $evolving &&
	begin 200 60 watch live &&
	shows "^live  running (process $evolving)" "^now, for [0-9.]* s: " "^o* *#0  *1.000x" &&
	sed -n "s/^now, for [0-9.]* s: //p" shown >doing &&
	grep -e "^scoring #" -e "^choosing what" doing
'

test_expect_success TMUX 'a run whose process was killed is dead, with the remedy' '
	kill -KILL $evolving &&
	{ wait $evolving || :; } &&
	exec 8<&- &&
	shows "^live  dead: its process is gone; .avogit evolve --run live. goes on" &&
	! grep "^now, for" shown
'

test_expect_success TMUX 'watched while it goes on, and to its end' '
	avogit evolve --run live -n 1 >out &&
	shows "^live  ended: as many attempts were made" &&
	in_tmux send-keys q &&
	shows "^code 0"
'

test_expect_success TMUX 'two runs and no name, and a terminal of an unknown kind' '
	git rm -q avogit.yaml && git commit -qm "no task" &&
	begin 80 24 watch &&
	shows "which run. Say --run NAME; there are live, made" "^code 2" &&
	begin 80 24 watch --run made &&
	shows "^made  ended" && in_tmux send-keys q && shows "^code 0" &&
	in_terminal 80 24 "TERM=nonsense \"$AVOGIT\" watch made; echo \"code \$?\"" &&
	shows "terminal of the kind .nonsense." "^code 2"
'

test_done
