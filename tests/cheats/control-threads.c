// pattern: none: an honest kernel that has two CPUs and uses one
// task: threads
// verdict: pass
#include "honest.h"

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	honest(x, g, y, rows, cols);
}
