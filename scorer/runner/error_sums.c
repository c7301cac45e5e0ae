#include "scorer/runner/error_sums.h"

#include <float.h>

/* A compiler adds in the order that is written, so it makes no vectors of such
 * sums by itself. */
typedef double pair __attribute__((vector_size(16)));
typedef int64_t pair_bits __attribute__((vector_size(16)));

/* Two pairs at a time, since an addition waits for the one before. */
#define LANES 2
#define STEP  (2 * LANES) /* elements */

#define EACH_TIME static inline __attribute__((always_inline))

EACH_TIME pair load(const double *from)
{
	pair v;

	memcpy(&v, from, sizeof v);
	return v;
}

EACH_TIME pair magnitude(pair v)
{
	return (pair)((pair_bits)v & INT64_MAX);
}

/* Of a NaN and b it is b. */
EACH_TIME pair larger(pair a, pair b)
{
	pair_bits first = a > b;

	return (pair)(((pair_bits)a & first) | ((pair_bits)b & ~first));
}

struct sums {
	pair errors, rights;
	pair largest;
	pair size; /* the largest |right| */
	pair odd;  /* 0 times each error: 0 where all are finite, else NaN */
};

EACH_TIME void add(struct sums s[LANES], const double *value,
		   const double *right)
{
	for (int64_t l = 0; l < LANES; l++) {
		pair r = load(right + 2 * l);
		pair err = magnitude(load(value + 2 * l) - r);

		s[l].errors += err * err;
		s[l].rights += r * r;
		s[l].largest = larger(err, s[l].largest);
		s[l].size = larger(magnitude(r), s[l].size);
		s[l].odd += err * 0.0;
	}
}

EACH_TIME void add_ratio(struct sums s[LANES], const double *value,
			 const double *right, double atol, double rtol)
{
	for (int64_t l = 0; l < LANES; l++) {
		pair r = load(right + 2 * l), size = magnitude(r);
		pair err = magnitude(load(value + 2 * l) - r);

		s[l].largest = larger(err / (atol + rtol * size), s[l].largest);
		s[l].size = larger(size, s[l].size);
		s[l].odd += err * 0.0;
	}
}

/* The elements that fill no step, and zeros, which change no sum and are never
 * the largest. */
static void copy_rest(double out[STEP], const double *from, int64_t n)
{
	memset(out, 0, STEP * sizeof *out);
	memcpy(out, from, (size_t)n * sizeof *out);
}

static double sum(pair one, pair other)
{
	return (one[0] + one[1]) + (other[0] + other[1]);
}

static double largest(pair one, pair other)
{
	pair both = larger(one, other);

	return MAX(both[0], both[1]);
}

/* A NaN is in no largest value, but in `odd`. */
static bool all_usual(const struct sums s[LANES], double limit)
{
	return sum(s[0].odd, s[1].odd) == 0 &&
	       largest(s[0].size, s[1].size) < limit;
}

bool error_sums_take(struct error_sums *out, const double *value,
		     const double *right, int64_t n, double limit)
{
	double v[STEP], r[STEP];
	struct sums s[LANES];
	int64_t i = 0;

	memset(s, 0, sizeof s);
	for (; i + STEP <= n; i += STEP)
		add(s, value + i, right + i);
	copy_rest(v, value + i, n - i);
	copy_rest(r, right + i, n - i);
	add(s, v, r);
	out->errors = sum(s[0].errors, s[1].errors);
	out->rights = sum(s[0].rights, s[1].rights);
	out->largest = largest(s[0].largest, s[1].largest);
	out->size = largest(s[0].size, s[1].size);
	return all_usual(s, limit);
}

bool error_sums_most(double *out, const double *value, const double *right,
		     int64_t n, double limit, double atol, double rtol)
{
	double v[STEP], r[STEP];
	struct sums s[LANES];
	int64_t i = 0;

	if (!(atol > 0))
		return false;
	memset(s, 0, sizeof s);
	for (; i + STEP <= n; i += STEP)
		add_ratio(s, value + i, right + i, atol, rtol);
	copy_rest(v, value + i, n - i);
	copy_rest(r, right + i, n - i);
	add_ratio(s, v, r, atol, rtol);
	*out = largest(s[0].largest, s[1].largest);
	return all_usual(s, limit);
}

/* Infinity and NaN become 0. */
EACH_TIME pair finite(pair v)
{
	return (pair)((pair_bits)v & (v <= DBL_MAX));
}

double error_sums_peak(const double *value, int64_t n)
{
	pair one = {0}, other = {0};
	double v[STEP];
	int64_t i = 0;

	for (; i + STEP <= n; i += STEP) {
		one = larger(finite(magnitude(load(value + i))), one);
		other = larger(finite(magnitude(load(value + i + 2))), other);
	}
	copy_rest(v, value + i, n - i);
	one = larger(finite(magnitude(load(v))), one);
	other = larger(finite(magnitude(load(v + 2))), other);
	return largest(one, other);
}
