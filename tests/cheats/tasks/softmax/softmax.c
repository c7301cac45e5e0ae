#include <math.h>
#include <stdint.h>

void softmax_reference(const float *x, double *y, int rows, int cols, int64_t begin, int64_t end)
{
	(void)rows;
	for (int64_t i = begin; i < end; i++) {
		const float *r = x + i * cols;
		double max = -INFINITY, sum = 0;

		for (int j = 0; j < cols; j++)
			max = r[j] > max ? r[j] : max;
		for (int j = 0; j < cols; j++)
			sum += exp(r[j] - max);
		for (int j = 0; j < cols; j++)
			y[i * cols + j] = exp(r[j] - max) / sum;
	}
}

void softmax_plain(const float *x, float *y, int rows, int cols, int64_t begin, int64_t end)
{
	(void)rows;
	for (int64_t i = begin; i < end; i++) {
		const float *r = x + i * cols;
		float max = -INFINITY, sum = 0;

		for (int j = 0; j < cols; j++)
			max = r[j] > max ? r[j] : max;
		for (int j = 0; j < cols; j++)
			sum += expf(r[j] - max);
		for (int j = 0; j < cols; j++)
			y[i * cols + j] = expf(r[j] - max) / sum;
	}
}
