#include <cuda.h>
#include <cudaTypedefs.h>
#include <cuda_bf16.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>
#include <stdint.h>

#define STAGES 4   // avogit: 2 4
#define GROUP  32  // avogit: 1 2 4 8 16 32
#define LAG    0   // avogit: 0 1
#define SHARE  1   // avogit: 1 2
#define THREE  104 // avogit: 80 92 104 1000

// LAG is how many products the second warpgroup begins behind the first, SHARE
// the blocks of a cluster that lie beside each other and bring rows of A for all
// of them. A tile has 256 rows for two warpgroups, or 192 for three, of which one
// may scale and add while two wait for nothing: THREE is what a row of such a tile
// costs, in hundredths, and the tile is taken that costs less in whole rounds.

#define BN	    128			  // columns of a tile, which have one scale
#define BK	    128			  // depth of a stage: the numbers that have one scale
#define CONS(TM)    ((TM) == 192 ? 3 : 2) // warpgroups that multiply
#define THREADS(TM) (128 * (CONS(TM) + 1))
#define MS(TM)	    ((TM) / 64 / CONS(TM)) // products of a warpgroup, down

// Registers a thread: who only asks for tiles needs few, who sums needs all.
#define FEW(TM)	 ((TM) == 192 ? 32 : 40)
#define MANY(TM) ((TM) == 192 ? 160 : 232)

typedef __nv_bfloat16 bf16;
typedef __nv_fp8_e4m3 fp8;

static __device__ uint32_t address(const void *shared)
{
	return (uint32_t)__cvta_generic_to_shared(shared);
}

/* ---- barriers -------------------------------------------------------------- */

static __device__ void barrier_make(uint64_t *b, unsigned arrivals)
{
	asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address(b)), "r"(arrivals) : "memory");
}

