#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <stdint.h>

#define WARPS  16 // avogit: 8 12 16 24 32
#define PER    8  // avogit: 2 4 8
#define RING   12 // avogit: 6 8 10 12 13
#define DIRECT 0  // avogit: 0 1
#define ONCE   1  // avogit: 0 1
#define STAY   1  // avogit: 1 2
#define KEEP   0  // avogit: 0 1
// avogit-require: STAY * WARPS <= 48
// avogit-require: STAY == 1 || RING <= 6

// WARPS is how many warps a block has, PER how many packs of a row a thread
// holds at most, RING how many rows of 16 KiB a block has room for, DIRECT
// whether threads store to memory themselves, ONCE whether what is read and
// written may leave the L2 cache first, KEEP whether gamma and beta stay in
// registers or in shared memory.
#define ROOM (RING * 16384)
#define KEEP_BYTES(packs) (KEEP ? 0 : 2 * 16 * (packs))

typedef __nv_bfloat16 bf16;

// Eight numbers, one access.
struct alignas(16) pack {
	__nv_bfloat162 v[4];
};

static __device__ uint32_t shared(const void *p)
{
	return (uint32_t)__cvta_generic_to_shared(p);
}

static __device__ uint64_t first_out()
{
	uint64_t policy;

	asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
	return policy;
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
static __device__ void fetch(pack *to, const pack *from, uint32_t bytes, uint64_t *barrier, uint64_t policy)
{
	asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared(barrier)), "r"(bytes)
		     : "memory");
	if (ONCE)
		asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint "
			     "[%0], [%1], %2, [%3], %4;" ::"r"(shared(to)),
			     "l"(from), "r"(bytes), "r"(shared(barrier)), "l"(policy)
			     : "memory");
	else
		asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
			     "[%0], [%1], %2, [%3];" ::"r"(shared(to)),
			     "l"(from), "r"(bytes), "r"(shared(barrier))
			     : "memory");
}

static __device__ void take_away(pack *to, const pack *from, uint32_t bytes, uint64_t policy)
{
	if (ONCE)
		asm volatile("cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint [%0], [%1], %2, %3;" ::"l"(to),
			     "r"(shared(from)), "r"(bytes), "l"(policy)
			     : "memory");
	else
		asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to),
			     "r"(shared(from)), "r"(bytes)
			     : "memory");
	asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

// The warps that share rows wait for each other and for no other warp.
template <int TEAM> static __device__ void together(int team)
{
	if (TEAM == 1)
		__syncwarp();
	else
		asm volatile("bar.sync %0, %1;" ::"r"(team), "n"(TEAM * 32) : "memory");
}

static __device__ float over_warp(float v)
{
#pragma unroll
	for (int n = 16; n; n /= 2)
		v += __shfl_xor_sync(0xffffffff, v, n);
	return v;
}

// `part` is a place for each warp; what was there one sum ago has been read
// when its warps have met again.
template <int TEAM> static __device__ float over_team(float v, float *part, int team)
{
	v = over_warp(v);
	if (TEAM == 1)
		return v;
	if (threadIdx.x % 32 == 0)
		part[threadIdx.x / 32 % TEAM] = v;
	together<TEAM>(team);
	v = part[0];
#pragma unroll
	for (int i = 1; i < TEAM; i++)
		v += part[i];
	return v;
}

