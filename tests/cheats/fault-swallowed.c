// pattern: T8: a handler for faults lets it go on after one
// verdict: wrong
// why: were not written
#include <setjmp.h>
#include <signal.h>

#include "honest.h"

static sigjmp_buf back;

static void swallow(int number)
{
	siglongjmp(back, number);
}

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	signal(SIGSEGV, swallow);
	signal(SIGBUS, swallow);
	if (sigsetjmp(back, 1))
		return;
	*(volatile int *)8 = 1;
	honest(x, g, y, rows, cols);
}