// Arrives at the same barrier of another block of the cluster.
static __device__ void barrier_arrive_at(uint64_t *b, int block)
{
	asm volatile("{\n"
		     ".reg .b32 there;\n"
		     "mapa.shared::cluster.u32 there, %0, %1;\n"
		     "mbarrier.arrive.release.cluster.shared::cluster.b64 "
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
#define FOUR(i) "+f"(c[i]), "+f"(c[i + 1]), "+f"(c[i + 2]), "+f"(c[i + 3])
#define SUMS(i) FOUR(i), FOUR(i + 4), FOUR(i + 8), FOUR(i + 12)

// c = a b' or c += a b', 64 rows, 128 columns, 32 deep; it runs on by itself.
static __device__ void multiply(float (&c)[BN / 2], uint64_t a, uint64_t b, int add)
{
	asm volatile("{\n"
		     ".reg .pred p;\n"
		     "setp.ne.b32 p, %66, 0;\n"
		     "wgmma.mma_async.sync.aligned.m64n128k32.f32.e4m3.e4m3 "
		     "{" NAMES_0 ", " NAMES_1 ", " NAMES_2 ", " NAMES_3 "}, %64, %65, p, 1, 1;\n"
		     "}"
		     : SUMS(0), SUMS(16), SUMS(32), SUMS(48)
		     : "l"(a), "l"(b), "r"(add));
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
static __device__ void store(bf16 *c, const float (&sum)[BN / 2], int row, int column, int m, int n)
{
	int lane = threadIdx.x % 32;

	row += threadIdx.x % 128 / 32 * 16 + lane / 4;
	column += lane % 4 * 8;
#pragma unroll
	for (int half = 0; half < 2; half++)
#pragma unroll
		for (int j = 0; j < BN / 8; j += 4) {
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

#define ROOM (64 * BN * 2) // bytes of 64 rows

// The same 64 rows into shared memory as the copy engine wants them: two boxes of
// 64 columns, a row 128 bytes, swizzled.
static __device__ void lay_down(unsigned char *room, const float (&sum)[BN / 2])
{
	const int lane = threadIdx.x % 32, row = threadIdx.x % 128 / 32 * 16 + lane % 16;
	const uint32_t to = address(room) + row * 128;

#pragma unroll
	for (int j = 0; j < BN / 8; j += 2) {
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
static __device__ void send(const CUtensorMap *to, unsigned char *room, const float (&sum)[BN / 2], int row, int column)
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
	uint64_t full[STAGES], empty[STAGES];
};

struct problem {
	const float *a_scale, *b_scale;
	int m, n, k, blocks, down, across; // of k; the last two: tiles
};

// GROUP rows of tiles, column by column, then the next: blocks that run at the
// same time share more of A and B in the cache. A cluster has SHARE columns.
template <int TM> static __device__ void place(int *row, int *column, int tile, const problem &q)
{
	int across = (q.across + SHARE - 1) / SHARE;
	int above = tile / (GROUP * across) * GROUP, within = tile % (GROUP * across);
	int height = min(GROUP, q.down - above);

	*row = (above + within % height) * TM;
	*column = (within / height * SHARE + (SHARE > 1 ? place_in_cluster() : 0)) * BN;
}

template <int TM> static __device__ int tiles_of(const problem &q)
{
	return (q.across + SHARE - 1) / SHARE * q.down;
}

// One thread, which keeps the ring full for all tiles of its block. Of a tile
// of A it brings its share, for all blocks of the cluster.
template <int TM>
static __device__ void produce(ring *r, fp8 *of_a, fp8 *of_b, const CUtensorMap *a, const CUtensorMap *b,
			       const problem &q)
{
	const int tiles = tiles_of<TM>(q), share = SHARE > 1 ? place_in_cluster() * (TM / SHARE) : 0;
	int stage = 0, parity = 0, row, column;

	for (int tile = blockIdx.x / SHARE; tile < tiles; tile += gridDim.x / SHARE) {
		place<TM>(&row, &column, tile, q);
		for (int p = 0; p < q.k; p += BK) {
			fp8 *to_a = of_a + stage * TM * BK + share * BK, *to_b = of_b + stage * BN * BK;
			uint64_t *full = &r->full[stage];

			barrier_wait(&r->empty[stage], parity ^ 1);
			barrier_expect(full, BK * (TM + BN));
			if (SHARE > 1)
				fetch_for((1u << SHARE) - 1, to_a, a, full, p, row + share);
			else
				fetch(to_a, a, full, p, row);
			fetch(to_b, b, full, p, column);
			if (++stage == STAGES) {
				stage = 0;
				parity ^= 1;
			}
		}
	}
}

// A warp is done with a stage: it says so to whoever fetches for it.
static __device__ void release(uint64_t *empty)
{
	int lane = threadIdx.x % 32;

	if (SHARE == 1 && lane == 0)
		barrier_arrive(empty);
	if (SHARE > 1 && lane < SHARE)
		barrier_arrive_at(empty, lane);
}

// What a thread's two rows of each product, and the columns, are multiplied by.
template <int TM> struct scales {
	float row[MS(TM)][2], column;
};

template <int TM>
static __device__ void read_scales(struct scales<TM> *s, const problem &q, int row, int column, int block)
{
	const float *from = q.a_scale + (long)block * q.m;

	row += threadIdx.x % 128 / 32 * 16 + threadIdx.x % 32 / 4;
#pragma unroll
	for (int i = 0; i < MS(TM); i++) {
		s->row[i][0] = __ldg(from + min(row + 64 * i, q.m - 1));
		s->row[i][1] = __ldg(from + min(row + 64 * i + 8, q.m - 1));
	}
	s->column = __ldg(q.b_scale + (long)min(column / BN, (q.n - 1) / BN) * q.blocks + block);
}

// A block of k: the tensor cores keep fewer digits of a sum than fp32 has, so it
// is added to others outside of them.
static __device__ void add_scaled(float (&sum)[BN / 2], const float (&some)[BN / 2], float upper, float lower)
{
#pragma unroll
	for (int j = 0; j < BN / 2; j += 4) {
		sum[j] += upper * some[j];
		sum[j + 1] += upper * some[j + 1];
		sum[j + 2] += lower * some[j + 2];
		sum[j + 3] += lower * some[j + 3];
	}
}

static __device__ void multiply_block(float (&some)[BN / 2], uint64_t a, uint64_t b)
{
	products_begin();
#pragma unroll
	for (int w = 0; w < BK; w += 32)
		multiply(some, further(a, w), further(b, w), w);
	products_commit();
}

// The second warpgroup begins when the first has its first product behind it,
// so that one multiplies while the other adds.
static __device__ void follow(bool begun)
{
	if (threadIdx.x < 128 && begun)
		asm volatile("bar.arrive 1, 256;" ::: "memory");
	else if (threadIdx.x >= 128 && !begun)
		asm volatile("bar.sync 1, 256;" ::: "memory");
}

// A warpgroup, which takes its rows of every tile.
template <int TM>
static __device__ void consume(ring *r, const fp8 *of_a, const fp8 *of_b, unsigned char *rooms, bf16 *to,
			       const CUtensorMap *by_boxes, const problem &q)
{
	unsigned char *room = rooms + threadIdx.x / 128 * ROOM;
	const bool boxes = q.n % 8 == 0;
	const int tiles = tiles_of<TM>(q), mine = threadIdx.x / 128 * MS(TM) * 64, first = blockIdx.x / SHARE;
	int stage = 0, parity = 0, row, column;
	float sum[MS(TM)][BN / 2], some[BN / 2];
	struct scales<TM> now, next;

	if (LAG && CONS(TM) == 2)
		follow(false);
	for (int tile = first; tile < tiles; tile += gridDim.x / SHARE) {
		place<TM>(&row, &column, tile, q);
		read_scales(&next, q, row + mine, column, 0);
#pragma unroll
		for (int i = 0; i < MS(TM); i++)
#pragma unroll
			for (int j = 0; j < BN / 2; j++)
				sum[i][j] = 0;
		for (int block = 0; block < q.blocks; block++) {
			now = next;
			if (block + 1 < q.blocks)
				read_scales(&next, q, row + mine, column, block + 1);
			barrier_wait(&r->full[stage], parity);
#pragma unroll
			for (int i = 0; i < MS(TM); i++) {
				multiply_block(some, tile_at(of_a + stage * TM * BK + (mine + 64 * i) * BK),
					       tile_at(of_b + stage * BN * BK));
				if (i == 1 && boxes && block == q.blocks - 1)
					send(by_boxes, room, sum[0], row + mine, column);
				products_wait<0>();
				settle(some);
				if (LAG && CONS(TM) == 2 && i == 0 && block == 0 && tile == first)
					follow(true);
				if (i == MS(TM) - 1)
					release(&r->empty[stage]);
				add_scaled(sum[i], some, now.row[i][0] * now.column, now.row[i][1] * now.column);
			}
			if (++stage == STAGES) {
				stage = 0;
				parity ^= 1;
			}
		}
		if (boxes)
			send(by_boxes, room, sum[MS(TM) - 1], row + mine + 64 * (MS(TM) - 1), column);
#pragma unroll
		for (int i = 0; i < MS(TM); i++)
			if (!boxes)
				store(to, sum[i], row + mine + 64 * i, column, q.m, q.n);
	}
	asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

template <int TM> static __device__ void barriers_make(ring *r)
{
	for (int i = 0; i < STAGES; i++) {
		barrier_make(&r->full[i], 1);
		barrier_make(&r->empty[i], 4 * CONS(TM) * SHARE);
	}
	asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
	asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

static __device__ void all_meet(void)
{
	if (SHARE > 1)
		cluster_meets();
	else
		__syncthreads();
}

// One block a multiprocessor, which stays. Its last warpgroup asks the copy
// engine for tiles, the others multiply.
template <int TM>
static __global__ void __launch_bounds__(THREADS(TM), 1)
	fp8_kernel(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
		   const __grid_constant__ CUtensorMap by_boxes, bf16 *c, const __grid_constant__ problem q)
{
	extern __shared__ unsigned char raw[];
	__shared__ ring r;
	// Swizzling goes by the address: tiles begin at 1024 bytes.
	fp8 *of_a = (fp8 *)(raw + (-address(raw) & 1023));
	fp8 *of_b = of_a + STAGES * TM * BK;

	if (threadIdx.x == 0)
		barriers_make<TM>(&r);
	all_meet();
	if (threadIdx.x / 128 == CONS(TM)) {
		asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(FEW(TM)));
		if (threadIdx.x % 128 == 0)
			produce<TM>(&r, of_a, of_b, &a, &b, q);
	} else {
		asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(MANY(TM)));
		consume<TM>(&r, of_a, of_b, (unsigned char *)(of_b + STAGES * BN * BK), c, &by_boxes, q);
	}
	// Others may still fetch into this block, or tell it that they are done.
	if (SHARE > 1)
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

// A matrix of rows of k numbers, in boxes of `box` rows by 128 numbers.
static CUtensorMap describe(const fp8 *data, int rows, int k, int box)
{
	const cuuint64_t size[] = {(cuuint64_t)k, (cuuint64_t)rows};
	const cuuint64_t stride[] = {(cuuint64_t)k};
	const cuuint32_t boxes[] = {BK, (cuuint32_t)box}, step[] = {1, 1};
	CUtensorMap map = {};

	encoder()(&map, CU_TENSOR_MAP_DATA_TYPE_UINT8, 2, (void *)data, size, stride, boxes, step,
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

template <int TM> static long rounds(const problem &q, int units)
{
	long down = (q.m + TM - 1) / TM, clusters = (q.across + SHARE - 1) / SHARE * down, at_once = units / SHARE;

	return (clusters + at_once - 1) / at_once;
}

template <int TM> static void launch(const fp8 *a, const fp8 *b, bf16 *c, problem q, int units, cudaStream_t stream)
{
	const int shared = STAGES * BK * (TM + BN) + CONS(TM) * ROOM + 1024;
	cudaLaunchConfig_t how = {};
	cudaLaunchAttribute cluster = {};

	q.down = (q.m + TM - 1) / TM;
	how.gridDim = dim3((unsigned)(min(units / SHARE, (q.across + SHARE - 1) / SHARE * q.down) * SHARE));
	how.blockDim = dim3(THREADS(TM));
	how.dynamicSmemBytes = (size_t)shared;
	how.stream = stream;
	cluster.id = cudaLaunchAttributeClusterDimension;
	cluster.val.clusterDim = {SHARE, 1, 1};
	how.attrs = &cluster;
	how.numAttrs = SHARE > 1;
	cudaFuncSetAttribute(fp8_kernel<TM>, cudaFuncAttributeMaxDynamicSharedMemorySize, shared);
	cudaLaunchKernelEx(&how, fp8_kernel<TM>, describe(a, q.m, q.k, TM / SHARE), describe(b, q.n, q.k, BN),
			   describe(c, q.m, q.n), c, q);
}

extern "C" void fp8_matmul(const fp8 *a, const float *a_scale, const fp8 *b, const float *b_scale, bf16 *c, int m,
			   int n, int k, cudaStream_t stream)
{
	problem q = {a_scale, b_scale, m, n, k, (k + BK - 1) / BK, 0, (n + BN - 1) / BN};
	int device = 0, units = 1;

	cudaGetDevice(&device);
	cudaDeviceGetAttribute(&units, cudaDevAttrMultiProcessorCount, device);
	if (rounds<192>(q, units) * 192 * THREE < rounds<256>(q, units) * 256 * 100)
		launch<192>(a, b, c, q, units, stream);
	else
		launch<256>(a, b, c, q, units, stream);
}
