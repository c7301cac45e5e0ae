#!/bin/sh
# test: parallel long no-asan
test_description='avogit pick: a candidate onto the branch, with its story and scores'
. "$(dirname "$0")/../lib-avogit.sh"

note () {
	git notes --ref=avogit show "$1"
}

test_expect_success 'setup: a run with a champion' '
	make_repo repo &&
	base=$(git rev-parse HEAD) &&
	avogit evolve --seed 1 >../summary &&
	best=$(avogit best) &&
	git show $best:kernel.c >../kernel.best
'

test_expect_success 'the champion, on a branch that went on' '
	git commit -q --allow-empty -m "main went on" &&
	avogit pick >../out 2>../err &&
	grep "^picked $(git rev-parse --short $best) as $(git rev-parse --short HEAD)" ../out &&
	test_cmp ../kernel.best kernel.c &&
	test "$(git rev-list --count $base..HEAD)" = 2 &&
	git diff --quiet HEAD &&
	git log -1 --format=%B >../message &&
	sed -n 1p ../message | grep "^scale: [0-9.]*x faster" &&
	! grep " from [0-9]" ../message &&
	grep "^Avogit-Run: scale$" ../message &&
	grep "^Avogit-Of: $best$" ../message &&
	grep "^Avogit-Score: [0-9]" ../message
'

# As the run said it at its end; `~` and what to do where the rate is noisy.
test_expect_success 'what it gains over start and baseline is said, without being asked for' '
	grep "^  .* the speed of" ../summary >../expect && grep "of the start" ../expect && grep "of naive" ../expect &&
	grep "^  .* the speed of" ../out >../gains && test_cmp ../expect ../gains &&
	rate=$(sed -n "s/^champion .* #[0-9]*, \([^:]*\): .*/\1/p" ../summary) &&
	avogit show --json $best >../json &&
	if grep "\"unsteady\":" ../json ||
		sed -n "s/.*\"noise\":[[:space:]]*\([^,]*\),*$/\1/p" ../json | awk "{ exit !(\$1 > 0.01) }"
	then
		grep "^  ~$rate (.*: .avogit verify $(git rev-parse --short $best). on a quiet machine says more)$" ../out
	else
		grep "^  $rate$" ../out
	fi
'

# Is a number read from standard input this one, rounded? The note has four digits of
# what the story rounds: is_rounded NUMBER UNIT
is_rounded () {
	awk -v is="$1" -v unit="$2" \
		'{ d = $1 - is; exit !(NF == 1 && d * d < (unit * 0.51 + 5e-5) ^ 2) }'
}

# The story may say a ratio only where one comparison of its note measured it.
test_expect_success 'its subject, body and trailer say what one comparison told, and no more' '
	git notes --ref=avogit show $best >../note &&
	ratio=$(sed -n "s/.* against=start of=$base ratio=\([0-9.]*\) .* told=faster .*/\1/p" \
		../note | tail -n 1) &&
	test -n "$ratio" &&
	sed -n "1s/^scale: \([0-9.]*\)x faster.*/\1/p" ../message | is_rounded $ratio 0.01 &&
	said=$(sed -n "s/^Avogit-Speedup: \([0-9.]* \[.*\]\)$/\1/p" ../message) &&
	echo "${said%% *}" | is_rounded $ratio 0.001 &&
	tr "\n" " " <../message | grep -F "in the same minutes: $said times" &&
	! grep "Avogit-Start-Score" ../message
'

test_expect_success 'with a note that says whose scores it quotes' '
	note HEAD >../note &&
	grep " 000 .*verdict=pass" ../note &&
	grep "of=$best" ../note
'

test_expect_success 'what HEAD has is not picked again' '
	head=$(git rev-parse HEAD) &&
	avogit pick >../out &&
	grep "already" ../out &&
	test "$(git rev-parse HEAD)" = $head
'

