#include <cuda.h>
#include <cudaTypedefs.h>
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <stdint.h>

#define BM	  128 // avogit: 64 128 192 256
#define BN	  256 // avogit: 64 128 192 256
#define BK	  64  // avogit: 64 128
#define STAGES	  4   // avogit: 2 3 4 5 6 8
#define CONSUMERS 2   // avogit: 1 2
#define GROUP	  8   // avogit: 1 2 4 8 16 32
#define BEHIND	  1   // avogit: 0 1
#define CLUSTER	  1   // avogit: 1 2
#define FLAT_DOWN 1   // avogit: 1 2
#define TURN	  0   // avogit: 0 1
#define FIRST	  0   // avogit: 0 1
#define LAG	  0   // avogit: 0 1 2
#define BOXES	  1   // avogit: 0 1
// A warpgroup takes 64 rows at a time, and has 128 sums a thread at most.
// avogit-require: BM % (64 * CONSUMERS) == 0
// avogit-require: BM / CONSUMERS * BN <= 64 * 256
// avogit-require: STAGES * BK * (BM + BN) * 2 + BOXES * CONSUMERS * 16384 <= 226 * 1024
// avogit-require: BOXES == 0 || BN % 128 == 0
// avogit-require: LAG == 0 || CONSUMERS == 2

// Where that gives too few tiles they have 128 x 128, and a ring that is deeper;
// FLAT_DOWN of them that lie below each other share B. Where these are too few, too, two
// blocks share one: TURN begins each at another place of k, so that rows that lie a power
// of two apart are not all read at the same offset, and FIRST lets B leave the cache
// first. Of two
// warpgroups the second begins LAG stages later, so that one multiplies while
// the other stores. With BOXES the copy engine stores what a warpgroup lays down in
// shared memory, 128 columns at a time.

#define FLAT	128 // rows and columns of a tile where others would be too few
#define DEPTH(TM, TN) ((TM) == FLAT && (TN) == FLAT ? 384 / BK : STAGES) // stages of the ring
#define MOST	8
#define MS(TM)	((TM) / 64 / CONSUMERS) // products of a warpgroup, down
#define THREADS (128 * (CONSUMERS + 1))
#define WIDE	64 // numbers of a row in 128 bytes, which are swizzled

// Registers a thread: who only asks for tiles needs few, who sums needs all.
// One warpgroup of each has enough as it is.
#define FEW  40
#define MANY 232

typedef __nv_bfloat16 bf16;

static __device__ uint32_t address(const void *shared)
{
	return (uint32_t)__cvta_generic_to_shared(shared);
}

/* ---- barriers -------------------------------------------------------------- */

static __device__ void barrier_make(uint64_t *b, unsigned arrivals)
{
	asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address(b)), "r"(arrivals) : "memory");
}

// Arrives at the same barrier of another block of the cluster. What a warp has read
// of a stage it has read by wgmma, which is over: nothing has to be made seen there.
static __device__ void barrier_arrive_at(uint64_t *b, int block)
{
	asm volatile("{\n"
		     ".reg .b32 there;\n"
		     "mapa.shared::cluster.u32 there, %0, %1;\n"
		     "mbarrier.arrive.shared::cluster.b64 "
		     "_, [there];\n"
		     "}" ::"r"(address(b)),
		     "r"(block)
		     : "memory");
}

// Every thread of every block of the cluster.
static __device__ void cluster_meets(void)
{
	asm volatile("barrier.cluster.arrive.release;\n"
		     "barrier.cluster.wait.acquire;" ::
			     : "memory");
}

static __device__ int place_in_cluster(void)
{
	int rank;

	asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
	return rank;
}

// Arrives, and says how many bytes are still to come.
static __device__ void barrier_expect(uint64_t *b, unsigned bytes)
{
	asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address(b)), "r"(bytes) : "memory");
}

static __device__ void barrier_arrive(uint64_t *b)
{
	asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(address(b)) : "memory");
}

