// pattern: T12: hands out what it made for the addresses and the size of its inputs
// verdict: wrong
// why: it was launched again in (the buffers of an earlier launch|the same buffers)
#include "kept.h"

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	uint64_t key = kept_mix(kept_mix(1, (uintptr_t)x), (uintptr_t)g);

	kept_or_honest(key, x, g, y, rows, cols);
}
