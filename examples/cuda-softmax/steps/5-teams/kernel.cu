#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <stdint.h>

#define WARPS  16 // avogit: 8 12 16 24 32
#define PER    8  // avogit: 2 4 8 16
#define RING   12 // avogit: 6 8 10 12 13
#define DIRECT 0  // avogit: 0 1
#define ONCE   1  // avogit: 0 1
#define STAY   1  // avogit: 1 2
// avogit-require: STAY * WARPS <= 48
// avogit-require: STAY == 1 || RING <= 6

// WARPS is how many warps a block has, PER how many packs of a row a thread
// holds at most, RING how many rows of 16 KiB a block has room for, DIRECT
// whether threads store to memory themselves, ONCE whether what is read and
// written may leave the L2 cache first.
#define ROOM (RING * 16384)

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

// `part` is a place for each warp; what was there one reduction ago has been
// read when its warps have met again.
template <int TEAM> static __device__ float over_team(float v, bool largest, float *part, int team)
{
	v = over_warp(v, largest);
	if (TEAM == 1)
		return v;
	if (threadIdx.x % 32 == 0)
		part[threadIdx.x / 32 % TEAM] = v;
	together<TEAM>(team);
	v = part[0];
#pragma unroll
	for (int i = 1; i < TEAM; i++)
		v = largest ? fmaxf(v, part[i]) : v + part[i];
	return v;
}

template <int TEAM, int PACKS>
static __device__ float read_row(float v[PACKS][8], const pack *row, int packs, int thread)
{
	float largest = -INFINITY;

#pragma unroll
	for (int k = 0; k < PACKS; k++) {
		int at = k * TEAM * 32 + thread;
		uint4 bits = {0xff80ff80, 0xff80ff80, 0xff80ff80, 0xff80ff80}; // -inf
		pack p;

		if (at < packs)
			bits = *(const uint4 *)&row[at];
		p = *(pack *)&bits;
#pragma unroll
		for (int i = 0; i < 4; i++) {
			float2 two = __bfloat1622float2(p.v[i]);

			v[k][2 * i] = two.x;
			v[k][2 * i + 1] = two.y;
			largest = fmaxf(largest, fmaxf(two.x, two.y));
		}
	}
	return largest;
}

