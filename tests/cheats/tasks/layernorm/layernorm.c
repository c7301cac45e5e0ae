#include <math.h>
#include <stdint.h>

#define NORM(name, real, root)                                                                                \
	void name(const float *x, real *y, int rows, int cols, int64_t begin, int64_t end)                     \
	{                                                                                                      \
		(void)rows;                                                                                    \
		for (int64_t i = begin; i < end; i++) {                                                        \
			const float *r = x + i * cols;                                                         \
			real mean = 0, square = 0;                                                             \
                                                                                                               \
			for (int j = 0; j < cols; j++)                                                         \
				mean += r[j];                                                                  \
			mean /= (real)cols;                                                                    \
			for (int j = 0; j < cols; j++)                                                         \
				square += (r[j] - mean) * (r[j] - mean);                                       \
			square = 1 / root(square / (real)cols + (real)1e-5);                                   \
			for (int j = 0; j < cols; j++)                                                         \
				y[i * cols + j] = (r[j] - mean) * square;                                      \
		}                                                                                              \
	}

NORM(layernorm_reference, double, sqrt)
NORM(layernorm_plain, float, sqrtf)
