#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <stdint.h>

#define BLOCK  256 // avogit: 128 256 512
#define PACKS  4   // avogit: 2 4 8
#define STAGES 3   // avogit: 2 3 4 6
#define STAY   4   // avogit: 1 2 3 4 6
// avogit-require: STAGES * STAY * BLOCK * PACKS * 16 <= 229376
// avogit-require: BLOCK * STAY <= 2048

// Eight numbers, one access.
struct alignas(16) pack {
	__nv_bfloat162 v[4];
};

static __device__ uint32_t shared(const void *p)
{
	return (uint32_t)__cvta_generic_to_shared(p);
}

static __device__ void expect(uint64_t *barrier, uint32_t bytes)
{
	asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared(barrier)), "r"(bytes)
		     : "memory");
}

static __device__ void await(uint64_t *barrier, uint32_t phase)
{
	asm volatile("{\n"
		     ".reg .pred p;\n"
		     "again: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n"
		     "@!p bra again;\n"
		     "}" ::"r"(shared(barrier)),
		     "r"(phase)
		     : "memory");
}

// The copy engine brings a row, and takes one away.
static __device__ void fetch(pack *to, const pack *from, uint32_t bytes, uint64_t *barrier)
{
	expect(barrier, bytes);
	asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
			     shared(to)),
		     "l"(from), "r"(bytes), "r"(shared(barrier))
		     : "memory");
}

static __device__ void store(pack *to, const pack *from, uint32_t bytes)
{
	asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;\n"
		     "cp.async.bulk.commit_group;" ::"l"(to),
		     "r"(shared(from)), "r"(bytes)
		     : "memory");
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

// In place, in shared memory.
static __device__ void softmax_row(pack *row, int packs)
{
	float v[PACKS][8], largest = -INFINITY, sum = 0;

#pragma unroll
	for (int k = 0; k < PACKS; k++) {
		int at = k * BLOCK + threadIdx.x;
		uint4 bits = {0xff80ff80, 0xff80ff80, 0xff80ff80, 0xff80ff80}; // -inf
		pack p;

		if (at < packs)
			bits = *(uint4 *)&row[at];
		p = *(pack *)&bits;
#pragma unroll
		for (int i = 0; i < 4; i++) {
			float2 two = __bfloat1622float2(p.v[i]);

			v[k][2 * i] = two.x;
			v[k][2 * i + 1] = two.y;
			largest = fmaxf(largest, fmaxf(two.x, two.y));
		}
	}
	largest = over_block(largest, true) * 1.4426950408889634f;
#pragma unroll
	for (int k = 0; k < PACKS; k++)
#pragma unroll
		for (int i = 0; i < 8; i++) {
			v[k][i] = exp2f(v[k][i] * 1.4426950408889634f - largest);
			sum += v[k][i];
		}
	sum = 1 / over_block(sum, false);
#pragma unroll
	for (int k = 0; k < PACKS; k++) {
		int at = k * BLOCK + threadIdx.x;
		pack p;

#pragma unroll
		for (int i = 0; i < 4; i++)
			p.v[i] = __floats2bfloat162_rn(v[k][2 * i] * sum, v[k][2 * i + 1] * sum);
		if (at < packs)
			row[at] = p;
	}
}

// A block stays. Its rows go round a ring in shared memory: fetched by the
// copy engine, worked on in place, taken away by the copy engine.
static __global__ void __launch_bounds__(BLOCK, STAY) ring(const pack *x, pack *y, int rows, int packs)
{
	extern __shared__ pack stage[];
	__shared__ uint64_t full[STAGES];
	uint32_t bytes = (uint32_t)packs * 16;
	int mine = (rows - (int)blockIdx.x + (int)gridDim.x - 1) / (int)gridDim.x;

	if (threadIdx.x == 0) {
		for (int s = 0; s < STAGES; s++)
			asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared(&full[s])));
		asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
		for (int i = 0; i < STAGES - 1 && i < mine; i++)
			fetch(stage + i * packs, x + (blockIdx.x + (long)i * gridDim.x) * packs, bytes, &full[i]);
	}
	__syncthreads();
	for (int i = 0; i < mine; i++) {
		int s = i % STAGES, ahead = i + STAGES - 1, t = ahead % STAGES;

		await(&full[s], i / STAGES & 1);
		softmax_row(stage + s * packs, packs);
		asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
		__syncthreads();
		if (threadIdx.x)
			continue;
		store(y + (blockIdx.x + (long)i * gridDim.x) * packs, stage + s * packs, bytes);
		if (ahead >= mine)
			continue;
		// What was taken away from there one round ago has been read.
		asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");
		fetch(stage + t * packs, x + (blockIdx.x + (long)ahead * gridDim.x) * packs, bytes, &full[t]);
	}
	if (threadIdx.x == 0)
		asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
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

	if (!processors) {
		cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0);
		cudaFuncSetAttribute(ring, cudaFuncAttributeMaxDynamicSharedMemorySize, STAGES * BLOCK * PACKS * 16);
	}
	blocks = processors * STAY < rows ? processors * STAY : rows;
	if (cols % 8 == 0 && cols <= BLOCK * PACKS * 8)
		ring<<<blocks, BLOCK, STAGES * cols * 2, stream>>>((const pack *)x, (pack *)y, rows, cols / 8);
	else
		any_length<<<rows, BLOCK, 0, stream>>>(x, y, cols);
}
