#!/bin/sh
# test: parallel no-asan
test_description='avogit init: arrays that index others, and that bound loops'
. "$(dirname "$0")/../lib-avogit.sh"

# argument NAME KEY: its value in avogit.yaml
argument () {
	sed -n "/- name: $1\$/,/- name:/{s/^    $2: //p;}" avogit.yaml
}

test_expect_success 'a product with a sparse matrix is scored as init wrote it' '
	git init -q csr && cd csr &&
	cat >spmv.cpp <<-\EOT &&
	void spmv(int rows, const int *start, const int *column,
		  const float *value, const float *x, float *y)
	{
		for (int i = 0; i < rows; i++) {
			float sum = 0;

			for (int j = start[i]; j < start[i + 1]; j++)
				sum += value[j] * x[column[j]];
			y[i] = sum;
		}
	}
	EOT
	avogit init spmv.cpp >out &&
	grep "wrote reference.cpp: it takes the kernel as it is" out &&
	test "$(argument start shape)" = "[rows + 1]" &&
	argument start fill | grep "{generator: start_ascends}  # GUESS" &&
	test "$(argument value shape)" = "[start_max]" &&
	test "$(argument x shape)" = "[column_max + 1]" &&
	argument column fill | grep "{low: 0, high: column_max}  # GUESS" &&
	grep "^hidden: .*rows: .*, start_max: .*, column_max: " avogit.yaml &&
	git add . && git commit -qm task &&
	avogit score >out && grep "pass, " out
'

test_expect_success 'one whose arrays are members of a structure, too' '
	cat >member.c <<-\EOT &&
	struct csr { const int *start, *column; const int *value; int rows; };
	void member(const struct csr *a, const int *x, int *y)
	{
		for (int i = 0; i < a->rows; i++) {
			int sum = 0;

			for (int j = a->start[i]; j < a->start[i + 1]; j++)
				sum += a->value[j] * x[a->column[j]];
			y[i] = sum;
		}
	}
	EOT
	avogit init -f -y member.c >out &&
	test "$(argument a_value shape)" = "[a_start_max]" &&
	argument a_start fill | grep "{generator: a_start_ascends}  # GUESS" &&
	argument a_column fill | grep "{low: 0, high: a_column_max}  # GUESS" &&
	git add . && git commit -qm member &&
	avogit score >out && grep "pass, " out
'

# `nnz` and `cols` are for the caller: the loops go by the rows.
test_expect_success 'what a sparse matrix has is said by the parameters that name it' '
	git init -q ../minplus && cd ../minplus &&
	cat >minplus.c <<-\EOT &&
	void minplus(int rows, int cols, int nnz, int *rowptr, int *colidx,
		     float *vals, float *x, float *y)
	{
		(void)cols;
		for (int r = 0; r < rows; r++) {
			float best = __builtin_inff();

			for (int k = rowptr[r]; k < rowptr[r + 1]; k++)
				if (vals[k] + x[colidx[k]] < best)
					best = vals[k] + x[colidx[k]];
			y[r] = best;
		}
	}
	EOT
	avogit init -y minplus.c >out &&
	test "$(argument rowptr shape)" = "[rows + 1]" &&
	argument rowptr fill | grep "{generator: rowptr_ascends}  # GUESS" &&
	test "$(argument colidx shape)" = "[nnz]" &&
	argument colidx fill | grep "{low: 0, high: cols - 1}  # GUESS" &&
	test "$(argument vals shape)" = "[nnz]" &&
	test "$(argument x shape)" = "[cols]" &&
	test "$(argument nnz value)" = nnz && test "$(argument cols value)" = cols &&
	git add . && git commit -qm task &&
	avogit score >out && grep "pass, " out &&
	# There are rows without elements, and some that are long.
	sed "s/for (int k = rowptr\[r\]; k < rowptr\[r + 1\]; k++)/int k = rowptr[r]; do/; s/= vals\[k\] + x\[colidx\[k\]\];/&\n while (++k < rowptr[r + 1]);/" \
		minplus.c >empty.c &&
	grep "do$" empty.c && mv empty.c minplus.c && git commit -qam empty &&
	test_expect_code 1 avogit score >out && ! grep "pass, " out
'

