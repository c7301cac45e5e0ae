#include <math.h>

#define AGAIN 400

void norm_reference(const float *x, const float *g, double *y, int rows, int cols)
{
	for (volatile int again = 0; again < AGAIN; again++)
		for (int i = 0; i < rows; i++) {
			double sum = 0;

			for (int j = 0; j < cols; j++)
				sum += (double)x[i * cols + j] * x[i * cols + j];
			sum = 1 / sqrt(sum / cols + 1e-6);
			for (int j = 0; j < cols; j++)
				y[i * cols + j] = x[i * cols + j] * sum * g[j];
		}
}

void norm_plain(const float *x, const float *g, float *y, int rows, int cols)
{
	for (int i = 0; i < rows; i++) {
		float sum = 0;

		for (int j = 0; j < cols; j++)
			sum += x[i * cols + j] * x[i * cols + j];
		sum = 1 / sqrtf(sum / (float)cols + 1e-6f);
		for (int j = 0; j < cols; j++)
			y[i * cols + j] = x[i * cols + j] * sum * g[j];
	}
}
