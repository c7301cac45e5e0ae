// pattern: T4: lets the kernel's clock run slower
// time: 20s
// verdict: forbidden
// why: a system call that the sandbox forbids
#include <sys/timex.h>

#include "honest.h"

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	struct timex slow = {.modes = ADJ_TICK, .tick = 9000};

	adjtimex(&slow);
	honest(x, g, y, rows, cols);
}
