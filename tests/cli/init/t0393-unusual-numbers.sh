#!/bin/sh
# test: parallel no-asan
test_description='the recipe of docs/task.md for numbers that are no usual ones'
. "$(dirname "$0")/../lib-avogit.sh"

# recipe NUMBER: the block of the recipe with this number
recipe () {
	sed -n '/^### Numbers that are no usual ones/,/^## /p' \
		"$SHARNESS_TEST_SRCDIR/../../docs/task.md" |
	awk -v number="$1" '
		/^```/ { on = !on; n += on; next }
		on && n == number { print }'
}

test_expect_success 'an argmax is right with them' '
	git init -q repo && cd repo &&
	cat >best.c <<-\EOT &&
	void best(const float *x, int rows, int cols, float *value, int *at)
	{
		for (int r = 0; r < rows; r++) {
			float most = x[r * cols];
			int where = 0;

			for (int c = 1; c < cols; c++)
				if (x[r * cols + c] > most) {
					most = x[r * cols + c];
					where = c;
				}
			value[r] = most;
			at[r] = where;
		}
	}
	EOT
	avogit init -y best.c >out &&
	recipe 1 >>reference.c && grep x_wide reference.c &&
	recipe 2 >lines && test "$(wc -l <lines)" = 2 &&
	awk "
		/- name: / { skip = 0 }
		/- name: x\$/ { while ((getline line <\"lines\") > 0) if (line ~ /name: x/) print line; close(\"lines\"); skip = 1 }
		/- name: value\$/ { while ((getline line <\"lines\") > 0) if (line ~ /name: value/) print line; close(\"lines\"); skip = 1 }
		!skip { print }
	" avogit.yaml >task && mv task avogit.yaml &&
	git add . && git commit -qm task &&
	avogit score >out && grep "pass, " out
'

test_expect_success 'one that begins with -1e5 is wrong, and one that orders floats by their bits' '
	cp best.c right.c &&
	sed -i "s/= x\[r \* cols\];/= -1e5f;/; s/c = 1; c/c = 0; c/" best.c && grep 1e5f best.c &&
	git commit -qam sentinel && test_expect_code 1 avogit score >out && grep "wrong: " out &&
	cp right.c best.c &&
	sed -i "1i static int key(float f) { int i; __builtin_memcpy(\&i, \&f, 4); return i < 0 ? i ^ 0x7fffffff : i; }" best.c &&
	sed -i "s/if (x\[r \* cols + c\] > most)/if (key(x[r * cols + c]) > key(most))/" best.c &&
	grep "key(most)" best.c && git commit -qam bits && test_expect_code 1 avogit score >out &&
	grep "wrong: at" out
'

test_expect_success 'both pass with the kinds that floats have by themselves, as trust.md says' '
	sed -i "s/, fill: {generator: x_wide}//" avogit.yaml && git commit -qam usual &&
	avogit score >out && grep "pass, " out &&
	git checkout -q HEAD~2 best.c && grep 1e5f best.c && git commit -qam sentinel &&
	avogit score >out && grep "pass, " out
'

# By the rule for sums the greatest number of an output says what is small in it.
test_expect_success 'a very large number for none hides no other, by a tolerance of its own' '
	git init -q ../nearest && cd ../nearest &&
	cat >nearest.c <<-\EOT &&
	void nearest(int rows, int cols, int nnz, const int *rowptr, const int *col,
		     const float *vals, const float *x, float *y)
	{
		for (int r = 0; r < rows; r++) {
			float best = 3.4e38f;

			for (int k = rowptr[r]; k < rowptr[r + 1]; k++)
				if (vals[k] + x[col[k]] < best)
					best = vals[k] + x[col[k]];
			y[r] = best;
		}
	}
	EOT
	avogit init -y nearest.c >out && git add . && git commit -qm task &&
	test_expect_code 128 avogit score >out 2>&1 && grep "changes no output" out &&
	sed -i "/- name: y\$/,\$ s/^    direction: out\$/&\n    tolerance: {rtol: 1e-5}/" avogit.yaml &&
	git commit -qam tolerance && avogit score >out && grep "pass, " out &&
	sed -i "s/y\[r\] = best/y[r] = 1.0001f * best/" nearest.c && git commit -qam wrong &&
	test_expect_code 1 avogit score >out && grep "wrong: y" out
'

test_done
