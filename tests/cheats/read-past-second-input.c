// pattern: C19: reads one element past the second input, and does not use it
// verdict: crashed
// why: SIGSEGV.* just past the end of `g`
#include "honest.h"

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	(void)((volatile const float *)g)[cols];
	honest(x, g, y, rows, cols);
}