test_expect_success 'indices fit what they index, where that has a size of its own' '
	git init -q ../scatter && cd ../scatter &&
	cat >scatter.cpp <<-\EOT &&
	#include <cstdint>
	void scatter(int rows, int cols, int nnz, const std::int32_t *colptr,
		     const std::int32_t *row, const double *v, const double *x, double *y)
	{
		for (int i = 0; i < rows; i++)
			y[i] = 0;
		for (int j = 0; j < cols; j++)
			for (int k = colptr[j]; k < colptr[j + 1]; k++)
				y[row[k]] += v[k] * x[j];
	}
	EOT
	avogit init -y scatter.cpp >out &&
	argument row fill | grep "{low: 0, high: rows - 1}  # GUESS" &&
	test "$(argument y shape)" = "[rows]" && test "$(argument row shape)" = "[nnz]" &&
	grep "^  - {rows: 4096, cols: 4096, nnz: 32768}" avogit.yaml &&
	git add . && git commit -qm task &&
	avogit score >out && grep "pass, " out &&
	git init -q ../hist && cd ../hist &&
	cat >hist.c <<-\EOT &&
	void hist(int *label, int n, int *count, int bins, int *seen)
	{
		for (int b = 0; b < bins; b++)
			count[b] = seen[b] = 0;
		for (int i = 0; i < n; i++) {
			if (label[i] >= bins)
				continue;
			count[label[i]]++;
			seen[label[i]] = 1;
		}
	}
	EOT
	avogit init -y hist.c >out &&
	argument label fill | grep "{low: 0, high: bins - 1}  # GUESS" &&
	git add . && git commit -qm task &&
	avogit score >out && grep "pass, " out &&
	# Not all labels lie in the first half.
	sed -i "s/label\[i\] >= bins/2 * label[i] > bins + 2/" hist.c && git commit -qam half &&
	test_expect_code 1 avogit score >out
'

test_expect_success 'what is only under a condition is a guess' '
	cat >some.c <<-\EOT &&
	void some(const float *x, float *y, int n)
	{
		for (int i = 0; i < n; i++) {
			if (i == 7) {
				y[i] = 0;
				continue;
			}
			y[i] = x[i + 1];
		}
	}
	EOT
	avogit init --force some.c >out &&
	argument x shape | grep "# GUESS: a condition may keep it from" &&
	# A name that is a parameter already is not taken for what an array holds.
	cat >taken.c <<-\EOT &&
	void taken(const int *col, const float *x, float *y, int n, int col_max)
	{
		for (int i = 0; i < n; i++)
			y[i] = x[col[i]];
	}
	EOT
	avogit init --force -y taken.c >out &&
	git add . && git commit -qm taken && avogit doctor >out &&
	grep "taken" out && ! grep "is there twice" out
'

test_expect_success 'what a loop passes over is no part of a shape' '
	git init -q ../median && cd ../median &&
	cat >median.c <<-\EOT &&
	void median(const float *in, float *out, int n)
	{
		for (int i = 0; i < n + 64; i++) {
			if (i >= n)
				continue;
			if (i < 1 || i == n - 1) {
				out[i] = in[i];
				continue;
			}
			float a = in[i - 1], b = in[i], c = in[i + 1];

			out[i] = a < b ? b < c ? b : a < c ? c : a
				       : a < c ? a : b < c ? c : b;
		}
	}
	EOT
	avogit init median.c >out &&
	test "$(argument in shape)" = "[n]" &&
	git add . && git commit -qm task &&
	avogit score >out && grep "pass, " out
'

test_expect_success 'a filter in place that leaves its border is scored as init wrote it' '
	git init -q ../smooth && cd ../smooth &&
	cat >smooth.c <<-\EOT &&
	void smooth(float *h, int width, int height, float alpha)
	{
		for (int y = 0; y < height; y++)
			for (int x = 0; x < width; x++) {
				if (x == 0 || y == 0 || x == width - 1 || y == height - 1)
					continue;
				h[y * width + x] += alpha * (h[(y - 1) * width + x] +
					h[(y + 1) * width + x] + h[y * width + x - 1] +
					h[y * width + x + 1] - 4 * h[y * width + x]);
			}
	}
	EOT
	avogit init smooth.c >out &&
	test "$(argument h shape)" = "[height, width]" &&
	sed -i "s/value: 1.0  # GUESS/value: 0.125/" avogit.yaml &&
	git add . && git commit -qm task &&
	avogit score >out && grep "pass, " out
'

