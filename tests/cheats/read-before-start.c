// pattern: C19: reads one element before the first, times zero
// verdict: crashed|wrong
// why: SIGSEGV.* just before the start of `x`|is -?nan where|were not written
#include "honest.h"

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	float before = ((volatile const float *)x)[-1];

	honest(x, g, y, rows, cols);
	y[0] += 0 * before;
}
