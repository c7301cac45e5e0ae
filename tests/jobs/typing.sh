# What a person does at a keyboard, for job.sh: it does it, and counts it.
commands=0
lines=0

# typed COMMAND...: a command at the prompt; that it fails is a failure
typed () {
	commands=$((commands + 1))
	echo "\$ $*"
	case $1 in
	avogit)
		shift
		"$AVOGIT" "$@" ;;
	*)
		"$@" ;;
	esac
}

# Lines of FILE that are not as they were in the file that is stdin.
count_changes () {
	diff - "$1" | awk '/^>/ { a++ } /^</ { b++ } END { print (a > b ? a : b) + 0 }'
}

# edited FILE SED: an edit that sed can stand for; that nothing changes is a failure
edited () {
	cp "$1" ../before &&
	sed -i "$2" "$1" &&
	changed=$(count_changes "$1" <../before) &&
	echo "\$ edit $1: $changed lines" &&
	lines=$((lines + changed)) &&
	test "$changed" -gt 0
}

# written FILE <TEXT: a file by hand, or a new text of one
written () {
	touch "$1" && cp "$1" ../before && cat >"$1" &&
	changed=$(count_changes "$1" <../before) &&
	echo "\$ write $1: $changed lines" &&
	lines=$((lines + changed))
}

# added FILE <TEXT: at the end of one
added () {
	cat "$1" - >../after && written "$1" <../after
}

# What is left once a task is right, for one that avogit.yaml has no other place
# for: evolved, and taken. "$@": --task FILE
evolve_and_pick () {
	typed git add -A &&
	typed git commit -q -m 'What avogit is to make fast' &&
	typed avogit score "$@" &&
	typed avogit evolve "$@" -n 2 --time 4m &&
	typed avogit pick "$(git for-each-ref --format='%(refname:short)' 'refs/heads/avo/*/winner')"
}