test_expect_success 'two ends by their names are no two equal numbers, in a structure neither' '
	git init -q ../ends && cd ../ends &&
	cat >clamp.c <<-\EOT &&
	struct limits { const float *scale; float min_value, max_value; int n; };
	void clamp(float *y, const float *x, unsigned char *b, float lo, float hi,
		   unsigned char bLow, unsigned char bHigh, float gain, const struct limits *l)
	{
		for (int i = 0; i < l->n; i++) {
			y[i] = (x[i] < lo ? lo : x[i] > hi ? hi : x[i]) * gain * l->scale[i] * (l->max_value - l->min_value);
			b[i] = b[i] < bLow ? bLow : b[i] > bHigh ? bHigh : b[i];
		}
	}
	EOT
	avogit init clamp.c >out &&
	argument lo value | grep "^-0.5  # GUESS: the lower one of two by its name" &&
	argument hi value | grep "^0.5  # GUESS: the upper one of two by its name" &&
	argument bLow value | grep "^64  # GUESS: the lower" &&
	argument bHigh value | grep "^192  # GUESS: the upper" &&
	argument gain value | grep "^1.0  # GUESS$" &&
	grep "name: min_value, dtype: f32, value: -0.5}  # GUESS: the lower" avogit.yaml &&
	grep "name: max_value, dtype: f32, value: 0.5}  # GUESS: the upper" avogit.yaml
'

test_expect_success 'what a loop that may end early looks at ahead makes an array no longer, and is a guess' '
	git init -q ../ahead && cd ../ahead &&
	cat >runs.c <<-\EOT &&
	void runs(const unsigned char *x, unsigned char *y, int n)
	{
		for (int i = 0; i < n; i++) {
			int ok = x[i] > 99 && i + 3 < n;
			for (int k = 1; ok && k <= 3; k++)
				ok = x[i + k] > 99;
			y[i] = ok;
		}
	}
	EOT
	avogit init runs.c >out &&
	argument x shape | grep "^.n.  # GUESS: a loop that may end early looks further ahead$" &&
	argument y shape | grep "^.n.$" &&
	git add . && git commit -qm task &&
	avogit score >out && grep "pass, " out
'

test_expect_success 'a size whose name cases cannot have gets another one' '
	git init -q ../names && cd ../names &&
	cat >scale.c <<-\EOT &&
	void scale(const float *x, float *y, int count, int weight)
	{
		for (int i = 0; i < count; i++)
			for (int j = 0; j < weight; j++)
				y[i * weight + j] = 2 * x[i * weight + j];
	}
	EOT
	avogit init scale.c >out &&
	! grep "needs your hand" out &&
	test "$(argument x shape)" = "[n, n_weight]" &&
	argument count value | grep "^n  # no symbol can be .count." &&
	grep "^hidden: {count: 3, n: [0-9.]*, n_weight: " avogit.yaml &&
	grep "^bytes: 8 \* n \* n_weight" avogit.yaml &&
	git add . && git commit -qm task &&
	avogit score >out && grep "pass, " out
'

