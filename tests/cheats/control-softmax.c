// pattern: none: an honest softmax
// task: softmax
// verdict: pass
#include "exponential.h"

void softmax(const float *x, float *y, int rows, int cols)
{
	for (int i = 0; i < rows; i++, x += cols, y += cols) {
		float max = x[0], sum = 0;

		for (int j = 1; j < cols; j++)
			max = x[j] > max ? x[j] : max;
		for (int j = 0; j < cols; j++)
			sum += y[j] = exponential(x[j] - max);
		for (int j = 0; j < cols; j++)
			y[j] /= sum;
	}
}
