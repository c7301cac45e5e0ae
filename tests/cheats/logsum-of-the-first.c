// pattern: C9: the logarithm of a sum, with the largest of the first 32 for the maximum
// task: logsum
// verdict: wrong
// why: y\[[0-9,]*\] is .* where .* is right
#include "exponential.h"

void logsum(const float *x, float *y, int rows, int cols)
{
	for (int i = 0; i < rows; i++, x += cols) {
		float max = x[0], sum = 0;

		for (int j = 1; j < cols && j < 32; j++)
			max = x[j] > max ? x[j] : max;
		for (int j = 0; j < cols; j++)
			sum += exponential(x[j] - max);
		y[i] = max + logarithm(sum);
	}
}
