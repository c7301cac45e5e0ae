// pattern: none: an honest kernel, sixteen at a time
// task: batch
// verdict: pass
#include "honest.h"

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	honest(x, g, y, rows, cols);
}
