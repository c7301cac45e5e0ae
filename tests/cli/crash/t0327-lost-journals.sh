#!/bin/sh
# test: parallel
test_description='a journal that is removed without avogit comes back'
. "$(dirname "$0")/../lib-avogit.sh"

tip () {
	git rev-parse -q --verify "$(git for-each-ref --format='%(refname)' "refs/avogit/$1/journal")"
}

test_expect_success 'setup: a run of another machine as a bundle, and one that is only here' '
	make_light_repo there &&
	avogit evolve --run gemm --seed 1 --attempts 1 >/dev/null &&
	git bundle create -q ../gemm.bundle --glob="refs/avogit/gemm/journal/*" \
		--glob="refs/heads/avo/gemm/*" refs/notes/avogit main &&
	git clone -q -b main ../gemm.bundle ../here && cd ../here &&
	avogit evolve --run mine --seed 2 --attempts 1 >/dev/null &&
	tip mine >../mine
'

test_expect_success 'the documented fetch deletes nothing where fetch.prune is set' '
	git config fetch.prune true &&
	git config fetch.pruneTags true &&
	sed -n "/git fetch --no-prune gemm.bundle/,/refs.notes.bundle\$/p" \
		"$SHARNESS_TEST_SRCDIR/../../docs/moving.md" >../command &&
	grep "no-prune" ../command &&
	(cd .. && mv gemm.bundle here/) &&
	sh ../command &&
	rm gemm.bundle &&
	tip gemm && tip mine >../now && test_cmp ../mine ../now &&
	git rev-parse -q --verify avo/mine/winner || git rev-parse -q --verify avo/mine/best
'

test_expect_success 'and the one of the page about GPUs names its run' '
	grep "git fetch --no-prune origin .refs/avogit/softmax/" \
		"$SHARNESS_TEST_SRCDIR/../../docs/gpu.md"
'

test_expect_success 'a fetch that prunes: the next command brings the journal back, and says so' '
	git clone -q --bare -b main ../there ../hub.git &&
	git fetch -q ../hub.git "refs/avogit/*:refs/avogit/*" 2>/dev/null &&
	test_must_fail tip mine &&
	avogit log --run mine >../out 2>../err &&
	grep "brought back refs/avogit/mine/journal" ../err &&
	tip mine >../now && test_cmp ../mine ../now &&
	avogit log --run mine >../out 2>../err && test_must_be_empty ../err
'

test_expect_success 'one that was set back is brought forward; doctor does it, too' '
	ref=$(git for-each-ref --format="%(refname)" refs/avogit/mine/journal) &&
	git update-ref $ref $ref~1 &&
	avogit doctor --repair >../out 2>../err &&
	cat ../out ../err | grep "brought back $ref" &&
	tip mine >../now && test_cmp ../mine ../now
'

test_expect_success 'one of another clone that was fetched by git comes back, too' '
	git fetch -q ../there "refs/avogit/gemm/*:refs/avogit/gemm/*" &&
	tip gemm >../gemm &&
	avogit runs >/dev/null &&
	git update-ref -d "$(git for-each-ref --format="%(refname)" refs/avogit/gemm/journal)" &&
	avogit runs >../out 2>../err &&
	grep "brought back refs/avogit/gemm" ../err &&
	tip gemm >../now && test_cmp ../gemm ../now
'

test_expect_success 'what avogit rm removes stays removed' '
	avogit rm gemm --yes &&
	avogit runs >../out 2>../err &&
	! grep gemm ../out && test_must_be_empty ../err &&
	! grep gemm .git/avogit/tips
'

test_expect_success 'a record that is junk, or names what is no journal, brings nothing' '
	git for-each-ref >../before &&
	cp .git/avogit/tips ../tips &&
	main=$(git rev-parse HEAD) &&
	{
		cat ../tips &&
		echo junk &&
		echo "$main refs/avogit/other/journal/0123456789abcdef" &&
		echo "$main refs/heads/owned" &&
		echo "$main refs/avogit/x/journal/../../../heads/owned" &&
		sed -n "s,refs/avogit/mine/,refs/avogit/stolen/,p" ../tips
	} >.git/avogit/tips &&
	avogit runs >../out 2>&1 &&
	git for-each-ref >../after && test_cmp ../before ../after
'

test_expect_success 'one whose commits are gone, too: doctor names it, and --repair forgets it' '
	avogit doctor >../out 2>&1 &&
	grep "a journal is gone" ../out &&
	avogit doctor --repair >../out &&
	grep "forgot 2 journals" ../out &&
	avogit doctor >../out 2>&1 &&
	! grep "a journal is gone" ../out
'

test_expect_success 'without the record all goes on, and it is made anew' '
	rm .git/avogit/tips &&
	avogit runs &&
	grep refs/avogit/mine/journal .git/avogit/tips
'

test_done
