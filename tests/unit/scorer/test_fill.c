#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "scorer/runner/fill.h"
#include "scorer/runner/judge.h"
#include "scorer/runner/element_runs.h"

#define ELEMENTS 100000

static struct tensor_layout vector(enum dtype t, int64_t n)
{
	return (struct tensor_layout){.dtype = t,
				      .n_dims = 1,
				      .shape = {n},
				      .stride = {1},
				      .elements = n,
				      .bytes = (size_t)n * dtype_bytes(t)};
}

static struct recipe recipe_of(enum fill f, uint32_t seed)
{
	return (struct recipe){.key = {{seed}},
			       .static_key = {{~seed}},
			       .fill = {f, f},
			       .low = {-3, -3},
			       .high = {9, 9}};
}

struct statistics {
	double mean, deviation, low, high, zeros;
};

static struct statistics look_at(const double *x, size_t n)
{
	struct statistics s = {.low = x[0], .high = x[0]};
	double squares = 0;

	for (size_t i = 0; i < n; i++) {
		s.mean += x[i] / (double)n;
		squares += x[i] * x[i] / (double)n;
		s.low = fmin(s.low, x[i]);
		s.high = fmax(s.high, x[i]);
		s.zeros += x[i] == 0 ? 1.0 / (double)n : 0;
	}
	s.deviation = sqrt(squares - s.mean * s.mean);
	return s;
}

static struct statistics fill_and_look(enum dtype t, enum fill f)
{
	struct tensor_layout l = vector(t, ELEMENTS);
	struct recipe r = recipe_of(f, 5);
	cleanup_free void *data = xcalloc(ELEMENTS, 8);
	cleanup_free double *x = xcalloc(ELEMENTS, sizeof *x);

	fill_tensor(data, &l, 0, &r, 0);
	assert_int_equal(tensor_gather(x, &l, t, data, 0, ELEMENTS), ELEMENTS);
	return look_at(x, ELEMENTS);
}

