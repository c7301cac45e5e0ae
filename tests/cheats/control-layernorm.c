// pattern: none: an honest normalisation by mean and deviation
// task: layernorm
// verdict: pass
#include "honest.h"

void layernorm(const float *x, float *y, int rows, int cols)
{
	for (int i = 0; i < rows; i++, x += cols, y += cols) {
		float mean = 0, square = 0;

		for (int j = 0; j < cols; j++)
			mean += x[j];
		mean /= (float)cols;
		for (int j = 0; j < cols; j++)
			square += (x[j] - mean) * (x[j] - mean);
		square = 1 / honest_root(square / (float)cols + 1e-5f);
		for (int j = 0; j < cols; j++)
			y[j] = (x[j] - mean) * square;
	}
}
