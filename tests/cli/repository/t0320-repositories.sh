#!/bin/sh
# test: parallel long no-asan
test_description='repositories as they are: each kind evolves, reads and stays as it was

Every section makes a repository of its own with git, evolves a kernel in it,
and looks at the result with git.'
. "$(dirname "$0")/../lib-avogit.sh"

here=$PWD

# One attempt of run NAME in ./, then everything that reads it: whole NAME
whole () {
	avogit evolve --run "$1" --seed 1 --attempts 1 >"$here/out" &&
	grep "^stopped: attempts" "$here/out" &&
	avogit log --run "$1" >"$here/out" && grep "#1 " "$here/out" &&
	avogit show "$1#1" >"$here/out" && grep "^scored" "$here/out" &&
	avogit diff "$1#1" >"$here/out" && grep "^+#define ROUNDS" "$here/out" &&
	avogit runs >"$here/out" && grep "^$1 .*stopped: attempts" "$here/out" &&
	git fsck --full --no-progress >"$here/fsck" 2>&1
}

# The paths that the one attempt of run NAME changed: changed NAME
changed () {
	git diff --name-only "$(attempt "$1")^" "$(attempt "$1")"
}

attempt () {
	avogit show --json "$1#1" |
		sed -n "s/.*\"commit\":[[:space:]]*\"\([0-9a-f]*\)\".*/\1/p" |
		sed 1q
}

back () {
	cd "$here"
}

# ---- without a work tree, or with several ---------------------------------------

test_expect_success 'bare: it evolves from a commit and has nothing to pick onto' '
	back && make_light_repo origin && back &&
	git clone -q --bare origin bare.git && cd bare.git &&
	avogit evolve --seed 1 --attempts 1 --from main >../out &&
	avogit log >../out && grep "#1 " ../out &&
	avogit runs >../out && grep "^scale " ../out &&
	avogit diff "scale#1" >../out && grep "^+#define ROUNDS" ../out &&
	avogit score main >../out && grep "pass, " ../out &&
	test_expect_code 2 avogit score 2>../err && grep "bare" ../err &&
	avogit evolve --attempts 1 --from main >../out &&
	grep "^resuming run scale" ../out &&
	avogit rm --yes scale >../out &&
	git fsck --full
'

test_expect_success 'linked worktrees: one store, two checkouts left alone' '
	back && make_repo main-tree &&
	git worktree add -q -b side ../linked &&
	users_state >../before &&
	cd ../linked &&
	git rev-parse HEAD >../head && cp "$(git rev-parse --git-dir)/index" ../index &&
	whole linked &&
	git rev-parse HEAD >../head.after && test_cmp ../head ../head.after &&
	cmp "$(git rev-parse --git-dir)/index" ../index &&
	cd ../main-tree &&
	avogit runs >../out && grep "^linked " ../out &&
	users_state >../after && test_cmp ../before ../after
'

test_expect_success 'linked worktrees: one run is extended by one of them' '
	cd "$here/linked" &&
	evolve_until 1 --run shared &&
	test_expect_code 128 avogit -C ../main-tree evolve --run shared 2>../err;
	kill -INT $evolving;
	{ evolve_rest || :; } &&
	grep "process $evolving" ../err
'

test_expect_success 'linked worktrees: pick is for the one it was said in' '
	cd "$here/linked" &&
	git commit -q --allow-empty -m "side went on" &&
	main=$(git rev-parse main) &&
	avogit pick "linked#1" &&
	test "$(git rev-parse main)" = $main &&
	git diff --quiet main -- kernel.c ; test $? = 1 &&
	git -C ../main-tree diff --quiet HEAD
'

# ---- without all of the objects --------------------------------------------------

test_expect_success 'shallow: the cut is the end' '
	back && cd origin && git commit -q --allow-empty -m second && back &&
	git clone -q --depth 1 "file://$PWD/origin" shallow && cd shallow &&
	whole shallow &&
	git commit -q --allow-empty -m "went on" &&
	avogit pick "shallow#1" &&
	git notes --ref=avogit show HEAD >../out
