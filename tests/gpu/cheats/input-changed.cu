// pattern: C2: writes its inputs
// verdict: out-of-bounds
// why: memory that is not its own
#include "honest.cuh"

static __global__ void change(__nv_bfloat16 *x)
{
	x[3] = x[4];
}

extern "C" void axpb(const __nv_bfloat16 *x, __nv_bfloat16 *y, float a, int rows, int cols, cudaStream_t s)
{
	long n = (long)rows * cols;

	honest<<<blocks(n), 256, 0, s>>>(x, y, a, n);
	change<<<1, 1, 0, s>>>((__nv_bfloat16 *)x);
}
