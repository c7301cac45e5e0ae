#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "core/base/random.h"
#include "core/base/dtype.h"

static uint8_t code(enum dtype t, double v)
{
	uint8_t out[2] = {0, 0x5a};

	dtype_store(t, out, 0, v);
	assert_int_equal(out[1], 0x5a);
	return out[0];
}

static double value(enum dtype t, uint8_t code)
{
	return dtype_load(t, &code, 0);
}

static void floats_of_eight_bits_have_the_values_of_the_standard(void **state)
{
	static const struct {
		enum dtype t;
		uint8_t code;
		double value;
	} known[] = {
		{DTYPE_F8E4M3, 0x00, 0},	{DTYPE_F8E4M3, 0x38, 1},
		{DTYPE_F8E4M3, 0x7e, 448},	{DTYPE_F8E4M3, 0x08, 0x1p-6},
		{DTYPE_F8E4M3, 0x01, 0x1p-9},	{DTYPE_F8E4M3, 0xb8, -1},
		{DTYPE_F8E4M3, 0x78, 256},	{DTYPE_F8E5M2, 0x3c, 1},
		{DTYPE_F8E5M2, 0x7b, 57344},	{DTYPE_F8E5M2, 0x01, 0x1p-16},
		{DTYPE_F8E5M2, 0x04, 0x1p-14},	{DTYPE_F8E5M2, 0x7c, INFINITY},
		{DTYPE_F8E5M2, 0xfc, -INFINITY}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		assert_true(value(known[i].t, known[i].code) == known[i].value);
		assert_int_equal(code(known[i].t, known[i].value),
				 known[i].code);
	}
	assert_true(isnan(value(DTYPE_F8E4M3, 0x7f)));
	assert_true(isnan(value(DTYPE_F8E4M3, 0xff)));
	assert_true(isnan(value(DTYPE_F8E5M2, 0x7d)));
}

static void every_code_comes_back(void **state)
{
	static const enum dtype types[] = {DTYPE_F8E4M3, DTYPE_F8E5M2};

	(void)state;
	for (size_t t = 0; t < ARRAY_SIZE(types); t++)
		for (int c = 0; c < 256; c++) {
			double v = value(types[t], (uint8_t)c);
			uint8_t again = code(types[t], v);

			if (isnan(v))
				assert_true(isnan(value(types[t], again)));
			else
				assert_int_equal(again, c);
		}
}

static void rounds_to_nearest_even_and_stops_at_the_end(void **state)
{
	static const struct {
		enum dtype t;
		double from, to;
	} rounded[] = {{DTYPE_F8E4M3, 17, 16},
		       {DTYPE_F8E4M3, 19, 20},
		       {DTYPE_F8E4M3, 465, 448},
		       {DTYPE_F8E4M3, 1e9, 448},
		       {DTYPE_F8E4M3, -INFINITY, -448},
		       {DTYPE_F8E4M3, 0x1p-11, 0},
		       {DTYPE_F8E5M2, 9, 8},
		       {DTYPE_F8E5M2, 11, 12},
		       {DTYPE_F8E5M2, 1e9, INFINITY},
		       {DTYPE_F8E5M2, -1e9, -INFINITY},
		       {DTYPE_F8E5M2, 60000, 57344}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rounded); i++)
		assert_true(value(rounded[i].t,
				  code(rounded[i].t, rounded[i].from)) ==
			    rounded[i].to);
}

static void floats_of_sixteen_bits_are_as_they_were(void **state)
{
	uint16_t x;

	(void)state;
	dtype_store(DTYPE_F16, &x, 0, 65504);
	assert_int_equal(x, 0x7bff);
	dtype_store(DTYPE_F16, &x, 0, 65520);
	assert_int_equal(x, 0x7c00);
	dtype_store(DTYPE_BF16, &x, 0, -1);
	assert_int_equal(x, 0xbf80);
	dtype_store(DTYPE_BF16, &x, 0, (double)NAN);
	assert_true(isnan(dtype_load(DTYPE_BF16, &x, 0)));
}

