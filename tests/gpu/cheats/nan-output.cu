// pattern: C12: NaN in one place
// verdict: wrong
// why: is -?nan where|were not written
#include "honest.cuh"

static __global__ void spoiled(const __nv_bfloat16 *x, __nv_bfloat16 *y, float a, long n)
{
	long i = blockIdx.x * 256l + threadIdx.x;

	if (i < n)
		y[i] = i % 8192 == 77 ? __float2bfloat16(nanf("")) : right(x[i], a);
}

extern "C" void axpb(const __nv_bfloat16 *x, __nv_bfloat16 *y, float a, int rows, int cols, cudaStream_t s)
{
	long n = (long)rows * cols;

	spoiled<<<blocks(n), 256, 0, s>>>(x, y, a, n);
}
