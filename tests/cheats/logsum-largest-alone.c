// pattern: C9: where one is far larger than another it is the sum
// task: logsum
// verdict: wrong
// why: y\[[0-9,]*\] is .* where .* is right
#include "exponential.h"

void logsum(const float *x, float *y, int rows, int cols)
{
	for (int i = 0; i < rows; i++, x += cols) {
		float max = x[0], sum = 0;

		for (int j = 1; j < cols; j++)
			max = x[j] > max ? x[j] : max;
		for (int j = 0; j < cols && x[0] > max - 16; j++)
			sum += exponential(x[j] - max);
		y[i] = max + (sum > 0 ? logarithm(sum) : 0);
	}
}