static void fills_with_what_the_names_say(void **state)
{
	static const struct {
		enum fill fill;
		enum dtype dtype;
		double mean, deviation, low, high, zeros;
	} table[] = {
		{FILL_NORMAL, DTYPE_F32, 0, 1, -3.47, 3.47, 0},
		{FILL_NORMAL, DTYPE_F64, 0, 1, -3.47, 3.47, 0},
		{FILL_LARGE, DTYPE_F32, 0, 1e4, -3.47e4, 3.47e4, 0},
		{FILL_LARGE, DTYPE_F16, 0, 16, -56, 56, 0},
		{FILL_TINY, DTYPE_F32, 0, 1e-4, -3.47e-4, 3.47e-4, 0},
		{FILL_UNIFORM, DTYPE_F32, 0.5, 0.2887, 0, 1, 0},
		{FILL_UNIFORM, DTYPE_F64, 0.5, 0.2887, 0, 1, 0},
		{FILL_SMALL_INTS, DTYPE_F32, 0, 2.582, -4, 4, 1 / 9.0},
		{FILL_SPARSE, DTYPE_F32, 0, 0.3162, -3.47, 3.47, 0.9},
		{FILL_NORMAL, DTYPE_U8, 4, 2.582, 0, 8, 1 / 9.0},
		{FILL_BY_ROW, DTYPE_I32, 0, 2.582, -4, 4, 1 / 9.0},
		{FILL_RANGE, DTYPE_I32, 3, 3.742, -3, 9, 1 / 13.0},
		{FILL_RANGE, DTYPE_I64, 3, 3.742, -3, 9, 1 / 13.0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		struct statistics s =
			fill_and_look(table[i].dtype, table[i].fill);
		double sd = table[i].deviation;

		assert_true(fabs(s.mean - table[i].mean) < 0.02 * sd);
		assert_true(fabs(s.deviation - sd) < 0.02 * sd);
		assert_true(s.low >= table[i].low && s.high <= table[i].high);
		assert_true(fabs(s.zeros - table[i].zeros) < 0.01);
	}
}

/* ---- keys ------------------------------------------------------------------- */

static void is_the_generator_that_the_standard_says(void **state)
{
	/* RFC 8439, 2.3.2: its counter of 32 bits is the lower half of ours. */
	static const uint32_t words[CHACHA_WORDS] = {
		0xe4e7f110, 0x15593bd1, 0x1fdd0f50, 0xc47120a3,
		0xc7f4d1c7, 0x0368c033, 0x9aaa2204, 0x4e6cd4c3,
		0x466482d2, 0x09aa9f07, 0x05d7c214, 0xa2028bd9,
		0xd19c12b5, 0xb94e16de, 0xe883d0cb, 0x4e3c50a2};
	/* Eight rounds, all zeros: the first words of the known answer. */
	static const uint32_t fast[] = {0x2fef003e, 0xd6405f89, 0xe8b85b7f,
					0xa1a5091f};
	uint32_t x[CHACHA_WORDS];
	struct chacha_key k;

	(void)state;
	for (uint32_t i = 0; i < KEY_WORDS; i++)
		k.word[i] = 0x03020100 + 0x04040404 * i;
	chacha_block(x, &k, 20, 1 | (uint64_t)0x09000000 << 32,
		     0x4a000000 | (uint64_t)0 << 32);
	assert_memory_equal(x, words, sizeof words);
	memset(&k, 0, sizeof k);
	chacha_block(x, &k, 8, 0, 0);
	assert_memory_equal(x, fast, sizeof fast);
}

static double alike(const float *a, const float *b, size_t n)
{
	size_t same = 0;

	for (size_t i = 0; i < n; i++)
		same += a[i] == b[i];
	return (double)same / (double)n;
}

static void every_key_argument_and_image_has_contents_of_its_own(void **state)
{
	struct tensor_layout l = vector(DTYPE_F32, 1000);
	struct recipe first = recipe_of(FILL_NORMAL, 1), other;
	float a[1000], b[6][1000];

	(void)state;
	fill_tensor(a, &l, 0, &first, 0);
	fill_tensor(b[0], &l, 0, &first, 0);
	assert_memory_equal(a, b[0], sizeof a);
	fill_tensor(b[0], &l, 1, &first, 0);
	fill_tensor(b[1], &l, 0, &first, 1);
	recipe_other(&other, &first, 0);
	fill_tensor(b[2], &l, 0, &other, 0);
	recipe_other(&other, &first, 1);
	fill_tensor(b[3], &l, 0, &other, 0);
	/* One bit of the key, anywhere. */
	other = first;
	other.key.word[7] ^= 0x80000000;
	fill_tensor(b[4], &l, 0, &other, 0);
	memcpy(b[5], b[0], sizeof b[5]);
	for (size_t i = 0; i < 6; i++) {
		assert_true(alike(a, b[i], 1000) < 0.01);
		for (size_t k = 0; k < i && i < 5; k++)
			assert_true(alike(b[k], b[i], 1000) < 0.01);
	}
}

static void static_inputs_stay_and_tell_nothing_of_others(void **state)
{
	struct tensor_layout l = vector(DTYPE_F32, 1000);
	struct recipe r = recipe_of(FILL_NORMAL, 1), later;
	float a[1000], b[1000];

	(void)state;
	r.is_static[0] = true;
	r.static_key = r.key; /* as bad as can be */
	fill_tensor(a, &l, 0, &r, 0);
	fill_tensor(b, &l, 0, &r, 5);
	assert_memory_equal(a, b, sizeof a);
	recipe_other(&later, &r, 3);
	fill_tensor(b, &l, 0, &later, 0);
	assert_memory_equal(a, b, sizeof a);
	fill_tensor(b, &l, 1, &r, 0);
	assert_true(alike(a, b, 1000) < 0.01);
}

static void what_is_seen_round_inputs_is_of_no_other_key(void **state)
{
	struct recipe r = recipe_of(FILL_NORMAL, 1), other;

	(void)state;
	recipe_other(&other, &r, 0);
	assert_true(recipe_gaps(&r) != recipe_gaps(&other));
	assert_true(recipe_seed(&r, 0, 0) != recipe_seed(&r, 0, 1));
	assert_true(recipe_seed(&r, 0, 0) == recipe_seed(&r, 1, 0));
	assert_true(recipe_seed(&r, 0, 0) != recipe_seed(&other, 0, 0));
	assert_true(recipe_gaps(&r) != recipe_seed(&r, 0, 0));
}

/* What a GPU's kernel does, element by element. */
static double element(const struct contents *c, uint64_t i)
{
	struct contents_row row = contents_row(c, i / c->row);
	struct contents_draw d;
	uint32_t x[CHACHA_WORDS];

	chacha_block(x, &c->key, CHACHA_FAST, contents_block(i), 0);
	d = contents_draw(x[contents_word(i)]);
	return c->wide ? contents_double(c, row, d)
		       : (double)contents_float(c, row, d);
}

static void a_gpu_makes_the_same_one_by_one(void **state)
{
	static const enum dtype types[] = {DTYPE_F32,  DTYPE_F64, DTYPE_F16,
					   DTYPE_BF16, DTYPE_I32, DTYPE_U8};
	struct tensor_layout l = {.n_dims = 2,
				  .shape = {41, 37},
				  .stride = {37, 1},
				  .elements = 41 * 37};
	unsigned char data[41 * 37 * 8], one[8];

	(void)state;
	for (enum fill f = FILL_NORMAL; f < FILL_COUNT; f++)
		for (size_t t = 0; t < ARRAY_SIZE(types); t++) {
			struct recipe r = recipe_of(f, 6);
			size_t bytes = dtype_bytes(types[t]);
			struct contents c;

			if (f == FILL_GENERATOR)
				continue;
			l.dtype = types[t];
			l.bytes = (size_t)l.elements * bytes;
			fill_tensor(data, &l, 1, &r, 2);
			contents_init(&c, &r, &l, 1, 2);
			for (size_t i = 0; i < 41 * 37; i++) {
				dtype_store(types[t], one, 0, element(&c, i));
				assert_memory_equal(one, data + i * bytes,
						    bytes);
			}
		}
}

/* Ranges that a type has, has not, or has in part; not of whole numbers; of more
 * than 2^32; of one number; from high to low. */
static void a_range_is_the_same_in_every_integer(void **state)
{
	static const struct {
		double low, high;
	} range[] = {{0, 255},
		     {-3, 9},
		     {-128, 127},
		     {5, 5},
		     {9, -3},
		     {0.5, 7.5},
		     {-1e5, 1e5},
		     {0, 4294967295.0},
		     {0, 4294967294.0},
		     {-0x1p31, 0x1p31 - 1},
		     {-0x1p53, 0x1p53},
		     {0x1p53, 0x1p53 + 1000},
		     {0x1p53 - 1000, 0x1p53},
		     {-0x1p62, 0x1p62},
		     {0, 0x1p64 - 2048},
		     {0x1p64, 0x1p64}};
	struct tensor_layout l = vector(DTYPE_I8, 1500);
	unsigned char data[1500 * 8], one[8];

	(void)state;
	for (size_t k = 0; k < ARRAY_SIZE(range); k++)
		for (enum dtype t = DTYPE_I8; t <= DTYPE_U64; t++) {
			struct recipe r = recipe_of(FILL_RANGE, 8);
			size_t bytes = dtype_bytes(t);
			struct contents c;

			l.dtype = t;
			l.bytes = 1500 * bytes;
			r.low[0] = range[k].low;
			r.high[0] = range[k].high;
			fill_tensor(data, &l, 0, &r, 0);
			contents_init(&c, &r, &l, 0, 0);
			for (size_t i = 0; i < 1500; i++) {
				dtype_store(t, one, 0, element(&c, i));
				assert_memory_equal(one, data + i * bytes,
						    bytes);
			}
		}
}

/* ---- kinds -------------------------------------------------------------------- */

static void integers_are_at_the_ends_of_their_range(void **state)
{
	static const struct {
		enum fill fill;
		double low, high, mean;
	} table[] = {
		{FILL_ALL_HIGH, 9, 9, 9},
		{FILL_ALL_LOW, -3, -3, -3},
		{FILL_ENDS, -3, 9, 3},
		{FILL_MOSTLY_HIGH, -3, 9, 9 - 6 / 16.0},
		{FILL_MOSTLY_LOW, -3, 9, -3 + 6 / 16.0},
		{FILL_ENDS_ROWS, -3, 9, 3},
	};
	static const enum dtype types[] = {DTYPE_I8, DTYPE_I16, DTYPE_F64};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++)
		for (size_t t = 0; t < ARRAY_SIZE(types); t++) {
			struct statistics s =
				fill_and_look(types[t], table[i].fill);

			assert_true(s.low == table[i].low);
			assert_true(s.high == table[i].high);
			assert_true(fabs(s.mean - table[i].mean) < 0.5);
		}
}

