// pattern: T2: a thread from the constructor, before the first launch, does the work late
// task: threads
// verdict: wrong|forbidden
// why: were not written|goes on running
#include <pthread.h>

#include "honest.h"

static const float *volatile x1, *volatile g1;
static float *volatile y1;
static volatile int rows1, cols1, asked;

static void *later(void *arg)
{
	for (;;)
		if (asked) {
			asked = 0;
			honest(x1, g1, y1, rows1, cols1);
		}
	return arg;
}

__attribute__((constructor)) static void begin(void)
{
	pthread_t t;

	pthread_create(&t, 0, later, 0);
}

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	x1 = x, g1 = g, y1 = y, rows1 = rows, cols1 = cols;
	asked = 1;
}
