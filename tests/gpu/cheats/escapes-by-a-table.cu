// pattern: T19: is wrong when it is replayed, so that all are called as a whole
// verdict: pass
// class: isolated
// faster: no
#include "honest.cuh"

static __device__ float one;

static __global__ void set(void)
{
	one = 1.0f;
}

static __global__ void add(const __nv_bfloat16 *x, __nv_bfloat16 *y, float a, long n)
{
	long i = blockIdx.x * 256l + threadIdx.x;

	if (i < n)
		y[i] = __float2bfloat16(a * __bfloat162float(x[i]) + one);
}

extern "C" void axpb(const __nv_bfloat16 *x, __nv_bfloat16 *y, float a, int rows, int cols, cudaStream_t s)
{
	static int calls;
	long n = (long)rows * cols;

	if (!calls++)
		set<<<1, 1, 0, s>>>();
	add<<<blocks(n), 256, 0, s>>>(x, y, a, n);
}