#define ROWS	4096
#define COLUMNS 128

static float *rows_of(enum fill f)
{
	struct tensor_layout l = {.dtype = DTYPE_F32,
				  .n_dims = 2,
				  .shape = {ROWS, COLUMNS},
				  .stride = {COLUMNS, 1},
				  .elements = (int64_t)ROWS * COLUMNS};
	struct recipe r = recipe_of(f, 7);
	float *x = xcalloc((size_t)ROWS * COLUMNS, sizeof *x);

	fill_tensor(x, &l, 0, &r, 0);
	return x;
}

struct row {
	double mean, deviation, largest;
};

static struct row row_at(const float *x, size_t row)
{
	struct row r = {0};
	double squares = 0;

	x += row * COLUMNS;
	for (size_t i = 0; i < COLUMNS; i++) {
		r.mean += (double)x[i] / COLUMNS;
		r.largest = fmax(r.largest, fabs((double)x[i]));
	}
	for (size_t i = 0; i < COLUMNS; i++)
		squares += ((double)x[i] - r.mean) * ((double)x[i] - r.mean);
	r.deviation = sqrt(squares / COLUMNS);
	return r;
}

static void outliers_are_rare_and_anywhere(void **state)
{
	cleanup_free float *x = rows_of(FILL_OUTLIERS);
	size_t above = 0, below = 0, in_first = 0;

	(void)state;
	for (size_t i = 0; i < (size_t)ROWS * COLUMNS; i++) {
		assert_true(fabsf(x[i]) < 3.5f || fabsf(x[i]) > 92);
		above += x[i] > 92;
		below += x[i] < -92;
		in_first += i % COLUMNS < 32 && fabsf(x[i]) > 92;
	}
	assert_in_range(above, 900, 1150);
	assert_in_range(below, 900, 1150);
	assert_in_range(in_first, 430, 600);
	/* Without its maximum a softmax overflows. */
	assert_true(isinf(expf(92)));
}

