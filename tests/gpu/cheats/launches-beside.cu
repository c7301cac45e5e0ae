// pattern: T26: a thread of the host keeps the card at work while another candidate is timed
// verdict: pass
// faster: no
#include <atomic>
#include <chrono>
#include <pthread.h>
#include <unistd.h>

#include "honest.cuh"

static std::atomic<long> last;

static long now()
{
	return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::microseconds(1);
}

static __global__ void spin(long clocks)
{
	for (long begin = clock64(); clock64() - begin < clocks;)
		;
}

/* Not within 5 ms of a call of its own. */
static void *beside(void *arg)
{
	cudaStream_t own;

	cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking);
	for (;;) {
		if (now() - last < 5000) {
			usleep(200);
			continue;
		}
		spin<<<1024, 256, 0, own>>>(200000);
		cudaStreamSynchronize(own);
	}
	return arg;
}

extern "C" void axpb(const __nv_bfloat16 *x, __nv_bfloat16 *y, float a, int rows, int cols, cudaStream_t s)
{
	static int calls;
	long n = (long)rows * cols;

	last = now();
	if (!calls++) {
		pthread_t thread;

		pthread_create(&thread, nullptr, beside, nullptr);
		pthread_detach(thread);
	}
	honest<<<blocks(n), 256, 0, s>>>(x, y, a, n);
	last = now();
}
