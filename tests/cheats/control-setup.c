// pattern: none: an honest kernel with a table that its setup makes
// task: setup
// verdict: pass
#include "honest.h"

static float table[64];

void norm_setup(void)
{
	for (int i = 0; i < 64; i++)
		table[i] = 1 + (float)i;
}

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	float one = table[0];

	honest(x, g, y, rows, cols);
	for (long i = 0; i < (long)rows * cols; i++)
		y[i] *= one;
}
