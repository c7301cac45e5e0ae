// pattern: C12: one NaN among right numbers
// verdict: wrong
// why: is -?nan where .* is right
#include "honest.h"

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	honest(x, g, y, rows, cols);
	y[rows * cols / 2] = __builtin_nanf("");
}
