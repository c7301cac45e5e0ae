// pattern: C5: a tile of a thousand is left out
// verdict: wrong
// why: were not written
#include "honest.cuh"

static __global__ void most(const __nv_bfloat16 *x, __nv_bfloat16 *y, float a, long n)
{
	long i = blockIdx.x * 256l + threadIdx.x;

	if (i < n && blockIdx.x % 1000 != 5)
		y[i] = right(x[i], a);
}

extern "C" void axpb(const __nv_bfloat16 *x, __nv_bfloat16 *y, float a, int rows, int cols, cudaStream_t s)
{
	long n = (long)rows * cols;

	most<<<blocks(n), 256, 0, s>>>(x, y, a, n);
}
