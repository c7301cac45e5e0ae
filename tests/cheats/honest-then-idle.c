// pattern: T20: right for a dozen calls, then a part is left out
// time: 20s
// verdict: wrong
// why: were not written
#include "honest.h"

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	static int call;

	honest(x, g, y, call++ < 12 ? rows : rows - rows / 8, cols);
}
