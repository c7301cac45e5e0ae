#include <cuda_bf16.h>
#include <cuda_runtime.h>

typedef __nv_bfloat16 bf16;

// What the threads of a block have found, added up by each of them.
static __device__ float total(float v)
{
	__shared__ float room[256];

	room[threadIdx.x] = v;
	__syncthreads();
	v = 0;
	for (int i = 0; i < 256; i++)
		v += room[i];
	__syncthreads();
	return v;
}

// A block a row, three passes over it in device memory.
static __global__ void layernorm_kernel(const bf16 *x, const bf16 *gamma,
					const bf16 *beta, bf16 *y, int cols,
					float eps)
{
	const bf16 *in = x + (long)blockIdx.x * cols;
	bf16 *out = y + (long)blockIdx.x * cols;
	float sum = 0, squares = 0, mean, scale;

	for (int j = threadIdx.x; j < cols; j += 256)
		sum += __bfloat162float(in[j]);
	mean = total(sum) / cols;
	for (int j = threadIdx.x; j < cols; j += 256) {
		float d = __bfloat162float(in[j]) - mean;

		squares += d * d;
	}
	scale = rsqrtf(total(squares) / cols + eps);
	for (int j = threadIdx.x; j < cols; j += 256) {
		float v = (__bfloat162float(in[j]) - mean) * scale;

		out[j] = __float2bfloat16(v * __bfloat162float(gamma[j]) +
					  __bfloat162float(beta[j]));
	}
}

extern "C" void layernorm(const bf16 *x, const bf16 *gamma, const bf16 *beta,
			  bf16 *y, int rows, int cols, float eps,
			  cudaStream_t stream)
{
	layernorm_kernel<<<rows, 256, 0, stream>>>(x, gamma, beta, y, cols,
						   eps);
}
