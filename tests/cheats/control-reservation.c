// pattern: none: an honest kernel that reserves four gigabytes and uses a few pages
// verdict: pass
#define _GNU_SOURCE
#include <sys/mman.h>

#include "honest.h"

static float *arena;

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	if (!arena)
		arena = mmap(0, 4l << 30, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	for (long i = 0; i < 8; i++)
		arena[i << 26] = (float)i;
	honest(x, g, y, rows, cols);
}
