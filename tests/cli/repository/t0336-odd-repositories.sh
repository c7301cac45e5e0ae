#!/bin/sh
# test: parallel long
test_description='servers that refuse, indexes and clones that libgit2 cannot read, refs that say nothing'
. "$(dirname "$0")/../lib-avogit.sh"

# How often git pushed: GIT_TRACE names every program.
pushes () {
	grep -c "run_command: git push\|exec: git push\|built-in: git push" ../trace
}

sync_refused () {
	GIT_TRACE="$PWD/../trace" test_expect_code 128 avogit sync "$@" >../out 2>../err || return 1
	test "$(pushes)" = 1 || { cat ../trace; return 1; }
	rm -f ../trace
	grep "does not take what is here" ../err && grep -e "--receive-only" ../err
}

test_expect_success 'setup: a clone with a run, and what another one measured' '
	git init -q --bare hub.git &&
	make_light_repo repo &&
	git push -q ../hub.git main &&
	git clone -q ../hub.git ../other && (cd ../other && avogit score >/dev/null && avogit sync) &&
	avogit evolve --run r --seed 1 --attempts 1 >/dev/null &&
	cp -a ../hub.git ../hidden.git && cp -a ../hub.git ../hooked.git && cp -a ../hub.git ../forced.git
'

test_expect_success 'hidden refs: said once, with the reason and the way out' '
	git -C ../hidden.git config receive.hideRefs refs/avogit &&
	sync_refused ../hidden.git &&
	grep "refs/avogit/r/journal/.*deny updating a hidden ref" ../err &&
	# Two measurements of the start: from here and from the other clone.
	test "$(git notes --ref=avogit show main | grep -c " 000 ")" = 2
'

test_expect_success 'a hook that declines' '
	printf "#!/bin/sh\nexit 1\n" >../hooked.git/hooks/pre-receive &&
	chmod +x ../hooked.git/hooks/pre-receive &&
	sync_refused ../hooked.git &&
	grep "pre-receive hook declined" ../err
'

test_expect_success 'branches where nothing may be forced' '
	git -C ../forced.git config receive.denyNonFastForwards true &&
	git push -q ../forced.git main:refs/heads/avo/r/best &&
	git -C ../forced.git update-ref refs/heads/avo/r/best \
		"$(git -C ../forced.git -c user.name=x -c user.email=x@y commit-tree -m x main^{tree})" &&
	sync_refused --branches ../forced.git &&
	grep "refs/heads/avo/r/best .*non-fast-forward" ../err
'

test_expect_success '--receive-only takes, and sends nothing' '
	git for-each-ref >../hub.before &&
	git -C ../hooked.git for-each-ref >../before &&
	(cd ../other && avogit evolve --run r --attempts 1 >/dev/null && avogit sync) &&
	avogit sync --receive-only ../hub.git >../out &&
	grep "^received 1 journals" ../out &&
	avogit sync --receive-only --dry-run ../hooked.git >../out && ! grep "would send" ../out &&
	git -C ../hooked.git for-each-ref >../after && test_cmp ../before ../after
'

test_expect_success 'a split index' '
	git clone -q ../hub.git ../split && cd ../split &&
	git config core.splitIndex true && git update-index --split-index &&
	echo "// mine" >>kernel.c &&
	git ls-files --stage >../before &&
	avogit score && avogit score HEAD &&
	git commit -qam mine && avogit evolve --run s --seed 1 --attempts 1 >/dev/null &&
	git update-index --refresh && git status --porcelain >../out && test_must_be_empty ../out
'

test_expect_success 'a sparse index, with attributes that refuse' '
	git clone -q ../hub.git ../sparse && cd ../sparse &&
	mkdir far && echo x >far/x && git add far && git commit -qm far &&
	git sparse-checkout set --cone --sparse-index &&
	git ls-files --sparse | grep "far/$" &&
	avogit score &&
	echo "*.c filter=lfs" >.gitattributes && git add .gitattributes &&
	test_expect_code 128 avogit score 2>../err && grep "filter .lfs." ../err
'

test_expect_success 'a partial clone: one command brings all that is missing' '
	git -C ../repo push -q ../hub.git "refs/avogit/*:refs/avogit/*" "refs/heads/avo/*:refs/heads/avo/*" &&
	git -C ../repo push -q ../hub.git +refs/notes/avogit &&
	git -C ../hub.git config uploadpack.allowFilter true &&
	git -C ../hub.git config uploadpack.allowAnySHA1InWant true &&
	git clone -q --filter=blob:none --no-checkout "file://$PWD/../hub.git" ../partial && cd ../partial &&
	git fetch -q origin "refs/avogit/r/*:refs/avogit/r/*" refs/notes/avogit:refs/notes/avogit &&
	test_expect_code 128 avogit evolve --run r --attempts 1 2>../err &&
	grep "missing in this partial clone" ../err &&
	sed -n "s/.*not fetch: .\(export .*unset GIT_DIR\). does.*/\1/p" ../err >../command &&
	test -s ../command && (. ../command) &&
	git checkout -q &&
	avogit evolve --run r --attempts 1 >../out && avogit log --run r && avogit show "r#1" | grep kernel
'

test_expect_success 'a fresh clone that has branches of a run is told to sync' '
	git clone -q ../hub.git ../fresh && cd ../fresh &&
	test_expect_code 128 avogit log 2>../err &&
	grep "origin/avo/r/best is the branch of one elsewhere: .avogit sync. brings it" ../err &&
	avogit runs >../out && grep "avogit sync" ../out &&
	avogit sync && avogit log --run r
'

for junk in "" "0000" "garbage that is no id"
do
	test_expect_success "refs that say nothing ('$junk') and can be computed are made anew" '
		cd ../repo && git fsck &&
		journal=$(git for-each-ref --format="%(refname)" refs/avogit/r/journal) &&
		git for-each-ref refs/avogit/r refs/heads/avo/r >../before &&
		for ref in refs/notes/avogit refs/heads/avo/r/best refs/heads/avo/r/winner $journal
		do
			git rev-parse -q --verify $ref || continue
			git pack-refs --all --no-prune 2>/dev/null
			sed -i "\\# $ref\$#d" .git/packed-refs
			printf "%s" "'"$junk"'" >.git/$ref
		done &&
		avogit doctor --repair >../out 2>../err &&
		grep "removed refs/notes/avogit, which named no object" ../out &&
		grep "removed $journal" ../out && grep "brought back $journal" ../out &&
		git for-each-ref refs/avogit/r refs/heads/avo/r >../after && test_cmp ../before ../after &&
		avogit show "r#1" | grep scored && git notes --ref=avogit list | grep . && git fsck &&
		avogit doctor --repair >../out && grep "nothing to repair" ../out
	'
done

test_expect_success 'what nobody can compute is named, and left' '
	echo >.git/refs/avogit/r/journal/0123456789abcdef &&
	avogit doctor --repair >../wrapped 2>&1; tr "\n" " " <../wrapped | tr -s " " >../out;
	grep "left alone refs/avogit/r/journal/0123456789abcdef, which names no object" ../out &&
	rm .git/refs/avogit/r/journal/0123456789abcdef
'

test_done
