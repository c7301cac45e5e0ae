// pattern: none: an honest kernel after a fill
// verdict: pass
#include "honest.cuh"

extern "C" void axpb(const __nv_bfloat16 *x, __nv_bfloat16 *y, float a, int rows, int cols, cudaStream_t s)
{
	long n = (long)rows * cols;

	cudaMemsetAsync(y, 0, 2 * n, s);
	honest<<<blocks(n), 256, 0, s>>>(x, y, a, n);
}
