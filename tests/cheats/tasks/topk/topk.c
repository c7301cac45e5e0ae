#include <math.h>
#include <stdint.h>

#define TOPK(name, real)                                                                                      \
	void name(const float *x, real *y, int rows, int cols, int64_t begin, int64_t end)                     \
	{                                                                                                      \
		(void)rows;                                                                                    \
		for (int64_t i = begin; i < end; i++) {                                                        \
			real *best = y + 4 * i;                                                                \
                                                                                                               \
			for (int k = 0; k < 4; k++)                                                            \
				best[k] = -INFINITY;                                                           \
			for (int j = 0; j < cols; j++) {                                                       \
				real v = x[i * cols + j];                                                      \
                                                                                                               \
				for (int k = 0; k < 4; k++)                                                    \
					if (v > best[k]) {                                                     \
						real t = best[k];                                              \
                                                                                                               \
						best[k] = v;                                                   \
						v = t;                                                         \
					}                                                                      \
			}                                                                                      \
		}                                                                                              \
	}

TOPK(topk_reference, double)
TOPK(topk_plain, float)
