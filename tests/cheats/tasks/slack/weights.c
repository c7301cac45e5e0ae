#include <math.h>

void weights_reference(const float *w, const float *x, double *y, const void *ahead, int n, int r)
{
	(void)ahead;
	for (int i = 0; i < n; i++) {
		double v = w[i];

		for (int k = 0; k < 40; k++)
			v = 1.25 * v / sqrt(1 + v * v);
		for (int j = 0; j < r; j++)
			y[j * n + i] = x[j * n + i] * v;
	}
}

void weights_plain(const float *w, const float *x, float *y, const void *ahead, int n, int r)
{
	(void)ahead;
	for (int i = 0; i < n; i++) {
		float v = w[i];

		for (int k = 0; k < 40; k++)
			v = 1.25f * v / sqrtf(1 + v * v);
		for (int j = 0; j < r; j++)
			y[j * n + i] = x[j * n + i] * v;
	}
}
