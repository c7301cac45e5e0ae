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

# In the page's table of attempts that wait for a card, those of a lineage: a row
# without a name goes on with the one above. waiting NAME
waiting () {
	sed -n '/^| lineage | attempt | direction |/,/^$/p' "$page" |
	awk -F ' *[|] *' -v name="$1" '$2 != "" { of = $2 }
		of == name && $3 + 0 { n++ } END { print n + 0 }'
}

# A lineage: count_all FOLDER BUNDLE RUN NAME, NAME being what the page calls it
count_all () {
	one=$1-$3 name=$4

	test_expect_success "$name: the page's two commands bring all of it" '
		git clone -q "$top/examples/cuda-'$1'/'$2'.bundle" $one 2>err &&
		test_must_be_empty err &&
		test -e $one/avogit.yaml &&
		git -C $one fetch -q --no-prune origin \
			"refs/avogit/'$3'/*:refs/avogit/'$3'/*" \
			refs/notes/avogit:refs/notes/avogit &&
		git -C $one fsck --full
	'

	test_expect_success "$name: as many attempts, as many that wait, and as many kept" '
		avogit -C $one runs --json >runs &&
		all=$(($(count 1 "$name") + $(waiting "$name"))) &&
		grep "\"attempts\":[[:space:]]*$all," runs &&
		avogit -C $one log --run '$3' >out &&
		test "$(grep -c " in flight " out)" = "$(waiting "$name")" &&
		test "$(grep -cE "#[0-9]+ .* (kept|champion) " out)" = "$(count 2 "$name")"
	'
}

# One that has a champion
check () {
	count_all "$@"
	test_expect_success "$name: the champion is the branch that is called best" '
		best=$(avogit -C $one best --run '$3') &&
		test "$best" = "$(git -C $one rev-parse origin/avo/'$3'/best)"
	'
}

check softmax flagship flagship softmax
check layernorm flagship flagship 'layer norm'
check rmsnorm flagship flagship 'RMS norm'
check gelu flagship flagship GELU
check matmul flagship flagship matmul
check fp8 flagship flagship fp8
check decode flagship flagship decode
check attention flagship flagship attention
check attention-backward flagship flagship 'attention backward'
check attention gqa gqa 'shared heads'

test_expect_success 'the branch for shared heads begins at attention' '
	base=$(git -C attention-gqa rev-parse --short=7 origin/main~1) &&
	avogit -C attention-flagship log --run flagship >out && grep "$base #13 " out
'

test_expect_success 'the champion that the page names' '
	avogit -C attention-flagship log --run flagship >out &&
	grep "^[| ]*\*.* #60 .* champion " out &&
	grep "The champion is attempt 60 of .examples/cuda-attention" "$page"
'

test_done
