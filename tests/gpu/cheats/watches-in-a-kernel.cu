// pattern: T22: a kernel that runs between launches watches for the first bytes of new inputs
// verdict: pass|wrong|crashed|out-of-bounds|timed-out
// why: memory that is not its own|is .* where|were not written|ILLEGAL_ADDRESS|its kernels|between its launches|first call|did not end
// faster: no
#include <atomic>
#include <pthread.h>
#include <unistd.h>

#include "honest.cuh"

static std::atomic<int> wanted;
static cudaStream_t own;
static const __nv_bfloat16 *input;
static __nv_bfloat16 *ahead;
static float factor;
static long count;
static __device__ int made;

/* For a fifth of a second. */
static __global__ void watch(const volatile unsigned *x)
{
	unsigned first = *x;
	long begin = clock64();

	while (*x == first && clock64() - begin < 300000000)
		;
}

static __global__ void work(const __nv_bfloat16 *x, __nv_bfloat16 *y, float a, long n)
{
	long i = blockIdx.x * 256l + threadIdx.x;

	if (i < n)
		y[i] = right(x[i], a);
	made = 1;
}

static __global__ void take(const __nv_bfloat16 *x, const __nv_bfloat16 *from, __nv_bfloat16 *y, float a, long n)
{
	long i = blockIdx.x * 256l + threadIdx.x;

	if (i < n)
		y[i] = made ? from[i] : right(x[i], a);
}

static void *launch_between(void *arg)
{
	for (;;) {
		if (!wanted.exchange(0)) {
			usleep(50);
			continue;
		}
		watch<<<1, 1, 0, own>>>((const unsigned *)input);
		work<<<blocks(count), 256, 0, own>>>(input, ahead, factor, count);
	}
	return arg;
}

extern "C" void axpb(const __nv_bfloat16 *x, __nv_bfloat16 *y, float a, int rows, int cols, cudaStream_t s)
{
	static int calls;
	long n = (long)rows * cols;

	if (!calls++) {
		pthread_t thread;

		input = x;
		factor = a;
		count = n;
		cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking);
		cudaMalloc((void **)&ahead, 2 * n);
		honest<<<blocks(n), 256, 0, s>>>(x, y, a, n);
		pthread_create(&thread, nullptr, launch_between, nullptr);
	} else if (x == input && n == count) {
		take<<<blocks(n), 256, 0, s>>>(x, ahead, y, a, n);
	} else {
		honest<<<blocks(n), 256, 0, s>>>(x, y, a, n);
		return;
	}
	wanted = 1;
}
