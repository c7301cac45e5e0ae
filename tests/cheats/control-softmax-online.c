// pattern: none: an honest softmax that finds its maximum on the way
// task: softmax
// verdict: pass
#include "exponential.h"

void softmax(const float *x, float *y, int rows, int cols)
{
	for (int i = 0; i < rows; i++, x += cols, y += cols) {
		float max = x[0], sum = 1;

		for (int j = 1; j < cols; j++) {
			if (x[j] > max) {
				sum *= exponential(max - x[j]);
				max = x[j];
			}
			sum += exponential(x[j] - max);
		}
		sum = 1 / sum;
		for (int j = 0; j < cols; j++)
			y[j] = exponential(x[j] - max) * sum;
	}
}
