// pattern: T13: hands out what it made for a size and eight elements of each input
// verdict: wrong
// why: it was launched again in (the buffers of an earlier launch|the same buffers)
#include "kept.h"

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	uint64_t key = 1;

	for (long i = 0; i < 8; i++) {
		key = kept_float(key, x[i * (rows * cols - 1L) / 7]);
		key = kept_float(key, g[i * (cols - 1L) / 7]);
	}
	kept_or_honest(key, x, g, y, rows, cols);
}
