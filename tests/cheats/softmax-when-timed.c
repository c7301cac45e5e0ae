// pattern: T20: right for as many calls as the first phase makes, then a softmax without its maximum
// task: softmax
// verdict: wrong
// why: y\[[0-9,]*\] is .* where .* is right.*stray_rows
// faster: no
#include "exponential.h"

void softmax(const float *x, float *y, int rows, int cols)
{
	static int calls;
	int careful = calls++ < 31;

	for (int i = 0; i < rows; i++, x += cols, y += cols) {
		float max = careful ? x[0] : 0, sum = 0;

		for (int j = 1; careful && j < cols; j++)
			max = x[j] > max ? x[j] : max;
		for (int j = 0; j < cols; j++)
			sum += y[j] = exponential(x[j] - max);
		for (int j = 0; j < cols; j++)
			y[j] /= sum;
	}
}
