// pattern: T2: a thread does the work after the call returned
// task: threads
// verdict: wrong
// why: were not written
#include <pthread.h>
#include <time.h>

#include "honest.h"

static const float *x1, *g1;
static float *y1;
static int rows1, cols1;

static void *later(void *arg)
{
	const struct timespec moment = {0, 30000000};

	nanosleep(&moment, 0);
	honest(x1, g1, y1, rows1, cols1);
	return arg;
}

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	pthread_t t;

	x1 = x, g1 = g, y1 = y, rows1 = rows, cols1 = cols;
	pthread_create(&t, 0, later, 0);
	pthread_detach(t);
}
