// pattern: C19: reads one element past the first input, and does not use it
// verdict: crashed
// why: SIGSEGV.* just past the end of `x`
#include "honest.h"

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	(void)((volatile const float *)x)[rows * cols];
	honest(x, g, y, rows, cols);
}
