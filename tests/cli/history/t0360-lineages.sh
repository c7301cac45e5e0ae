#!/bin/sh
# test: parallel
test_description='the lineages beside the examples are those that are written of'
. "$(dirname "$0")/../lib-avogit.sh"

top=$SHARNESS_TEST_SRCDIR/../..
page=$top/docs/flagship.md

# In the table of docs/flagship.md, of a lineage: count COLUMN NAME
count () {
	sed -n "s/^| $2 | \([0-9]*\) | \([0-9]*\) |.*/\\$1/p" "$page"
}

for one in softmax layernorm rmsnorm gelu matmul fp8 decode attention
do
	case $one in
	layernorm) name='layer norm' ;;
	rmsnorm) name='RMS norm' ;;
	gelu) name=GELU ;;
	*) name=$one ;;
	esac

	test_expect_success "$one: the page's two commands bring all of it" '
		git clone -q "$top/examples/cuda-$one/flagship.bundle" $one 2>err &&
		test_must_be_empty err &&
		test -e $one/avogit.yaml &&
		git -C $one fetch -q --no-prune origin \
			"refs/avogit/flagship/*:refs/avogit/flagship/*" \
			refs/notes/avogit:refs/notes/avogit &&
		git -C $one fsck --full
	'

	test_expect_success "$one: as many attempts, and as many kept" '
		avogit -C $one runs --json >runs &&
		grep "\"attempts\":[[:space:]]*$(count 1 "$name")," runs &&
		avogit -C $one log --run flagship >out &&
		test "$(grep -cE " (kept|champion) " out)" = "$(count 2 "$name")"
	'

	test_expect_success "$one: the champion is the branch that is called best" '
		test "$(avogit -C $one best --run flagship)" = \
			"$(git -C $one rev-parse origin/avo/flagship/best)"
	'
done

test_expect_success 'the champion that the page names' '
	avogit -C attention log --run flagship >out &&
	grep "^[| ]*\*.* #13 .* champion " out &&
	grep "The champion is attempt 13 of .examples/cuda-attention" "$page"
'

test_done
