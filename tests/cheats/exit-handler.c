// pattern: T7: rewrites its results when the program ends
// verdict: wrong
// why: were not written
#include <stdio.h>
#include <stdlib.h>

#include "honest.h"

static const float *x1, *g1;
static float *y1;
static int rows1, cols1;

static void at_the_end(void)
{
	honest(x1, g1, y1, rows1, cols1);
	puts("verdict=pass");
}

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	if (!x1)
		atexit(at_the_end);
	x1 = x, g1 = g, y1 = y, rows1 = rows, cols1 = cols;
}
