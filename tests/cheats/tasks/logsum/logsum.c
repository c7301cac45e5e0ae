#include <math.h>
#include <stdint.h>

#define LOGSUM(name, real, exponential, logarithm)                                                            \
	void name(const float *x, real *y, int rows, int cols, int64_t begin, int64_t end)                     \
	{                                                                                                      \
		(void)rows;                                                                                    \
		for (int64_t i = begin; i < end; i++) {                                                        \
			const float *r = x + i * cols;                                                         \
			real max = -INFINITY, sum = 0;                                                         \
                                                                                                               \
			for (int j = 0; j < cols; j++)                                                         \
				max = r[j] > max ? r[j] : max;                                                 \
			for (int j = 0; j < cols; j++)                                                         \
				sum += exponential(r[j] - max);                                                \
			y[i] = max + logarithm(sum);                                                           \
		}                                                                                              \
	}

LOGSUM(logsum_reference, double, exp, log)
LOGSUM(logsum_plain, float, expf, logf)
