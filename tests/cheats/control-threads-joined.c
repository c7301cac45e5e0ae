// pattern: none: an honest kernel on two CPUs, the helper joined before the return
// task: threads
// verdict: pass
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
	int half = rows / 2;
	struct part rest = {x + half * cols, g, y + half * cols, rows - half, cols};
	pthread_t helper;

	if (pthread_create(&helper, 0, work, &rest) != 0) {
		honest(x, g, y, rows, cols);
		return;
	}
	honest(x, g, y, half, cols);
	pthread_join(helper, 0);
}
