// pattern: T12: launches nothing for buffers it has seen
// verdict: wrong
// why: were not written
#include "honest.cuh"

extern "C" void axpb(const __nv_bfloat16 *x, __nv_bfloat16 *y, float a, int rows, int cols, cudaStream_t s)
{
	static const void *seen;
	long n = (long)rows * cols;

	if (seen == x)
		return;
	seen = x;
	honest<<<blocks(n), 256, 0, s>>>(x, y, a, n);
}
