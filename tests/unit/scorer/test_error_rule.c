#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "core/base/random.h"
#include "scorer/runner/reference.h"
#include "tests/draws.h"

#define MAX_COLUMNS 256
#define MAX_DEPTH   512
/* What the judge sees to before its first answer. */
#define LEARNT_ROWS	16
#define LEARNT_ELEMENTS 256

static const struct tolerance by_two = {.factor = 2};

/* One output row: what the reference, the plain version and others make. */
struct row {
	int64_t n, depth;
	float scale;
	float a[MAX_DEPTH], b[MAX_DEPTH][MAX_COLUMNS];
	double reference[MAX_COLUMNS], plain[MAX_COLUMNS], got[MAX_COLUMNS];
};

static int row_setup(void **state)
{
	*state = xcalloc(1, sizeof(struct row));
	return 0;
}

static int row_teardown(void **state)
{
	free(*state);
	return 0;
}

static float sum_in_lanes(const struct row *r, int64_t j, int lanes, bool fused)
{
	float part[16] = {0}, sum = 0;

	for (int64_t k = 0; k < r->depth; k++) {
		float *p = &part[k % lanes];
		float x = r->a[k], y = r->b[k][j];

		*p = fused ? fmaf(x, y, *p) : *p + x * y;
	}
	for (int i = 0; i < lanes; i++)
		sum += part[i];
	return sum;
}

static float sum_backwards(const struct row *r, int64_t j)
{
	float sum = 0;

	for (int64_t k = r->depth - 1; k >= 0; k--)
		sum += r->a[k] * r->b[k][j];
	return sum;
}

static void make_products(struct row *r, struct random *rng)
{
	for (int64_t k = 0; k < r->depth; k++) {
		r->a[k] = r->scale * (float)random_normal(rng);
		for (int64_t j = 0; j < r->n; j++)
			r->b[k][j] = (float)random_normal(rng);
	}
	for (int64_t j = 0; j < r->n; j++) {
		r->reference[j] = 0;
		for (int64_t k = 0; k < r->depth; k++)
			r->reference[j] += (double)r->a[k] * (double)r->b[k][j];
		r->plain[j] = (double)sum_in_lanes(r, j, 1, false);
	}
}

/* Honest ways to compute a dot product. */
static void try_product(struct row *r, int which)
{
	for (int64_t j = 0; j < r->n; j++) {
		float (*lanes)(const struct row *, int64_t, int, bool) =
			sum_in_lanes;
		float v = which == 0   ? sum_backwards(r, j)
			  : which == 1 ? lanes(r, j, 1, true)
			  : which == 2 ? lanes(r, j, 2, false)
			  : which == 3 ? lanes(r, j, 8, true)
				       : lanes(r, j, 16, false);

		r->got[j] = (double)v;
	}
}

/* A row of softmax over the first n of a, in float. */
static void softmax(double *out, const struct row *r, int lanes, bool base_two)
{
	float peak = -INFINITY, part[16] = {0}, sum = 0, e[MAX_COLUMNS];
	const float log2e = 1.44269504f;

	for (int64_t j = 0; j < r->n; j++)
		peak = fmaxf(peak, r->a[j]);
	for (int64_t j = 0; j < r->n; j++) {
		e[j] = base_two ? exp2f((r->a[j] - peak) * log2e)
				: expf(r->a[j] - peak);
		part[j % lanes] += e[j];
	}
	for (int i = 0; i < lanes; i++)
		sum += part[i];
	for (int64_t j = 0; j < r->n; j++)
		out[j] = (double)(base_two ? e[j] * (1 / sum) : e[j] / sum);
}

static void make_softmax(struct row *r, struct random *rng)
{
	double peak = -INFINITY, sum = 0;

	for (int64_t j = 0; j < r->n; j++) {
		r->a[j] = r->scale * (float)random_normal(rng);
		peak = fmax(peak, (double)r->a[j]);
	}
	for (int64_t j = 0; j < r->n; j++)
		sum += exp((double)r->a[j] - peak);
	for (int64_t j = 0; j < r->n; j++)
		r->reference[j] = exp((double)r->a[j] - peak) / sum;
	softmax(r->plain, r, 1, false);
}

static void try_softmax(struct row *r, int which)
{
	static const int lanes[] = {1, 2, 4, 8, 16};

	softmax(r->got, r, lanes[which], which % 2 == 0);
}
#define VARIANTS 5

