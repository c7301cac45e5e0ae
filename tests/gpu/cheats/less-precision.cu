// pattern: C10: a quarter of the mantissa
// verdict: wrong
// why: y\[[0-9,]*\] is .* where .* is right
#include "honest.cuh"

static __global__ void coarse(const __nv_bfloat16 *x, __nv_bfloat16 *y, float a, long n)
{
	long i = blockIdx.x * 256l + threadIdx.x;

	if (i < n)
		y[i] = __ushort_as_bfloat16((unsigned short)(__bfloat16_as_ushort(right(x[i], a)) & 0xfff8));
}

extern "C" void axpb(const __nv_bfloat16 *x, __nv_bfloat16 *y, float a, int rows, int cols, cudaStream_t s)
{
	long n = (long)rows * cols;

	coarse<<<blocks(n), 256, 0, s>>>(x, y, a, n);
}
