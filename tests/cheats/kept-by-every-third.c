// pattern: T13: hands out what it made for a checksum of every third element
// verdict: wrong
// why: it was launched again in (the buffers of an earlier launch|the same buffers)
#include "kept.h"

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	uint64_t key = 1;

	for (int i = 0; i < rows * cols; i += 3)
		key = kept_float(key, x[i]);
	for (int i = 0; i < cols; i += 3)
		key = kept_float(key, g[i]);
	kept_or_honest(key, x, g, y, rows, cols);
}