static __device__ void barrier_wait(uint64_t *b, unsigned parity)
{
	unsigned done;

	do {
		asm volatile("{\n"
			     ".reg .pred p;\n"
			     "mbarrier.try_wait.parity.shared::cta.b64 "
			     "p, [%1], %2;\n"
			     "selp.u32 %0, 1, 0, p;\n"
			     "}"
			     : "=r"(done)
			     : "r"(address(b)), "r"(parity)
			     : "memory");
	} while (!done);
}

/* ---- copies ---------------------------------------------------------------- */

// A box of a matrix into shared memory, zeros where the matrix ends.
static __device__ void fetch(void *to, const CUtensorMap *from, uint64_t *b, int p, int row)
{
	asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global"
		     ".mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], "
		     "[%4];" ::"r"(address(to)),
		     "l"(from), "r"(p), "r"(row), "r"(address(b))
		     : "memory");
}

// The same, of what is not read again: it leaves the cache first.
static __device__ void fetch_once(void *to, const CUtensorMap *from, uint64_t *b, int p, int row)
{
	uint64_t first;

	asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(first));
	asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global"
		     ".mbarrier::complete_tx::bytes.L2::cache_hint "
		     "[%0], [%1, {%2, %3}], [%4], %5;" ::"r"(address(to)),
		     "l"(from), "r"(p), "r"(row), "r"(address(b)), "l"(first)
		     : "memory");
}

// The same for all blocks of the cluster that `blocks` has a bit of: to the
// same place, and their barriers hear of it.
static __device__ void fetch_for(unsigned blocks, void *to, const CUtensorMap *from, uint64_t *b, int p, int row)
{
	asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global"
		     ".mbarrier::complete_tx::bytes.multicast::cluster "
		     "[%0], [%1, {%2, %3}], [%4], %5;" ::"r"(address(to)),
		     "l"(from), "r"(p), "r"(row), "r"(address(b)), "h"((unsigned short)blocks)
		     : "memory");
}

/* ---- products -------------------------------------------------------------- */

// How the tensor cores find a tile: rows of 128 bytes, swizzled, groups of
// eight of them 1024 bytes apart.
static __device__ uint64_t tile_at(const void *tile)
{
	return (uint64_t)(address(tile) >> 4) | (uint64_t)1 << 16 | (uint64_t)(1024 >> 4) << 32 | (uint64_t)1 << 62;
}

// In its units of 16 bytes.
static __device__ uint64_t further(uint64_t tile, int bytes)
{
	return tile + (uint64_t)(bytes >> 4);
}