'

test_expect_success 'shallow: a lineage that is cut says so' '
	back && make_repo long && two_steps &&
	avogit evolve --seed 1 >../out && back &&
	best=$(git -C long rev-parse avo/scale/best) &&
	test "$(git -C long rev-list --count main..$best)" -gt 1 &&
	git clone -q --depth 1 -b avo/scale/best "file://$PWD/long" cut &&
	cd cut && git checkout -q -b mine &&
	test_expect_code 128 avogit pick HEAD 2>../err &&
	grep "git fetch --unshallow" ../err
'

test_expect_success 'a run that others will have' '
	back && cd origin && git switch -q -c slower &&
	cp "$SHARNESS_TEST_SRCDIR"/scale/kernel.c . &&
	sed -i "s|// avogit: 64 16 4 1|// avogit: 64 16|" kernel.c && git commit -qam slower &&
	avogit evolve --run cut --seed 1 >../out && git switch -q main &&
	grep "^champion " ../out
'

test_expect_success 'partial: a missing blob is named with the one command that fetches all' '
	back &&
	git -C origin config uploadpack.allowFilter true &&
	git -C origin config uploadpack.allowAnySHA1InWant true &&
	git clone -q --filter=blob:none --no-checkout "file://$PWD/origin" partial &&
	cd partial &&
	test_expect_code 128 avogit score HEAD 2>../err &&
	grep "missing in this partial clone" ../err &&
	sed -n "s/.*not fetch: .\(export .*unset GIT_DIR\). does.*/\1/p" ../err >../command &&
	test -s ../command && (. ../command) &&
	avogit score HEAD >../out && grep "pass, " ../out &&
	git checkout -q &&
	whole partial
'

test_expect_success 'alternates: what the other repository has is not copied' '
	back && git clone -q --shared origin shared && cd shared &&
	test -s .git/objects/info/alternates &&
	whole shared &&
	test "$(git count-objects -v | sed -n "s/^in-pack: //p")" = 0
'

# ---- HEAD, and what stands around it -----------------------------------------------

