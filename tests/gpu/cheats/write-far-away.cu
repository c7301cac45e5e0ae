// pattern: C19: half a gigabyte past the end
// verdict: out-of-bounds
// why: memory that is not its own
#include "honest.cuh"

static __global__ void far_away(__nv_bfloat16 *y, long n)
{
	y[n + (1l << 28)] = y[0];
}

extern "C" void axpb(const __nv_bfloat16 *x, __nv_bfloat16 *y, float a, int rows, int cols, cudaStream_t s)
{
	long n = (long)rows * cols;

	honest<<<blocks(n), 256, 0, s>>>(x, y, a, n);
	far_away<<<1, 1, 0, s>>>(y, n);
}
