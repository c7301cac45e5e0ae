#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <stdint.h>

#define PER   4	 // avogit: 1 2 4 8
#define BLOCK 64 // avogit: 32 64 128 256
#define ONCE  0	 // avogit: 0 1 2 3
#define ROWS  1	 // avogit: 1 2 4
#define HOLD  4	 // avogit: 0 1 4 32
// avogit-require: PER * ROWS <= 8

// PER is how many packs of a row a thread holds at most, BLOCK the threads of
// a block at least: several short rows share one. ROWS is how many rows follow
// each other in a block, all read at its start. ONCE says what may leave the
// cache first: 1 what was read, 2 what was written, 3 both. Rows of up to HOLD
// warps hold gamma and beta from the start on; wider ones, whose blocks are fewer
// at a time, read them where they are used and have registers for another block.

typedef __nv_bfloat16 bf16;
typedef __nv_bfloat162 bf16x2;

// Eight numbers, one access.
struct alignas(16) pack {
	bf16x2 v[4];
};

static __device__ float over_warp(float v)
{
#pragma unroll
	for (int n = 16; n; n /= 2)
		v += __shfl_xor_sync(0xffffffff, v, n);
	return v;
}

// A row of more than one warp has a block of its own. Each sum of a row has
// places of its own, so that one barrier does.
template <int WARPS> static __device__ float over_row(float v, int sum)
{
	__shared__ float part[2 * ROWS][WARPS];

	v = over_warp(v);
	if (WARPS == 1)
		return v;
	if (threadIdx.x % 32 == 0)
		part[sum][threadIdx.x / 32] = v;
	__syncthreads();
	v = part[sum][0];
#pragma unroll
	for (int i = 1; i < WARPS; i++)
		v += part[sum][i];
	return v;
}

// Not in the first cache, which gamma and beta are to have for themselves.
static __device__ uint4 not_kept(const uint4 *from)
{
	uint4 v;

	asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
		     : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
		     : "l"(from));
	return v;
}

template <int WARPS, int PACKS>
static __device__ void read_row(pack p[PACKS], const pack *row, int packs, int thread, bool once)
{
#pragma unroll
	for (int k = 0; k < PACKS; k++) {
		const uint4 *from = (const uint4 *)row + k * WARPS * 32 + thread;
		uint4 bits = {};

		if (k * WARPS * 32 + thread < packs)
			bits = once ? not_kept(from) : __ldg(from);
		p[k] = *(pack *)&bits;
	}
}

template <int PACKS> static __device__ float sum_of(const pack p[PACKS])
{
	float sums[2] = {};

#pragma unroll
	for (int k = 0; k < PACKS; k++)
#pragma unroll
		for (int i = 0; i < 4; i++) {
			float2 v = __bfloat1622float2(p[k].v[i]);

			sums[0] += v.x;
			sums[1] += v.y;
		}
	return sums[0] + sums[1];
}

template <int WARPS, int PACKS>
static __device__ float squares_of(const pack p[PACKS], float mean, int packs, int thread)
{
	float sums[2] = {};

#pragma unroll
	for (int k = 0; k < PACKS; k++) {
		if (k * WARPS * 32 + thread >= packs)
			continue;
#pragma unroll
		for (int i = 0; i < 4; i++) {
			float2 v = __bfloat1622float2(p[k].v[i]);

			sums[0] += (v.x - mean) * (v.x - mean);
			sums[1] += (v.y - mean) * (v.y - mean);
		}
	}
	return sums[0] + sums[1];
}

static __device__ pack normal(pack p, pack gamma, pack beta, float mean, float scale)
{
#pragma unroll
	for (int i = 0; i < 4; i++) {
		float2 v = __bfloat1622float2(p.v[i]);
		float2 g = __bfloat1622float2(gamma.v[i]);
		float2 b = __bfloat1622float2(beta.v[i]);

		p.v[i] = __floats2bfloat162_rn((v.x - mean) * scale * g.x + b.x, (v.y - mean) * scale * g.y + b.y);
	}
	return p;
}

template <int PACKS> struct affine {
	pack gamma[PACKS], beta[PACKS];
};

static __device__ pack read_pack(const pack *from)
{
	uint4 bits = __ldg((const uint4 *)from);

	return *(pack *)&bits;
}

template <int WARPS, int PACKS>
static __device__ void write_row(pack *row, const pack p[PACKS], const affine<PACKS> &held, const pack *gamma,
				 const pack *beta, float mean, float scale, int packs, int thread)
{
	const bool holds = WARPS <= HOLD;

#pragma unroll
	for (int k = 0; k < PACKS; k++) {
		int at = k * WARPS * 32 + thread;
		uint4 *to = (uint4 *)row + at;
		pack q;

		if (at >= packs)
			continue;
		q = normal(p[k], holds ? held.gamma[k] : read_pack(gamma + at),
			   holds ? held.beta[k] : read_pack(beta + at), mean, scale);
		if (holds && ONCE & 2)
			__stcs(to, *(const uint4 *)&q);
		else
			*to = *(const uint4 *)&q;
	}
}

