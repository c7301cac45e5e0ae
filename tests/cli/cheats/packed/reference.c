#include <stddef.h>

void multiply_reference(const float *x, const float *w, double *y, const void *packed, int m, int n, int k)
{
	(void)packed;
	for (int i = 0; i < m; i++)
		for (int j = 0; j < n; j++) {
			double sum = 0;

			for (int l = 0; l < k; l++)
				sum += (double)x[i * k + l] * w[l * n + j];
			y[i * n + j] = sum;
		}
}

void multiply_plain(const float *x, const float *w, float *y, const void *packed, int m, int n, int k)
{
	(void)packed;
	for (int i = 0; i < m; i++)
		for (int j = 0; j < n; j++) {
			float sum = 0;

			for (int l = 0; l < k; l++)
				sum += x[i * k + l] * w[l * n + j];
			y[i * n + j] = sum;
		}
}
