// pattern: C9: one pass for all rows where the first row lies round zero
// task: layernorm
// verdict: wrong
// why: y\[[0-9,]*\] is .* where .* is right.*(by_row|stray_rows|uniform|large|outliers)
#include "honest.h"

void layernorm(const float *x, float *y, int rows, int cols)
{
	float first = 0;

	for (int j = 0; j < cols; j++)
		first += x[j];
	first /= (float)cols;
	for (int i = 0; i < rows; i++, x += cols, y += cols) {
		float mean = 0, square = 0, raw = 0;

		for (int j = 0; j < cols; j++) {
			mean += x[j];
			raw += x[j] * x[j];
		}
		mean /= (float)cols;
		for (int j = 0; j < cols; j++)
			square += (x[j] - mean) * (x[j] - mean);
		if (first < 2 && first > -2)
			square = raw - mean * mean * (float)cols;
		square = 1 / honest_root(square / (float)cols + 1e-5f);
		for (int j = 0; j < cols; j++)
			y[j] = (x[j] - mean) * square;
	}
}