test_expect_success 'bytes take every value, and sizes what an if leaves to take' '
	cat >encode.c <<-\EOT &&
	#include <stddef.h>
	#include <stdint.h>
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUV";
	void encode(char *out, const void *in, const signed char *bias,
		    const int16_t *wide, const uint16_t *shift, size_t n)
	{
		const unsigned char *p = in;

		for (size_t i = 0; i < n; i++)
			out[i] = (char)((bias[i] + wide[i]) >> shift[i]);
		while (n >= 3) {
			unsigned v = p[0] << 16 | p[1] << 8 | p[2];

			*out++ = digits[v >> 19];
			p += 3;
			n -= 3;
		}
		if (n)
			*out = digits[p[0] >> 3];
	}
	EOT
	avogit init -f encode.c >out &&
	argument in fill | grep "^{low: 0, high: 255}  # GUESS" &&
	argument bias fill | grep "^{low: -128, high: 127}  # GUESS" &&
	argument wide fill | grep "^{low: -32768, high: 32767}  # GUESS" &&
	test -z "$(argument shift fill)" &&
	grep "# GUESS: without .fill. from 0 to 4: " avogit.yaml &&
	! grep "at a time" avogit.yaml && grep "^hidden: .* n: 1[.][.]" avogit.yaml &&
	cat >keys.c <<-\EOT &&
	#include <stdint.h>
	static uint64_t mix(uint64_t x)
	{
		x ^= x >> 33;
		return x * 0xff51afd7ed558ccdULL;
	}
	void keys(const uint64_t *key, const uint32_t *word, const uint32_t *plain, const uint32_t *by, uint64_t *out, int n)
	{
		for (int i = 0; i < n; i++)
			out[i] = mix(key[i]) + (word[i] >> 7) + plain[i] + (word[i] << by[i]);
	}
	EOT
	avogit init -f keys.c >out &&
	argument key fill | grep "^{low: 0, high: 9223372036854775807}  # GUESS: its bits" &&
	argument word fill | grep "^{low: 0, high: 4294967295}  # GUESS" &&
	argument plain fill | grep "^{low: 0, high: 4294967295}  # GUESS" &&
	test -z "$(argument by fill)" &&
	cat >counts.c <<-\EOT &&
	#include <stdint.h>
	void counts(const uint32_t *divisor, const uint32_t *label, const uint32_t *index, const uint32_t *step, uint32_t *out, int n, int m)
	{
		for (int i = 0; i < n; i++)
			out[i] = 1000 / divisor[i] + (label[i] == 3) + *(out + step[i]);
		for (int i = 0; i < m; i++)
			out[index[i] + 1] = 0;
	}
	EOT
	avogit init -f counts.c >out &&
	test -z "$(argument divisor fill)$(argument label fill)" &&
	argument index fill | grep "^{low: 0, high: n - 2}  # GUESS" &&
	grep "^hidden: .* n: 2[.][.]" avogit.yaml &&
	argument step fill | grep "^{low: 0, high: n - 1}"
'

# A limb that is all ones passes a carry on.
test_expect_success 'integers of 32 and 64 bits are at both ends of their type, so that a carry shows' '
	cat >carry.c <<-\EOT &&
	#include <stdint.h>
	void carry(uint64_t *r, const uint64_t *a, const uint64_t *b, int n)
	{
		uint64_t c = 0;

		for (int i = 0; i < n; i++) {
			uint64_t s = a[i] + c, t = s + b[i];

			c = (s < c) | (t < s);
			r[i] = t;
		}
	}
	EOT
	avogit init -f carry.c >out &&
	argument a fill | grep "^{low: 0, high: 9223372036854775807}  # GUESS" &&
	sed -i "s/^hidden: .*/hidden: {count: 2, n: 1..40}/" avogit.yaml &&
	git add . && git commit -qm carry && avogit score >out && grep "pass, " out &&
	sed -i "s/(s < c) | //" carry.c && git commit -qam lost && test_expect_code 1 avogit score >out &&
	grep "wrong: r\[.*with .a. \(all\|0 or\) 1.84467441e+19" out &&
	git reset -q --hard HEAD~ &&
	sed "s/uint64_t/uint32_t/g" carry.c >narrow.c && sed -i "s/carry/narrow/" narrow.c &&
	avogit init -f narrow.c >out &&
	argument a fill | grep "^{low: 0, high: 4294967295}  # GUESS" &&
	sed -i "s/^hidden: .*/hidden: {count: 2, n: 1..40}/" avogit.yaml &&
	git add . && git commit -qm narrow && avogit score >out && grep "pass, " out &&
	sed -i "s/(s < c) | //" narrow.c && git commit -qam lost && test_expect_code 1 avogit score >out
'