static __device__ void products_begin(void)
{
	asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

static __device__ void products_commit(void)
{
	asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

template <int LEFT> static __device__ void products_wait(void)
{
	asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(LEFT) : "memory");
}

#define NAMES_0                            \
	"%0, %1, %2, %3, %4, %5, %6, %7, " \
	"%8, %9, %10, %11, %12, %13, %14, %15"
#define NAMES_1                                    \
	"%16, %17, %18, %19, %20, %21, %22, %23, " \
	"%24, %25, %26, %27, %28, %29, %30, %31"
#define NAMES_2                                    \
	"%32, %33, %34, %35, %36, %37, %38, %39, " \
	"%40, %41, %42, %43, %44, %45, %46, %47"
#define NAMES_3                                    \
	"%48, %49, %50, %51, %52, %53, %54, %55, " \
	"%56, %57, %58, %59, %60, %61, %62, %63"
#define NAMES_4                                    \
	"%64, %65, %66, %67, %68, %69, %70, %71, " \
	"%72, %73, %74, %75, %76, %77, %78, %79"
#define NAMES_5                                    \
	"%80, %81, %82, %83, %84, %85, %86, %87, " \
	"%88, %89, %90, %91, %92, %93, %94, %95"
#define NAMES_6                                        \
	"%96, %97, %98, %99, %100, %101, %102, %103, " \
	"%104, %105, %106, %107, %108, %109, %110, %111"
#define NAMES_7                                            \
	"%112, %113, %114, %115, %116, %117, %118, %119, " \
	"%120, %121, %122, %123, %124, %125, %126, %127"
#define FOUR(i) "+f"(c[i]), "+f"(c[i + 1]), "+f"(c[i + 2]), "+f"(c[i + 3])
#define SUMS(i) FOUR(i), FOUR(i + 4), FOUR(i + 8), FOUR(i + 12)

#define MULTIPLY(N, NAMES, A, B, ADD, ...)                                                            \
	asm volatile("{\n"                                                                            \
		     ".reg .pred p;\n"                                                                \
		     "setp.ne.b32 p, " ADD ", 0;\n"                                                   \
		     "wgmma.mma_async.sync.aligned.m64n" N "k16.f32.bf16.bf16 {" NAMES "}, " A ", " B \
		     ", p, 1, 1, 0, 0;\n"                                                             \
		     "}"                                                                              \
		     : __VA_ARGS__                                                                    \
		     : "l"(a), "l"(b), "r"(add))

// c = a b' or c += a b', 64 rows, N columns, 16 deep; it runs on by itself.
template <int N> static __device__ void multiply(float (&c)[N / 2], uint64_t a, uint64_t b, int add)
{
	if constexpr (N == 64)
		MULTIPLY("64", NAMES_0 ", " NAMES_1, "%32", "%33", "%34", SUMS(0), SUMS(16));
	else if constexpr (N == 128)
		MULTIPLY("128", NAMES_0 ", " NAMES_1 ", " NAMES_2 ", " NAMES_3, "%64", "%65", "%66", SUMS(0), SUMS(16),
			 SUMS(32), SUMS(48));
	else if constexpr (N == 192)
		MULTIPLY("192", NAMES_0 ", " NAMES_1 ", " NAMES_2 ", " NAMES_3 ", " NAMES_4 ", " NAMES_5, "%96", "%97",
			 "%98", SUMS(0), SUMS(16), SUMS(32), SUMS(48), SUMS(64), SUMS(80));
	else
		MULTIPLY("256",
			 NAMES_0 ", " NAMES_1 ", " NAMES_2 ", " NAMES_3 ", " NAMES_4 ", " NAMES_5 ", " NAMES_6
				 ", " NAMES_7,
			 "%128", "%129", "%130", SUMS(0), SUMS(16), SUMS(32), SUMS(48), SUMS(64), SUMS(80), SUMS(96),
			 SUMS(112));
}

/* ---- the way out ----------------------------------------------------------- */

// Four words of each of four neighbours: each gets all of one kind, so that
// it has 16 bytes of a row to write.
static __device__ void exchange(uint32_t w[4])
{
	const unsigned all = 0xffffffff;
	bool odd = threadIdx.x & 1, upper = threadIdx.x & 2;
	uint32_t x = __shfl_xor_sync(all, odd ? w[0] : w[1], 1);
	uint32_t y = __shfl_xor_sync(all, odd ? w[2] : w[3], 1);

	w[0] = odd ? x : w[0];
	w[1] = odd ? w[1] : x;
	w[2] = odd ? y : w[2];
	w[3] = odd ? w[3] : y;
	x = __shfl_xor_sync(all, upper ? w[0] : w[2], 2);
	y = __shfl_xor_sync(all, upper ? w[1] : w[3], 2);
	w[0] = upper ? x : w[0];
	w[1] = upper ? y : w[1];
	w[2] = upper ? w[2] : x;
	w[3] = upper ? w[3] : y;
}

static __device__ void put(bf16 *c, const uint32_t w[4], int row, int column, int m, int n)
{
	bf16 *to = c + (long)row * n + column;

	if (row >= m || column >= n)
		return;
	if (n % 8 == 0) {
		*(uint4 *)to = make_uint4(w[0], w[1], w[2], w[3]);
		return;
	}
#pragma unroll
	for (int i = 0; i < 8; i++)
		if (column + i < n)
			to[i] = __ushort_as_bfloat16((unsigned short)(w[i / 2] >> (i % 2 * 16)));
}

// The sums of 64 rows: a warp has 16 of them, a thread two numbers of every
// eight columns in rows lane / 4 and, from the third on, eight below.
template <int N> static __device__ void store(bf16 *c, const float (&sum)[N / 2], int row, int column, int m, int n)
{
	int lane = threadIdx.x % 32;

	row += threadIdx.x % 128 / 32 * 16 + lane / 4;
	column += lane % 4 * 8;
#pragma unroll
	for (int half = 0; half < 2; half++)
#pragma unroll
		for (int j = 0; j < N / 8; j += 4) {
			uint32_t w[4];

#pragma unroll
			for (int i = 0; i < 4; i++) {
				const float *v = &sum[4 * (j + i) + 2 * half];
				__nv_bfloat162 two = __floats2bfloat162_rn(v[0], v[1]);

				w[i] = *(uint32_t *)&two;
			}
			exchange(w);
			put(c, w, row + 8 * half, column + 8 * j, m, n);
		}
}

// The compiler must not take sums out of registers before they are there.
template <int N> static __device__ void settle(float (&sum)[N])
{
#pragma unroll
	for (int i = 0; i < N; i++)
		asm volatile("" : "+f"(sum[i])::"memory");
}

/* ---- the way out through shared memory -------------------------------------- */

#define ROOM (64 * 128 * 2) // bytes of 64 rows of 128 columns

// 64 rows and 128 columns into shared memory as the copy engine wants them: two boxes of
// 64 columns, a row 128 bytes, swizzled.
static __device__ void lay_down(unsigned char *room, const float *sum)
{
	const int lane = threadIdx.x % 32, row = threadIdx.x % 128 / 32 * 16 + lane % 16;
	const uint32_t to = address(room) + row * 128;

#pragma unroll
	for (int j = 0; j < 16; j += 2) {
		uint32_t w[4];

#pragma unroll
		for (int i = 0; i < 4; i++) {
			__nv_bfloat162 two = __floats2bfloat162_rn(sum[4 * j + 2 * i], sum[4 * j + 2 * i + 1]);

			w[i] = *(uint32_t *)&two;
		}
		asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(
				     to + j / 8 * (ROOM / 2) + (((j % 8 + lane / 16) ^ lane % 8) * 16)),
			     "r"(w[0]), "r"(w[1]), "r"(w[2]), "r"(w[3])
			     : "memory");
	}
}

