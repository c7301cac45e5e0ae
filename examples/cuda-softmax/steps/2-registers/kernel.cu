#include <cuda_bf16.h>
#include <cuda_runtime.h>

#define BLOCK 256 // avogit: 64 128 256 512 1024
#define DEEP 4    // avogit: 1 2 4 8
// avogit-require: BLOCK * DEEP * 8 >= 2048

// A row stays in registers: eight numbers a load, DEEP loads a thread.
struct alignas(16) eight {
	__nv_bfloat162 v[4];
};

static __device__ float over_warp(float v, bool largest)
{
	for (int n = 16; n; n /= 2) {
		float other = __shfl_xor_sync(0xffffffff, v, n);

		v = largest ? fmaxf(v, other) : v + other;
	}
	return v;
}

static __device__ float over_block(float v, bool largest)
{
	__shared__ float room[BLOCK / 32];
	float all = largest ? -INFINITY : 0;

	v = over_warp(v, largest);
	if (threadIdx.x % 32 == 0)
		room[threadIdx.x / 32] = v;
	__syncthreads();
	for (int i = 0; i < BLOCK / 32; i++)
		all = largest ? fmaxf(all, room[i]) : all + room[i];
	__syncthreads();
	return all;
}

static __global__ void __launch_bounds__(BLOCK) in_registers(const __nv_bfloat16 *x, __nv_bfloat16 *y, int cols)
{
	const eight *in = (const eight *)(x + (long)blockIdx.x * cols);
	eight *out = (eight *)(y + (long)blockIdx.x * cols);
	int packs = cols / 8;
	float v[DEEP][8], largest = -INFINITY, sum = 0;

#pragma unroll
	for (int k = 0; k < DEEP; k++) {
		int at = k * BLOCK + threadIdx.x;

		if (at >= packs)
			continue;
		eight p = in[at];
#pragma unroll
		for (int i = 0; i < 4; i++) {
			float2 two = __bfloat1622float2(p.v[i]);

			v[k][2 * i] = two.x * 1.4426950408889634f;
			v[k][2 * i + 1] = two.y * 1.4426950408889634f;
			largest = fmaxf(largest, fmaxf(v[k][2 * i], v[k][2 * i + 1]));
		}
	}
	largest = over_block(largest, true);
#pragma unroll
	for (int k = 0; k < DEEP; k++) {
		if (k * BLOCK + (int)threadIdx.x >= packs)
			continue;
#pragma unroll
		for (int i = 0; i < 8; i++) {
			v[k][i] = exp2f(v[k][i] - largest);
			sum += v[k][i];
		}
	}
	sum = 1 / over_block(sum, false);
#pragma unroll
	for (int k = 0; k < DEEP; k++) {
		int at = k * BLOCK + threadIdx.x;
		eight p;

		if (at >= packs)
			continue;
#pragma unroll
		for (int i = 0; i < 4; i++)
			p.v[i] = __floats2bfloat162_rn(v[k][2 * i] * sum, v[k][2 * i + 1] * sum);
		out[at] = p;
	}
}

// For rows that do not fit, or do not divide.
static __global__ void __launch_bounds__(BLOCK) any_length(const __nv_bfloat16 *x, __nv_bfloat16 *y, int cols)
{
	const __nv_bfloat16 *in = x + (long)blockIdx.x * cols;
	__nv_bfloat16 *out = y + (long)blockIdx.x * cols;
	float largest = -INFINITY, sum = 0;

	for (int j = threadIdx.x; j < cols; j += BLOCK)
		largest = fmaxf(largest, __bfloat162float(in[j]));
	largest = over_block(largest, true);
	for (int j = threadIdx.x; j < cols; j += BLOCK)
		sum += expf(__bfloat162float(in[j]) - largest);
	sum = over_block(sum, false);
	for (int j = threadIdx.x; j < cols; j += BLOCK)
		out[j] = __float2bfloat16(expf(__bfloat162float(in[j]) - largest) / sum);
}

extern "C" void softmax(const __nv_bfloat16 *x, __nv_bfloat16 *y, int rows, int cols, cudaStream_t stream)
{
	if (cols % 8 == 0 && cols <= BLOCK * DEEP * 8)
		in_registers<<<rows, BLOCK, 0, stream>>>(x, y, cols);
	else
		any_length<<<rows, BLOCK, 0, stream>>>(x, y, cols);
}