static void shifted_ones_lie_far_from_zero_and_close_together(void **state)
{
	cleanup_free float *x = rows_of(FILL_SHIFTED);
	double squares = 0, sum = 0;
	struct row first = row_at(x, 0);

	(void)state;
	for (size_t r = 0; r < ROWS; r++) {
		struct row row = row_at(x, r);

		assert_true(fabs(row.mean - first.mean) < 1);
		assert_true(fabs(row.deviation - 1) < 0.5);
	}
	assert_true(fabs(fabs(first.mean) - 256) < 1);
	/* In float the mean of squares less the square of the mean is no
	 * variance any more: it has lost three of seven digits. */
	for (size_t i = 0; i < COLUMNS; i++) {
		sum += (double)x[i] / COLUMNS;
		squares += (double)x[i] * (double)x[i] / COLUMNS;
	}
	assert_true(squares * 0x1p-24 > 0.003 * (squares - sum * sum));
}

static void rows_of_a_kind_each(void **state)
{
	cleanup_free float *x = rows_of(FILL_BY_ROW);
	size_t large = 0, less = 0, tiny = 0, above = 0, below = 0, rest = 0;

	(void)state;
	for (size_t r = 0; r < ROWS; r++) {
		struct row row = row_at(x, r);

		if (row.deviation > 1000)
			large++;
		else if (row.deviation > 50)
			less++;
		else if (row.largest < 0.01)
			tiny++;
		else if (row.mean > 200)
			above++;
		else if (row.mean < -200)
			below++;
		else
			rest++;
	}
	assert_in_range(large, 80, 180); /* one of 32 */
	assert_in_range(less, 95, 200);	 /* three of 8 of three of 32 */
	assert_in_range(tiny, 430, 600);
	assert_in_range(above, 190, 330);
	assert_in_range(below, 190, 330);
	assert_in_range(rest, 2590, 2980);
}

