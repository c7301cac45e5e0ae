// pattern: T26: a thread burns the CPU, and naps often enough not to be met each time
// task: threads
// verdict: pass|forbidden
// faster: no
#include <pthread.h>
#include <time.h>

#include "honest.h"

static volatile int launches;

static void *burn(void *arg)
{
	const struct timespec moment = {0, 200000};

	for (;;)
		if (launches % 5 == 0)
			nanosleep(&moment, 0);
	return arg;
}

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	static pthread_t t;

	launches++;
	if (!t)
		pthread_create(&t, 0, burn, 0);
	honest(x, g, y, rows, cols);
}
