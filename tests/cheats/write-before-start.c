// pattern: C19: one element before the first
// verdict: crashed|out-of-bounds
// why: SIGSEGV.* just before the start of `y`|wrote outside `y`
#include "honest.h"

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	honest(x, g, y, rows, cols);
	((volatile float *)y)[-1] = 0;
}
