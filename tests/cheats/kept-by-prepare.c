// pattern: T15: prepare keeps what it saw in memory of its own, which nothing bounds
// task: packed
// verdict: wrong
#include <string.h>

#include "product.h"

static float kept[192 * 192];

void pack(const float *x, const float *w, float *y, float *packed, int m, int n, int k)
{
	(void)x, (void)y, (void)packed, (void)m;
	memcpy(kept, w, sizeof(float) * (unsigned long)(n * k));
}

void multiply(const float *x, const float *w, float *y, const float *packed, int m, int n, int k)
{
	(void)w, (void)packed;
	product(x, kept, y, m, n, k);
}