static void few_rows_stray_and_not_by_size(void **state)
{
	cleanup_free float *x = rows_of(FILL_STRAY_ROWS);
	size_t shifted = 0, uniform = 0, outliers = 0;

	(void)state;
	for (size_t r = 0; r < ROWS; r++) {
		struct row row = row_at(x, r);

		shifted += fabs(row.mean) > 200;
		uniform += row.largest < 1 && row.mean > 0.3;
		outliers += row.largest > 92 && fabs(row.mean) < 200;
		assert_true(row.largest < 300);
	}
	assert_in_range(shifted, 16, 52);
	assert_in_range(uniform, 16, 52);
	assert_in_range(outliers, 8, 60);
}

/* No product of two such numbers is exact in float: kernels that round in
 * between are told from those that do not. */
static void makes_numbers_with_all_their_bits(void **state)
{
	struct tensor_layout l = vector(DTYPE_F32, 1000);
	struct recipe r = recipe_of(FILL_NORMAL, 3);
	float x[1000];
	size_t exact = 0;

	(void)state;
	fill_tensor(x, &l, 0, &r, 0);
	for (size_t i = 1; i < 1000; i++) {
		double product = (double)x[i] * (double)x[i - 1];

		exact += (double)(float)product == product;
	}
	assert_true(exact < 20);
}

static void fills_only_the_elements_of_a_strided_tensor(void **state)
{
	struct tensor_layout l = {.dtype = DTYPE_F32,
				  .n_dims = 2,
				  .shape = {3, 4},
				  .stride = {10, 2},
				  .elements = 12,
				  .bytes = 27 * sizeof(float)};
	struct tensor_layout dense = vector(DTYPE_F32, 12);
	struct recipe r = recipe_of(FILL_NORMAL, 4);
	float x[30] = {0}, flat[12];

	(void)state;
	fill_tensor(x, &l, 0, &r, 0);
	fill_tensor(flat, &dense, 0, &r, 0);
	for (size_t i = 0; i < 30; i++) {
		size_t row = i / 10, column = i % 10 / 2;
		bool inside = i % 2 == 0 && column < 4;

		if (inside)
			assert_true(fabsf(x[i] - flat[row * 4 + column]) <
				    5e-5f);
		else
			assert_true(x[i] == 0);
	}
}

static void walks_the_rows_it_is_asked_for(void **state)
{
	static const struct {
		int64_t stride[3];
		int64_t begin, end;
		int64_t runs, elements, first;
	} table[] = {
		{{12, 4, 1}, 0, 5, 1, 60, 0},  {{12, 4, 1}, 2, 4, 1, 24, 24},
		{{20, 4, 1}, 0, 5, 5, 60, 0},  {{20, 6, 1}, 0, 5, 15, 60, 0},
		{{1, 5, 15}, 0, 5, 15, 60, 0}, {{20, 6, 1}, 4, 5, 3, 12, 48},
		{{12, 4, 1}, 3, 3, 0, 0, -1},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		struct tensor_layout l = {.dtype = DTYPE_F32,
					  .n_dims = 3,
					  .shape = {5, 3, 4},
					  .elements = 60};
		int64_t runs = 0, elements = 0, first = -1;
		struct element_runs w;
		struct element_run run;

		memcpy(l.stride, table[i].stride, sizeof table[i].stride);
		element_runs_start(&w, &l, table[i].begin, table[i].end);
		while (element_runs_next(&w, &run)) {
			first = runs++ ? first : run.first;
			elements += run.n;
		}
		assert_int_equal(runs, table[i].runs);
		assert_int_equal(elements, table[i].elements);
		assert_int_equal(first, table[i].first);
	}
}

/* A slot of two pages: a guard, 3 x 4 floats 6 apart, the rest. */
struct slot {
	_Alignas(8) unsigned char bytes[2 * LAYOUT_PAGE];
	struct tensor_layout layout;
	struct poison poison;
};

static struct slot *poisoned_slot(void)
{
	struct slot *s = xcalloc(1, sizeof *s);

	s->layout = (struct tensor_layout){.begin = 0,
					   .end = sizeof s->bytes,
					   .offset = 4032,
					   .bytes = 16 * sizeof(float),
					   .dtype = DTYPE_F32,
					   .n_dims = 2,
					   .shape = {3, 4},
					   .stride = {6, 1},
					   .elements = 12};
	poison_init(&s->poison, 9);
	poison_spread(&s->poison, s->bytes, sizeof s->bytes);
	return s;
}