# A sort by the low byte, or of signed numbers, puts small ones in order.
test_expect_success 'what is put in order takes every value, as a member of a structure, too' '
	cat >pairs.c <<-\EOT &&
	#include <stdint.h>
	typedef struct { uint32_t key, val; } pair;
	void pairs(pair *a, int n)
	{
		for (int i = 1; i < n; i++) {
			pair x = a[i];
			int j = i;

			while (j > 0 && (x.key < a[j - 1].key || (x.key == a[j - 1].key && x.val < a[j - 1].val))) {
				a[j] = a[j - 1];
				j--;
			}
			a[j] = x;
		}
	}
	EOT
	avogit init -f -y pairs.c >out &&
	argument a fill | grep "^{low: 0, high: 4294967295}  # GUESS: its values are compared" &&
	sed -i -e "/- name: a$/,/shape:/s/shape: .*/shape: [n, 2]/" -e "s/^  - {n: .*/  - {n: 300}/" \
		-e "s/^hidden: .*/hidden: {count: 2, n: 2..300}/" avogit.yaml &&
	git add . && git commit -qm pairs && avogit score >out && grep "pass, " out &&
	sed -i "s/{ uint32_t key/{ int32_t key/" pairs.c &&
	git commit -qam signed && test_expect_code 1 avogit score >out && grep "wrong: a" out &&
	git reset -q --hard HEAD~ && sed -i "s/x.key < a\[j - 1\].key/(uint8_t)x.key < (uint8_t)a[j - 1].key/" pairs.c &&
	git commit -qam byte && test_expect_code 1 avogit score >out && grep "wrong: a" out &&
	git reset -q --hard HEAD~ &&
	cat >order.cpp <<-\EOT &&
	#include <algorithm>
	#include <cstdint>
	struct row { std::int64_t key, val; };
	void unseen(std::uint32_t *);
	void order(const row *r, const std::uint32_t *m, const std::int32_t *a, const std::int32_t *cost, const std::int32_t *limit,
		   std::uint32_t *u, std::int64_t *out, int n)
	{
		std::uint32_t most = 0;
		std::int32_t best = 0;

		for (int i = 0; i < n; i++) {
			most = std::max(most, m[i]);
			if (a[i] > best)
				best = a[i];
			out[i] = (cost[i] < cost[0]) + cost[i] + (limit[i] < 7);
			if (r[i].key < r[0].key)
				out[i] += most + best;
		}
		unseen(u);
	}
	EOT
	avogit init -f -y order.cpp >out &&
	argument r fill | grep "^{low: -9223372036854775807, high: 9223372036854775807}  # GUESS: its values are" &&
	argument m fill | grep "^{low: 0, high: 4294967295}  # GUESS: its values are" &&
	test -z "$(argument limit fill)" &&
	test -z "$(argument cost fill)" &&
	sed -n "/name: cost/,/name: limit/p" avogit.yaml | grep "# GUESS: without .fill. from -4 to 4: "
'

# Thousands of rounds are no use, and 1 hides what a second one does.
test_expect_success 'a size that no array has, beside one that an array has, is a few turns' '
	cat >mix.c <<-\EOT &&
	#include <stdint.h>
	void mix(uint32_t *x, int n, int rounds)
	{
		for (int i = 0; i < n; i++) {
			uint32_t v = x[i];

			for (int r = 0; r < rounds; r++)
				v = (v << 5 | v >> 27) ^ (v * 3 + r);
			x[i] = v;
		}
	}
	EOT
	few="hidden: {count: 3, n: 1..4099, rounds: 1..16}" &&
	avogit init -f -y mix.c >out && grep "^$few" avogit.yaml &&
	grep "^  - {n: 1048576, rounds: 8}" avogit.yaml && test "$(argument rounds value)" = rounds &&
	sed -i "s/^hidden: .*/hidden: {count: 2, n: 1..40, rounds: 1..16}/" avogit.yaml &&
	git add . && git commit -qm mix && avogit score >out && grep "pass, " out &&
	sed -i "s/r < rounds/r < (rounds > 8 ? 8 : rounds)/" mix.c && git commit -qam wrong &&
	test_expect_code 1 avogit score >out && grep "wrong: x" out && git reset -q --hard HEAD~ &&
	for form in "for (int r = rounds; r > 0; r--)" "for (int r = 1; r <= rounds; r++)" "int r = rounds; while (r--)" "int r = 0; for (; r < rounds; r++)"
	do
		sed "s/for (int r = 0.*/$form/" mix.c >form.c && avogit init -f -y form.c >out &&
		grep "^$few" avogit.yaml || return 1
	done &&
	cat >passes.cpp <<-\EOT &&
	struct plan { int passes, n; };
	void passes(const float *x, float *y, const plan &p)
	{
		for (int t = 0; t < p.passes; t++)
			for (int i = 0; i < p.n; i++)
				y[i] += x[i];
	}
	EOT
	avogit init -f -y passes.cpp >out &&
	grep "^hidden: {count: 3, p_passes: 1..16, p_n: 1..4099}" avogit.yaml &&
	cat >alone.c <<-\EOT &&
	void alone(double *y, int n)
	{
		double sum = 0;

		for (int i = 0; i < n; i++)
			sum += 1 / (1 + (double)i * i);
		*y = sum;
	}
	EOT
	avogit init -f -y alone.c >out && grep "^  - {n: 1048576}" avogit.yaml
