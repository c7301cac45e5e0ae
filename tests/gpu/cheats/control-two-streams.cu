// pattern: none: an honest kernel in two halves on two streams, joined
// verdict: pass
#include "honest.cuh"

extern "C" void axpb(const __nv_bfloat16 *x, __nv_bfloat16 *y, float a, int rows, int cols, cudaStream_t s)
{
	static cudaStream_t other;
	static cudaEvent_t fork, join;
	long n = (long)rows * cols, half = n / 2;

	if (!other) {
		cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
		cudaEventCreateWithFlags(&fork, cudaEventDisableTiming);
		cudaEventCreateWithFlags(&join, cudaEventDisableTiming);
	}
	cudaEventRecord(fork, s);
	cudaStreamWaitEvent(other, fork, 0);
	if (half)
		honest<<<blocks(half), 256, 0, s>>>(x, y, a, half);
	honest<<<blocks(n - half), 256, 0, other>>>(x + half, y + half, a, n - half);
	cudaEventRecord(join, other);
	cudaStreamWaitEvent(s, join, 0);
}
