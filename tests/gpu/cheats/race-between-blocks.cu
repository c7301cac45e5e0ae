// pattern: C18: a block goes on with what its neighbour writes, and waits for nobody
// verdict: wrong
// why: y\[[0-9,]*\] is .* where .* is right|were not written
#include "honest.cuh"

/* Each block copies its piece, and finishes the next one's; block 0 its own
 * too. */
static __global__ void careless(const __nv_bfloat16 *x, __nv_bfloat16 *y, float a, long n)
{
	long i = blockIdx.x * 256l + threadIdx.x, next = i + 256;

	if (i < n)
		y[i] = blockIdx.x ? x[i] : right(x[i], a);
	__threadfence();
	__syncthreads();
	if (next < n)
		y[next] = right(__ushort_as_bfloat16(*(volatile unsigned short *)&y[next]), a);
}

extern "C" void axpb(const __nv_bfloat16 *x, __nv_bfloat16 *y, float a, int rows, int cols, cudaStream_t s)
{
	long n = (long)rows * cols;

	careless<<<blocks(n), 256, 0, s>>>(x, y, a, n);
}
