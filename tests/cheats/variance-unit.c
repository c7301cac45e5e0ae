// pattern: C9: takes a row for normal that looks so in its first 32 numbers
// task: layernorm
// verdict: wrong
// why: y\[[0-9,]*\] is .* where .* is right
#include "honest.h"

void layernorm(const float *x, float *y, int rows, int cols)
{
	for (int i = 0; i < rows; i++, x += cols, y += cols) {
		int n = cols < 32 ? cols : 32, far = 0;
		float mean = 0, square = 0;

		for (int j = 0; j < n; j++)
			far |= x[j] > 4 || x[j] < -4;
		for (int j = 0; j < cols; j++)
			mean += x[j];
		mean /= (float)cols;
		for (int j = 0; j < (far ? cols : n); j++)
			square += (x[j] - mean) * (x[j] - mean);
		square = 1 / honest_root(square / (float)(far ? cols : n) + 1e-5f);
		for (int j = 0; j < cols; j++)
			y[j] = (x[j] - mean) * square;
	}
}