test_expect_success 'any other candidate: the whole change since the base' '
	git switch -q -c other $base &&
	some=$(git log --reverse --format=%H $base..avo/scale/best | sed 1q) &&
	avogit pick $some &&
	test "$(git rev-parse HEAD^{tree})" = "$(git rev-parse $some^{tree})" &&
	test "$(git rev-list --count $base..HEAD)" = 1 &&
	note HEAD | grep "of=$some"
'

test_expect_success 'by hooks and identity of the user, as git does' '
	git switch -q -c hooked $base &&
	mkdir -p .git/hooks &&
	printf "#!/bin/sh\necho \"Reviewed-by: hook\" >>\"\$1\"\n" \
		>.git/hooks/prepare-commit-msg &&
	chmod +x .git/hooks/prepare-commit-msg &&
	test_expect_code 128 avogit pick 2>../err &&
	grep "hooks/prepare-commit-msg .*avogit trust --git" ../err &&
	avogit trust --git --yes &&
	GIT_COMMITTER_NAME="The Picker" avogit pick &&
	rm .git/hooks/prepare-commit-msg &&
	git log -1 --format="%cn %B" | grep "The Picker" &&
	git log -1 --format=%B | grep "^Reviewed-by: hook"
'

test_expect_success 'a dirty file that it would touch: refused, nothing changed' '
	git switch -q -c dirty $base &&
	echo "/* mine */" >>kernel.c &&
	cp kernel.c ../mine &&
	test_expect_code 128 avogit pick >../out 2>../err &&
	test_must_be_empty ../out && test "$(wc -l <../err)" = 1 &&
	grep "^avogit: kernel.c: changes that are not committed would be overwritten .*nothing was changed: .git stash" ../err &&
	test_cmp ../mine kernel.c &&
	test "$(git rev-parse HEAD)" = $base &&
	test ! -e .git/CHERRY_PICK_HEAD
'

test_expect_success 'what is staged elsewhere: refused before anything is said of the candidate' '
	git checkout -q kernel.c && echo "# mine" >>avogit.yaml && git add avogit.yaml &&
	test_expect_code 128 avogit pick >../out 2>../err &&
	test_must_be_empty ../out && test "$(wc -l <../err)" = 1 &&
	grep "^avogit: avogit.yaml: changes that are staged .*nothing was changed: .git commit. or .git stash." ../err &&
	test "$(git diff --cached --name-only)" = avogit.yaml &&
	avogit pick -n && test_cmp ../kernel.best kernel.c && git reset -q --hard $base
'

test_expect_success 'a file that git does not have is not overwritten, also one that it ignores' '
	some=$(git commit-tree -p $base -m "a file more" -m "Avogit-Of: $best" "$(
		cp .git/index ../index && export GIT_INDEX_FILE=../index &&
		git update-index --add --cacheinfo "100644,$(echo theirs | git hash-object -w --stdin),more.h" &&
		git write-tree)") &&
	echo mine >more.h &&
	for ignored in no yes
	do
		test $ignored = no || echo more.h >>.git/info/exclude &&
		test_expect_code 128 avogit pick $some >../out 2>../err &&
		test_must_be_empty ../out &&
		grep "^avogit: more.h, which git does not have, .*nothing was changed: move it elsewhere" ../err &&
		grep -x mine more.h || return 1
	done &&
	rm more.h && avogit pick $some && grep -x theirs more.h && git reset -q --hard $base &&
	: >.git/info/exclude && echo "/* mine */" >>kernel.c
'

# Everything that a failed pick has to leave as it was
state () {
	git rev-parse HEAD && git status --short && git diff && git diff --cached &&
	git stash list && ls .git | grep -e _HEAD$ | grep -v -e ORIG -e FETCH
	git ls-files -s
}

