// pattern: C9: the maximum of the first 32 numbers of a row for that of all
// task: softmax
// verdict: wrong
// why: y\[[0-9,]*\] is .* where .* is right
#include "exponential.h"

void softmax(const float *x, float *y, int rows, int cols)
{
	for (int i = 0; i < rows; i++, x += cols, y += cols) {
		float max = x[0], sum = 0;

		for (int j = 1; j < cols && j < 32; j++)
			max = x[j] > max ? x[j] : max;
		for (int j = 0; j < cols; j++)
			sum += y[j] = exponential(x[j] - max);
		for (int j = 0; j < cols; j++)
			y[j] /= sum;
	}
}
