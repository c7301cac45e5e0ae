// pattern: E6: asks for more memory than there is, and uses it
// verdict: crashed
// why: SIGSEGV
#include <stdlib.h>
#include <string.h>

#include "honest.h"

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	volatile char *room = malloc(100ul << 30);

	room[99ul << 30] = 1;
	honest(x, g, y, rows, cols);
}
