#include <cuda_bf16.h>
#include <cuda_runtime.h>

#define BLOCK 256 // avogit: 64 128 256 512 1024

typedef __nv_bfloat16 bf16;

static __device__ float over_warp(float v)
{
	for (int n = 16; n; n /= 2)
		v += __shfl_xor_sync(0xffffffff, v, n);
	return v;
}

static __device__ float total(float v)
{
	__shared__ float room[BLOCK / 32];

	v = over_warp(v);
	if (threadIdx.x % 32 == 0)
		room[threadIdx.x / 32] = v;
	__syncthreads();
	v = 0;
	for (int i = 0; i < BLOCK / 32; i++)
		v += room[i];
	__syncthreads();
	return v;
}

// A block a row, three passes over it in device memory.
static __global__ void __launch_bounds__(BLOCK)
	layernorm_kernel(const bf16 *x, const bf16 *gamma, const bf16 *beta,
			 bf16 *y, int cols, float eps)
{
	const bf16 *in = x + (long)blockIdx.x * cols;
	bf16 *out = y + (long)blockIdx.x * cols;
	float sum = 0, squares = 0, mean, scale;

	for (int j = threadIdx.x; j < cols; j += BLOCK)
		sum += __bfloat162float(in[j]);
	mean = total(sum) / cols;
	for (int j = threadIdx.x; j < cols; j += BLOCK) {
		float d = __bfloat162float(in[j]) - mean;

		squares += d * d;
	}
	scale = rsqrtf(total(squares) / cols + eps);
	for (int j = threadIdx.x; j < cols; j += BLOCK) {
		float v = (__bfloat162float(in[j]) - mean) * scale;

		out[j] = __float2bfloat16(v * __bfloat162float(gamma[j]) +
					  __bfloat162float(beta[j]));
	}
}

extern "C" void layernorm(const bf16 *x, const bf16 *gamma, const bf16 *beta,
			  bf16 *y, int rows, int cols, float eps,
			  cudaStream_t stream)
{
	layernorm_kernel<<<rows, BLOCK, 0, stream>>>(x, gamma, beta, y, cols,
						     eps);
}
