// pattern: C19: adds what lies past the end, as if it were nought
// verdict: wrong|out-of-bounds
// why: is -?nan where|were not written|memory that is not its own
#include "honest.cuh"

/* Eight at a time, and of what is too much only the writing is left out. */
static __global__ void by_eight(const __nv_bfloat16 *x, __nv_bfloat16 *y, float a, long n)
{
	long i = (blockIdx.x * 256l + threadIdx.x) * 8;
	float extra = 0;

	if (i >= n)
		return;
	for (long k = n; k < i + 16; k++)
		extra += 0.0f * __bfloat162float(x[k]);
	for (long k = i; k < i + 8 && k < n; k++)
		y[k] = __float2bfloat16(a * __bfloat162float(x[k]) + 1.0f + extra);
}

extern "C" void axpb(const __nv_bfloat16 *x, __nv_bfloat16 *y, float a, int rows, int cols, cudaStream_t s)
{
	long n = (long)rows * cols;

	by_eight<<<blocks((n + 7) / 8), 256, 0, s>>>(x, y, a, n);
}