test_expect_success 'a hook or a key that fails: nothing was changed' '
	git switch -q -f -c failing-hook $base &&
	echo "# mine" >>avogit.yaml && echo new >untracked &&
	printf "#!/bin/sh\nexit 1\n" >.git/hooks/prepare-commit-msg &&
	chmod +x .git/hooks/prepare-commit-msg &&
	avogit trust --git --yes && state >../before &&
	test_expect_code 128 avogit pick 2>../err &&
	grep "nothing was changed" ../err &&
	state >../after && test_cmp ../before ../after &&
	rm .git/hooks/prepare-commit-msg &&
	git config --global commit.gpgSign true &&
	git config --global gpg.program false &&
	test_expect_code 128 avogit pick 2>../err &&
	grep "nothing was changed" ../err &&
	state >../after && test_cmp ../before ../after &&
	cp ../kernel.best kernel.c && state >../before &&
	test_expect_code 128 avogit pick 2>../err &&
	grep "nothing was changed" ../err &&
	state >../after && test_cmp ../before ../after &&
	git add kernel.c && state >../before &&
	test_expect_code 128 avogit pick 2>../err &&
	state >../after && test_cmp ../before ../after &&
	git config --global --unset commit.gpgSign &&
	git config --global --unset gpg.program &&
	git checkout -q HEAD . && rm untracked
'

test_expect_success 'the kernel that was edited and scored is picked where it lies' '
	git switch -q -c scored $base &&
	git stash list >../stashes.before &&
	sed -i "s/^#define ROUNDS 64/#define ROUNDS 1/" kernel.c &&
	avogit score --run by-hand -m "once is enough" >/dev/null &&
	echo "# mine" >>avogit.yaml && cp avogit.yaml ../mine &&
	cp kernel.c ../kernel.mine &&
	(mkdir -p sub && cd sub && avogit pick "by-hand#1") &&
	test "$(git rev-list --count $base..HEAD)" = 1 &&
	test_cmp ../kernel.mine kernel.c && git diff --quiet HEAD -- kernel.c &&
	test_cmp ../mine avogit.yaml &&
	note HEAD | grep "verdict=pass" &&
	git stash list >../stashes.after && test_cmp ../stashes.before ../stashes.after &&
	git reset -q --hard $base && cp ../kernel.mine kernel.c && git add kernel.c &&
	avogit pick "by-hand#1" && test_cmp ../kernel.mine kernel.c &&
	git reset -q --hard $base && cp ../kernel.mine kernel.c &&
	avogit pick -n "by-hand#1" && test_cmp ../kernel.mine kernel.c &&
	test "$(git diff --cached --name-only)" = kernel.c &&
	git reset -q --hard $base
'

test_expect_success 'edited to something else it is refused as before' '
	cp ../kernel.mine kernel.c && echo "// more" >>kernel.c && state >../before &&
	test_expect_code 128 avogit pick "by-hand#1" 2>../err &&
	grep "nothing was changed" ../err &&
	state >../after && test_cmp ../before ../after &&
	git checkout -q kernel.c
'

test_expect_success '--no-commit that meets a conflict says so' '
	git switch -q -c conflict-n $base &&
	sed -i "s/^#define ROUNDS .*/#define ROUNDS 61 \/\/ mine/" kernel.c &&
	git commit -qam "mine" &&
	test_expect_code 1 avogit pick -n "by-hand#1" 2>../err &&
	grep "stopped at a conflict" ../err && ! grep "nothing was changed" ../err &&
	git reset -q --hard && git switch -q dirty
'

test_expect_success 'a dirty file that it would not touch stays as it is' '
	git checkout -q kernel.c &&
	echo "# mine" >>avogit.yaml && cp avogit.yaml ../mine &&
	avogit pick &&
	test_cmp ../mine avogit.yaml &&
	git checkout -q avogit.yaml
'

test_expect_success '--no-commit changes index and work tree' '
	git switch -q -c uncommitted $base &&
	avogit pick --no-commit &&
	test "$(git rev-parse HEAD)" = $base &&
	git diff --cached --quiet HEAD -- avogit.yaml &&
	test_must_fail git diff --cached --quiet HEAD -- kernel.c &&
	git commit -q --no-edit --date=2026-01-01T00:00:00Z &&
	avogit log >/dev/null 2>../err &&
	grep "attached the scores of 1 picked commit" ../err &&
	note HEAD | grep "of=$best"
'

test_expect_success 'a detached HEAD stays detached' '
	git checkout -q --detach $base &&
	avogit pick &&
	test_must_fail git symbolic-ref -q HEAD &&
	test_cmp ../kernel.best kernel.c
