#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "scorer/runner/fill.h"
#include "scorer/runner/poison.h"
#include "scorer/runner/runs.h"

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

static struct recipe recipe_of(enum fill f, uint64_t seed)
{
	return (struct recipe){
		.seed = seed, .fill = {f, f}, .low = {-3, -3}, .high = {9, 9}};
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

	fill_tensor(data, &l, 0, &r);
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

static void gives_every_seed_argument_and_image_its_own_contents(void **state)
{
	struct tensor_layout l = vector(DTYPE_F32, 256);
	struct recipe first = recipe_of(FILL_NORMAL, 1);
	struct recipe other = recipe_of(FILL_NORMAL, 2);
	float a[256], b[256], c[256], again[256];

	(void)state;
	fill_tensor(a, &l, 0, &first);
	fill_tensor(again, &l, 0, &first);
	fill_tensor(b, &l, 0, &other);
	fill_tensor(c, &l, 1, &first);
	assert_memory_equal(a, again, sizeof a);
	for (size_t i = 0; i < 256; i++) {
		assert_true(a[i] != b[i]);
		assert_true(a[i] != c[i]);
	}
	assert_true(fill_seed(1, 0) != fill_seed(1, 1));
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
	fill_tensor(x, &l, 0, &r);
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
	fill_tensor(x, &l, 0, &r);
	fill_tensor(flat, &dense, 0, &r);
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
		struct runs w;
		struct run run;

		memcpy(l.stride, table[i].stride, sizeof table[i].stride);
		runs_start(&w, &l, table[i].begin, table[i].end);
		while (runs_next(&w, &run)) {
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
	assert_int_equal(poison_left(&s->poison, s->bytes, &s->layout, &first),
			 12);
	assert_int_equal(first, 0);
	for (size_t i = 0; i < 12; i++)
		x[i / 4 * 6 + i % 4] = NAN;
	assert_int_equal(poison_left(&s->poison, s->bytes, &s->layout, &first),
			 0);
	memcpy(&x[6 + 2], (unsigned char *)s->poison.page + 4032 + 32, 4);
	assert_int_equal(poison_left(&s->poison, s->bytes, &s->layout, &first),
			 1);
	assert_int_equal(first, 6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fills_with_what_the_names_say),
		cmocka_unit_test(
			gives_every_seed_argument_and_image_its_own_contents),
		cmocka_unit_test(makes_numbers_with_all_their_bits),
		cmocka_unit_test(fills_only_the_elements_of_a_strided_tensor),
		cmocka_unit_test(walks_the_rows_it_is_asked_for),
		cmocka_unit_test(poison_is_no_number_of_any_floating_type),
		cmocka_unit_test(sees_every_byte_outside_a_tensor),
		cmocka_unit_test(counts_what_was_not_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