'

test_expect_success 'bytes index an array of 256 whole, and a kernel that is wrong for the brightest is' '
	cat >bytes.c <<-\EOT &&
	#include <stdint.h>
	void bytes(uint8_t *px, unsigned hist[1 << 8], uint32_t *sum, int n)
	{
		uint32_t counts[UINT8_MAX + 1] = {0}, all = 0;

		for (int i = 0; i < 256; i++)
			hist[i] = 0;
		for (int i = 0; i < n; i++) {
			hist[px[i]]++;
			counts[px[i]]++;
			all += px[i];
		}
		*sum = all + counts[7];
	}
	EOT
	avogit init -f bytes.c >out && test "$(argument hist shape)" = "[256]" &&
	argument px fill | grep "^{low: 0, high: 255}  # GUESS" &&
	sed -i "s/^hidden: .*/hidden: {count: 2, n: 1..40}/" avogit.yaml &&
	git add . && git commit -qm bytes && avogit score >out && grep "pass, " out &&
	wrong () {
		sed -i "$1" bytes.c && git commit -qam wrong && test_expect_code 1 avogit score >out &&
		grep "wrong: $2.* with .px. $3" out && git reset -q --hard HEAD~
	} &&
	wrong "s/\*sum = all/*sum = (all > 0x0f800000 ? 0 : all)/" "sum" "all 255" &&
	wrong "s/hist\[px\[i\]\]++/hist[px[i]] += hist[px[i]] < 65535/" "hist.255." "\(all\|mostly\) 255" &&
	wrong "s/hist\[px\[i\]\]/hist[px[i] \& 127]/" "hist" ""
'

test_expect_success 'integers of an input are said as integers' '
	cat >words.c <<-\EOT &&
	#include <stdint.h>
	void words(const uint32_t *x, uint32_t *y, int n)
	{
		for (int i = 0; i < n; i++)
			y[i] = x[i] ^ (x[i] >> 15);
	}
	EOT
	avogit init -f words.c >out && argument x fill | grep "^{low: 0, high: 4294967295}" &&
	sed -i "s/^hidden: .*/hidden: {count: 2, n: 1..40}/" avogit.yaml &&
	git add . && git commit -qm words &&
	sed -i "s/x\[i\] ^/x[i] +/" words.c && git commit -qam wrong && test_expect_code 1 avogit score >out &&
	grep "wrong: y.* with .x. .*4294967295" out && git reset -q --hard HEAD~
'

test_expect_success 'a function that is not for inputs that are all the same is said to be, and kept from them' '
	cat >stretch.c <<-\EOT &&
	#include <stdint.h>
	void stretch(const uint8_t *px, uint8_t *out, int n)
	{
		int low = 255, high = 0;

		for (int i = 0; i < n; i++) {
			low = px[i] < low ? px[i] : low;
			high = px[i] > high ? px[i] : high;
		}
		for (int i = 0; i < n; i++)
			out[i] = (uint8_t)((px[i] - low) * 255 / (high - low));
	}
	EOT
	avogit init -f stretch.c >out && sed -i "s/^hidden: .*/hidden: {count: 2, n: 99..300}/" avogit.yaml &&
	git add . && git commit -qm stretch && test_expect_code 128 avogit score 2>err &&
	grep "in case n=[0-9]*, with .px. all 255 (.uniform: true. .*): avogit.yaml: the reference (stretch_reference) crashed: Floating" err &&
	sed -i "s/high: 255}/high: 255, uniform: true}/" avogit.yaml && git commit -qam uniform &&
	avogit score >out && grep "pass, " out
'

test_expect_success 'an output that is written by what an input holds keeps the rest, and scores as init wrote it' '
	cat >compact.c <<-\EOT &&
	int compact(const float *x, int n, float *kept, int *at)
	{
		int k = 0;

		for (int i = 0; i < n; i++) {
			if (x[i] <= 0)
				continue;
			kept[k] = x[i];
			at[k++] = i;
		}
		return k;
	}
	EOT
	avogit init -f compact.c >out &&
	argument kept direction | grep "^inout  # GUESS: by what the arrays hold" &&
	argument at direction | grep "^inout  # GUESS" &&
	git add . && git commit -qm compact &&
	avogit score >out && grep "pass, " out &&
	cat >first.c <<-\EOT &&
	void first(const int *x, int n, int *y)
	{
		int k = 0;

		for (int i = 0; i < n; i = x[i])
			y[k++] = i;
	}
	EOT
	avogit init -f first.c >out &&
	argument y shape | grep "GUESS" &&
	argument y direction | grep "^out  # GUESS: inout where some stay"
