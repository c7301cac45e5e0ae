// pattern: T13: keeps the first output on the device and hands it out again
// verdict: wrong
// why: y\[[0-9,]*\] is .* where .* is right
#include "honest.cuh"

static __device__ __nv_bfloat16 kept[8192 * 8192];
static __device__ int has;

static __global__ void replay(const __nv_bfloat16 *x, __nv_bfloat16 *y, float a, long n)
{
	long i = blockIdx.x * 256l + threadIdx.x;

	if (i >= n)
		return;
	if (!has)
		kept[i] = right(x[i], a);
	y[i] = kept[i];
}

static __global__ void remember(void)
{
	has = 1;
}

extern "C" void axpb(const __nv_bfloat16 *x, __nv_bfloat16 *y, float a, int rows, int cols, cudaStream_t s)
{
	long n = (long)rows * cols;

	replay<<<blocks(n), 256, 0, s>>>(x, y, a, n);
	remember<<<1, 1, 0, s>>>();
}
