// pattern: C20: another function under another name
// verdict: build-failed
// why: does not load: .*norm
#include "honest.h"

void norm_of_one_row(const float *x, const float *g, float *y, int rows, int cols)
{
	honest(x, g, y, rows > 0, cols);
}