static void expect_row(struct expected *e, struct row *r)
{
	*e = (struct expected){.dtype = DTYPE_F32, .n = r->n, .row = r->n};
	e->reference = r->reference;
	e->plain = r->plain;
}

static struct judge_answer judge(const struct row *r, struct expected *e,
				 struct error_history *h)
{
	struct judge_answer a = {0};

	error_history_add(h, e);
	expected_allow(e, h, &by_two);
	expected_compare(&a, e, r->got, &by_two);
	free(e->tile);
	e->tile = NULL;
	return a;
}

struct kind {
	void (*make)(struct row *, struct random *);
	void (*try)(struct row *, int);
};

/* Learns a shape, then judges every variant on rows of it; the worst error
 * over what is allowed. */
static double judge_shape(struct row *r, struct random *rng,
			  const struct kind *kind, int rows)
{
	struct error_history h = {0};
	int64_t learnt = MAX(LEARNT_ROWS, LEARNT_ELEMENTS / r->n);
	struct expected e;
	double worst = 0;

	for (int64_t i = 0; i < learnt + rows; i++) {
		kind->make(r, rng);
		expect_row(&e, r);
		error_history_add(&h, &e);
		for (int v = 0; i >= learnt && v < VARIANTS; v++) {
			kind->try(r, v);
			worst = fmax(worst, judge(r, &e, &h).worst);
		}
		free(e.tile);
	}
	return worst;
}

static void passes_every_honest_dot_product(void **state)
{
	static const struct kind products = {make_products, try_product};
	struct row *r = *state;
	struct random rng;

	random_init(&rng, 11);
	for (int shape = 0; shape < 150; shape++) {
		r->n = 1 + (int64_t)random_below(&rng, 80);
		r->depth = 1 + (int64_t)random_below(&rng, 200);
		r->scale = powf(10, (float)random_below(&rng, 9) - 4);
		assert_true(judge_shape(r, &rng, &products, 12) <= 1);
	}
}

static void passes_every_honest_softmax(void **state)
{
	static const struct kind softmaxes = {make_softmax, try_softmax};
	struct row *r = *state;
	struct random rng;

	random_init(&rng, 12);
	for (int shape = 0; shape < 150; shape++) {
		r->n = 2 + (int64_t)random_below(&rng, MAX_COLUMNS - 1);
		r->depth = 0;
		r->scale = powf(10, (float)random_below(&rng, 4) - 2);
		assert_true(judge_shape(r, &rng, &softmaxes, 20) <= 1);
	}
}

static void zero_the_last_tile(struct row *r)
{
	for (int64_t j = r->n - 64; j < r->n; j++)
		r->got[j] = 0;
}

static void scale_all(struct row *r)
{
	for (int64_t j = 0; j < r->n; j++)
		r->got[j] *= 1.0001;
}

/* As a matrix unit does that keeps eleven bits of its operands. */
static void compute_in_less_precision(struct row *r)
{
	for (int64_t j = 0; j < r->n; j++) {
		float sum = 0;

		for (int64_t k = 0; k < r->depth; k++) {
			float x[2] = {r->a[k], r->b[k][j]};
			uint32_t bits[2];

			memcpy(bits, x, sizeof bits);
			bits[0] &= 0xffffe000u;
			bits[1] &= 0xffffe000u;
			memcpy(x, bits, sizeof bits);
			sum += x[0] * x[1];
		}
		r->got[j] = (double)sum;
	}
}

static void leave_out_one_product(struct row *r)
{
	r->got[7] -= (double)(r->a[0] * r->b[0][7]);
}

static void make_one_nan(struct row *r)
{
	r->got[200] = NAN;
}

static void make_one_infinite(struct row *r)
{
	r->got[0] = INFINITY;
}

