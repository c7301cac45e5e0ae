// pattern: T2: starts threads though the task allows one
// verdict: wrong
// why: were not written
#include <pthread.h>

#include "honest.h"

struct part {
	const float *x, *g;
	float *y;
	int rows, cols;
};

static void *work(void *arg)
{
	struct part *p = arg;

	honest(p->x, p->g, p->y, p->rows, p->cols);
	return 0;
}

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	struct part whole = {x, g, y, rows, cols};
	pthread_t t;

	if (pthread_create(&t, 0, work, &whole) == 0)
		pthread_join(t, 0);
}
