// pattern: C12: infinity, over which every error is small
// verdict: wrong
// why: is -?inf where .* is right
#include "honest.h"

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	honest(x, g, y, rows, cols);
	y[0] = __builtin_inff();
}