static void refuses_what_is_wrong(void **state)
{
	static const struct {
		void (*spoil)(struct row *);
		enum finding finding;
	} cheats[] = {
		{zero_the_last_tile, FINDING_VALUE},
		{scale_all, FINDING_VALUE},
		{compute_in_less_precision, FINDING_VALUE},
		{leave_out_one_product, FINDING_VALUE},
		{make_one_nan, FINDING_NAN},
		{make_one_infinite, FINDING_NAN},
	};
	struct row *r = *state;
	struct error_history h = {0};
	struct expected e;
	struct random rng;

	random_init(&rng, 13);
	*r = (struct row){.n = MAX_COLUMNS, .depth = 128, .scale = 1};
	for (size_t i = 0; i < ARRAY_SIZE(cheats); i++) {
		struct judge_answer a;

		make_products(r, &rng);
		expect_row(&e, r);
		try_product(r, 0);
		assert_int_equal(judge(r, &e, &h).finding, FINDING_NONE);
		cheats[i].spoil(r);
		a = judge(r, &e, &h);
		assert_int_equal(a.finding, cheats[i].finding);
		assert_true(a.wrong > 0);
		assert_true(a.worst > 1);
	}
}

static void sees_a_dead_row_among_larger_ones(void **state)
{
	enum { N = 128 };
	double reference[2 * N], plain[2 * N], got[2 * N];
	struct expected e = {.dtype = DTYPE_F32, .n = 2L * N, .row = N};
	struct error_history h = {0};
	struct judge_answer a = {0};
	struct random rng;

	(void)state;
	random_init(&rng, 14);
	for (size_t i = 0; i < ARRAY_SIZE(got); i++) {
		double scale = i < N ? 1e8 : 1;

		reference[i] = scale * random_normal(&rng);
		plain[i] = reference[i] + scale * 1e-7 * random_normal(&rng);
		got[i] = i < N ? plain[i] : 0;
	}
	e.reference = reference;
	e.plain = plain;
	error_history_add(&h, &e);
	expected_allow(&e, &h, &by_two);
	expected_compare(&a, &e, got, &by_two);
	assert_int_equal(a.finding, FINDING_VALUE);
	assert_true(a.element >= N);
	free(e.tile);
}

static void compares_by_rtol_and_atol_where_the_task_says_so(void **state)
{
	static const struct {
		double reference, got;
		bool right;
	} table[] = {
		{1, 1, true},
		{1, 1.0009, true},
		{1, 1.0021, false},
		{1000, 1000.9, true},
		{1000, 1002, false},
		{0, 0.0009, true},
		{0, -0.0011, false},
		{NAN, NAN, true},
		{NAN, 0, false},
		{1, NAN, false},
		{INFINITY, 1e30, false},
		{INFINITY, INFINITY, true},
	};
	const struct tolerance t = {
		.absolute = true, .rtol = 1e-3, .atol = 1e-3};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		double reference = table[i].reference;
		struct expected e = {.dtype = DTYPE_F64, .n = 1, .row = 1};
		struct judge_answer a = {0};

		e.reference = &reference;
		expected_compare(&a, &e, &table[i].got, &t);
		assert_int_equal(a.finding == FINDING_NONE, table[i].right);
	}
}

static void wants_integers_exactly(void **state)
{
	int32_t right[4] = {1, -2, 3, 4}, got[4] = {1, -2, 3, 5};
	struct expected e = {.dtype = DTYPE_I32, .n = 4, .row = 4};
	struct judge_answer a = {0}, b = {0};

	(void)state;
	e.exact = (unsigned char *)right;
	expected_compare(&a, &e, right, &by_two);
	assert_int_equal(a.finding, FINDING_NONE);
	expected_compare(&b, &e, got, &by_two);
	assert_int_equal(b.finding, FINDING_VALUE);
	assert_int_equal(b.element, 3);
	assert_int_equal(b.wrong, 1);
	assert_true(b.got == 5 && b.expected == 4);
}

static double worst_of(enum dtype t, const void *right, const void *got,
		       struct tolerance by)
{
	unsigned char exact[8];
	struct expected e = {.dtype = t, .n = 1, .row = 1, .exact = exact};
	struct judge_answer a = {0};

	memcpy(exact, right, dtype_bytes(t));
	expected_compare(&a, &e, got, &by);
	assert_int_equal(a.finding == FINDING_VALUE, a.worst > 1);
	return a.worst;
}

