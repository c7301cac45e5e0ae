// pattern: none: an honest kernel that fills a table at its first call
// verdict: pass
#include "honest.h"

static float root[4096];

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	if (root[1] == 0)
		for (int i = 0; i < 4096; i++)
			root[i] = honest_root((float)i);
	honest(x, g, y, rows, cols);
	y[0] += (root[4] - 2) * y[0];
}