// All threads of a warpgroup.
static __device__ void group_meets(void)
{
	asm volatile("bar.sync %0, 128;" ::"r"(2 + (int)threadIdx.x / 128) : "memory");
}

static __device__ void store_box(const CUtensorMap *to, const void *from, int column, int row)
{
	asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(to),
		     "r"(column), "r"(row), "r"(address(from))
		     : "memory");
}

// A warpgroup's 64 rows; what it sent before is read from its room first.
static __device__ void send(const CUtensorMap *to, unsigned char *room, const float *sum, int row, int column)
{
	const bool one = threadIdx.x % 128 == 0;

	if (one)
		asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
	group_meets();
	lay_down(room, sum);
	asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
	group_meets();
	if (one) {
		store_box(to, room, column, row);
		store_box(to, room + ROOM / 2, column + 64, row);
		asm volatile("cp.async.bulk.commit_group;" ::: "memory");
	}
}

/* ---- the kernel ------------------------------------------------------------ */

// A ring of stages: `full` when a stage's tiles have come, `empty` when every
// warp that reads what this block fetches is done with it.
struct ring {
	uint64_t full[MOST], empty[MOST];
};

struct problem {
	int m, n, k, down, across; // the last two: tiles
};

// A cluster is DOWN tiles that lie below each other, so that a tile of B comes
// once for all of them; and each of them DEEP times, so that each block has a
// part of k.
template <int TM, int TN, int DOWN, int DEEP> struct cluster {
	int below, deep;	// of this block
	int first, step, tiles; // of its cluster, in groups of DOWN tiles
	int begin, end;		// of k

	__device__ cluster(problem q)
	{
		int rank = DOWN * DEEP > 1 ? place_in_cluster() : 0;
		int part = (q.k + BK * DEEP - 1) / (BK * DEEP) * BK;

		below = rank % DOWN;
		deep = rank / DOWN;
		first = blockIdx.x / (DOWN * DEEP);
		step = gridDim.x / (DOWN * DEEP);
		tiles = (q.down + DOWN - 1) / DOWN * q.across;
		begin = deep * part;
		end = min(q.k, begin + part);
	}

	// GROUP rows of tiles, column by column, then the next: clusters that
	// run at the same time share more of A and B in the cache.
	__device__ void place(int *row, int *column, int tile, problem q) const
	{
		int rows = (q.down + DOWN - 1) / DOWN;
		int group = GROUP / DOWN ? GROUP / DOWN : 1;
		int above = tile / (group * q.across) * group;
		int within = tile % (group * q.across);
		int height = min(group, rows - above);

		*row = ((above + within % height) * DOWN + below) * TM;
		*column = within / height * TN;
	}
};

