// pattern: T12: hands out what it made for the address of its input
// verdict: wrong
// why: it was launched again in (the buffers of an earlier launch|the same buffers)
#include "kept.h"

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	static const float *last;
	static float kept[KEPT_ELEMENTS];

	if (x != last || rows * cols > KEPT_ELEMENTS) {
		honest(x, g, y, rows, cols);
		last = x;
		if (rows * cols <= KEPT_ELEMENTS)
			memcpy(kept, y, sizeof *y * (unsigned)(rows * cols));
		return;
	}
	memcpy(y, kept, sizeof *y * (unsigned)(rows * cols));
}