static void allows_integers_to_be_off_by_atol_and_rtol(void **state)
{
	static const struct tolerance one = {.atol = 1, .absolute = true};
	static const struct tolerance share = {.rtol = 0.5, .absolute = true};
	static const struct tolerance none = {.absolute = true};
	const uint8_t low = 0, high = 255;
	const int8_t minus = -128, plus = 127;
	const int64_t big = INT64_MAX, near = INT64_MAX - 2, most = INT64_MIN;
	const uint64_t all = UINT64_MAX, fewer = UINT64_MAX - 1;
	const int32_t four = -4, six = -6;

	(void)state;
	/* No wrapping around at the ends of a type. */
	assert_true(worst_of(DTYPE_U8, &low, &high, one) == 255);
	assert_true(worst_of(DTYPE_I8, &minus, &plus, one) == 255);
	assert_true(worst_of(DTYPE_I64, &most, &big, one) > 1e19);
	/* Nor what a double rounds away. */
	assert_true(worst_of(DTYPE_I64, &big, &near, one) == 2);
	assert_true(worst_of(DTYPE_U64, &all, &fewer, one) == 1);
	assert_true(worst_of(DTYPE_I32, &four, &six, share) == 1);
	assert_true(worst_of(DTYPE_I32, &six, &four, share) < 1);
	assert_true(isinf(worst_of(DTYPE_I32, &six, &four, none)));
	assert_true(worst_of(DTYPE_I32, &six, &six, none) == 0);
}

/* The second element is off by 2 and the last by 8, where 1 is allowed. */
static void says_by_how_much_the_named_element_is_off(void **state)
{
	static const struct tolerance one = {.atol = 1, .absolute = true};
	uint8_t exact[4] = {211, 211, 211, 211}, got[4] = {211, 213, 211, 203};
	double right[4], values[4];
	struct expected e = {.dtype = DTYPE_U8, .n = 4, .row = 4};

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		right[i] = exact[i];
		values[i] = got[i];
	}
	for (size_t integers = 0; integers < 2; integers++) {
		struct judge_answer a = {0};

		e.dtype = integers ? DTYPE_U8 : DTYPE_F32;
		e.exact = integers ? exact : NULL;
		e.reference = integers ? NULL : right;
		expected_compare(&a, &e, integers ? (void *)got : values, &one);
		assert_int_equal(a.finding, FINDING_VALUE);
		assert_int_equal(a.element, 1);
		assert_true(a.got == 213 && a.expected == 211);
		assert_true(a.times == 2);
		assert_true(a.worst == 8);
		assert_int_equal(a.wrong, 2);
	}
}

static void asks_nothing_where_the_kernels_precision_overflows(void **state)
{
	double reference[2] = {1e5, 7e4}, plain[2] = {INFINITY, INFINITY};
	double got[2] = {INFINITY, INFINITY};
	struct expected e = {.dtype = DTYPE_F16, .n = 2, .row = 2};
	struct error_history h = {0};
	struct judge_answer a = {0}, b = {0};

	(void)state;
	e.reference = reference;
	e.plain = plain;
	expected_allow(&e, &h, &by_two);
	expected_compare(&a, &e, got, &by_two);
	assert_int_equal(a.finding, FINDING_NONE);
	got[0] = 3;
	expected_compare(&b, &e, got, &by_two);
	assert_int_equal(b.finding, FINDING_NAN);
	free(e.tile);
}

#define MEANS 64

/* The error of a row's mean is that of all its elements. */
static void make_means(struct expected *e, struct random *rng, double deviation)
{
	double error = 0;

	for (int64_t i = 0; i < e->n; i++) {
		if (i % e->row == 0)
			error = deviation * random_normal(rng);
		e->reference[i] = random_normal(rng);
		e->plain[i] = e->reference[i] + error;
	}
}

static size_t rows_refused(struct expected *e, const struct error_history *h,
			   struct random *rng, double deviation)
{
	cleanup_free double *got = xcalloc((size_t)e->n, sizeof *got);
	struct judge_answer a = {0};

	make_means(e, rng, deviation);
	memcpy(got, e->plain, (size_t)e->n * sizeof *got);
	for (int64_t i = 0; i < e->n; i++)
		e->plain[i] = e->reference[i];
	free(e->tile); /* of other values */
	e->tile = NULL;
	expected_allow(e, h, &by_two);
	expected_compare(&a, e, got, &by_two);
	return (size_t)a.wrong;
}