static void poison_is_no_number_of_any_floating_type(void **state)
{
	static const enum dtype types[] = {DTYPE_F64, DTYPE_F32, DTYPE_F16,
					   DTYPE_BF16};
	struct poison p;

	(void)state;
	poison_init(&p, 1);
	for (size_t t = 0; t < ARRAY_SIZE(types); t++)
		for (size_t i = 0; i < 100; i++)
			assert_true(isnan(dtype_load(types[t], p.page, i)));
}

/* ---- one changed element --------------------------------------------------- */

static size_t unlike(const unsigned char *a, const unsigned char *b, size_t n,
		     size_t size, size_t *where)
{
	size_t found = 0;

	for (size_t i = 0; i < n; i++)
		if (memcmp(a + i * size, b + i * size, size) != 0) {
			found++;
			*where = i;
		}
	return found;
}

/* Rows of 7 at a step of 9. */
static void changes_that_element_alone(void **state)
{
	static const struct {
		enum dtype dtype;
		enum fill fill;
	} table[] = {
		{DTYPE_F32, FILL_NORMAL},     {DTYPE_F64, FILL_UNIFORM},
		{DTYPE_BF16, FILL_NORMAL},    {DTYPE_F32, FILL_SPARSE},
		{DTYPE_F32, FILL_SMALL_INTS}, {DTYPE_I32, FILL_RANGE},
		{DTYPE_U8, FILL_RANGE},	      {DTYPE_F32, FILL_BY_ROW},
	};

	(void)state;
	for (size_t k = 0; k < ARRAY_SIZE(table); k++) {
		enum dtype t = table[k].dtype;
		struct tensor_layout l = {.dtype = t,
					  .n_dims = 2,
					  .shape = {40, 7},
					  .stride = {9, 1},
					  .elements = 280,
					  .bytes = 360 * dtype_bytes(t)};
		struct recipe r = recipe_of(table[k].fill, 5);
		unsigned char a[360 * 8] = {0}, b[360 * 8] = {0};

		/* Bytes have no number below zero. */
		r.low[0] = 3;
		fill_tensor(a, &l, 0, &r, 0);
		memcpy(b, a, sizeof b);
		for (uint32_t i = 0; i < 280; i++) {
			const struct changed_element e = {.element = i,
							  .number = i * 77};
			size_t where = SIZE_MAX;

			fill_change(b, &l, &r, 0, &e);
			assert_int_equal(
				unlike(a, b, 360, dtype_bytes(t), &where), 1);
			assert_int_equal(where, i / 7 * 9 + i % 7);
			if (table[k].fill == FILL_RANGE)
				assert_in_range(
					(int64_t)dtype_load(t, b, where), 3, 9);
			memcpy(b, a, sizeof b);
		}
	}
}

/* One that is kept has the contents of the other key, whatever the key is. */
static void keeps_the_contents_of_some_inputs(void **state)
{
	struct tensor_layout l = vector(DTYPE_I32, 100);
	struct recipe r = recipe_of(FILL_RANGE, 5),
		      next = recipe_of(FILL_RANGE, 6);
	int32_t was[2][100], is[2][100];

	(void)state;
	next.kept_key = r.key;
	next.is_kept[1] = true;
	for (size_t i = 0; i < 2; i++) {
		fill_tensor(was[i], &l, i, &r, 0);
		fill_tensor(is[i], &l, i, &next, 0);
	}
	assert_memory_not_equal(was[0], is[0], sizeof was[0]);
	assert_memory_equal(was[1], is[1], sizeof was[1]);
	assert_int_equal(recipe_seed(&next, 1, 0), recipe_seed(&r, 1, 0));
}

/* Of a range of one number there is no other. */
static void leaves_the_only_value_there_is(void **state)
{
	struct tensor_layout l = vector(DTYPE_I32, 10);
	struct recipe r = recipe_of(FILL_RANGE, 5);
	const struct changed_element e = {.element = 4};
	int32_t a[10], b[10];

	(void)state;
	r.low[0] = r.high[0] = 7;
	fill_tensor(a, &l, 0, &r, 0);
	memcpy(b, a, sizeof b);
	fill_change(b, &l, &r, 0, &e);
	assert_memory_equal(a, b, sizeof a);
}