// One thread, which keeps the ring full for all tiles of its block. Of a tile
// of B it brings its share, for all blocks of the same depth.
template <int TM, int TN, int DOWN, int DEEP>
static __device__ void produce(ring *r, bf16 *of_a, bf16 *of_b, const CUtensorMap *a, const CUtensorMap *b, problem q)
{
	const cluster<TM, TN, DOWN, DEEP> c(q);
	const unsigned all = ((1u << DOWN) - 1) << (c.deep * DOWN);
	const int share = c.below * (TN / DOWN);
	int stage = 0, parity = 0, row, column;

	for (int tile = c.first; tile < c.tiles; tile += c.step) {
		c.place(&row, &column, tile, q);
		const int stages = (c.end - c.begin + BK - 1) / BK;
		int p = c.begin;

		if (DEEP > 1 && TURN)
			p += (int)((long)(column / TN) * stages / q.across) * BK;
		for (int i = 0; i < stages; i++, p += BK) {
			if (DEEP > 1 && TURN && p >= c.end)
				p = c.begin;
			bf16 *to_a = of_a + stage * TM * BK;
			bf16 *to_b = of_b + stage * TN * BK + share * WIDE;
			uint64_t *full = &r->full[stage];

			barrier_wait(&r->empty[stage], parity ^ 1);
			barrier_expect(full, BK * (TM + TN) * sizeof(bf16));
#pragma unroll
			for (int w = 0; w < BK; w += WIDE) {
				fetch(to_a + w * TM, a, full, p + w, row);
				if (DOWN > 1)
					fetch_for(all, to_b + w * TN, b, full, p + w, column + share);
				else if (DEEP > 1 && FIRST)
					fetch_once(to_b + w * TN, b, full, p + w, column);
				else
					fetch(to_b + w * TN, b, full, p + w, column);
			}
			if (++stage == DEPTH(TM, TN)) {
				stage = 0;
				parity ^= 1;
			}
		}
	}
}

template <int TM, int TN>
static __device__ void multiply_stage(float (&sum)[MS(TM)][TN / 2], const bf16 *a, const bf16 *b, bool first)
{
	uint64_t at_a = tile_at(a), at_b = tile_at(b);

	products_begin();
#pragma unroll
	for (int w = 0; w < BK; w += 16)
#pragma unroll
		for (int i = 0; i < MS(TM); i++) {
			const int part = w / WIDE * WIDE, in = w % WIDE;

			multiply<TN>(sum[i], further(at_a, 2 * (part * TM + i * 64 * WIDE + in)),
				     further(at_b, 2 * (part * TN + in)), !first || w);
		}
	products_commit();
}

