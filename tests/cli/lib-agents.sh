# What the tests of several agents on one run share: a repository whose agents are
# shell scripts, and whose score is what the sources say.

. "$SHARNESS_TEST_SRCDIR/lib-operator.sh"

# A repository in ./NAME with a program as fast as its source says, exactly, and
# with the shell script on stdin as each agent: make_agents NAME <SCRIPT
make_agents () {
	cd "$SHARNESS_TRASH_DIRECTORY" &&
	git init -q "$1" &&
	cd "$1" &&
	cat >avogit.yaml <<-\EOT &&
	name: app
	sources: [kernel.c]
	score: {command: [sh, bench.sh], unit: ops/s, timeout: 20s}
	build: {files: [bench.sh]}
	EOT
	echo "#define SPEED 10" >kernel.c &&
	cat >bench.sh <<-\EOT &&
	speed=$(sed -n "s/^#define SPEED \([0-9]*\).*/\1/p" kernel.c)
	printf '{"verdict": "pass", "score": %s}' "$speed"
	EOT
	git add . &&
	git commit -qm "a program and its speed" &&
	use_operator "silence: 60s"
}

# For the scripts: sources with a speed.
TOOLS="$TOOLS"'
speed () {
	echo "#define SPEED $1 // $(cat /proc/sys/kernel/random/uuid)" >kernel.c
}'

# The tree of the run of ./, oldest first: number, outcome in a word, parent, what.
# "undecided", "not faster" and "unsteady" are "slower" on a busy machine.
tree () {
	avogit log --json >../log.json &&
	perl -MJSON::PP -e '
		local $/;
		my $all = decode_json(<>)->{runs}[0]{attempts};
		sub outcome {
			my $o = shift->{outcome} =~ s/ /-/gr;
			return $o =~ /^(undecided|not-faster|unsteady)$/ ? "slower" : $o;
		}
		my %n = map { $_->{commit} => $_->{attempt} } @$all;
		for (sort { $a->{attempt} <=> $b->{attempt} } @$all) {
			printf "%d %s %s %s\n", $_->{attempt}, outcome($_),
				$n{$_->{parent} // ""} // 0, $_->{subject};
		}' ../log.json
}

# The program of one of its agents, in its sandbox: program_of PID
program_of () {
	for child in $(cat /proc/"$1"/task/*/children)
	do
		if tr "\0" " " 2>/dev/null <"/proc/$child/cmdline" | grep -q "TOOLS"
		then
			echo "$child" && return
		fi
	done
	return 1
}

# Nothing is lost or doubled, and nothing is left of this run.
is_whole () {
	tree >../tree &&
	cut -d" " -f1 ../tree >../numbers &&
	sort -nu ../numbers >../unique &&
	test_cmp ../unique ../numbers &&
	! grep "in-flight" ../tree &&
	git fsck --full >../fsck 2>&1 &&
	! grep -e missing -e broken ../fsck &&
	avogit doctor --repair >../out &&
	grep "nothing to repair" ../out
}
