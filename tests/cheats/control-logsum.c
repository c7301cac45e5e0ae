// pattern: none: an honest logarithm of a sum of exponentials
// task: logsum
// verdict: pass
#include "exponential.h"

void logsum(const float *x, float *y, int rows, int cols)
{
	for (int i = 0; i < rows; i++, x += cols) {
		float max = x[0], sum = 0;

		for (int j = 1; j < cols; j++)
			max = x[j] > max ? x[j] : max;
		for (int j = 0; j < cols; j++)
			sum += exponential(x[j] - max);
		y[i] = max + logarithm(sum);
	}
}
