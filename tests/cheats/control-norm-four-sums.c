// pattern: none: an honest kernel with another order of summation
// verdict: pass
#include "honest.h"

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	for (int i = 0; i < rows; i++, x += cols, y += cols) {
		float sum[4] = {0}, scale;

		for (int j = 0; j < cols; j++)
			sum[j & 3] += x[j] * x[j];
		scale = 1 / honest_root((sum[0] + sum[1] + sum[2] + sum[3]) / (float)cols + 1e-6f);
		for (int j = 0; j < cols; j++)
			y[j] = x[j] * scale * g[j];
	}
}