// Packs stay as they came: the compiler would keep them unpacked from one use
// to the next, which takes twice the registers.
template <int PACKS> static __device__ void stay_packed(pack p[PACKS])
{
#pragma unroll
	for (int k = 0; k < PACKS; k++) {
		uint4 *v = (uint4 *)&p[k];

		asm volatile("" : "+r"(v->x), "+r"(v->y), "+r"(v->z), "+r"(v->w));
	}
}

// WARPS warps a row, ROWS rows, once: the card gives a multiprocessor the next
// block when one ends, so that rows of several blocks are read, worked on and
// written at the same time.
template <int WARPS, int PACKS>
static __global__ void __launch_bounds__(WARPS == 1 ? BLOCK : WARPS * 32)
	row_by_row(const pack *x, const pack *gamma, const pack *beta, pack *y, int rows, int packs, float eps)
{
	const int together = WARPS == 1 ? BLOCK / 32 : 1;
	const int thread = threadIdx.x % (WARPS * 32);
	const long first = ((long)blockIdx.x * together + threadIdx.x / (WARPS * 32)) * ROWS;
	const bool holds = WARPS <= HOLD;
	pack p[ROWS][PACKS];
	affine<PACKS> held;

#pragma unroll
	for (int r = 0; r < ROWS; r++)
		if (first + r < rows)
			read_row<WARPS, PACKS>(p[r], x + (first + r) * packs, packs, thread, holds && ONCE & 1);
	if (holds) {
		read_row<WARPS, PACKS>(held.gamma, gamma, packs, thread, false);
		read_row<WARPS, PACKS>(held.beta, beta, packs, thread, false);
	}
#pragma unroll
	for (int r = 0; r < ROWS; r++) {
		float mean, scale;

		if (first + r >= rows)
			return;
		mean = over_row<WARPS>(sum_of<PACKS>(p[r]), 2 * r) / (8 * packs);
		stay_packed<PACKS>(p[r]);
		scale = squares_of<WARPS, PACKS>(p[r], mean, packs, thread);
		scale = rsqrtf(over_row<WARPS>(scale, 2 * r + 1) / (8 * packs) + eps);
		stay_packed<PACKS>(p[r]);
		if (holds) {
			stay_packed<PACKS>(held.gamma);
			stay_packed<PACKS>(held.beta);
		}
		write_row<WARPS, PACKS>(y + (first + r) * packs, p[r], held, gamma, beta, mean, scale, packs, thread);
	}
}

static __device__ float over_block(float v, int turn)
{
	__shared__ float part[2][32];
	float all = 0;

	v = over_warp(v);
	if (threadIdx.x % 32 == 0)
		part[turn][threadIdx.x / 32] = v;
	__syncthreads();
	for (int i = 0; i < blockDim.x / 32; i++)
		all += part[turn][i];
	return all;
}

// For rows that do not fit, or do not divide.
static __global__ void __launch_bounds__(256)
	any_length(const bf16 *x, const bf16 *gamma, const bf16 *beta, bf16 *y, int cols, float eps)
{
	const bf16 *in = x + (long)blockIdx.x * cols;
	bf16 *out = y + (long)blockIdx.x * cols;
	float sum = 0, squares = 0, mean, scale;

	for (int j = threadIdx.x; j < cols; j += blockDim.x)
		sum += __bfloat162float(in[j]);
	mean = over_block(sum, 0) / cols;
	for (int j = threadIdx.x; j < cols; j += blockDim.x) {
		float d = __bfloat162float(in[j]) - mean;

		squares += d * d;
	}
	scale = rsqrtf(over_block(squares, 1) / cols + eps);
	for (int j = threadIdx.x; j < cols; j += blockDim.x) {
		float v = (__bfloat162float(in[j]) - mean) * scale;

		out[j] = __float2bfloat16(v * __bfloat162float(gamma[j]) + __bfloat162float(beta[j]));
	}
}

// As few warps a row as hold it.
template <int WARPS>
static bool choose(const pack *x, const pack *gamma, const pack *beta, pack *y, int rows, int packs, float eps,
		   cudaStream_t stream)
{
	if constexpr (WARPS > 32)
		return false;
	else {
		const int threads = WARPS == 1 ? BLOCK : WARPS * 32, together = threads / (WARPS * 32) * ROWS;

		if (packs > WARPS * 32 * PER)
			return choose<WARPS * 2>(x, gamma, beta, y, rows, packs, eps, stream);
		row_by_row<WARPS, PER>
			<<<(rows + together - 1) / together, threads, 0, stream>>>(x, gamma, beta, y, rows, packs, eps);
		return true;
	}
}

extern "C" void layernorm(const bf16 *x, const bf16 *gamma, const bf16 *beta, bf16 *y, int rows, int cols, float eps,
			  cudaStream_t stream)
{
	if (cols % 8 || !choose<1>((const pack *)x, (const pack *)gamma, (const pack *)beta, (pack *)y, rows, cols / 8,
				   eps, stream))
		any_length<<<rows, 256, 0, stream>>>(x, gamma, beta, y, cols, eps);
}
