// pattern: T2: the setup starts a thread that does the work of the launches
// task: setup
// verdict: wrong|forbidden
// why: were not written|goes on running
#include <pthread.h>
#include <stdatomic.h>

#include "honest.h"

static _Atomic(const float *) from;
static const float *gain;
static float *to;
static int n_rows, n_cols;

static void *work(void *arg)
{
	for (;;) {
		const float *x = atomic_exchange(&from, 0);

		if (x)
			honest(x, gain, to, n_rows, n_cols);
	}
	return arg;
}

void norm_setup(void)
{
	pthread_t t;

	pthread_create(&t, 0, work, 0);
}

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	gain = g, to = y, n_rows = rows, n_cols = cols;
	atomic_store(&from, x);
}
