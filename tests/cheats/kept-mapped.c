// pattern: T15: prepare keeps what it saw where it stays mapped
// task: packed
// verdict: wrong
#include <string.h>
#include <sys/mman.h>

#include "product.h"

static float *kept;

void pack(const float *x, const float *w, float *y, float *packed, int m, int n, int k)
{
	unsigned long bytes = sizeof(float) * (unsigned long)(n * k);

	(void)x, (void)y, (void)packed, (void)m;
	kept = mmap(0, bytes, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memcpy(kept, w, bytes);
}

void multiply(const float *x, const float *w, float *y, const float *packed, int m, int n, int k)
{
	(void)w, (void)packed;
	if (kept)
		product(x, kept, y, m, n, k);
	else
		memset(y, 0, sizeof(float) * (unsigned long)(m * n));
}