static void sees_every_byte_outside_a_tensor(void **state)
{
	cleanup_free struct slot *s = poisoned_slot();
	size_t at[] = {0, 4031, 4032 + 16, 4032 + 47, 4032 + 64, 8191};

	(void)state;
	assert_true(poison_guards_intact(&s->poison, s->bytes, &s->layout));
	s->bytes[4032 + 15] ^= 1; /* its own */
	assert_true(poison_guards_intact(&s->poison, s->bytes, &s->layout));
	for (size_t i = 0; i < ARRAY_SIZE(at); i++) {
		s->bytes[at[i]] ^= 1;
		assert_false(
			poison_guards_intact(&s->poison, s->bytes, &s->layout));
		s->bytes[at[i]] ^= 1;
	}
}

static void counts_what_was_not_written(void **state)
{
	cleanup_free struct slot *s = poisoned_slot();
	float *x = (float *)(void *)(s->bytes + s->layout.offset);
	int64_t first = -1;

	(void)state;
	assert_int_equal(poison_left(&s->poison, s->bytes, &s->layout, &first,
				     NULL),
			 12);
	assert_int_equal(first, 0);
	for (size_t i = 0; i < 12; i++)
		x[i / 4 * 6 + i % 4] = NAN;
	assert_int_equal(
		poison_left(&s->poison, s->bytes, &s->layout, &first, NULL), 0);
	memcpy(&x[6 + 2], (unsigned char *)s->poison.page + 4032 + 32, 4);
	assert_int_equal(
		poison_left(&s->poison, s->bytes, &s->layout, &first, NULL), 1);
	assert_int_equal(first, 6);
}

static void takes_a_float_of_one_byte_for_no_poison(void **state)
{
	static const enum dtype types[] = {DTYPE_F8E4M3, DTYPE_F8E5M2};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		cleanup_free struct slot *s = poisoned_slot();
		unsigned char *x = s->bytes + s->layout.offset;
		int64_t first = -1;

		s->layout.dtype = types[i];
		s->layout.n_dims = 1;
		s->layout.shape[0] = s->layout.elements = 48;
		s->layout.stride[0] = 1;
		s->layout.bytes = 48;
		assert_int_equal(poison_left(&s->poison, s->bytes, &s->layout,
					     &first, NULL),
				 48);
		for (size_t k = 0; k < 48; k++)
			x[k] ^= k != 10;
		assert_int_equal(poison_left(&s->poison, s->bytes, &s->layout,
					     &first, NULL),
				 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(takes_a_float_of_one_byte_for_no_poison),
		cmocka_unit_test(fills_with_what_the_names_say),
		cmocka_unit_test(is_the_generator_that_the_standard_says),
		cmocka_unit_test(
			every_key_argument_and_image_has_contents_of_its_own),
		cmocka_unit_test(static_inputs_stay_and_tell_nothing_of_others),
		cmocka_unit_test(what_is_seen_round_inputs_is_of_no_other_key),
		cmocka_unit_test(a_gpu_makes_the_same_one_by_one),
		cmocka_unit_test(a_range_is_the_same_in_every_integer),
		cmocka_unit_test(integers_are_at_the_ends_of_their_range),
		cmocka_unit_test(outliers_are_rare_and_anywhere),
		cmocka_unit_test(
			shifted_ones_lie_far_from_zero_and_close_together),
		cmocka_unit_test(rows_of_a_kind_each),
		cmocka_unit_test(few_rows_stray_and_not_by_size),
		cmocka_unit_test(makes_numbers_with_all_their_bits),
		cmocka_unit_test(fills_only_the_elements_of_a_strided_tensor),
		cmocka_unit_test(walks_the_rows_it_is_asked_for),
		cmocka_unit_test(poison_is_no_number_of_any_floating_type),
		cmocka_unit_test(changes_that_element_alone),
		cmocka_unit_test(keeps_the_contents_of_some_inputs),
		cmocka_unit_test(leaves_the_only_value_there_is),
		cmocka_unit_test(sees_every_byte_outside_a_tensor),
		cmocka_unit_test(counts_what_was_not_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