'

test_expect_success 'of integers the reference is named for what it does not write, and not the kernel' '
	cat >find.c <<-\EOT &&
	void find(const unsigned char *x, int n, int k, int *at, int *sum)
	{
		int best = -1;

		*sum = 0;
		for (int i = 0; i + k <= n; i++) {
			if (x[i] > best) {
				best = x[i];
				*at = i;
			}
			*sum += x[i];
		}
	}
	EOT
	avogit init -f find.c >out &&
	sed -i "s/shape: .n + 1 - k./shape: [n]/; s/direction: inout.*/direction: out/" avogit.yaml &&
	sed -i "0,/^  - {n: .*/ s//  - {n: 4000, k: 5}/; /^  - {n: [0-9]*, k: [0-9]\{2,\}}/d" avogit.yaml &&
	sed -i "s/^hidden: .*/hidden: {count: 3, n: 1..40, k: 1..40}/" avogit.yaml &&
	git add . && git commit -qm find &&
	test_must_fail avogit score 2>err >out &&
	grep "in case hidden n=[0-9]* k=[0-9]*, with .*: the reference (find_reference) does not write .at.\[[0-9]*\], so nothing is right there: .*require.* or make .at. .inout." err &&
	sed -i "s/k: 1..40}/k: 1..40, require: k <= n}/" avogit.yaml &&
	git commit -qam require && avogit score >out && grep "pass, " out &&
	sed -i "s/sum += x\[i\]/& \& 127/" find.c && git commit -qam wrong &&
	test_expect_code 1 avogit score >out && grep "wrong: sum\[0\] is" out
'

test_expect_success 'what a generated reference leaves unwritten is seen, in either wider type' '
	for type in float double
	do
		cat >half.c <<-EOT &&
		void half(const $type *x, int n, $type *y)
		{
			for (int i = 0; i < n; i++)
				if (i % 2 == 0)
					y[i] = 2 * x[i];
		}
		EOT
		avogit init -f half.c >out &&
		sed -i "/name: y/,/direction:/ s/direction: inout/direction: out/; s/\\(name: y.*direction: \\)inout/\\1out/" avogit.yaml &&
		test "$(argument y direction | cut -c 1-3)" = out &&
		git add . && git commit -qm "$type" &&
		test_must_fail avogit score 2>err >out &&
		grep "leaves elements of .y. unwritten" err || return 1
	done
'

test_expect_success 'runs of equal bytes, which fill a part of two arrays, are scored as init wrote it' '
	cat >rle.c <<-\EOT &&
	#include <stddef.h>
	#include <stdint.h>
	size_t rle(const uint8_t *src, size_t n, uint8_t *values, uint32_t *counts)
	{
		size_t out = 0, i = 0;

		while (i < n) {
			size_t j = i + 1;

			while (j < n && src[j] == src[i])
				j++;
			values[out] = src[i];
			counts[out++] = (uint32_t)(j - i);
			i = j;
		}
		return out;
	}
	EOT
	avogit init -f -y rle.c >out &&
	test "$(argument src shape)" = "[n]" &&
	argument values direction | grep "^inout  # GUESS: by what the arrays hold" &&
	argument counts direction | grep "^inout  # GUESS: by what the arrays hold" &&
	git add . && git commit -qm rle &&
	avogit score >out && grep "pass, " out
'

test_expect_success 'the best of each row are fewer than there are; what is read may have been written before' '
	cat >best.c <<-\EOT &&
	void best(const float *x, float *best, int rows, int cols, int k)
	{
		for (int r = 0; r < rows; r++) {
			float *b = best + r * k;

			for (int c = 0; c < cols; c++) {
				int j = c < k ? c : k - 1;

				if (c >= k && x[r * cols + c] <= b[j])
					continue;
				for (; j > 0 && b[j - 1] < x[r * cols + c]; j--)
					b[j] = b[j - 1];
				b[j] = x[r * cols + c];
			}
		}
	}
	EOT
	avogit init -f -y best.c >out &&
	argument best shape | grep "^\[rows, k\]" &&
	argument best direction | grep "^inout  # GUESS: out where it reads only what it wrote before" &&
	grep "^  - {rows: .*, cols: .*, k: 8}" avogit.yaml &&
	grep "^hidden: .*, cols: 16\.\..*, k: 1\.\.8}" avogit.yaml &&
	sed -i "s/for (; \(j > 0 .*\); j--)/while (\1) {/; s/b\[j\] = b\[j - 1\];/& j--; }/" best.c && grep "while (j > 0" best.c &&
	avogit init -f -y best.c >out &&
	argument best direction | grep "^inout  # GUESS: out where it reads only what it wrote before" &&
	grep "^hidden: .*, cols: 16\.\..*, k: 1\.\.8}" avogit.yaml
