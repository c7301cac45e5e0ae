/* What the task asks for, for cheats that are honest at times. */
#ifndef HONEST_CUH
#define HONEST_CUH

#include <cuda_bf16.h>
#include <cuda_runtime.h>

static __device__ __nv_bfloat16 right(__nv_bfloat16 x, float a)
{
	return __float2bfloat16(a * __bfloat162float(x) + 1.0f);
}

static __global__ void honest(const __nv_bfloat16 *x, __nv_bfloat16 *y, float a, long n)
{
	long i = blockIdx.x * 256l + threadIdx.x;

	if (i < n)
		y[i] = right(x[i], a);
}

static inline unsigned blocks(long n)
{
	return (unsigned)((n + 255) / 256);
}

#endif
