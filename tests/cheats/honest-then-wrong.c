// pattern: T20: right for a dozen calls, then it hands out zeros
// time: 20s
// verdict: wrong
// why: y\[[0-9,]*\] is -?0 where .* is right
#include <string.h>

#include "honest.h"

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	static int call;

	if (call++ < 12)
		honest(x, g, y, rows, cols);
	else
		memset(y, 0, sizeof(float) * (unsigned long)(rows * cols));
}
