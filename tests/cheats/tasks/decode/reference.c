#include <stdint.h>

void product_reference(const float *x, const float *w, double *y, int rows, int inner, int cols, int64_t begin,
		       int64_t end)
{
	(void)rows;
	for (int64_t i = begin; i < end; i++)
		for (int j = 0; j < cols; j++) {
			double sum = 0;

			for (int k = 0; k < inner; k++)
				sum += (double)x[i * inner + k] * w[(long)k * cols + j];
			y[i * cols + j] = sum;
		}
}

void product_plain(const float *x, const float *w, float *y, int rows, int inner, int cols, int64_t begin, int64_t end)
{
	(void)rows;
	for (int64_t i = begin; i < end; i++)
		for (int j = 0; j < cols; j++) {
			float sum = 0;

			for (int k = 0; k < inner; k++)
				sum += x[i * inner + k] * w[(long)k * cols + j];
			y[i * cols + j] = sum;
		}
}
