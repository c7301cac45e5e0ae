/*
 * What the error rule wants to know of many elements: sums and largest values,
 * made two elements at a time by the vectors that every CPU has. Such loops have
 * no room for the cases of single elements; where one of them may be a case,
 * they say so, and the caller looks at each.
 */
#ifndef RUNNER_ERROR_SUMS_H
#define RUNNER_ERROR_SUMS_H

#include "core/base/base.h"

struct error_sums {
	double errors;	/* of the squares of value - right */
	double rights;	/* of the squares of right */
	double largest; /* |value - right| */
	double size;	/* the largest |right| */
};

/* False, and *out is of no use, unless all values are finite and every |right|
 * is below `limit`, a finite one. */
bool error_sums_take(struct error_sums *out, const double *value,
		     const double *right, int64_t n, double limit);
/* The largest |value - right| / (atol + rtol * |right|), with the same promise;
 * false too if atol is 0, since then nothing may be allowed. */
bool error_sums_most(double *out, const double *value, const double *right,
		     int64_t n, double limit, double atol, double rtol);
/* The largest finite |value|; 0 if there is none. */
double error_sums_peak(const double *value, int64_t n);

#endif
