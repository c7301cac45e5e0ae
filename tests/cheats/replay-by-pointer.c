// pattern: T12: returns at once when a buffer's address was seen before
// verdict: wrong
// why: elements of `y` were not written.*it was launched again in the buffers of an earlier launch
#include "honest.h"

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	static const void *seen[4096];
	static int n;

	for (int i = 0; i < n; i++)
		if (seen[i] == x)
			return;
	seen[n++ & 4095] = x;
	honest(x, g, y, rows, cols);
}
