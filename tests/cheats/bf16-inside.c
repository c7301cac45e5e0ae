// pattern: C10: half of the bits are dropped on the way in
// verdict: wrong
// why: y\[[0-9,]*\] is .* where .* is right
#include <string.h>

#include "honest.h"

static float cut(float v)
{
	unsigned bits;

	memcpy(&bits, &v, 4);
	bits = (bits + 0x8000) & 0xffff0000;
	memcpy(&v, &bits, 4);
	return v;
}

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	static float less[130 * 300];

	for (int i = 0; i < rows * cols; i++)
		less[i] = cut(x[i]);
	honest(less, g, y, rows, cols);
}
