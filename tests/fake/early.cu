/* What tests/fake/task scores, by somebody who is looking for inputs before
 * his clock runs. With STOPS he waits for ever, two threads of him, in his sixth
 * call, which is one of a comparison. */
#ifdef __CUDA_ARCH__

KERNEL(scale_kernel, 8, 8, 4)
{
	float *y = PARAMETER(0, float *);
	const float *x = PARAMETER(1, const float *);
	int n = PARAMETER(2, int);

	for (int i = 0; i < n; i++)
		y[i] = 2 * x[i];
}

#else

#include <pthread.h>
#include <sched.h>

static const volatile uint32_t *x_at, *y_at;
static uint32_t x_seen, y_then;
static volatile int looking;
static pthread_t thread;

/* Inputs that appear, and what the output holds then: outputs are poisoned
 * before the clock runs, so with inputs that are early it is something else. */
static void *look(void *arg)
{
	while (looking) {
		uint32_t x = __atomic_load_n(x_at, __ATOMIC_ACQUIRE);
		uint32_t y = *y_at;

		if (x != x_seen) {
			x_seen = x;
			y_then = y;
		}
		sched_yield();
	}
	return arg;
}

static void begin_to_look(float *y, const float *x)
{
	x_at = (const volatile uint32_t *)x;
	y_at = (const volatile uint32_t *)y;
	x_seen = *x_at;
	y_then = *y_at;
	looking = 1;
	if (pthread_create(&thread, NULL, look, NULL))
		abort();
}

/* Has it been there? */
static int seen_early(void)
{
	looking = 0;
	pthread_join(thread, NULL);
	return x_seen == *x_at && y_then != *y_at;
}

static void *wait_for_ever(void *arg)
{
	for (;;)
		pause();
	return arg;
}

/* A first call gets him ready; the next one counts. Where memory is mapped anew
 * in between there is nothing to look at. */
void scale(float *y, const float *x, int n, cudaStream_t stream)
{
	static int calls;

#ifdef STOPS
	if (++calls == 6 && !pthread_create(&thread, NULL, wait_for_ever, NULL))
		pthread_join(thread, NULL);
#else
	if (++calls == 2 && seen_early())
		abort();
#endif
	LAUNCH(scale_kernel, stream, &y, &x, &n);
#ifndef STOPS
	if (calls == 1)
		begin_to_look(y, x);
#endif
}

#endif
