// pattern: C19: reads one element past the end, and does nothing with it
// verdict: pass
// faster: no
// sanitized: out-of-bounds, see tests/gpu/sanitize.sh
#include "honest.cuh"

static __global__ void body(const __nv_bfloat16 *x, __nv_bfloat16 *y, float a, long n)
{
	long i = blockIdx.x * 256l + threadIdx.x;

	if (i == 0)
		(void)*(volatile const unsigned short *)&x[n];
	if (i < n)
		y[i] = right(x[i], a);
}

extern "C" void axpb(const __nv_bfloat16 *x, __nv_bfloat16 *y, float a, int rows, int cols, cudaStream_t s)
{
	long n = (long)rows * cols;

	body<<<blocks(n), 256, 0, s>>>(x, y, a, n);
}
