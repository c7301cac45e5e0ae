// pattern: C19: one element too many
// verdict: out-of-bounds
// why: wrote outside `y`|memory that is not its own
#include "honest.cuh"

static __global__ void past(__nv_bfloat16 *y, long n)
{
	y[n] = y[0];
}

extern "C" void axpb(const __nv_bfloat16 *x, __nv_bfloat16 *y, float a, int rows, int cols, cudaStream_t s)
{
	long n = (long)rows * cols;

	honest<<<blocks(n), 256, 0, s>>>(x, y, a, n);
	past<<<1, 1, 0, s>>>(y, n);
}
