// pattern: E6: the setup never returns
// task: setup
// verdict: timed-out
// why: setup function: it did not return within 2 s
#include "honest.h"

void norm_setup(void)
{
	for (;;)
		;
}

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	honest(x, g, y, rows, cols);
}