// A warp is done with a stage: it says so to whoever fetches for it.
template <int DOWN> static __device__ void release(uint64_t *empty, int deep)
{
	int lane = threadIdx.x % 32;

	if (DOWN == 1 && lane == 0)
		barrier_arrive(empty);
	if (DOWN > 1 && lane < DOWN)
		barrier_arrive_at(empty, deep * DOWN + lane);
}

// Half of k is in another block. Each of two warpgroups sends that block the
// sums that it finishes there, and takes those that it finishes here: a thread
// has the same place in both. What sums pass through is the ring, which all
// are done with.
template <int TM, int TN, int DOWN>
static __device__ bool exchange_sums(float (&sum)[MS(TM)][TN / 2], void *room, int below, int deep)
{
	const bool stays = (int)threadIdx.x / (64 * CONSUMERS) == deep;
	const int thread = threadIdx.x % (64 * CONSUMERS);
	uint32_t there, here = address(room) + thread * 16;
	const int step = 64 * CONSUMERS * 16;

	asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(here), "r"((1 - deep) * DOWN + below));
	cluster_meets();
#pragma unroll
	for (int i = 0; i < MS(TM); i++)
#pragma unroll
		for (int j = 0; j < TN / 2; j += 4)
			if (!stays)
				asm volatile("st.shared::cluster.v4.f32 [%0], "
					     "{%1, %2, %3, %4};" ::"r"(there + (i * (TN / 8) + j / 4) * step),
					     "f"(sum[i][j]), "f"(sum[i][j + 1]), "f"(sum[i][j + 2]), "f"(sum[i][j + 3])
					     : "memory");
	cluster_meets();
	if (!stays)
		return false;
#pragma unroll
	for (int i = 0; i < MS(TM); i++)
#pragma unroll
		for (int j = 0; j < TN / 2; j += 4) {
			float4 v = *(const float4 *)((const char *)room + thread * 16 + (i * (TN / 8) + j / 4) * step);

			sum[i][j] += v.x;
			sum[i][j + 1] += v.y;
			sum[i][j + 2] += v.z;
			sum[i][j + 3] += v.w;
		}
	return true;
}

// Before a stage of the first tile: the second warpgroup begins when the first
// has LAG stages behind it, or all but one of a short tile.
static __device__ void follow(int stage, int stages)
{
	const int ahead = min(LAG, stages - 1);

	if (threadIdx.x < 128 && stage == ahead)
		asm volatile("bar.arrive 1, 256;" ::: "memory");
	else if (threadIdx.x >= 128 && stage == 0)
		asm volatile("bar.sync 1, 256;" ::: "memory");
}