test_expect_success 'unborn HEAD: each command says so' '
	back && git init -q unborn && cd unborn &&
	cp "$SHARNESS_TEST_SRCDIR"/scale/* . && git add . &&
	for command in score evolve
	do
		test_expect_code 128 avogit $command 2>../err &&
		grep "no commit on its branch yet" ../err || return 1
	done &&
	avogit runs >../out && grep "no run yet" ../out &&
	test_expect_code 128 avogit pick 2>../err && grep "no run yet" ../err
'

test_expect_success 'unborn HEAD: what was fetched is read; git picks onto nothing as it can' '
	git rm -q -r --cached . &&
	git fetch -q ../origin "refs/avogit/*:refs/avogit/*" \
		"refs/heads/avo/*:refs/heads/avo/*" &&
	avogit runs >../out && grep "^cut " ../out &&
	avogit best --run cut >../out &&
	test_must_fail git cherry-pick avo/cut/winner &&
	git status >../expect && git reset -q --hard &&
	test_must_fail avogit pick --run cut &&
	git status >../out && test_cmp ../expect ../out
'

test_expect_success 'dirty: staged, changed, untracked and ignored files stay so' '
	back && make_light_repo dirty &&
	echo "*.ignored" >.gitignore && echo x >other && git add . &&
	git commit -qm more &&
	echo y >>other && echo z >staged && git add staged && echo w >untracked &&
	echo v >file.ignored &&
	users_state >../before && git status --short --ignored >../status &&
	whole dirty &&
	users_state >../after && test_cmp ../before ../after &&
	git status --short --ignored >../status.after &&
	test_cmp ../status ../status.after
'

test_expect_success 'in the middle of a merge' '
	back && make_light_repo merging &&
	git switch -q -c theirs && echo theirs >file && git add file &&
	git commit -qm theirs && git switch -q main && echo ours >file &&
	git add file && git commit -qm ours &&
	test_must_fail git merge theirs &&
	git ls-files -u >../unmerged &&
	whole merging &&
	git ls-files -u >../after && test_cmp ../unmerged ../after &&
	test -e .git/MERGE_HEAD &&
	test_expect_code 128 avogit pick "merging#1" 2>../err &&
	test -e .git/MERGE_HEAD
'

# ---- extensions and formats ----------------------------------------------------------

test_expect_success 'worktreeConfig, as git sparse-checkout leaves it' '
	back && make_light_repo sparse &&
	mkdir big && echo x >big/file && git add . && git commit -qm big &&
	git sparse-checkout set --no-cone "/*" "!big" &&
	test "$(git config extensions.worktreeConfig)" = true &&
	git config --worktree user.name "Of This Tree" &&
	whole sparse &&
	test "$(git log -1 --format=%an $(attempt sparse))" = "Of This Tree" &&
	git ls-tree -r --name-only $(attempt sparse) >../out &&
	grep "^big/file$" ../out
'

test_expect_success 'SHA-256 names are refused in a sentence' '
	back && git init -q --object-format=sha256 sha256 && cd sha256 &&
	git commit -q --allow-empty -m x &&
	test_expect_code 128 avogit log 2>../err &&
	grep "SHA-256" ../err && test "$(wc -l <../err)" = 1
'

test_expect_success 'a reftable is refused in a sentence' '
	back && git init -q reftable && cd reftable &&
	git config core.repositoryFormatVersion 1 &&
	git config extensions.refStorage reftable &&
	test_expect_code 128 avogit log 2>../err &&
	grep "reftable.*git clone --ref-format=files" ../err && test "$(wc -l <../err)" = 1
'

test_expect_success ROOT 'another user s repository: as git has it' '
	back && make_light_repo foreign && back && chown -R 61235 foreign && cd foreign &&
	test_must_fail git status &&
	test_expect_code 128 avogit log 2>../err &&
	grep "git config --global --add safe.directory" ../err &&
	git config --global --add safe.directory "$PWD" &&
	avogit runs >../out &&
	git config --global --unset-all safe.directory &&
	git config --global --add safe.directory "*" &&
	avogit runs >../out &&
	git config --global --unset-all safe.directory
'

# ---- paths and files ------------------------------------------------------------------

test_expect_success 'spaces and UTF-8 in paths' '
	back && mkdir "an ä folder" && cd "an ä folder" &&
	git init -q . && mkdir "kernels für x" && cd "kernels für x" &&
	cp "$SHARNESS_TEST_SRCDIR"/scale/* . &&
	sed "s/ROUNDS 64 /ROUNDS 16 /" kernel.c >"der kernel ½.c" && rm kernel.c &&
	sed -i "s/^sources: .*/sources: [\"der kernel ½.c\"]/" avogit.yaml &&
	git add . && git commit -qm kernel &&
	users_state_here=$(git status --short) &&
	whole utf8 &&
	test "$(git -c core.quotePath=false diff --name-only $(attempt utf8)^ $(attempt utf8))" = \
		"kernels für x/der kernel ½.c" &&
	test "$(git status --short)" = "$users_state_here" &&
	git commit -q --allow-empty -m "went on" &&
	avogit pick "utf8#1" &&
	test -z "$(git status --short)"
'

test_expect_success 'submodules and LFS pointers in the tree are as they were' '
	back && make_light_repo modules &&
	git -c protocol.file.allow=always submodule --quiet add "$here/origin" sub &&
	echo "*.bin filter=lfs diff=lfs merge=lfs -text" >.gitattributes &&
	printf "version https://git-lfs.github.com/spec/v1\noid sha256:%064d\nsize 3000\n" 7 |
		git hash-object -w --stdin --no-filters >../pointer &&
	git update-index --add --cacheinfo 100644,$(cat ../pointer),weights.bin &&
	git add .gitattributes && git commit -qm "submodule and pointer" &&
	git ls-tree HEAD >../before &&
	whole modules &&
	git ls-tree $(attempt modules) >../after &&
	grep -v kernel.c ../before >../expect &&
	grep -v kernel.c ../after >../actual &&
	test_cmp ../expect ../actual &&
	grep "^160000 commit" ../actual && grep "$(cat ../pointer)" ../actual
'

test_expect_success 'a source behind a filter is refused in a sentence' '
	back && make_repo filtered &&
	echo "kernel.c filter=lfs" >.gitattributes &&
	git add . && git commit -qm filter &&
	for command in score evolve "score HEAD" "evolve --from HEAD"
	do
		test_expect_code 128 avogit $command 2>../err &&
		grep "kernel.c goes through git.s filter .lfs." ../err &&
		test "$(wc -l <../err)" = 1 || return 1
	done &&
	sed -n "s/.*a line .\(.* -filter\). at the end.*/\1/p" ../err >../line &&
	cat ../line >>.gitattributes && git commit -qam unfiltered &&
	avogit score >../out && grep "pass, " ../out &&
	git reset -q --hard HEAD^ &&
	git clone -q --bare . ../filtered.git && cd ../filtered.git &&
	test_expect_code 128 avogit evolve --from main 2>../err &&
	grep "filter .lfs." ../err
'

test_expect_success 'CRLF in the work tree only: no difference, and none is made' '
	back && make_light_repo crlf &&
	echo "*.c text eol=crlf" >.gitattributes && git add . &&
	git commit -qm attributes && rm *.c && git checkout -q . &&
	grep "$(printf "\r")" kernel.c >/dev/null &&
	whole crlf &&
	! git show $(attempt crlf):kernel.c | grep "$(printf "\r")" &&
	git commit -q --allow-empty -m "went on" &&
	avogit pick "crlf#1" &&
	test -z "$(git status --short)" &&
	grep "ROUNDS [0-9]* .*$(printf "\r")" kernel.c
'

# A commit that has only the change of ROUNDS: one_line COMMIT
one_line () {
	test "$(git diff --numstat $1^ $1 | cut -f1,2)" = "1	1" &&
	! git show $1:kernel.c | grep "$(printf "\r")"
}

test_expect_success 'core.autocrlf, wherever it is set: a changed line is one line' '
	back && make_light_repo autocrlf-from && back &&
	git clone -q -c core.autocrlf=true autocrlf-from autocrlf &&
	cd autocrlf && test -z "$(git status --short)" &&
	grep "$(printf "\r")" kernel.c >/dev/null &&
	sed -i "s/ROUNDS 16/ROUNDS 4/" kernel.c &&
	avogit score --run hand -m "by hand" >/dev/null &&
	one_line $(attempt hand) &&
	git config --unset core.autocrlf &&
	printf "[core]\n\tautocrlf = true\n[user]\n\tname = x\n\temail = x@y\n" \
		>../autocrlf.config &&
	sed -i "s/ROUNDS 4/ROUNDS 1/" kernel.c &&
	GIT_CONFIG_GLOBAL="$PWD/../autocrlf.config" \
		avogit score --run global -m "by hand" >/dev/null &&
	one_line $(attempt global) &&
	git -c core.autocrlf=true -c alias.a="!\"$AVOGIT\" score" a >../out &&
	id=$(sed "s/ .*//;q" ../out) &&
	one_line $id &&
	git -c core.autocrlf=true diff --quiet $id
'

test_expect_success 'attributes say it in both directions, up to the pick' '
	back && make_light_repo attributes &&
	printf "*.c text eol=crlf ident\n" >.gitattributes &&
	sed -i "1i // \$Id\$" kernel.c &&
	git add . && git commit -qm attributes && rm kernel.c && git checkout -q . &&
	grep "Id: [0-9a-f]* \$.*$(printf "\r")" kernel.c &&
	sed -i "s/ROUNDS 16/ROUNDS 4/" kernel.c &&
	avogit score --run hand -m "by hand" >/dev/null &&
	one_line $(attempt hand) &&
	git stash -q && avogit pick "hand#1" && test -z "$(git status --short)" &&
	grep "ROUNDS 4.*$(printf "\r")" kernel.c &&
	git show HEAD:kernel.c | sed 1q | grep "^// \$Id\$\$"
'

test_expect_success 'an encoding that avogit cannot convert is refused in a sentence' '
	back && make_repo encoded &&
	echo "*.c working-tree-encoding=UTF-16" >.gitattributes &&
	git add .gitattributes && git commit -qm encoding &&
	test_expect_code 128 avogit score 2>../err &&
	grep "working-tree-encoding .UTF-16." ../err &&
	test_expect_code 128 avogit score --run x -m y 2>../err &&
	grep "working-tree-encoding .UTF-16." ../err
'

test_expect_success 'CRLF in the commit itself is kept' '
	back && make_light_repo crlf-inside &&
	sed -i "s/$/$(printf "\r")/" kernel.c && git commit -qam crlf &&
	whole inside &&
	git show $(attempt inside):kernel.c >../kernel &&
	test "$(grep -c "$(printf "\r")$" ../kernel)" = "$(wc -l <../kernel)" &&
	test "$(git diff --numstat $(attempt inside)^ $(attempt inside) | cut -f1,2)" = "1	1"
'

test_expect_success 'executable bits and links are kept' '
	back && make_light_repo modes &&
	chmod +x kernel.c && echo "echo x" >run && chmod +x run &&
	ln -s kernel.c link && git add . && git commit -qm modes &&
	git ls-tree HEAD | cut -c1-6,53- >../before &&
	whole modes &&
	git ls-tree $(attempt modes) | cut -c1-6,53- >../after &&
	test_cmp ../before ../after &&
	grep "^100755.kernel.c" ../after && grep "^120000.link" ../after &&
	test "$(changed modes)" = kernel.c
'

test_expect_success 'core.fileMode=false does not lose the bit' '
	git config core.fileMode false && chmod -x kernel.c &&
	whole nomode &&
	git ls-tree $(attempt nomode) kernel.c >../out && grep "^100755" ../out
'

# ---- moving a run in a file: docs/moving.md ------------------------------------------

test_expect_success 'a bundle carries a run to a machine without a network' '
	back && cd origin &&
	git bundle create -q ../scale.bundle --glob="refs/avogit/cut/journal/*" \
		--glob="refs/heads/avo/cut/*" refs/notes/avogit main &&
	back && git clone -q -b main scale.bundle far && cd far &&
	git fetch -q origin "refs/avogit/*:refs/avogit/*" \
		"refs/heads/avo/*:refs/heads/avo/*" \
		refs/notes/avogit:refs/notes/bundle &&
	git notes --ref=avogit merge -q -s cat_sort_uniq bundle &&
	git update-ref -d refs/notes/bundle &&
	test "$(avogit best)" = "$(git -C ../origin rev-parse avo/cut/best)" &&
	git notes --ref=avogit show $(avogit best) | grep "verdict=pass" &&
	avogit evolve --run cut >../out && grep "^resuming run cut" ../out
'

test_expect_success 'and what was added there back' '
	cd "$here/far" &&
	git bundle create -q ../back.bundle \
		--glob="refs/avogit/cut/journal/*" refs/notes/avogit &&
	cd ../origin &&
	git fetch -q ../back.bundle "refs/avogit/*:refs/avogit/*" \
		refs/notes/avogit:refs/notes/bundle &&
	git notes --ref=avogit merge -q -s cat_sort_uniq bundle &&
	git for-each-ref refs/avogit/cut/journal >../out &&
	test "$(wc -l <../out)" = 2 &&
	avogit runs >../out && grep "^cut .* unfinished\|^cut .*stopped" ../out &&
	git fsck --full
'

test_done
