// pattern: T26: a thread burns the CPU half of the time, in pieces shorter than a look
// task: threads
// verdict: forbidden
// why: a thread of it goes on running after it returned
// tries: 3
#include <pthread.h>
#include <time.h>

#include "honest.h"

/* Half of the time asleep, for moments shorter than a look takes. */
static void *burn(void *arg)
{
	const struct timespec moment = {0, 50000};

	for (;;) {
		for (volatile int i = 0; i < 200000; i++)
			;
		nanosleep(&moment, 0);
	}
	return arg;
}

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	static pthread_t t;

	if (!t)
		pthread_create(&t, 0, burn, 0);
	honest(x, g, y, rows, cols);
}
