#include "rich.h"

#define RICH(NAME, T, RESULT)                                                  \
	RESULT NAME(const float *x, const float *in, const int32_t *at, T *y,  \
		    double *z, const struct opts *o, void *scratch,            \
		    void *packed, int m, int part)                             \
	{                                                                      \
		RESULT count = 0;                                              \
		for (int i = 0; i < m; i++) {                                  \
			const float *row = x + i * (o->n + 4);                 \
			T sum = 0;                                             \
			for (int64_t j = 0; j < o->n; j++)                     \
				sum += row[j] * (in[j] * (T)o->scale);         \
			y[i] += sum + o->bias[i];                              \
			z[i * 3] = row[at[i]];                                 \
			z[i * 3 + 1] = i % part + (double)row[0];              \
			count += at[i] % part == 0;                            \
		}                                                              \
		return count;                                                  \
	}

RICH(rich_reference, double, int)
RICH(rich_plain, float, int)
