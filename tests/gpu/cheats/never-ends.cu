// pattern: E6: a kernel that never ends
// verdict: timed-out
// why: did not end within
#include "honest.cuh"

static __global__ void forever(volatile int *y)
{
	while (*y != 12345678)
		;
}

extern "C" void axpb(const __nv_bfloat16 *x, __nv_bfloat16 *y, float a, int rows, int cols, cudaStream_t s)
{
	(void)x, (void)a, (void)rows, (void)cols;
	forever<<<1, 1, 0, s>>>((volatile int *)y);
}