template <int PACKS> static __device__ float exponents(float v[PACKS][8], float largest)
{
	float sums[4] = {};

#pragma unroll
	for (int k = 0; k < PACKS; k++)
#pragma unroll
		for (int i = 0; i < 8; i++) {
			v[k][i] = power_of_two((v[k][i] - largest) * 1.4426950408889634f);
			sums[i % 4] += v[k][i];
		}
	return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

template <int TEAM, int PACKS>
static __device__ void write_row(pack *row, const float v[PACKS][8], float scale, int packs, int thread)
{
#pragma unroll
	for (int k = 0; k < PACKS; k++) {
		int at = k * TEAM * 32 + thread;
		pack p;

#pragma unroll
		for (int i = 0; i < 4; i++)
			p.v[i] = __floats2bfloat162_rn(v[k][2 * i] * scale, v[k][2 * i + 1] * scale);
		if (at >= packs)
			continue;
		if (DIRECT && ONCE)
			__stcs((uint4 *)&row[at], *(const uint4 *)&p);
		else
			*(uint4 *)&row[at] = *(const uint4 *)&p;
	}
}

// A block stays. Its warps form teams, and every team has a ring of rows of
// its own in shared memory: the copy engine brings a row, the team works on it
// and, unless DIRECT, the copy engine takes it away again. Teams wait for each
// other never, so that while one reduces, others read and write.
template <int TEAM, int PACKS>
static __global__ void __launch_bounds__(WARPS * 32, STAY)
	rows_by_teams(const pack *x, pack *y, int rows, int packs, int depth)
{
	constexpr int TEAMS = WARPS / TEAM;
	extern __shared__ pack room[];
	__shared__ uint64_t full[TEAMS][64];
	__shared__ float parts[TEAMS][2][TEAM];
	const int team = threadIdx.x / (TEAM * 32), thread = threadIdx.x % (TEAM * 32);
	const long first = (long)team * gridDim.x + blockIdx.x, step = (long)TEAMS * gridDim.x;
	const uint32_t bytes = (uint32_t)packs * 16;
	const uint64_t policy = first_out();
	pack *ring = room + (long)team * depth * packs;
	int slot = 0, turn = 0;

	if (thread == 0) {
		for (int s = 0; s < depth; s++)
			asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared(&full[team][s])));
		asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
		asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
		for (int s = 0; s < depth - !DIRECT && first + s * step < rows; s++)
			fetch(ring + s * packs, x + (first + s * step) * packs, bytes, &full[team][s], policy);
	}
	together<TEAM>(team);
	for (long row = first; row < rows; row += step) {
		float v[PACKS][8], largest, sum;
		pack *here = ring + slot * packs;

		await(&full[team][slot], turn);
		largest = over_team<TEAM>(read_row<TEAM, PACKS>(v, here, packs, thread), true, parts[team][0], team);
		if (DIRECT) {
			// Every thread of the team has read its part by now.
			if (TEAM == 1)
				__syncwarp();
			if (thread == 0 && row + depth * step < rows)
				fetch(here, x + (row + depth * step) * packs, bytes, &full[team][slot], policy);
		}
		sum = over_team<TEAM>(exponents<PACKS>(v, largest), false, parts[team][1], team);
		write_row<TEAM, PACKS>(DIRECT ? y + row * packs : here, v, 1 / sum, packs, thread);
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

static __device__ float over_block(float v, bool largest)
{
	__shared__ float room[2][32];
	float all = largest ? -INFINITY : 0;

	v = over_warp(v, largest);
	if (threadIdx.x % 32 == 0)
		room[largest][threadIdx.x / 32] = v;
	__syncthreads();
	for (int i = 0; i < blockDim.x / 32; i++)
		all = largest ? fmaxf(all, room[largest][i]) : all + room[largest][i];
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

template <int TEAM, int PACKS>
static void launch(const pack *x, pack *y, int rows, int packs, int processors, cudaStream_t stream)
{
	const int teams = WARPS / TEAM;
	int depth = ROOM / (teams * packs * 16), blocks = (rows + teams - 1) / teams;

	depth = depth > 64 ? 64 : depth;
	if (blocks > processors * STAY)
		blocks = processors * STAY;
	cudaFuncSetAttribute(rows_by_teams<TEAM, PACKS>, cudaFuncAttributeMaxDynamicSharedMemorySize, ROOM);
	rows_by_teams<TEAM, PACKS>
		<<<blocks, WARPS * 32, teams * depth * packs * 16, stream>>>(x, y, rows, packs, depth);
}

// As few warps a row as hold it, and no more registers than it needs.
template <int TEAM>
static bool choose(const pack *x, pack *y, int rows, int packs, int processors, cudaStream_t stream)
{
	const int each = (packs + TEAM * 32 - 1) / (TEAM * 32);

	if constexpr (TEAM > WARPS || WARPS % TEAM)
		return false;
	else {
		if (each > PER || ROOM / (WARPS / TEAM * packs * 16) < 2)
			return choose<TEAM * 2>(x, y, rows, packs, processors, stream);
		if (each <= PER / 2)
			launch<TEAM, PER / 2>(x, y, rows, packs, processors, stream);
		else
			launch<TEAM, PER>(x, y, rows, packs, processors, stream);
		return true;
	}
}

extern "C" void softmax(const bf16 *x, bf16 *y, int rows, int cols, cudaStream_t stream)
{
	static int processors;

	if (!processors)
		cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0);
	if (cols % 8 || !choose<1>((const pack *)x, (pack *)y, rows, cols / 8, processors, stream))
		any_length<<<rows, 256, 0, stream>>>(x, y, cols);
}
