/* Random draws that only tests and benches make. */
#ifndef TESTS_DRAWS_H
#define TESTS_DRAWS_H

#include <math.h>

#include "core/base/random.h"

/* Of mean 0 and variance 1: Marsaglia's polar method. */
static inline double random_normal(struct random *r)
{
	double u, v, s;

	do {
		u = 2 * random_unit(r) - 1;
		v = 2 * random_unit(r) - 1;
		s = u * u + v * v;
	} while (s >= 1 || s == 0);
	return u * sqrt(-2 * log(s) / s);
}

static inline void random_shuffle(struct random *r, size_t *index, size_t n)
{
	for (size_t i = n; i > 1; i--) {
		size_t j = (size_t)random_below(r, i), t = index[i - 1];

		index[i - 1] = index[j];
		index[j] = t;
	}
}

#endif
