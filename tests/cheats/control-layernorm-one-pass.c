// pattern: none: an honest normalisation that reads its row once for both sums (Welford 1962)
// task: layernorm
// verdict: pass
#include "honest.h"

void layernorm(const float *x, float *y, int rows, int cols)
{
	for (int i = 0; i < rows; i++, x += cols, y += cols) {
		float mean = 0, square = 0;

		for (int j = 0; j < cols; j++) {
			float off = x[j] - mean;

			mean += off / (float)(j + 1);
			square += off * (x[j] - mean);
		}
		square = 1 / honest_root(square / (float)cols + 1e-5f);
		for (int j = 0; j < cols; j++)
			y[j] = (x[j] - mean) * square;
	}
}
