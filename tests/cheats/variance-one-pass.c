// pattern: C22: the mean of squares less the square of the mean
// task: layernorm
// verdict: wrong
// why: y\[[0-9,]*\] is .* where .* is right
#include "honest.h"

void layernorm(const float *x, float *y, int rows, int cols)
{
	for (int i = 0; i < rows; i++, x += cols, y += cols) {
		float mean = 0, square = 0;

		for (int j = 0; j < cols; j++) {
			mean += x[j];
			square += x[j] * x[j];
		}
		mean /= (float)cols;
		square = 1 / honest_root(square / (float)cols - mean * mean + 1e-5f);
		for (int j = 0; j < cols; j++)
			y[j] = (x[j] - mean) * square;
	}
}
