// pattern: C19: reads one element before the first input, and does not use it
// verdict: crashed
// why: SIGSEGV.* just before the start of `x`
#include "honest.h"

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	(void)((volatile const float *)x)[-1];
	honest(x, g, y, rows, cols);
}
