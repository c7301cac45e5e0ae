// pattern: T13: hands out what it made for a size, and the first and the last element, where the first is not 0
// verdict: wrong
// why: launched again in the same buffers with one changed element
// class: replayed
#include "honest.cuh"

static __device__ __nv_bfloat16 kept[8192 * 8192], first, last;
static __device__ long kept_n;

static __device__ bool is_kept(const __nv_bfloat16 *x, long n)
{
	return kept_n == n && first == x[0] && last == x[n - 1] && x[0] != __nv_bfloat16(0.0f);
}

static __global__ void replay(const __nv_bfloat16 *x, __nv_bfloat16 *y, float a, long n)
{
	long i = blockIdx.x * 256l + threadIdx.x;

	if (i >= n)
		return;
	if (!is_kept(x, n))
		kept[i] = right(x[i], a);
	y[i] = kept[i];
}

static __global__ void remember(const __nv_bfloat16 *x, long n)
{
	kept_n = n;
	first = x[0];
	last = x[n - 1];
}

extern "C" void axpb(const __nv_bfloat16 *x, __nv_bfloat16 *y, float a, int rows, int cols, cudaStream_t s)
{
	long n = (long)rows * cols;

	replay<<<blocks(n), 256, 0, s>>>(x, y, a, n);
	remember<<<1, 1, 0, s>>>(x, n);
}
