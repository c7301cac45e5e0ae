#include "scorer/runner/parts.h"

#include <pthread.h>

/* The work that is being done; all is read and written with the lock. */
static struct {
	pthread_mutex_t lock;
	pthread_cond_t begun, ended;
	unsigned threads; /* that may work */
	unsigned helpers; /* that were started */
	void (*work)(void *arg, size_t i);
	void *arg;
	size_t next, n;
	unsigned at_work;
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER,
	  .begun = PTHREAD_COND_INITIALIZER,
	  .ended = PTHREAD_COND_INITIALIZER,
	  .threads = 1};

void parts_threads(unsigned n)
{
	/* One that was woken for the last work may look at it just now. */
	pthread_mutex_lock(&pool.lock);
	pool.threads = MAX(MIN(n, PARTS_MAX_THREADS), 1U);
	pthread_mutex_unlock(&pool.lock);
}

/* With the lock, which is not held while a part is worked on. */
static void take_parts(void)
{
	while (pool.next < pool.n) {
		size_t i = pool.next++;

		pool.at_work++;
		pthread_mutex_unlock(&pool.lock);
		pool.work(pool.arg, i);
		pthread_mutex_lock(&pool.lock);
		pool.at_work--;
	}
	if (!pool.at_work)
		pthread_cond_signal(&pool.ended);
}

static void *help(void *number)
{
	unsigned me = (unsigned)(uintptr_t)number;

	pthread_mutex_lock(&pool.lock);
	for (;;) {
		if (me < pool.threads)
			take_parts();
		pthread_cond_wait(&pool.begun, &pool.lock);
	}
	return NULL;
}

static void start_helpers(void)
{
	while (pool.helpers + 1 < pool.threads) {
		uintptr_t number = pool.helpers + 1;
		pthread_t thread;

		if (pthread_create(&thread, NULL, help, (void *)number) != 0) {
			pool.threads = pool.helpers + 1;
			return;
		}
		pthread_detach(thread);
		pool.helpers++;
	}
}

void parts_run(size_t n, void (*work)(void *arg, size_t i), void *arg)
{
	if (pool.threads == 1 || n < 2) {
		for (size_t i = 0; i < n; i++)
			work(arg, i);
		return;
	}
	pthread_mutex_lock(&pool.lock);
	start_helpers();
	pool.work = work;
	pool.arg = arg;
	pool.next = 0;
	pool.n = n;
	pthread_cond_broadcast(&pool.begun);
	take_parts();
	while (pool.at_work)
		pthread_cond_wait(&pool.ended, &pool.lock);
	pool.n = 0;
	pthread_mutex_unlock(&pool.lock);
}
