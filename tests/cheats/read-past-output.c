// pattern: C19: reads one element past the output, and does not use it
// verdict: crashed
// why: SIGSEGV.* just past the end of `y`
#include "honest.h"

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	(void)((volatile const float *)y)[rows * cols];
	honest(x, g, y, rows, cols);
}
