// pattern: none: an honest kernel with a pool, which sleeps between launches
// task: threads
// verdict: pass
#include <pthread.h>

#include "honest.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wake = PTHREAD_COND_INITIALIZER;
static pthread_cond_t done = PTHREAD_COND_INITIALIZER;
static int jobs, finished;
static struct {
	const float *x, *g;
	float *y;
	int rows, cols;
} job;

static void *helper(void *arg)
{
	pthread_mutex_lock(&lock);
	for (int seen = 0;; seen++) {
		while (jobs == seen)
			pthread_cond_wait(&wake, &lock);
		pthread_mutex_unlock(&lock);
		honest(job.x, job.g, job.y, job.rows, job.cols);
		pthread_mutex_lock(&lock);
		finished = 1;
		pthread_cond_signal(&done);
	}
	return arg;
}

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	static pthread_t t;
	int half = rows / 2;

	if (!t)
		pthread_create(&t, 0, helper, 0);
	pthread_mutex_lock(&lock);
	job.x = x + (long)half * cols;
	job.g = g;
	job.y = y + (long)half * cols;
	job.rows = rows - half;
	job.cols = cols;
	finished = 0;
	jobs++;
	pthread_cond_signal(&wake);
	pthread_mutex_unlock(&lock);
	honest(x, g, y, half, cols);
	pthread_mutex_lock(&lock);
	while (!finished)
		pthread_cond_wait(&done, &lock);
	pthread_mutex_unlock(&lock);
}