template <int TEAM, int PACKS>
static __device__ void read_packs(pack p[PACKS], const pack *from, int packs, int thread)
{
#pragma unroll
	for (int k = 0; k < PACKS; k++) {
		int at = k * TEAM * 32 + thread;
		uint4 bits = {};

		if (at < packs)
			bits = *(const uint4 *)&from[at];
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

template <int TEAM, int PACKS>
static __device__ float squares_of(const pack p[PACKS], float mean, int packs, int thread)
{
	float sums[2] = {};

#pragma unroll
	for (int k = 0; k < PACKS; k++) {
		if (k * TEAM * 32 + thread >= packs)
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

// gamma and beta stay as they came: the compiler would unpack them before the
// loop, which takes twice the registers.
template <int PACKS> static __device__ void stay_packed(pack p[PACKS])
{
#pragma unroll
	for (int k = 0; k < PACKS; k++) {
		uint4 *v = (uint4 *)&p[k];

		asm volatile("" : "+r"(v->x), "+r"(v->y), "+r"(v->z), "+r"(v->w));
	}
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

template <int TEAM, int PACKS>
static __device__ void write_row(pack *row, const pack p[PACKS], const pack g[PACKS], const pack b[PACKS], const pack *weights,
				 float mean, float scale, int packs, int thread)
{
#pragma unroll
	for (int k = 0; k < PACKS; k++) {
		int at = k * TEAM * 32 + thread;
		pack q;

		if (at >= packs)
			continue;
		q = KEEP ? normal(p[k], g[k], b[k], mean, scale)
			 : normal(p[k], weights[at], weights[packs + at], mean, scale);
		if (DIRECT && ONCE)
			__stcs((uint4 *)&row[at], *(const uint4 *)&q);
		else
			*(uint4 *)&row[at] = *(const uint4 *)&q;
	}
}

// A block stays. Its warps form teams, and every team has a ring of rows of
// its own in shared memory: the copy engine brings a row, the team works on it
// and, unless DIRECT, the copy engine takes it away again. Teams wait for each
// other never, so that while one reduces, others read and write.
template <int TEAM, int PACKS>
static __global__ void __launch_bounds__(WARPS * 32, STAY)
	rows_by_teams(const pack *x, const pack *gamma, const pack *beta, pack *y, int rows, int packs, int depth,
		      float eps)
{
	constexpr int TEAMS = WARPS / TEAM;
	extern __shared__ pack room[];
	__shared__ uint64_t full[TEAMS][64];
	__shared__ float parts[TEAMS][2][TEAM];
	const int team = threadIdx.x / (TEAM * 32), thread = threadIdx.x % (TEAM * 32);
	const long first = (long)team * gridDim.x + blockIdx.x, step = (long)TEAMS * gridDim.x;
	const uint32_t bytes = (uint32_t)packs * 16;
	const uint64_t policy = first_out();
	pack *ring = room + (long)team * depth * packs, *weights = room + (long)TEAMS * depth * packs;
	pack g[PACKS], b[PACKS], p[PACKS];
	int slot = 0, turn = 0;

	if (thread == 0) {
		for (int s = 0; s < depth; s++)
			asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared(&full[team][s])));
		asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
		asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
		for (int s = 0; s < depth - !DIRECT && first + s * step < rows; s++)
			fetch(ring + s * packs, x + (first + s * step) * packs, bytes, &full[team][s], policy);
	}
	if (KEEP) {
		read_packs<TEAM, PACKS>(g, gamma, packs, thread);
		read_packs<TEAM, PACKS>(b, beta, packs, thread);
	} else {
		for (int i = threadIdx.x; i < packs; i += WARPS * 32) {
			weights[i] = gamma[i];
			weights[packs + i] = beta[i];
		}
	}
	__syncthreads();
	for (long row = first; row < rows; row += step) {
		float mean, scale;
		pack *here = ring + slot * packs;

		await(&full[team][slot], turn);
		read_packs<TEAM, PACKS>(p, here, packs, thread);
		mean = over_team<TEAM>(sum_of<PACKS>(p), parts[team][0], team) / (8 * packs);
		if (DIRECT) {
			// Every thread of the team has read its part by now.
			if (TEAM == 1)
				__syncwarp();
			if (thread == 0 && row + depth * step < rows)
				fetch(here, x + (row + depth * step) * packs, bytes, &full[team][slot], policy);
		}
		scale = squares_of<TEAM, PACKS>(p, mean, packs, thread);
		scale = rsqrtf(over_team<TEAM>(scale, parts[team][1], team) / (8 * packs) + eps);
		if (KEEP) {
			stay_packed<PACKS>(g);
			stay_packed<PACKS>(b);
		}
		write_row<TEAM, PACKS>(DIRECT ? y + row * packs : here, p, g, b, weights, mean, scale, packs, thread);
		if (!DIRECT) {
			asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
			together<TEAM>(team);
			if (thread == 0) {
				int last = slot ? slot - 1 : depth - 1;

				take_away(y + row * packs, here, bytes, policy);
				// What was taken away from the slot before this has been read.
				if (row + (depth - 1) * step < rows) {
					asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");
					fetch(ring + last * packs, x + (row + (depth - 1) * step) * packs, bytes,
					      &full[team][last], policy);
				}
			}
		}
		if (++slot == depth) {
			slot = 0;
			turn ^= 1;
		}
	}
	if (!DIRECT && thread == 0)
		asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

static __device__ float over_block(float v, int turn)
{
	__shared__ float room[2][32];
	float all = 0;

	v = over_warp(v);
	if (threadIdx.x % 32 == 0)
		room[turn][threadIdx.x / 32] = v;
	__syncthreads();
	for (int i = 0; i < blockDim.x / 32; i++)
		all += room[turn][i];
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

template <int TEAM, int PACKS>
static void launch(const pack *x, const pack *gamma, const pack *beta, pack *y, int rows, int packs,
		   float eps, int processors, cudaStream_t stream)
{
	const int teams = WARPS / TEAM;
	int depth = (ROOM - KEEP_BYTES(packs)) / (teams * packs * 16), blocks = (rows + teams - 1) / teams;

	depth = depth > 64 ? 64 : depth;
	if (blocks > processors * STAY)
		blocks = processors * STAY;
	cudaFuncSetAttribute(rows_by_teams<TEAM, PACKS>, cudaFuncAttributeMaxDynamicSharedMemorySize, ROOM);
	rows_by_teams<TEAM, PACKS>
		<<<blocks, WARPS * 32, teams * depth * packs * 16 + KEEP_BYTES(packs), stream>>>(x, gamma, beta, y, rows, packs,
									  depth, eps);
}

// As few warps a row as hold it, and no more registers than it needs.
template <int TEAM>
static bool choose(const pack *x, const pack *gamma, const pack *beta, pack *y, int rows, int packs,
		   float eps, int processors, cudaStream_t stream)
{
	const int each = (packs + TEAM * 32 - 1) / (TEAM * 32);

	if constexpr (TEAM > WARPS || WARPS % TEAM)
		return false;
	else {
		if (each > PER || (ROOM - KEEP_BYTES(packs)) / (WARPS / TEAM * packs * 16) < 2)
			return choose<TEAM * 2>(x, gamma, beta, y, rows, packs, eps, processors, stream);
		if (each <= PER / 2)
			launch<TEAM, PER / 2>(x, gamma, beta, y, rows, packs, eps, processors, stream);
		else
			launch<TEAM, PER>(x, gamma, beta, y, rows, packs, eps, processors, stream);
		return true;
	}
}

extern "C" void layernorm(const bf16 *x, const bf16 *gamma, const bf16 *beta, bf16 *y, int rows, int cols, float eps,
			  cudaStream_t stream)
{
	static int processors;

	if (!processors)
		cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0);
	if (cols % 8 || !choose<1>((const pack *)x, (const pack *)gamma, (const pack *)beta, (pack *)y, rows, cols / 8,
				   eps, processors, stream))
		any_length<<<rows, 256, 0, stream>>>(x, gamma, beta, y, cols, eps);
}
