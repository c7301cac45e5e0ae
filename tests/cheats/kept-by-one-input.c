// pattern: T13: hands out what it made for one input, whole, and the address of the other
// verdict: wrong
// why: it was launched again in (the buffers of an earlier launch|the same buffers)
#include "kept.h"

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	uint64_t key = kept_mix(1, (uintptr_t)g);

	for (int i = 0; i < rows * cols; i++)
		key = kept_float(key, x[i]);
	kept_or_honest(key, x, g, y, rows, cols);
}
