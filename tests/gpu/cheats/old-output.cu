// pattern: C1: writes all of the output the first time, and every second block of it from then on
// verdict: wrong
// why: were not written
#include "honest.cuh"

static __device__ unsigned times;

static __global__ void half_of_it(const __nv_bfloat16 *x, __nv_bfloat16 *y, float a, long n)
{
	long i = blockIdx.x * 256l + threadIdx.x;

	if (i < n && (!times || blockIdx.x % 2 == 0))
		y[i] = right(x[i], a);
}

static __global__ void count(void)
{
	times++;
}

extern "C" void axpb(const __nv_bfloat16 *x, __nv_bfloat16 *y, float a, int rows, int cols, cudaStream_t s)
{
	long n = (long)rows * cols;

	half_of_it<<<blocks(n), 256, 0, s>>>(x, y, a, n);
	count<<<1, 1, 0, s>>>();
}
