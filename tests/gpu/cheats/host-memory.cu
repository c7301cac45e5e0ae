// pattern: T9: writes where the launcher's own memory could be
// verdict: out-of-bounds
// why: memory that is not its own
#include "honest.cuh"

static __global__ void poke(unsigned long at)
{
	*(volatile unsigned long *)at = 0;
}

extern "C" void axpb(const __nv_bfloat16 *x, __nv_bfloat16 *y, float a, int rows, int cols, cudaStream_t s)
{
	static unsigned long mine;
	long n = (long)rows * cols;

	honest<<<blocks(n), 256, 0, s>>>(x, y, a, n);
	poke<<<1, 1, 0, s>>>((unsigned long)&mine);
}
