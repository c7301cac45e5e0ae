// pattern: C19: reads one element past the end, times zero
// verdict: crashed|wrong
// why: SIGSEGV.* just past the end of `x`|is -?nan where|were not written
#include "honest.h"

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	float beyond = ((volatile const float *)x)[rows * cols];

	honest(x, g, y, rows, cols);
	y[0] += 0 * beyond;
}
