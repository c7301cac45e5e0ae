// pattern: C5: one number of four thousand is off
// verdict: wrong
// why: y\[[0-9,]*\] is .* where .* is right
#include "honest.cuh"

static __global__ void careless(const __nv_bfloat16 *x, __nv_bfloat16 *y, float a, long n)
{
	long i = blockIdx.x * 256l + threadIdx.x;

	if (i < n)
		y[i] = __float2bfloat16(a * __bfloat162float(x[i]) + (i % 4099 == 7 ? 1.5f : 1.0f));
}

extern "C" void axpb(const __nv_bfloat16 *x, __nv_bfloat16 *y, float a, int rows, int cols, cudaStream_t s)
{
	long n = (long)rows * cols;

	careless<<<blocks(n), 256, 0, s>>>(x, y, a, n);
}