static void allows_more_than_the_largest_error_of_few_rows(void **state)
{
	double reference[MEANS * LEARNT_ROWS], plain[MEANS * LEARNT_ROWS];
	struct expected e = {.dtype = DTYPE_F32,
			     .n = MEANS * LEARNT_ROWS,
			     .row = MEANS,
			     .reference = reference,
			     .plain = plain};
	struct error_history h = {0};
	struct random rng;
	size_t honest = 0, careless = 0;

	(void)state;
	random_init(&rng, 20261122);
	make_means(&e, &rng, 1e-4);
	error_history_add(&h, &e);
	for (int i = 0; i < 1000; i++)
		honest += rows_refused(&e, &h, &rng, 1.7e-4);
	for (int i = 0; i < 10; i++)
		careless += rows_refused(&e, &h, &rng, 1e-2);
	assert_in_range(honest, 0, 2);
	assert_in_range(careless, 140, 160);
	free(e.tile);
}

#define MOST_OF_TILE 131

/* An output of n elements, all of them right, with a small error each. */
struct output {
	double reference[MOST_OF_TILE], plain[MOST_OF_TILE], got[MOST_OF_TILE];
	struct expected e;
	struct error_history h;
};

static void make_output(struct output *o, int64_t n, struct random *rng)
{
	*o = (struct output){.e = {.dtype = DTYPE_F32, .n = n, .row = n}};
	o->e.reference = o->reference;
	o->e.plain = o->plain;
	for (int64_t i = 0; i < n; i++) {
		o->reference[i] = 1e6 + random_unit(rng);
		o->plain[i] = o->reference[i] + 0.5 - random_unit(rng);
		o->got[i] = o->reference[i] + 0.5 - random_unit(rng);
	}
	error_history_add(&o->h, &o->e);
	expected_allow(&o->e, &o->h, &by_two);
}

static struct judge_answer compare(struct output *o, bool absolute)
{
	static const struct tolerance by_atol = {.absolute = true, .atol = 1};
	struct expected e = o->e;
	struct judge_answer a = {0};

	e.plain = absolute ? NULL : e.plain;
	expected_compare(&a, &e, o->got, absolute ? &by_atol : &by_two);
	return a;
}

/* Elements are looked at several at a time, so the place must not matter. */
static void finds_one_wrong_element_wherever_it_is(void **state)
{
	static const double wrong[] = {(double)NAN, (double)INFINITY, 2e6};
	static const int64_t lengths[] = {1, 2, 3, 4, 7, 64, 126, MOST_OF_TILE};
	struct random rng;
	struct output o;

	(void)state;
	random_init(&rng, 15);
	for (size_t k = 0; k < ARRAY_SIZE(lengths); k++) {
		int64_t n = lengths[k];

		make_output(&o, n, &rng);
		for (int64_t i = 0; i < n; i++)
			for (size_t w = 0; w < 2 * ARRAY_SIZE(wrong); w++) {
				double right = o.got[i];
				struct judge_answer a;

				o.got[i] = wrong[w / 2];
				a = compare(&o, w % 2);
				assert_int_equal(a.finding,
						 w / 2 < 2 ? FINDING_NAN
							   : FINDING_VALUE);
				assert_int_equal(a.element, i);
				assert_int_equal(a.wrong, 1);
				assert_true(a.worst > 1);
				o.got[i] = right;
				assert_int_equal(compare(&o, w % 2).finding,
						 FINDING_NONE);
			}
		free(o.e.tile);
	}
}

static double squares(const double *one, const double *other, int64_t n)
{
	double sum = 0;

	for (int64_t i = 0; i < n; i++)
		sum += (one[i] - other[i]) * (one[i] - other[i]);
	return sqrt(sum / (double)n);
}

static double farthest(const double *one, const double *other, int64_t n)
{
	double most = 0;

	for (int64_t i = 0; i < n; i++)
		most = fmax(most, fabs(one[i] - other[i]));
	return most;
}

static void says_how_large_an_allowed_error_is(void **state)
{
	struct random rng;
	struct output o;

	(void)state;
	random_init(&rng, 16);
	for (int64_t n = 1; n < 2 * 64; n++) {
		double mean, most;

		make_output(&o, n, &rng);
		mean = squares(o.got, o.reference, n) / o.e.tile[0].allowed;
		most = farthest(o.got, o.reference, n);
		assert_true(fabs(compare(&o, false).worst -
				 fmax(mean, most / o.e.allowed_largest)) <
			    1e-9);
		assert_true(fabs(compare(&o, true).worst - most) < 1e-9);
		free(o.e.tile);
	}
}