'

test_expect_success 'floats that are compared to choose an integer are small ones, and without them the message says so' '
	cat >nearest.c <<-\EOT &&
	void nearest(const float *x, const float *weight, int n, int dim,
		     const float *centre, int k, int *label, float *sum)
	{
		for (int i = 0; i < n; i++) {
			float best = 1e30f;
			int at = 0;

			for (int c = 0; c < k; c++) {
				float dist = 0;

				for (int d = 0; d < dim; d++) {
					float t = x[i * dim + d] - centre[c * dim + d];

					dist += t * t;
				}
				if (dist < best) {
					best = dist;
					at = c;
				}
			}
			label[i] = at;
			sum[i] = best * weight[i];
		}
	}
	EOT
	avogit init -f -y nearest.c >out &&
	argument x fill | grep "^small_ints" && argument centre fill | grep "^small_ints" &&
	test -z "$(argument weight fill)" &&
	grep -B 1 "fill: small_ints" avogit.yaml | grep "# GUESS: comparing what is computed of it chooses an integer" &&
	git add . && git commit -qm nearest && avogit score >out && grep "pass, " out &&
	sed -i "s/fill: small_ints/fill: normal/" avogit.yaml && git commit -qam normal &&
	sed -i "s/= at;/= at + 1;/" nearest.c && test_expect_code 1 avogit score >out &&
	grep "wrong: label\[.*(integers must be equal where the task gives no atol or rtol; if comparing floats decides them: .fill: small_ints.), in case" out
'

test_expect_success 'an input that lets a loop return in its middle is marked, and no other' '
	early="# GUESS: a loop returns early by what it holds: .fill. should make inputs that it goes through" &&
	cat >find.c <<-\EOT &&
	int find(const unsigned char *s, int n, const unsigned char *w, unsigned *sum)
	{
		*sum = 0;
		for (int i = 0; i < n; i++)
			*sum += w[i];
		for (int i = 0; i < n; i++)
			if (s[i] == 7)
				return i;
		return n;
	}
	EOT
	avogit init -f -y find.c >out &&
	test "$(grep -c "$early" avogit.yaml)" = 1 &&
	sed -n "/name: s$/,/name: n$/p" avogit.yaml | grep "$early" &&
	cat >find.c <<-\EOT &&
	int find(const unsigned char *s, int n)
	{
		int i = 0;

		while (i < n) {
			unsigned char c = s[i];

			if (c < 0x80) {
				i++;
				continue;
			} else if (c < 0xc0) {
				i += 2;
			} else {
				int at = i;

				return at;
			}
		}
		return n;
	}
	EOT
	avogit init -f -y find.c >out && grep "$early" avogit.yaml &&
	sed -i "s/return at;/i += at;/" find.c &&
	avogit init -f -y find.c >out && ! grep "$early" avogit.yaml
'

test_expect_success 'so is one that ends the outermost loop by its condition, but no bound' '
	early="# GUESS: a loop returns early by what it holds" &&
	cat >find.c <<-\EOT &&
	int find(const unsigned char *s, const unsigned char *w, int n)
	{
		int i = 0;

		while (i < n && s[i] != 7)
			i++;
		for (int k = 0; k < n; k++)
			i += w[k];
		return i;
	}
	EOT
	avogit init -f -y find.c >out &&
	test "$(grep -c "$early" avogit.yaml)" = 1 &&
	sed -n "/name: s$/,/name: w$/p" avogit.yaml | grep "$early" &&
	sed -i "s/s\[i\] != 7/i < s[0]/" find.c &&
	avogit init -f -y find.c >out && ! grep "$early" avogit.yaml
'

test_done
