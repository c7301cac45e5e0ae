// pattern: none: a kernel that needs more stack than the driver has ready, for which it ends what it began
// verdict: pass
// class: replayed
#include "honest.cuh"

#define WORDS 2048

static __global__ void by_stack(const __nv_bfloat16 *x, __nv_bfloat16 *y, float a, long n)
{
	long i = blockIdx.x * 256l + threadIdx.x;
	float kept[WORDS];
	int at = (int)(i % 7);

	if (i >= n)
		return;
	for (int k = 0; k < 8; k++)
		kept[(at + 251 * k) % WORDS] = __bfloat162float(x[i]);
	y[i] = right(__float2bfloat16(kept[(at + 251 * (int)(i % 8)) % WORDS]), a);
}

extern "C" void axpb(const __nv_bfloat16 *x, __nv_bfloat16 *y, float a, int rows, int cols, cudaStream_t s)
{
	long n = (long)rows * cols;

	by_stack<<<blocks(n), 256, 0, s>>>(x, y, a, n);
}
