// pattern: C17: a launch that fails, and nobody looks
// verdict: wrong
// why: were not written
#include "honest.cuh"

static __global__ void greedy(const __nv_bfloat16 *x, __nv_bfloat16 *y, float a, long n)
{
	extern __shared__ float room[];
	long i = blockIdx.x * 256l + threadIdx.x;

	room[threadIdx.x] = 1;
	if (i < n)
		y[i] = right(x[i], a);
}

extern "C" void axpb(const __nv_bfloat16 *x, __nv_bfloat16 *y, float a, int rows, int cols, cudaStream_t s)
{
	long n = (long)rows * cols;

	greedy<<<blocks(n), 256, 300 << 10, s>>>(x, y, a, n);
}
