// pattern: T22: a thread of the host watches for the first bytes of new inputs, and begins while the rest is copied
// verdict: pass|wrong|crashed|out-of-bounds
// why: memory that is not its own|is .* where|were not written|ILLEGAL_ADDRESS|its kernels|first call
// faster: no
#include <atomic>
#include <cstring>
#include <pthread.h>
#include <unistd.h>

#include "honest.cuh"

static std::atomic<int> begun, over;
static cudaStream_t own;
static const __nv_bfloat16 *input;
static __nv_bfloat16 *ahead;
static float factor;
static long count;

/* What cannot be read has not come. */
static bool read_some(char out[16])
{
	if (!cudaMemcpyAsync(out, input, 16, cudaMemcpyDeviceToHost, own) && !cudaStreamSynchronize(own))
		return true;
	cudaGetLastError();
	return false;
}

static void *watch(void *arg)
{
	char before[16] = {}, now[16];

	for (read_some(before); !over;) {
		if (!read_some(now) || !memcmp(before, now, sizeof now))
			continue;
		memcpy(before, now, sizeof now);
		honest<<<blocks(count), 256, 0, own>>>(input, ahead, factor, count);
		begun = 1;
	}
	return arg;
}

static void begin(const __nv_bfloat16 *x, float a, long n)
{
	pthread_t thread;

	input = x;
	factor = a;
	count = n;
	cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking);
	cudaMalloc((void **)&ahead, 2 * n);
	pthread_create(&thread, nullptr, watch, nullptr);
}

extern "C" void axpb(const __nv_bfloat16 *x, __nv_bfloat16 *y, float a, int rows, int cols, cudaStream_t s)
{
	static int calls;
	long n = (long)rows * cols;

	if (calls++ && x == input && n == count && begun.exchange(0)) {
		cudaStreamSynchronize(own);
		cudaMemcpyAsync(y, ahead, 2 * n, cudaMemcpyDeviceToDevice, s);
		return;
	}
	honest<<<blocks(n), 256, 0, s>>>(x, y, a, n);
	if (calls == 1)
		begin(x, a, n);
}
