#include <cuda_bf16.h>
#include <cuda_runtime.h>

#define BLOCK 256 // avogit: 64 128 256 512 1024

typedef __nv_bfloat16 bf16;

// Eight numbers, one load.
struct alignas(16) pack {
	__nv_bfloat162 v[4];
};

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

static __device__ float sum_of(pack p)
{
	float sum = 0;

#pragma unroll
	for (int i = 0; i < 4; i++) {
		float2 v = __bfloat1622float2(p.v[i]);

		sum += v.x + v.y;
	}
	return sum;
}

static __device__ float squares_of(pack p, float mean)
{
	float sum = 0;

#pragma unroll
	for (int i = 0; i < 4; i++) {
		float2 v = __bfloat1622float2(p.v[i]);

		sum += (v.x - mean) * (v.x - mean);
		sum += (v.y - mean) * (v.y - mean);
	}
	return sum;
}

static __device__ pack normal(pack p, pack gamma, pack beta, float mean,
			      float scale)
{
#pragma unroll
	for (int i = 0; i < 4; i++) {
		float2 v = __bfloat1622float2(p.v[i]);
		float2 g = __bfloat1622float2(gamma.v[i]);
		float2 b = __bfloat1622float2(beta.v[i]);

		p.v[i] =
			__floats2bfloat162_rn((v.x - mean) * scale * g.x + b.x,
					      (v.y - mean) * scale * g.y + b.y);
	}
	return p;
}

// A block a row, three passes over it in device memory.
static __global__ void __launch_bounds__(BLOCK)
	in_packs(const pack *x, const pack *gamma, const pack *beta, pack *y,
		 int packs, float eps)
{
	const pack *in = x + (long)blockIdx.x * packs;
	pack *out = y + (long)blockIdx.x * packs;
	float sum = 0, squares = 0, mean, scale;

	for (int j = threadIdx.x; j < packs; j += BLOCK)
		sum += sum_of(in[j]);
	mean = total(sum) / (8 * packs);
	for (int j = threadIdx.x; j < packs; j += BLOCK)
		squares += squares_of(in[j], mean);
	scale = rsqrtf(total(squares) / (8 * packs) + eps);
	for (int j = threadIdx.x; j < packs; j += BLOCK)
		out[j] = normal(in[j], gamma[j], beta[j], mean, scale);
}

// For rows that do not divide by eight.
static __global__ void __launch_bounds__(BLOCK)
	any_length(const bf16 *x, const bf16 *gamma, const bf16 *beta, bf16 *y,
		   int cols, float eps)
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
	if (cols % 8 == 0)
		in_packs<<<rows, BLOCK, 0, stream>>>((const pack *)x,
						     (const pack *)gamma,
						     (const pack *)beta,
						     (pack *)y, cols / 8, eps);
	else
		any_length<<<rows, BLOCK, 0, stream>>>(x, gamma, beta, y, cols,
						       eps);
}
