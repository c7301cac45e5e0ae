#include <cuda_bf16.h>
#include <cuda_runtime.h>

#define BLOCK 256 // avogit: 64 128 256 512 1024
#define PACKS 4	  // avogit: 1 2 4 8
// avogit-require: BLOCK * PACKS <= 4096

// Threads a row, at most: they must not run out of registers.
#define MOST (PACKS > 2 ? 2048 / PACKS : 1024)

// A row too long for a block of that size gets a larger one.
#define BLOCK_OF(threads) ((threads) > BLOCK ? (threads) : BLOCK)

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

// Over the threads that share a row: their own barrier, so that rows of one
// block do not wait for each other. The two sums of a row use a half of the
// room each; that is why one barrier does.
template <int THREADS> static __device__ float total(float v, int half)
{
	__shared__ float room[2][32];
	int first = threadIdx.x / THREADS * (THREADS / 32);

	v = over_warp(v);
	if (THREADS == 32)
		return v;
	if (threadIdx.x % 32 == 0)
		room[half][threadIdx.x / 32] = v;
	asm volatile("bar.sync %0, %1;" ::"r"(threadIdx.x / THREADS),
		     "n"(THREADS)
		     : "memory");
	v = 0;
#pragma unroll
	for (int i = 0; i < THREADS / 32; i++)
		v += room[half][first + i];
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

// THREADS threads a row, which stays in registers: PACKS loads a thread, all of
// them on their way before the first is needed.
template <int THREADS>
static __global__ void __launch_bounds__(BLOCK_OF(THREADS))
	in_registers(const pack *x, const pack *gamma, const pack *beta,
		     pack *y, int rows, int packs, float eps)
{
	int row = blockIdx.x * (BLOCK_OF(THREADS) / THREADS) +
		  threadIdx.x / THREADS;
	int at = threadIdx.x % THREADS;
	const pack *in = x + (long)row * packs;
	pack *out = y + (long)row * packs;
	pack p[PACKS] = {};
	float sum = 0, squares = 0, mean, scale;

	if (row >= rows)
		return;
#pragma unroll
	for (int k = 0; k < PACKS; k++)
		if (at + k * THREADS < packs)
			p[k] = in[at + k * THREADS];
#pragma unroll
	for (int k = 0; k < PACKS; k++)
		sum += sum_of(p[k]);
	mean = total<THREADS>(sum, 0) / (8 * packs);
#pragma unroll
	for (int k = 0; k < PACKS; k++)
		if (at + k * THREADS < packs)
			squares += squares_of(p[k], mean);
	scale = rsqrtf(total<THREADS>(squares, 1) / (8 * packs) + eps);
#pragma unroll
	for (int k = 0; k < PACKS; k++) {
		int j = at + k * THREADS;

		if (j < packs)
			out[j] = normal(p[k], gamma[j], beta[j], mean, scale);
	}
}

// For rows that do not divide by eight, or are too long.
static __global__ void __launch_bounds__(BLOCK)
	any_length(const bf16 *x, const bf16 *gamma, const bf16 *beta, bf16 *y,
		   int cols, float eps)
{
	const bf16 *in = x + (long)blockIdx.x * cols;
	bf16 *out = y + (long)blockIdx.x * cols;
	float sum = 0, squares = 0, mean, scale;

	for (int j = threadIdx.x; j < cols; j += BLOCK)
		sum += __bfloat162float(in[j]);
	mean = total<BLOCK>(sum, 0) / cols;
	for (int j = threadIdx.x; j < cols; j += BLOCK) {
		float d = __bfloat162float(in[j]) - mean;

		squares += d * d;
	}
	scale = rsqrtf(total<BLOCK>(squares, 1) / cols + eps);
	for (int j = threadIdx.x; j < cols; j += BLOCK) {
		float v = (__bfloat162float(in[j]) - mean) * scale;

		out[j] = __float2bfloat16(v * __bfloat162float(gamma[j]) +
					  __bfloat162float(beta[j]));
	}
}

template <int THREADS>
static void launch(const pack *x, const pack *gamma, const pack *beta, pack *y,
		   int rows, int packs, float eps, cudaStream_t stream)
{
	const int block = BLOCK_OF(THREADS), together = block / THREADS;

	in_registers<THREADS>
		<<<(rows + together - 1) / together, block, 0, stream>>>(
			x, gamma, beta, y, rows, packs, eps);
}

// As few threads a row as it fits: a warp needs no barrier.
template <int THREADS>
static void choose(const pack *x, const pack *gamma, const pack *beta, pack *y,
		   int rows, int packs, float eps, cudaStream_t stream)
{
	if constexpr (THREADS < MOST)
		if (packs > THREADS * PACKS)
			return choose<2 * THREADS>(x, gamma, beta, y, rows,
						   packs, eps, stream);
	launch<THREADS>(x, gamma, beta, y, rows, packs, eps, stream);
}

extern "C" void layernorm(const bf16 *x, const bf16 *gamma, const bf16 *beta,
			  bf16 *y, int rows, int cols, float eps,
			  cudaStream_t stream)
{
	if (cols % 8 || cols / 8 > MOST * PACKS)
		any_length<<<rows, BLOCK, 0, stream>>>(x, gamma, beta, y, cols,
						       eps);
	else
		choose<32>((const pack *)x, (const pack *)gamma,
			   (const pack *)beta, (pack *)y, rows, cols / 8, eps,
			   stream);
}
