#include <cuda_runtime.h>

#ifndef MORE
#define MORE 0 // percent
#endif
#define ROUNDS (4500 + 45 * MORE)

static __global__ void spin_kernel(const float *x, float *y, int n)
{
	int i = blockIdx.x * 1024 + threadIdx.x;
	float v = 0, by = i < n ? x[i] : 0;

#pragma unroll 15
	for (int k = 0; k < ROUNDS; k++)
		v = fmaf(v, 0.99f, by);
	if (i < n)
		y[i] = v;
}

extern "C" void spin(const float *x, float *y, int n, cudaStream_t stream)
{
	spin_kernel<<<(n + 1023) / 1024, 1024, 0, stream>>>(x, y, n);
}
