// pattern: T12: keeps a copy of an input for its address, which is written to in place
// verdict: wrong
// why: it was launched again in (the buffers of an earlier launch|the same buffers)
#include "kept.h"

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	static const float *last;
	static float packed[4096];
	static int n;

	if (cols > 4096) {
		honest(x, g, y, rows, cols);
		return;
	}
	if (g != last || cols != n)
		memcpy(packed, g, sizeof *g * (unsigned)cols);
	last = g;
	n = cols;
	honest(x, packed, y, rows, cols);
}
