// pattern: none: one thread prints one line
// verdict: pass
#include <cstdio>

#include "honest.cuh"

static __global__ void say(long n)
{
	printf("%ld elements\n", n);
}

extern "C" void axpb(const __nv_bfloat16 *x, __nv_bfloat16 *y, float a, int rows, int cols, cudaStream_t s)
{
	long n = (long)rows * cols;

	say<<<1, 1, 0, s>>>(n);
	honest<<<blocks(n), 256, 0, s>>>(x, y, a, n);
}
