#include <cuda_bf16.h>
#include <cuda_runtime.h>

#define BLOCK  256 // avogit: 64 128 256 512 1024
#define PACKS  4   // avogit: 1 2 4 8
#define STAY   2   // avogit: 1 2 3 4 6 8 12 16
#define AHEAD  1   // avogit: 0 1
#define STREAM 1   // avogit: 0 1
// avogit-require: BLOCK * STAY <= 1536
// avogit-require: BLOCK * STAY * PACKS <= 2048

// Threads a row, at most: they must not run out of registers.
#define MOST (PACKS > 2 ? 2048 / PACKS : 1024)

// A row too long for a block of that size gets a larger one, and then fewer
// blocks stay on a multiprocessor.
#define BLOCK_OF(threads) ((threads) > BLOCK ? (threads) : BLOCK)
#define STAY_OF(threads)                                                     \
	(BLOCK * STAY / BLOCK_OF(threads) ? BLOCK * STAY / BLOCK_OF(threads) \
					  : 1)

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

struct place {
	int at, packs; // first pack of this thread, packs of the row
};

template <int THREADS>
static __device__ void read(pack p[PACKS], const pack *from, place here,
			    bool once)
{
#pragma unroll
	for (int k = 0; k < PACKS; k++) {
		const uint4 *q = (const uint4 *)from + here.at + k * THREADS;
		uint4 bits = {};

		if (here.at + k * THREADS < here.packs)
			bits = once ? __ldcs(q) : __ldg(q);
		p[k] = *(pack *)&bits;
	}
}

template <int THREADS>
static __device__ void write(pack *to, const pack p[PACKS], place here)
{
#pragma unroll
	for (int k = 0; k < PACKS; k++) {
		uint4 *q = (uint4 *)to + here.at + k * THREADS;

		if (here.at + k * THREADS >= here.packs)
			continue;
		if (STREAM)
			__stcs(q, *(const uint4 *)&p[k]);
		else
			*q = *(const uint4 *)&p[k];
	}
}

template <int THREADS>
static __device__ float squares_of_row(const pack p[PACKS], place here,
				       float mean)
{
	float squares = 0;

#pragma unroll
	for (int k = 0; k < PACKS; k++)
		if (here.at + k * THREADS < here.packs)
			squares += squares_of(p[k], mean);
	return squares;
}

// gamma and beta stay as they came: the compiler would unpack them before the
// loop, which takes twice the registers.
static __device__ void stay_packed(pack p[PACKS])
{
#pragma unroll
	for (int k = 0; k < PACKS; k++) {
		uint4 *v = (uint4 *)&p[k];

		asm volatile(""
			     : "+r"(v->x), "+r"(v->y), "+r"(v->z), "+r"(v->w));
	}
}

// THREADS threads a row, which stays in registers: PACKS loads a thread, all of
// them on their way before the first is needed. A block stays, and goes from
// row to row: gamma and beta are read once, and with AHEAD the next row is on
// its way while this one is worked on.
template <int THREADS>
static __global__ void __launch_bounds__(BLOCK_OF(THREADS), STAY_OF(THREADS))
	resident(const pack *x, const pack *gamma, const pack *beta, pack *y,
		 int rows, int packs, float eps)
{
	const int together = BLOCK_OF(THREADS) / THREADS;
	const place here = {(int)threadIdx.x % THREADS, packs};
	int row = blockIdx.x * together + threadIdx.x / THREADS;
	int step = gridDim.x * together;
	pack g[PACKS], b[PACKS], p[PACKS], next[PACKS];

	if (row >= rows)
		return;
	read<THREADS>(next, x + (long)row * packs, here, STREAM);
	read<THREADS>(g, gamma, here, false);
	read<THREADS>(b, beta, here, false);
	for (; row < rows; row += step) {
		float sum = 0, mean, scale;

#pragma unroll
		for (int k = 0; k < PACKS; k++)
			p[k] = next[k];
		if (AHEAD && row + step < rows)
			read<THREADS>(next, x + (long)(row + step) * packs,
				      here, STREAM);
#pragma unroll
		for (int k = 0; k < PACKS; k++)
			sum += sum_of(p[k]);
		mean = total<THREADS>(sum, 0) / (8 * packs);
		sum = squares_of_row<THREADS>(p, here, mean);
		scale = rsqrtf(total<THREADS>(sum, 1) / (8 * packs) + eps);
		stay_packed(g);
		stay_packed(b);
#pragma unroll
		for (int k = 0; k < PACKS; k++)
			p[k] = normal(p[k], g[k], b[k], mean, scale);
		write<THREADS>(y + (long)row * packs, p, here);
		if (!AHEAD && row + step < rows)
			read<THREADS>(next, x + (long)(row + step) * packs,
				      here, STREAM);
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
	int blocks = (rows + together - 1) / together, device = 0, units = 1;

	cudaGetDevice(&device);
	cudaDeviceGetAttribute(&units, cudaDevAttrMultiProcessorCount, device);
	if (blocks > units * STAY_OF(THREADS))
		blocks = units * STAY_OF(THREADS);
	resident<THREADS><<<blocks, block, 0, stream>>>(x, gamma, beta, y, rows,
							packs, eps);
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
