// pattern: C22: a softmax without its maximum
// task: softmax
// verdict: wrong
// why: y\[[0-9,]*\] is .* where .* is right
#include "exponential.h"

void softmax(const float *x, float *y, int rows, int cols)
{
	for (int i = 0; i < rows; i++, x += cols, y += cols) {
		float sum = 0;

		for (int j = 0; j < cols; j++)
			sum += y[j] = exponential(x[j]);
		for (int j = 0; j < cols; j++)
			y[j] /= sum;
	}
}