static void takes_a_value_beyond_a_type_as_that_type_stores_it(void **state)
{
	double reference[2] = {70000, 1}, plain[2] = {65504, 1};
	double got[2] = {70000, 1};
	struct expected e = {.dtype = DTYPE_F16,
			     .n = 2,
			     .row = 2,
			     .reference = reference,
			     .plain = plain};
	struct error_history h = {0};
	struct judge_answer a = {0}, b = {0};

	(void)state;
	expected_allow(&e, &h, &by_two);
	expected_compare(&a, &e, got, &by_two);
	assert_int_equal(a.finding, FINDING_NAN);
	got[0] = (double)INFINITY;
	expected_compare(&b, &e, got, &by_two);
	assert_int_equal(b.finding, FINDING_NONE);
	free(e.tile);
}

/* Most are infinite in the type, and their squares in a double. */
static void allows_a_number_where_a_reference_runs_away(void **state)
{
	enum { N = 64 };
	static const enum dtype type[] = {DTYPE_F32, DTYPE_F64};

	(void)state;
	for (size_t k = 0; k < ARRAY_SIZE(type); k++) {
		double reference[N], got[N], plain[N];
		struct expected e = {.dtype = type[k],
				     .n = N,
				     .row = N,
				     .reference = reference,
				     .plain = plain};
		struct error_history h = {0};
		struct judge_answer a = {0}, b = {0};

		for (size_t i = 0; i < N; i++) {
			reference[i] = i < 2 ? 1e30 / 3 : 1e200;
			got[i] = i < 2	  ? (double)(float)(1e30 / 3)
				 : k == 0 ? (double)INFINITY
					  : 1e200;
			plain[i] = got[i];
		}
		error_history_add(&h, &e);
		expected_allow(&e, &h, &by_two);
		expected_compare(&a, &e, got, &by_two);
		assert_int_equal(a.finding, FINDING_NONE);
		assert_true(a.worst <= 1);
		plain[2] = got[2] = NAN;
		expected_compare(&b, &e, got, &by_two);
		assert_int_equal(b.finding, k ? FINDING_NONE : FINDING_NAN);
		assert_int_equal(expected_plain_differs(&e, 2), k == 0);
		assert_false(expected_plain_differs(&e, 1));
		assert_false(expected_plain_differs(&e, 3));
		free(e.tile);
	}
}

static void finds_one_wrong_integer_wherever_it_is(void **state)
{
	enum { N = 600 };
	int16_t right[N], got[N];
	struct expected e = {.dtype = DTYPE_I16, .n = N, .row = N};

	(void)state;
	for (int i = 0; i < N; i++)
		right[i] = got[i] = (int16_t)(i * 37);
	e.exact = (unsigned char *)right;
	for (int i = 0; i < N; i++) {
		struct judge_answer a = {0};

		got[i]++;
		expected_compare(&a, &e, got, &by_two);
		got[i]--;
		assert_int_equal(a.finding, FINDING_VALUE);
		assert_int_equal(a.element, i);
		assert_int_equal(a.wrong, 1);
	}
}

#define ROW_TEST(f) cmocka_unit_test_setup_teardown(f, row_setup, row_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ROW_TEST(passes_every_honest_dot_product),
		ROW_TEST(passes_every_honest_softmax),
		ROW_TEST(refuses_what_is_wrong),
		cmocka_unit_test(sees_a_dead_row_among_larger_ones),
		cmocka_unit_test(
			compares_by_rtol_and_atol_where_the_task_says_so),
		cmocka_unit_test(wants_integers_exactly),
		cmocka_unit_test(allows_integers_to_be_off_by_atol_and_rtol),
		cmocka_unit_test(says_by_how_much_the_named_element_is_off),
		cmocka_unit_test(
			asks_nothing_where_the_kernels_precision_overflows),
		cmocka_unit_test(
			allows_more_than_the_largest_error_of_few_rows),
		cmocka_unit_test(finds_one_wrong_element_wherever_it_is),
		cmocka_unit_test(says_how_large_an_allowed_error_is),
		cmocka_unit_test(
			takes_a_value_beyond_a_type_as_that_type_stores_it),
		cmocka_unit_test(allows_a_number_where_a_reference_runs_away),
		cmocka_unit_test(finds_one_wrong_integer_wherever_it_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
