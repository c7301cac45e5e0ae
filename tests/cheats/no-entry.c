// pattern: C20: another function under another name
// verdict: build-failed
// why: define no function .norm.; they have: norm_of_one_row
#include "honest.h"

void norm_of_one_row(const float *x, const float *g, float *y, int rows,
		     int cols)
{
	honest(x, g, y, rows > 0, cols);
}