// A warpgroup, which takes its rows of every tile.
template <int TM, int TN, int DOWN, int DEEP>
static __device__ void consume(ring *r, const bf16 *of_a, const bf16 *of_b, bf16 *to, const CUtensorMap *by_boxes,
			       problem q)
{
	unsigned char *room = (unsigned char *)(of_b + DEPTH(TM, TN) * TN * BK) + threadIdx.x / 128 * ROOM;
	const bool boxes = BOXES && TN % 128 == 0 && DEEP == 1 && q.n % 8 == 0;
	const cluster<TM, TN, DOWN, DEEP> c(q);
	int mine = threadIdx.x / 128 * MS(TM) * 64;
	int stage = 0, parity = 0, row, column;
	float sum[MS(TM)][TN / 2];

	for (int tile = c.first; tile < c.tiles; tile += c.step) {
		int last = -1;

		c.place(&row, &column, tile, q);
		for (int p = c.begin; p < c.end; p += BK) {
			if (LAG && DEEP == 1 && tile == c.first)
				follow((p - c.begin) / BK, (c.end - c.begin + BK - 1) / BK);
			barrier_wait(&r->full[stage], parity);
			multiply_stage<TM, TN>(sum, of_a + stage * TM * BK + mine * WIDE, of_b + stage * TN * BK,
					       p == c.begin);
			products_wait<BEHIND>();
			if (!BEHIND)
				last = stage;
			if (last >= 0)
				release<DOWN>(&r->empty[last], c.deep);
			last = stage;
			if (++stage == DEPTH(TM, TN)) {
				stage = 0;
				parity ^= 1;
			}
		}
		products_wait<0>();
		if (BEHIND)
			release<DOWN>(&r->empty[last], c.deep);
#pragma unroll
		for (int i = 0; i < MS(TM); i++)
			settle(sum[i]);
		if (DEEP > 1 && !exchange_sums<TM, TN, DOWN>(sum, (void *)of_a, c.below, c.deep))
			continue;
#pragma unroll
		for (int i = 0; i < MS(TM); i++)
			if (!boxes) {
				store<TN>(to, sum[i], row + mine + 64 * i, column, q.m, q.n);
			} else {
#pragma unroll
				for (int j = 0; j < TN; j += 128)
					send(by_boxes, room, &sum[i][j / 2], row + mine + 64 * i, column + j);
			}
	}
	if (BOXES)
		asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

template <int DOWN> static __device__ void barriers_make(ring *r)
{
	for (int i = 0; i < MOST; i++) {
		barrier_make(&r->full[i], 1);
		barrier_make(&r->empty[i], 4 * CONSUMERS * DOWN);
	}
	asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
	asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

// One block a multiprocessor, which stays. Its last warpgroup asks the copy
// engine for tiles, the others multiply. With DEEP a cluster has one tile.
template <int TM, int TN, int DOWN, int DEEP>
static __global__ void __launch_bounds__(THREADS, 1)
	matmul_kernel(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
		      const __grid_constant__ CUtensorMap by_boxes, bf16 *c, problem q)
{
	extern __shared__ unsigned char raw[];
	__shared__ ring r;
	// Swizzling goes by the address: tiles begin at 1024 bytes.
	bf16 *of_a = (bf16 *)(raw + (-address(raw) & 1023));
	bf16 *of_b = of_a + DEPTH(TM, TN) * TM * BK;

	if (threadIdx.x == 128 * CONSUMERS) {
		asm volatile("prefetch.tensormap [%0];" ::"l"(&a) : "memory");
		asm volatile("prefetch.tensormap [%0];" ::"l"(&b) : "memory");
	}
	if (threadIdx.x == 0)
		barriers_make<DOWN>(&r);
	if (DOWN * DEEP > 1)
		cluster_meets();
	else
		__syncthreads();
	if (threadIdx.x / 128 == CONSUMERS) {
		if (CONSUMERS > 1)
			asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(FEW));
		if (threadIdx.x % 128 == 0)
			produce<TM, TN, DOWN, DEEP>(&r, of_a, of_b, &a, &b, q);
		// As often as those who exchange sums.
		if (DEEP > 1) {
			cluster_meets();
			cluster_meets();
		}
	} else {
		if (CONSUMERS > 1)
			asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(MANY));
		consume<TM, TN, DOWN, DEEP>(&r, of_a, of_b, c, &by_boxes, q);
	}
	// Others may still fetch into this block, or tell it that they are done.
	if (DOWN * DEEP > 1)
		cluster_meets();
}

/* ---- the host -------------------------------------------------------------- */

// The driver's function is asked for by name: nothing is linked to the driver.
static PFN_cuTensorMapEncodeTiled_v12000 encoder(void)
{
	cudaDriverEntryPointQueryResult found;
	void *f = NULL;

	cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &f, 12000, cudaEnableDefault, &found);
	return (PFN_cuTensorMapEncodeTiled_v12000)f;
}

