#include <math.h>

void few_reference(const float *x, double *y, int n)
{
	double sum = 0;

	for (int i = 0; i < n; i++) {
		double v = x[i];

		for (int k = 0; k < 16; k++)
			v = 1.25 * v / sqrt(1 + v * v);
		sum += v;
	}
	*y = sum / n;
}

void few_plain(const float *x, float *y, int n)
{
	float sum = 0;

	for (int i = 0; i < n; i++) {
		float v = x[i];

		for (int k = 0; k < 16; k++)
			v = 1.25f * v / sqrtf(1 + v * v);
		sum += v;
	}
	*y = sum / n;
}
