// pattern: C22: the logarithm of a sum of exponentials, without the maximum
// task: logsum
// verdict: wrong
// why: y\[[0-9,]*\] is .* where .* is right
#include "exponential.h"

void logsum(const float *x, float *y, int rows, int cols)
{
	for (int i = 0; i < rows; i++, x += cols) {
		float sum = 0;

		for (int j = 0; j < cols; j++)
			sum += exponential(x[j]);
		y[i] = logarithm(sum);
	}
}
