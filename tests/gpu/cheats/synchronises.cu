// pattern: T4: waits inside, where a launch must not
// verdict: pass
// class: isolated
// faster: no
#include "honest.cuh"

extern "C" void axpb(const __nv_bfloat16 *x, __nv_bfloat16 *y, float a, int rows, int cols, cudaStream_t s)
{
	long n = (long)rows * cols;

	cudaDeviceSynchronize();
	honest<<<blocks(n), 256, 0, s>>>(x, y, a, n);
}
