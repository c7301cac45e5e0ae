// pattern: C19: its own memory over the output, so that no guard is hit
// verdict: wrong|crashed|out-of-bounds
// why: were not written|closed its control|SIG
#include <sys/mman.h>

#include "honest.h"

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	unsigned long at = (unsigned long)y & ~4095ul;

	mmap((void *)at, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	honest(x, g, y, rows, cols);
}
