#include <math.h>
#include <stdint.h>

void norm_reference(const float *x, const float *g, double *y, int rows, int cols, int64_t begin, int64_t end)
{
	(void)rows;
	for (int64_t i = begin; i < end; i++) {
		double sum = 0;

		for (int j = 0; j < cols; j++)
			sum += (double)x[i * cols + j] * x[i * cols + j];
		sum = 1 / sqrt(sum / cols + 1e-6);
		for (int j = 0; j < cols; j++)
			y[i * cols + j] = x[i * cols + j] * sum * g[j];
	}
}

void norm_plain(const float *x, const float *g, float *y, int rows, int cols, int64_t begin, int64_t end)
{
	(void)rows;
	for (int64_t i = begin; i < end; i++) {
		float sum = 0;

		for (int j = 0; j < cols; j++)
			sum += x[i * cols + j] * x[i * cols + j];
		sum = 1 / sqrtf(sum / (float)cols + 1e-6f);
		for (int j = 0; j < cols; j++)
			y[i * cols + j] = x[i * cols + j] * sum * g[j];
	}
}
