// pattern: T18: slow at first, so that few launches are counted
// verdict: pass
// faster: no
#include <time.h>

#include "honest.h"

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	const struct timespec moment = {0, 5000000};
	static int call;

	if (call++ < 10)
		nanosleep(&moment, 0);
	honest(x, g, y, rows, cols);
}
