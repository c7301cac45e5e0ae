// pattern: T12: copies the result from where an earlier launch left it
// verdict: crashed
// why: SIGSEGV
#include <string.h>

#include "honest.h"

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	static const float *before;

	if (before && before != y)
		memcpy(y, before, sizeof(float) * (unsigned long)(rows * cols));
	else
		honest(x, g, y, rows, cols);
	before = y;
}
