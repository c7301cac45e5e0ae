#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <stdint.h>

#define PER   4   // avogit: 1 2 4 8
#define BLOCK 64  // avogit: 32 64 128 256
#define ONCE  0   // avogit: 0 1 2 3

// PER is how many packs of a row a thread holds at most, BLOCK the threads of
// a block at least: several short rows share one. ONCE says what may leave the
// cache first: 1 what was read, 2 what was written, 3 both.

typedef __nv_bfloat16 bf16;
typedef __nv_bfloat162 bf16x2;

// Eight numbers, one access.
struct alignas(16) pack {
	bf16x2 v[4];
};

// Too small for a normal number is zero.
static __device__ float power_of_two(float v)
{
	asm("ex2.approx.ftz.f32 %0, %0;" : "+f"(v));
	return v;
}

static __device__ float over_warp(float v, bool largest)
{
#pragma unroll
	for (int n = 16; n; n /= 2) {
		float other = __shfl_xor_sync(0xffffffff, v, n);

		v = largest ? fmaxf(v, other) : v + other;
	}
	return v;
}

// A row of more than one warp has a block of its own.
template <int WARPS> static __device__ float over_row(float v, bool largest)
{
	__shared__ float part[2][WARPS];

	v = over_warp(v, largest);
	if (WARPS == 1)
		return v;
	if (threadIdx.x % 32 == 0)
		part[largest][threadIdx.x / 32] = v;
	__syncthreads();
	v = part[largest][0];
#pragma unroll
	for (int i = 1; i < WARPS; i++)
		v = largest ? fmaxf(v, part[largest][i]) : v + part[largest][i];
	return v;
}

template <int WARPS, int PACKS>
static __device__ void read_row(pack p[PACKS], const pack *row, int packs, int thread)
{
#pragma unroll
	for (int k = 0; k < PACKS; k++) {
		const uint4 *from = (const uint4 *)row + k * WARPS * 32 + thread;
		uint4 bits = {0xff80ff80, 0xff80ff80, 0xff80ff80, 0xff80ff80}; // -inf

		if (k * WARPS * 32 + thread < packs)
			bits = ONCE & 1 ? __ldcs(from) : __ldg(from);
		p[k] = *(pack *)&bits;
	}
}

// Numbers in bf16 compare exactly, two at a time.
template <int PACKS> static __device__ float largest_of(const pack p[PACKS])
{
	bf16x2 v = p[0].v[0];

#pragma unroll
	for (int k = 0; k < PACKS; k++)
#pragma unroll
		for (int i = 0; i < 4; i++)
			v = __hmax2(v, p[k].v[i]);
	return fmaxf(__low2float(v), __high2float(v));
}

template <int PACKS> static __device__ float exponents(float v[PACKS][8], const pack p[PACKS], float largest)
{
	float sums[2] = {};

#pragma unroll
	for (int k = 0; k < PACKS; k++)
#pragma unroll
		for (int i = 0; i < 4; i++) {
			float2 two = __bfloat1622float2(p[k].v[i]);

			v[k][2 * i] = power_of_two((two.x - largest) * 1.4426950408889634f);
			v[k][2 * i + 1] = power_of_two((two.y - largest) * 1.4426950408889634f);
			sums[0] += v[k][2 * i];
			sums[1] += v[k][2 * i + 1];
		}
	return sums[0] + sums[1];
}

template <int WARPS, int PACKS>
static __device__ void write_row(pack *row, const float v[PACKS][8], float scale, int packs, int thread)
{
#pragma unroll
	for (int k = 0; k < PACKS; k++) {
		uint4 *to = (uint4 *)row + k * WARPS * 32 + thread;
		pack p;

#pragma unroll
		for (int i = 0; i < 4; i++)
			p.v[i] = __floats2bfloat162_rn(v[k][2 * i] * scale, v[k][2 * i + 1] * scale);
		if (k * WARPS * 32 + thread >= packs)
			continue;
		if (ONCE & 2)
			__stcs(to, *(const uint4 *)&p);
		else
			*to = *(const uint4 *)&p;
	}
}

// WARPS warps a row, once: the card gives a multiprocessor the next block when
// one ends, so that rows of several blocks are read, worked on and written at
// the same time.
template <int WARPS, int PACKS>
static __global__ void __launch_bounds__(WARPS == 1 ? BLOCK : WARPS * 32)
	row_by_row(const pack *x, pack *y, int rows, int packs)
{
	const int together = WARPS == 1 ? BLOCK / 32 : 1;
	const int thread = threadIdx.x % (WARPS * 32);
	const long row = (long)blockIdx.x * together + threadIdx.x / (WARPS * 32);
	pack p[PACKS];
	float v[PACKS][8], largest, sum;

	if (row >= rows)
		return;
	read_row<WARPS, PACKS>(p, x + row * packs, packs, thread);
	largest = over_row<WARPS>(largest_of<PACKS>(p), true);
	sum = over_row<WARPS>(exponents<PACKS>(v, p, largest), false);
	write_row<WARPS, PACKS>(y + row * packs, v, 1 / sum, packs, thread);
}

static __device__ float over_block(float v, bool largest)
{
	__shared__ float part[2][32];
	float all = largest ? -INFINITY : 0;

	v = over_warp(v, largest);
	if (threadIdx.x % 32 == 0)
		part[largest][threadIdx.x / 32] = v;
	__syncthreads();
	for (int i = 0; i < blockDim.x / 32; i++)
		all = largest ? fmaxf(all, part[largest][i]) : all + part[largest][i];
	return all;
}

// For rows that do not fit, or do not divide.
static __global__ void __launch_bounds__(256) any_length(const bf16 *x, bf16 *y, int cols)
{
	const bf16 *in = x + (long)blockIdx.x * cols;
	bf16 *out = y + (long)blockIdx.x * cols;
	float largest = -INFINITY, sum = 0;

	for (int j = threadIdx.x; j < cols; j += blockDim.x)
		largest = fmaxf(largest, __bfloat162float(in[j]));
	largest = over_block(largest, true);
	for (int j = threadIdx.x; j < cols; j += blockDim.x)
		sum += expf(__bfloat162float(in[j]) - largest);
	sum = over_block(sum, false);
	for (int j = threadIdx.x; j < cols; j += blockDim.x)
		out[j] = __float2bfloat16(expf(__bfloat162float(in[j]) - largest) / sum);
}

// As few warps a row as hold it.
template <int WARPS> static bool choose(const pack *x, pack *y, int rows, int packs, cudaStream_t stream)
{
	if constexpr (WARPS > 32)
		return false;
	else {
		const int threads = WARPS == 1 ? BLOCK : WARPS * 32, together = threads / (WARPS * 32);

		if (packs > WARPS * 32 * PER)
			return choose<WARPS * 2>(x, y, rows, packs, stream);
		row_by_row<WARPS, PER><<<(rows + together - 1) / together, threads, 0, stream>>>(x, y, rows, packs);
		return true;
	}
}

extern "C" void softmax(const bf16 *x, bf16 *y, int rows, int cols, cudaStream_t stream)
{
	if (cols % 8 || !choose<1>((const pack *)x, (pack *)y, rows, cols / 8, stream))
		any_length<<<rows, 256, 0, stream>>>(x, y, cols);
}
