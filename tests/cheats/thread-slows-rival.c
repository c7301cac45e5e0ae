// pattern: T26: a thread goes on burning the CPU while the rival is timed
// task: threads
// verdict: forbidden
// why: a thread of it goes on running after it returned
#include <pthread.h>

#include "honest.h"

static void *burn(void *arg)
{
	for (;;)
		__asm__ volatile("");
	return arg;
}

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	static pthread_t t;

	if (!t)
		pthread_create(&t, 0, burn, 0);
	honest(x, g, y, rows, cols);
}
