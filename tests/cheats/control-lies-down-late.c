// pattern: none: an honest kernel whose helper takes a millisecond to lie down, once
// task: threads
// verdict: pass
#include <pthread.h>
#include <stddef.h>
#include <time.h>

#include "honest.h"

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void *lie_down(void *arg)
{
	const struct timespec day = {86400, 0};

	while (cpu_seconds() < 1.2e-3)
		;
	for (;;)
		nanosleep(&day, NULL);
	return arg;
}

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	static pthread_t t;

	honest(x, g, y, rows, cols);
	if (!t)
		pthread_create(&t, NULL, lie_down, NULL);
}