'

test_expect_success 'a conflict is left as git leaves it' '
	git switch -q -c conflict $base &&
	sed -i "s/^#define ROUNDS .*/#define ROUNDS 63 \/\/ mine/" kernel.c &&
	git commit -qam "mine" &&
	mine=$(git rev-parse HEAD) &&
	test_expect_code 1 avogit pick 2>../err &&
	grep "cherry-pick --continue" ../err &&
	grep "git switch -c take $(git rev-parse --short=7 $base)" ../err &&
	grep "^<<<<<<<" kernel.c &&
	test -e .git/CHERRY_PICK_HEAD &&
	test "$(git rev-parse HEAD)" = $mine &&
	avogit log >/dev/null &&
	test_expect_code 128 avogit pick 2>../err
'

test_expect_success 'after --continue the next command attaches the note, once' '
	cp ../kernel.best kernel.c && git add kernel.c &&
	git -c core.editor=true cherry-pick --continue >/dev/null &&
	git log -1 --format=%B | grep "^Avogit-Of: $best$" &&
	test_must_fail git notes --ref=avogit show HEAD &&
	avogit best >../out 2>../err &&
	grep "attached the scores" ../err &&
	note HEAD | grep "of=$best" &&
	notes=$(git rev-parse refs/notes/avogit) &&
	avogit best >../out 2>../err &&
	test_must_be_empty ../err &&
	test "$(git rev-parse refs/notes/avogit)" = $notes
'

test_expect_success 'a plain cherry-pick of the winner gets its note, too' '
	git switch -q -c plain $base &&
	git commit -q --allow-empty -m "went on" &&
	git cherry-pick avo/scale/winner >/dev/null &&
	avogit show HEAD >../out &&
	note HEAD | grep "of=$best"
'

# A cherry-pick of the winner by plain git that was resolved to something else.
conflict_resolved_to () {
	git switch -q -c "$1" $base &&
	sed -i "s/^#define ROUNDS .*/#define ROUNDS 62 \/\/ mine/" kernel.c &&
	git commit -qam "mine" &&
	test_must_fail git cherry-pick avo/scale/winner >/dev/null 2>&1 &&
	git checkout -q --"$2" kernel.c && echo "// $1" >>kernel.c &&
	git add kernel.c &&
	git -c core.editor=true cherry-pick --continue >/dev/null &&
	git log -1 --format=%B | grep "^Avogit-Of: $best$"
}

test_expect_success 'resolved to something else: the scores are not its, and the note says whose' '
	conflict_resolved_to elsewhere ours &&
	avogit show HEAD >../out 2>../err &&
	! grep "attached the scores" ../err &&
	grep "^not measured: avogit score" ../out && ! grep "pass," ../out &&
	note HEAD >../note &&
	grep "^unmeasured of=$best " ../note && ! grep verdict ../note &&
	notes=$(git rev-parse refs/notes/avogit) &&
	avogit show --json HEAD >../out && ! grep measurement ../out &&
	test "$(git rev-parse refs/notes/avogit)" = $notes &&
	test_expect_code 128 avogit verify HEAD 2>../err &&
	grep "nothing is claimed of" ../err
'

test_expect_success 'its own score is its own' '
	avogit score HEAD >/dev/null &&
	avogit show --json HEAD >../out &&
	grep "\"verdict\"" ../out && ! grep "\"of\"" ../out
'

test_expect_success 'by avogit pick onto a kernel that went on: said, with the command' '
	git switch -q -c wenton $base &&
	sed -i "1i// a line above" kernel.c && git commit -qam "went on" &&
	avogit pick >../out &&
	grep "without its scores: the sources here are not the candidate.s" ../out &&
	note HEAD | grep "^unmeasured of=$best " &&
	avogit show HEAD >../out && grep "^not measured" ../out
'