/* What a type of 16 bits makes of v, by the C library. */
static double by_the_library(double v, int bits, int lowest, double most)
{
	int exponent;
	double unit, r;

	if (v == 0 || isinf(v))
		return v;
	frexp(v, &exponent);
	exponent = exponent - 1 < lowest ? lowest : exponent - 1;
	unit = ldexp(1, exponent - bits);
	r = nearbyint(v / unit) * unit;
	return fabs(r) > most ? copysign((double)INFINITY, v) : r;
}

/* Of any size from far below the least to far above the largest; ties too. */
static double any_double(struct random *r)
{
	double v = (double)(random_u64(r) & 0x1fff) / 0x1000;

	if (random_below(r, 2))
		v += (double)(random_u64(r) >> 11) * 0x1p-65;
	v = ldexp(v, (int)random_below(r, 320) - 170);
	return random_below(r, 2) ? -v : v;
}

static void rounds_as_the_c_library_does(void **state)
{
	struct random r;

	(void)state;
	random_init(&r, 3);
	for (size_t i = 0; i < 200000; i++) {
		double v = any_double(&r);
		uint16_t x;

		dtype_store(DTYPE_F16, &x, 0, v);
		assert_true(dtype_load(DTYPE_F16, &x, 0) ==
			    by_the_library(v, 10, -14, 65504));
		dtype_store(DTYPE_BF16, &x, 0, v);
		assert_true(dtype_load(DTYPE_BF16, &x, 0) ==
			    by_the_library(v, 7, -126, 0x1.fep127));
	}
}

static void integers_are_rounded_as_the_c_library_does(void **state)
{
	struct random r;

	(void)state;
	random_init(&r, 4);
	for (size_t i = 0; i < 200000; i++) {
		double v = any_double(&r), whole = nearbyint(v);
		int64_t wide;
		uint8_t narrow;

		dtype_store(DTYPE_I64, &wide, 0, v);
		assert_true(wide == (whole >= 0x1p63	? INT64_MAX
				     : whole <= -0x1p63 ? INT64_MIN
							: (int64_t)whole));
		dtype_store(DTYPE_U8, &narrow, 0, v);
		assert_int_equal(narrow, whole > 255 ? 255
					 : whole < 0 ? 0
						     : (int)whole);
	}
}

/* The same bits, but that a NaN is only a NaN. */
static bool same(double a, double b)
{
	return (isnan(a) && isnan(b)) || memcmp(&a, &b, sizeof a) == 0;
}

#define CODES ((size_t)1 << 16)

static void many_are_loaded_as_one_is(void **state)
{
	static const size_t steps[] = {1, 3};
	cleanup_free uint64_t *code = xcalloc(3 * CODES, sizeof *code);
	cleanup_free double *out = xcalloc(CODES, sizeof *out);
	struct random r;

	(void)state;
	random_init(&r, 5);
	for (size_t k = 0; k < ARRAY_SIZE(steps) * DTYPE_COUNT; k++) {
		enum dtype t = (enum dtype)(k / ARRAY_SIZE(steps));
		size_t step = steps[k % ARRAY_SIZE(steps)];
		size_t size = dtype_bytes(t);

		/* All codes of two bytes, some of longer ones. */
		for (size_t i = 0; i < CODES; i++) {
			uint64_t x = size > 2 ? random_u64(&r) : i;

			memcpy((char *)code + i * step * size, &x, size);
		}
		dtype_load_all(out, t, code, step, CODES);
		for (size_t i = 0; i < CODES; i++)
			assert_true(
				same(out[i], dtype_load(t, code, i * step)));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			floats_of_eight_bits_have_the_values_of_the_standard),
		cmocka_unit_test(every_code_comes_back),
		cmocka_unit_test(rounds_to_nearest_even_and_stops_at_the_end),
		cmocka_unit_test(floats_of_sixteen_bits_are_as_they_were),
		cmocka_unit_test(rounds_as_the_c_library_does),
		cmocka_unit_test(integers_are_rounded_as_the_c_library_does),
		cmocka_unit_test(many_are_loaded_as_one_is),
	};

	return cmocka_run_group_tests_name("dtype", tests, NULL, NULL);
}
