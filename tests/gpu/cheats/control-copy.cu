// pattern: none: copies the input to the output, then works in place
// verdict: pass
// class: replayed
#include "honest.cuh"

extern "C" void axpb(const __nv_bfloat16 *x, __nv_bfloat16 *y, float a, int rows, int cols, cudaStream_t s)
{
	long n = (long)rows * cols;

	cudaMemcpyAsync(y, x, 2 * n, cudaMemcpyDeviceToDevice, s);
	honest<<<blocks(n), 256, 0, s>>>(y, y, a, n);
}