test_expect_success 'a note of old that quotes others, or came with an amended commit, is told apart' '
	git switch -q -c old $base &&
	git cherry-pick avo/scale/winner >/dev/null &&
	avogit show HEAD >../out && grep "^pass," ../out &&
	picked=$(git rev-parse HEAD) &&
	echo "// another kernel" >>kernel.c &&
	git commit -q --amend --no-edit kernel.c &&
	git notes --ref=avogit copy -f $picked HEAD &&
	avogit show HEAD >../out &&
	grep "^not measured" ../out && ! grep "^pass" ../out &&
	grep "scores of candidate $best, whose sources are not" ../out &&
	avogit show --json HEAD | grep of_other_sources &&
	test_expect_code 128 avogit verify HEAD 2>../err &&
	grep "whose sources are others" ../err &&
	git notes --ref=avogit copy -f $best HEAD &&
	avogit show HEAD >../out && grep "^not measured" ../out &&
	git notes --ref=avogit remove HEAD
'

test_expect_success 'what is no candidate, the start, a failure: each a sentence' '
	git switch -q main &&
	test_expect_code 128 avogit pick "scale#0" 2>../err &&
	grep "no change to pick" ../err &&
	git switch -q -c unrelated $base && git commit -q --allow-empty -m x &&
	test_expect_code 128 avogit pick HEAD 2>../err &&
	grep "not a candidate" ../err &&
	git switch -q -c failing $base &&
	sed -i "s|// avogit: 64 16 4 1|// avogit: 64|" kernel.c &&
	offer_modes 0 1 &&
	avogit evolve --run bad --seed 1 >/dev/null &&
	avogit log --run bad --json | tr -d " \t\n" | tr "{" "\n" |
		sed -n "/\"verdict\":\"wrong\"/s/.*\"commit\":\"\([0-9a-f]*\)\".*/\1/p" |
		sed 1q >../wrong &&
	test -s ../wrong &&
	test_expect_code 128 avogit pick $(cat ../wrong) 2>../err &&
	grep "failed (wrong)" ../err
'

test_expect_success 'in a second repository that fetched the branch only' '
	git clone -q --single-branch -b main . ../second &&
	cd ../second &&
	git reset -q --hard $base &&
	git commit -q --allow-empty -m "another history" &&
	git fetch -q ../repo avo/scale/best:story &&
	avogit pick story >../out &&
	grep "not in this repository" ../out &&
	test_cmp ../kernel.best kernel.c &&
	git log -1 --format=%B >../message &&
	grep "^Avogit-Of: $best$" ../message &&
	grep "^Found by avogit in run scale, " ../message
'

test_expect_success 'there, with the notes, the story has its figures' '
	git reset -q --hard $base &&
	git fetch -q ../repo refs/notes/avogit:refs/notes/avogit &&
	avogit pick story >../out &&
	git log -1 --format=%s | grep "x faster" &&
	git notes --ref=avogit show HEAD | grep "of=$best"
'

test_expect_success 'there, by the winner' '
	git reset -q --hard $base &&
	git fetch -q ../repo avo/scale/winner &&
	avogit pick FETCH_HEAD >../out &&
	git notes --ref=avogit show HEAD | grep "of=$best" &&
	test "$(git log -1 --format=%s)" = "$(git log -1 --format=%s FETCH_HEAD)"
'

test_expect_success 'what a person wrote stays theirs: subject, body, who signed off' '
	cd .. && make_light_repo byhand && git tag base &&
	sed -i "s|ROUNDS 16 |ROUNDS 1 |" kernel.c &&
	printf "Stop after one round\n\nThe others \033[31mchange nothing.\n\nAvogit-Of: 0123\n" >../text &&
	avogit score --run hand -m "$(cat ../text)" >/dev/null &&
	git checkout -q kernel.c &&
	avogit pick "hand#1" >/dev/null &&
	git log -1 --format=%B >../message &&
	test "$(sed -n 1p ../message)" = "Stop after one round" &&
	grep "change nothing" ../message &&
	! grep -P "\033" ../message &&
	git log -1 --format="%(trailers:key=Avogit-Of,valueonly)" >../of &&
	test "$(sed "/^$/d" ../of)" = "$(avogit show --json "hand#1" | tr -d " \t" |
		sed -n "s/^\"commit\":\"\([0-9a-f]*\)\".*/\1/p" | sed 1q)" &&
	git switch -q -c own base &&
	sed -i "s|ROUNDS 16 |ROUNDS 4 |" kernel.c &&
	git commit -qam "Stop after four rounds

