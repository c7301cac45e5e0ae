// pattern: C22: sums that overflow where inputs are large
// verdict: wrong
// why: y\[[0-9,]*\] is .* where .* is right
#include "honest.h"

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	for (int i = 0; i < rows; i++, x += cols, y += cols) {
		float sum = 0, scale;

		for (int j = 0; j < cols; j++)
			sum += x[j] * x[j];
		if (sum > 65504)
			sum = 65504;
		scale = 1 / honest_root(sum / (float)cols + 1e-6f);
		for (int j = 0; j < cols; j++)
			y[j] = x[j] * scale * g[j];
	}
}
