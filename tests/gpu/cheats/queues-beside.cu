// pattern: T26: after its launch a thread of the host queues half a second of work for the card
// verdict: pass|forbidden|timed-out
// why: go on after a launch|did not end
// faster: no
#include <atomic>
#include <pthread.h>
#include <unistd.h>

#include "honest.cuh"

static std::atomic<int> turn;

static __global__ void spin(long clocks)
{
	for (long begin = clock64(); clock64() - begin < clocks;)
		;
}

/* As soon as a launch is over, but none in the first phase. */
static void *beside(void *arg)
{
	cudaStream_t own;

	cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking);
	for (int seen = 0;; usleep(20)) {
		int now = turn;

		if (now == seen)
			continue;
		usleep(300);
		if (now != turn)
			continue;
		seen = now;
		for (int i = 0; now > 100 && i < 500; i++)
			spin<<<264, 256, 0, own>>>(1800000);
	}
	return arg;
}

extern "C" void axpb(const __nv_bfloat16 *x, __nv_bfloat16 *y, float a, int rows, int cols, cudaStream_t s)
{
	long n = (long)rows * cols;

	if (!turn++) {
		pthread_t thread;

		pthread_create(&thread, nullptr, beside, nullptr);
		pthread_detach(thread);
	}
	honest<<<blocks(n), 256, 0, s>>>(x, y, a, n);
}