Since sixteen are too many.

Signed-off-by: A Tester <tester@example.org>" &&
	avogit evolve --run own --from HEAD --base base --attempts 1 >/dev/null &&
	git switch -q -c taken base &&
	avogit pick "own#1" >/dev/null &&
	git log -1 --format=%B >../message &&
	test "$(sed -n 1p ../message)" = "Stop after four rounds" &&
	grep "^Since sixteen are too many.$" ../message &&
	test "$(grep -c Signed-off-by ../message)" = 1 &&
	git log -1 --format="%(trailers:key=Signed-off-by)" | grep tester@
'

test_expect_success 'what is not told apart has no figure in its message' '
	git switch -q -c same base &&
	sed -i "1i// a line more" kernel.c &&
	avogit score --time 1s --run same -m "With hooks" >/dev/null &&
	git checkout -q kernel.c &&
	avogit show --json "same#1" | tr -d " \t\n" >../json &&
	! grep -o "\"told\":\"\(faster\|slower\)\"" ../json &&
	avogit pick "same#1" >/dev/null &&
	git log -1 --format=%B >../message &&
	test "$(sed -n 1p ../message)" = "With hooks" &&
	! grep -e "x faster" -e "Avogit-Speedup" -e "[0-9]x" ../message &&
	tr "\n" " " <../message |
		grep "Held against that commit in the same minutes: \(same\|undecided\)\." &&
	git log --format=%s --glob="refs/avogit/same/journal" >../journal &&
	grep "^measurement 1: pass, \(same\|undecided\) beside the incumbent$" ../journal
'

test_expect_success 'a bare repository has no place for it' '
	git clone -q --bare ../repo ../bare.git &&
	test_expect_code 128 avogit -C ../bare.git pick avo/scale/best 2>../err &&
	grep "bare" ../err
'

test_expect_success 'a winner shows no column of what its note does not have' '
	cd ../repo &&
	avogit show avo/scale/winner >../out &&
	grep "^  case " ../out >../titles &&
	! grep "vs " ../titles &&
	grep "^  vs start " ../out &&
	avogit show avo/scale/best >../out &&
	grep "^  case .* vs start" ../out
'

# What a person wrote on the base has no trailer that names its run.
test_expect_success 'a run that begins at the champion of another hides nothing' '
	cd .. && make_repo two && two_steps &&
	git branch naive &&
	sed -i "s|ROUNDS 160 .*|ROUNDS 40 // avogit: 40 160|" kernel.c &&
	git commit -qam "a quarter is enough" &&
	hand=$(git rev-parse HEAD) &&
	short=$(git rev-parse --short HEAD) &&
	avogit evolve --run st --base naive --attempts 1 >/dev/null &&
	test "$(avogit best --run st)" = $hand &&
	sed -i "s/ROUNDS 40 .*/ROUNDS 80/" kernel.c &&
	avogit score --run another -m "a half is no better" >/dev/null &&
	git checkout -q kernel.c &&
	avogit runs | grep "^another *$short " &&
	avogit show "st#1" >../out && grep "(st#1, champion)" ../out &&
	avogit show $short >../out && grep "(st#1, champion)" ../out &&
	for rev in "st#1" "-r st" $short
	do
		avogit diff $rev --to base >../out &&
		grep "^$short #1 .* against $(git rev-parse --short naive) " ../out || return 1
	done &&
	git switch -q naive &&
	avogit pick -r st && git reset -q --hard HEAD~1 &&
	avogit pick "st#1" && git reset -q --hard HEAD~1 &&
	avogit pick $short &&
	git diff --exit-code $short &&
	test_expect_code 128 avogit pick "another#0" 2>../err &&
	grep "is the start of run .another." ../err
'

test_done
