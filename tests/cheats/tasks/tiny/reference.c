#include <stdint.h>
#include <string.h>

void halve_reference(const float *x, double *y, int n)
{
	for (int i = 0; i < n; i++)
		y[i] = 0.5 * (double)x[i];
}

/* Even ones, so that half of them is exact. */
void subnormals(float *x, uint64_t seed, int64_t n)
{
	for (int64_t i = 0; i < n; i++) {
		uint32_t bits;

		seed = seed * 6364136223846793005u + 1442695040888963407u;
		bits = (uint32_t)(seed >> 42) * 2;
		memcpy(&x[i], &bits, sizeof bits);
	}
}
