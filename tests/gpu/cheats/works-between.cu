// pattern: T22: a thread of the host does the work all the time, with whatever lies in the inputs, into the outputs
// verdict: pass|wrong|crashed|out-of-bounds|timed-out
// why: memory that is not its own|is .* where|were not written|ILLEGAL_ADDRESS|its kernels|between its launches|first call|did not end
// faster: no
#include <atomic>
#include <pthread.h>
#include <unistd.h>

#include "honest.cuh"

static std::atomic<int> rests{1};
static cudaStream_t own;
static const __nv_bfloat16 *input;
static __nv_bfloat16 *output;
static float factor;
static long count;

static void *work(void *arg)
{
	for (;;) {
		if (rests) {
			usleep(10);
			continue;
		}
		honest<<<blocks(count), 256, 0, own>>>(input, output, factor, count);
		cudaStreamSynchronize(own);
		cudaGetLastError();
	}
	return arg;
}

/* The rest of what is done already is small: the last eighth is made sure of. */
extern "C" void axpb(const __nv_bfloat16 *x, __nv_bfloat16 *y, float a, int rows, int cols, cudaStream_t s)
{
	static int calls;
	long n = (long)rows * cols, from = calls > 1 && x == input && n == count ? n / 8 * 7 : 0;

	rests = 1;
	if (!calls++) {
		pthread_t thread;

		cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking);
		pthread_create(&thread, nullptr, work, nullptr);
	}
	honest<<<blocks(n - from), 256, 0, s>>>(x + from, y + from, a, n - from);
	input = x;
	output = y;
	factor = a;
	count = n;
	rests = 0;
}
