# A terminal of a chosen size, by tmux: for scripts that look at what a command shows
# there. Source it after lib-avogit.sh.

command -v tmux >/dev/null && test_set_prereq TMUX
unset TMUX
TMUX_TMPDIR=$SHARNESS_TRASH_DIRECTORY
export TMUX_TMPDIR
n_servers=0
cleanup 'in_tmux kill-server 2>/dev/null'

# A server that ends takes a moment, in which it must not be asked.
in_tmux () {
	command tmux -L "server-$n_servers" -u -f /dev/null "$@"
}

# in_terminal COLUMNS ROWS SHELL-COMMAND. The server outlives a script that fails, and
# must not hold the pipe to prove open meanwhile.
in_terminal () {
	in_tmux kill-server 2>/dev/null
	n_servers=$((n_servers + 1))
	in_tmux new-session -d -x "$1" -y "$2" "$3; exec sleep 600" \
		</dev/null >/dev/null 2>&1 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-
}

# A terminal of this size in which `avogit ARGS` runs; afterwards its exit code is
# said, and whether the terminal is as before: begin COLUMNS ROWS ARGS
begin () {
	columns=$1 rows=$2
	shift 2
	rm -f before after
	in_terminal "$columns" "$rows" \
		"stty -g >before; '$AVOGIT' $*; code=\$?; stty -g >after; echo \"code \$code\""
}

screen () {
	in_tmux capture-pane -p
}

# The screen holds each pattern at one time; ten seconds at most.
shows () {
	tries=0
	while tries=$((tries + 1)) && test $tries -le 100
	do
		screen >shown 2>/dev/null && all=yes
		for pattern
		do
			grep -q -e "$pattern" shown || all=
		done
		test -z "$all" || return 0
		sleep 0.1
	done
	cat shown
	return 1
}
