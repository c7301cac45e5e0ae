#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <stdint.h>

#define PER   2   // avogit: 1 2 4 8
#define BLOCK 64  // avogit: 32 64 128 256
#define ONCE  0   // avogit: 0 1 2 3
#define ROWS  1   // avogit: 1 2 4
// avogit-require: PER * ROWS <= 8

// PER is how many packs of a row a thread holds at most, BLOCK the threads of
// a block at least: several short rows share one. ROWS is how many rows follow
// each other in a block, all read at its start. ONCE says what may leave the
// cache first: 1 what was read, 2 what was written, 3 both.

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
	__shared__ float part[ROWS][WARPS];

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

// Not in the first cache, which gamma is to have for itself.
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

template <int PACKS> static __device__ float squares_of(const pack p[PACKS])
{
	float sums[2] = {};

#pragma unroll
	for (int k = 0; k < PACKS; k++)
#pragma unroll
		for (int i = 0; i < 4; i++) {
			float2 v = __bfloat1622float2(p[k].v[i]);

			sums[0] += v.x * v.x;
			sums[1] += v.y * v.y;
		}
	return sums[0] + sums[1];
}

static __device__ pack scaled(pack p, pack gamma, float scale)
{
#pragma unroll
	for (int i = 0; i < 4; i++) {
		float2 v = __bfloat1622float2(p.v[i]);
		float2 g = __bfloat1622float2(gamma.v[i]);

		p.v[i] = __floats2bfloat162_rn(v.x * scale * g.x, v.y * scale * g.y);
	}
	return p;
}

template <int WARPS, int PACKS>
static __device__ void write_row(pack *row, const pack p[PACKS], const pack g[PACKS], float scale,
				 int packs, int thread)
{
#pragma unroll
	for (int k = 0; k < PACKS; k++) {
		uint4 *to = (uint4 *)row + k * WARPS * 32 + thread;
		pack q = scaled(p[k], g[k], scale);

		if (k * WARPS * 32 + thread >= packs)
			continue;
		if (ONCE & 2)
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
	row_by_row(const pack *x, const pack *gamma, pack *y, int rows, int packs, float eps)
{
	const int together = WARPS == 1 ? BLOCK / 32 : 1;
	const int thread = threadIdx.x % (WARPS * 32);
	const long first = ((long)blockIdx.x * together + threadIdx.x / (WARPS * 32)) * ROWS;
	pack p[ROWS][PACKS], g[PACKS];

#pragma unroll
	for (int r = 0; r < ROWS; r++)
		if (first + r < rows)
			read_row<WARPS, PACKS>(p[r], x + (first + r) * packs, packs, thread, ONCE & 1);
	read_row<WARPS, PACKS>(g, gamma, packs, thread, false);
#pragma unroll
	for (int r = 0; r < ROWS; r++) {
		float scale;

		if (first + r >= rows)
			return;
		scale = rsqrtf(over_row<WARPS>(squares_of<PACKS>(p[r]), r) / (8 * packs) + eps);
		stay_packed<PACKS>(p[r]);
		stay_packed<PACKS>(g);
		write_row<WARPS, PACKS>(y + (first + r) * packs, p[r], g, scale, packs, thread);
	}
}

static __device__ float over_block(float v)
{
	__shared__ float parts[32];
	float all = 0;

	v = over_warp(v);
	if (threadIdx.x % 32 == 0)
		parts[threadIdx.x / 32] = v;
	__syncthreads();
	for (int i = 0; i < blockDim.x / 32; i++)
		all += parts[i];
	return all;
}

// For rows that do not fit, or do not divide.
static __global__ void __launch_bounds__(256)
	any_length(const bf16 *x, const bf16 *gamma, bf16 *y, int cols, float eps)
{
	const bf16 *in = x + (long)blockIdx.x * cols;
	bf16 *out = y + (long)blockIdx.x * cols;
	float squares = 0, scale;

	for (int j = threadIdx.x; j < cols; j += blockDim.x)
		squares += __bfloat162float(in[j]) * __bfloat162float(in[j]);
	scale = rsqrtf(over_block(squares) / cols + eps);
	for (int j = threadIdx.x; j < cols; j += blockDim.x)
		out[j] = __float2bfloat16(__bfloat162float(in[j]) * scale * __bfloat162float(gamma[j]));
}

// As few warps a row as hold it.
template <int WARPS>
static bool choose(const pack *x, const pack *gamma, pack *y, int rows, int packs, float eps,
		   cudaStream_t stream)
{
	if constexpr (WARPS > 32)
		return false;
	else {
		const int threads = WARPS == 1 ? BLOCK : WARPS * 32, together = threads / (WARPS * 32) * ROWS;

		if (packs > WARPS * 32 * PER)
			return choose<WARPS * 2>(x, gamma, y, rows, packs, eps, stream);
		row_by_row<WARPS, PER>
			<<<(rows + together - 1) / together, threads, 0, stream>>>(x, gamma, y, rows, packs, eps);
		return true;
	}
}

extern "C" void rmsnorm(const bf16 *x, const bf16 *gamma, bf16 *y, int rows, int cols, float eps, cudaStream_t stream)
{
	if (cols % 8 || !choose<1>((const pack *)x, (const pack *)gamma, (pack *)y, rows, cols / 8, eps, stream))
		any_length<<<rows, 256, 0, stream>>>(x, gamma, y, cols, eps);
}
