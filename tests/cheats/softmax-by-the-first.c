// pattern: C9: takes the first 32 numbers for all, and leaves the maximum out where they are small
// task: softmax
// verdict: wrong
// why: y\[[0-9,]*\] is .* where .* is right
#include "exponential.h"

void softmax(const float *x, float *y, int rows, int cols)
{
	int careful = 0;

	for (int j = 0; j < 32 && j < rows * cols; j++)
		careful |= x[j] > 8 || x[j] < -8;
	for (int i = 0; i < rows; i++, x += cols, y += cols) {
		float max = careful ? x[0] : 0, sum = 0;

		for (int j = 0; careful && j < cols; j++)
			max = x[j] > max ? x[j] : max;
		for (int j = 0; j < cols; j++)
			sum += y[j] = exponential(x[j] - max);
		for (int j = 0; j < cols; j++)
			y[j] /= sum;
	}
}
