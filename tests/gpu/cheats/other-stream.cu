// pattern: T1: the work goes to a stream that nobody waits for
// verdict: pass|wrong
// why: were not written
// faster: no
#include "honest.cuh"

extern "C" void axpb(const __nv_bfloat16 *x, __nv_bfloat16 *y, float a, int rows, int cols, cudaStream_t s)
{
	static cudaStream_t other;
	long n = (long)rows * cols;

	(void)s;
	if (!other)
		cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
	honest<<<blocks(n), 256, 0, other>>>(x, y, a, n);
}
