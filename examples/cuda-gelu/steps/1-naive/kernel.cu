#include <cuda_bf16.h>
#include <cuda_runtime.h>

typedef __nv_bfloat16 bf16;

// A thread a number.
static __global__ void gelu_kernel(const bf16 *x, bf16 *y, long n)
{
	long i = (long)blockIdx.x * 256 + threadIdx.x;

	if (i < n) {
		float v = __bfloat162float(x[i]);

		y[i] = __float2bfloat16(0.5f * v * erfcf(-v * 0.70710678f));
	}
}

extern "C" void gelu(const bf16 *x, bf16 *y, int rows, int cols, cudaStream_t stream)
{
	long n = (long)rows * cols;

	gelu_kernel<<<(unsigned)((n + 255) / 256), 256, 0, stream>>>(x, y, n);
}