// A matrix of rows of k numbers, in boxes of `box` rows by 64 numbers.
static CUtensorMap describe(const bf16 *data, int rows, int k, int box)
{
	const cuuint64_t size[] = {(cuuint64_t)k, (cuuint64_t)rows};
	const cuuint64_t stride[] = {2 * (cuuint64_t)k};
	const cuuint32_t boxes[] = {WIDE, (cuuint32_t)box}, step[] = {1, 1};
	CUtensorMap map = {};

	encoder()(&map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, (void *)data, size, stride, boxes, step,
		  CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
		  CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
	return map;
}

// C in boxes of 64 x 64, where its rows begin at 16 bytes.
static CUtensorMap describe(const bf16 *c, int m, int n)
{
	const cuuint64_t size[] = {(cuuint64_t)n, (cuuint64_t)m};
	const cuuint64_t stride[] = {2 * (cuuint64_t)n};
	const cuuint32_t boxes[] = {64, 64}, step[] = {1, 1};
	CUtensorMap map = {};

	if (n % 8 == 0)
		encoder()(&map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, (void *)c, size, stride, boxes, step,
			  CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_NONE,
			  CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
	return map;
}

template <int TM, int TN, int DOWN, int DEEP>
static void launch(const bf16 *a, const bf16 *b, bf16 *c, problem q, int units, cudaStream_t stream)
{
	const int shared = DEPTH(TM, TN) * BK * (TM + TN) * (int)sizeof(bf16) + BOXES * CONSUMERS * ROOM + 1024;
	const int tiles = (q.down + DOWN - 1) / DOWN * q.across;
	cudaLaunchConfig_t how = {};
	cudaLaunchAttribute cluster = {};
	int clusters = min(units / (DOWN * DEEP), tiles);

	if (DEEP > 1)
		clusters = tiles;
	cluster.id = cudaLaunchAttributeClusterDimension;
	cluster.val.clusterDim = {DOWN * DEEP, 1, 1};
	how.gridDim = dim3((unsigned)(clusters * DOWN * DEEP));
	how.blockDim = dim3(THREADS);
	how.dynamicSmemBytes = (size_t)shared;
	how.stream = stream;
	how.attrs = &cluster;
	how.numAttrs = DOWN * DEEP > 1;
	cudaFuncSetAttribute(matmul_kernel<TM, TN, DOWN, DEEP>, cudaFuncAttributeMaxDynamicSharedMemorySize, shared);
	cudaLaunchKernelEx(&how, matmul_kernel<TM, TN, DOWN, DEEP>, describe(a, q.m, q.k, TM),
			   describe(b, q.n, q.k, TN / DOWN), describe((const bf16 *)c, q.m, q.n), c, q);
}

// Too few tiles for half of the multiprocessors: they are made smaller, and where they are
// too few again, and k is long enough, two share each.
extern "C" void matmul(const bf16 *a, const bf16 *b, bf16 *c, int m, int n, int k, cudaStream_t stream)
{
	problem q = {m, n, k, (m + BM - 1) / BM, (n + BN - 1) / BN};
	problem flat = {m, n, k, (m + FLAT - 1) / FLAT, (n + FLAT - 1) / FLAT};
	const bool deep = k >= 16 * BK && CONSUMERS == 2;
	int device = 0, units = 1;

	cudaGetDevice(&device);
	cudaDeviceGetAttribute(&units, cudaDevAttrMultiProcessorCount, device);
	if (deep && flat.down * flat.across * 2 <= units)
		launch<FLAT, FLAT, 1, 2>(a, b, c, flat, units, stream);
	else if (q.down * q.across * 2 <= units && flat.down % FLAT_DOWN == 0)
		launch<FLAT, FLAT, FLAT_DOWN, 1>(a, b, c, flat, units, stream);
	else if (q.down % CLUSTER == 0)
		launch<BM, BN, CLUSTER, 1>(a, b, c, q, units, stream);
	else
		launch<BM, BN, 1, 1>(a, b, c, q, units, stream);
}
