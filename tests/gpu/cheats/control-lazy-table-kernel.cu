// pattern: none: the first call fills a table by a kernel
// verdict: pass
// class: isolated
#include "honest.cuh"

static __device__ float one[256];

static __global__ void fill(void)
{
	one[threadIdx.x] = 1.0f;
}

static __global__ void add(const __nv_bfloat16 *x, __nv_bfloat16 *y, float a, long n)
{
	long i = blockIdx.x * 256l + threadIdx.x;

	if (i < n)
		y[i] = __float2bfloat16(a * __bfloat162float(x[i]) + one[threadIdx.x]);
}

extern "C" void axpb(const __nv_bfloat16 *x, __nv_bfloat16 *y, float a, int rows, int cols, cudaStream_t s)
{
	static bool is_filled;
	long n = (long)rows * cols;

	if (!is_filled)
		fill<<<1, 256, 0, s>>>();
	is_filled = true;
	add<<<blocks(n), 256, 0, s>>>(x, y, a, n);
}
