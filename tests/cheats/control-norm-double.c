// pattern: none: an honest kernel that is more careful than asked
// verdict: pass
#include "honest.h"

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	for (int i = 0; i < rows; i++, x += cols, y += cols) {
		double sum = 0;
		float scale;

		for (int j = 0; j < cols; j++)
			sum += (double)x[j] * x[j];
		scale = 1 / honest_root((float)(sum / cols) + 1e-6f);
		for (int j = 0; j < cols; j++)
			y[j] = x[j] * scale * g[j];
	}
}
