// pattern: C19: one element too many
// verdict: crashed|out-of-bounds
// why: SIGSEGV.* just past the end of `y`|wrote outside `y`
#include "honest.h"

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	honest(x, g, y, rows, cols);
	((volatile float *)y)[rows * cols] = 0;
}
