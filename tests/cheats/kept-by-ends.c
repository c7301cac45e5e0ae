// pattern: T13: hands out what it made for a size, and the first and the last element
// verdict: wrong
// why: it was launched again in (the buffers of an earlier launch|the same buffers)
#include "kept.h"

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	uint64_t key = kept_float(kept_float(1, x[0]), x[rows * cols - 1]);

	key = kept_float(kept_float(key, g[0]), g[cols - 1]);
	kept_or_honest(key, x, g, y, rows, cols);
}
