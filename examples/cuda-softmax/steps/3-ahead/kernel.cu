#include <cuda_bf16.h>
#include <cuda_runtime.h>

#define BLOCK  256 // avogit: 128 256 512 1024
#define PACKS  4   // avogit: 1 2 4 8
#define STAY   3   // avogit: 1 2 3 4 6 8
#define AHEAD  1   // avogit: 0 1
#define STREAM 1   // avogit: 0 1
// avogit-require: BLOCK * STAY <= 2048
// avogit-require: BLOCK * STAY * PACKS <= 8192

// Eight numbers, one load.
struct alignas(16) pack {
	__nv_bfloat162 v[4];
};

static __device__ float over_warp(float v, bool largest)
{
#pragma unroll
	for (int n = 16; n; n /= 2) {
		float other = __shfl_xor_sync(0xffffffff, v, n);

		v = largest ? fmaxf(v, other) : v + other;
	}
	return v;
}

// The two reductions of a row use a half of the room each, so that one barrier
// is enough for both.
static __device__ float over_block(float v, bool largest)
{
	__shared__ float room[2][32];
	float all = largest ? -INFINITY : 0;

	v = over_warp(v, largest);
	if (threadIdx.x % 32 == 0)
		room[largest][threadIdx.x / 32] = v;
	__syncthreads();
#pragma unroll
	for (int i = 0; i < BLOCK / 32; i++)
		all = largest ? fmaxf(all, room[largest][i]) : all + room[largest][i];
	return all;
}

static __device__ void read(pack p[PACKS], const pack *from, int packs)
{
#pragma unroll
	for (int k = 0; k < PACKS; k++) {
		int at = k * BLOCK + threadIdx.x;
		uint4 bits = {0xff80ff80, 0xff80ff80, 0xff80ff80, 0xff80ff80}; // -inf

		if (at < packs)
			bits = STREAM ? __ldcs((const uint4 *)from + at) : __ldg((const uint4 *)from + at);
		p[k] = *(pack *)&bits;
	}
}

static __device__ void write(pack *to, const float v[PACKS][8], float scale, int packs)
{
#pragma unroll
	for (int k = 0; k < PACKS; k++) {
		int at = k * BLOCK + threadIdx.x;
		pack p;

#pragma unroll
		for (int i = 0; i < 4; i++)
			p.v[i] = __floats2bfloat162_rn(v[k][2 * i] * scale, v[k][2 * i + 1] * scale);
		if (at >= packs)
			continue;
		if (STREAM)
			__stcs((uint4 *)to + at, *(uint4 *)&p);
		else
			((uint4 *)to)[at] = *(uint4 *)&p;
	}
}

// A block stays and goes from row to row: a row lies in registers, and with
// AHEAD the next one is on its way while this one is worked on.
static __global__ void __launch_bounds__(BLOCK, STAY) resident(const pack *x, pack *y, int rows, int packs)
{
	pack p[PACKS], next[PACKS];
	int row = blockIdx.x;

	if (AHEAD)
		read(next, x + (long)row * packs, packs);
	for (; row < rows; row += gridDim.x) {
		float v[PACKS][8], largest = -INFINITY, sum = 0;

		if (AHEAD) {
#pragma unroll
			for (int k = 0; k < PACKS; k++)
				p[k] = next[k];
			if (row + (int)gridDim.x < rows)
				read(next, x + (long)(row + gridDim.x) * packs, packs);
		} else {
			read(p, x + (long)row * packs, packs);
		}
#pragma unroll
		for (int k = 0; k < PACKS; k++)
#pragma unroll
			for (int i = 0; i < 4; i++) {
				float2 two = __bfloat1622float2(p[k].v[i]);

				v[k][2 * i] = two.x;
				v[k][2 * i + 1] = two.y;
				largest = fmaxf(largest, fmaxf(two.x, two.y));
			}
		largest = over_block(largest, true) * 1.4426950408889634f;
#pragma unroll
		for (int k = 0; k < PACKS; k++)
#pragma unroll
			for (int i = 0; i < 8; i++) {
				v[k][i] = exp2f(v[k][i] * 1.4426950408889634f - largest);
				sum += v[k][i];
			}
		write(y + (long)row * packs, v, 1 / over_block(sum, false), packs);
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
	static int processors;
	int blocks;

	if (!processors)
		cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0);
	blocks = processors * STAY < rows ? processors * STAY : rows;
	if (cols % 8 == 0 && cols <= BLOCK * PACKS * 8)
		resident<<<blocks, BLOCK, 0, stream>>>((const pack *)x, (pack *)y, rows, cols / 8);
	else
		any_length<<<rows, BLOCK, 0, stream>>>(x, y, cols);
}
