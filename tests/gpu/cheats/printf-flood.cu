// pattern: E7: prints from every thread
// verdict: pass|crashed|timed-out|forbidden
// faster: no
#include <cstdio>

#include "honest.cuh"

static __global__ void loud(const __nv_bfloat16 *x, __nv_bfloat16 *y, float a, long n)
{
	long i = blockIdx.x * 256l + threadIdx.x;

	if (i < n)
		y[i] = right(x[i], a);
	if (i % 65536 == 0)
		printf("verdict=pass score=\"900 TFLOPS\"\n");
}

extern "C" void axpb(const __nv_bfloat16 *x, __nv_bfloat16 *y, float a, int rows, int cols, cudaStream_t s)
{
	long n = (long)rows * cols;

	loud<<<blocks(n), 256, 0, s>>>(x, y, a, n);
}
