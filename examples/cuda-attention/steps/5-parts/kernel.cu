#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <stddef.h>
#include <stdint.h>

#define KEYS_CAUSAL 128 // avogit: 96 112 128 144 160
#define KEYS_FULL   128 // avogit: 96 112 128 144 160
#define Q_STAYS	    1	// avogit: 0 1
#define EARLY	    2	// avogit: 0 1 2 4
#define TAKE_TURNS  1	// avogit: 0 1
#define PARTS	    16	// avogit: 1 4 8 16
#define L2_MIB	    16	// avogit: 8 16 32
#define PAIR_FULL   0	// avogit: 0 1
#define PAIR_CAUSAL 0	// avogit: 0 1
// avogit-require: (128 * (3 - Q_STAYS) + 4 * KEYS_CAUSAL) * 256 <= 231168
// avogit-require: (128 * (3 - Q_STAYS) + 4 * KEYS_FULL) * 256 <= 231168

#define GROUPS	2
#define STAGES	2
#define D	128
#define TILE_M	(64 * GROUPS)
#define HALF	64	   // numbers of a row that swizzled tiles are wide
#define LINE	(HALF * 2) // bytes
#define THREADS (128 * (GROUPS + 1))
// Tiles of queries in shared memory: one where a warpgroup takes its rows to
// registers, else the one in use and the next.
#define Q_TILES (Q_STAYS ? 1 : 2)
// Registers a thread, of the 65536 there are.
#define REGISTERS_COPY(PAIR)	 ((PAIR) ? 40 : 24)
#define REGISTERS_MULTIPLY(PAIR) ((PAIR) ? 232 : 240)
// exp(s / sqrt(D)) as a power of two
#define SCALE (0.08838834764831844055f * 1.4426950408889634f)
// What a thread's sums may grow to before the base of its rows is raised.
#ifndef LIMIT
#define LIMIT 16777216.0f
#endif

using bf16 = __nv_bfloat16;

// A piece of work is a tile of rows of one head. A pair of blocks, which read
// the same keys, takes a piece of two tiles, or of two heads.
struct problem {
	int batch, seq, heads, kv_heads;
	int tiles, columns;	   // pieces in a head's rows and in all heads
	int wide_tiles, wide_heads; // of a piece
	int together;		   // columns whose keys and values share the cache
	int left, parts;	   // pieces beyond a multiple of the blocks, each worked on in parts
};

struct alignas(16) tile {
	int first, head, sequence, n; // n tiles of keys, none at the end
	int begin;		      // the first of them
	int piece, part;	      // of a piece that is worked on in parts, else -1
	int unused;
};

// The next tile of rows, and the blocks that found none. The last block leaves
// both at zero, so launches must not overlap.
static __device__ unsigned next_tile, finished;

// Parts of pieces, as a thread has them: sums, then base and sum of its rows.
// The warp that comes last with its part puts all together.
#define SLOTS	   132
#define SLOT_WORDS ((64 / 4 + 1) * 32)
static __device__ float4 slots[SLOTS * 4 * GROUPS * SLOT_WORDS];
static __device__ unsigned arrived[SLOTS * 4 * GROUPS];

// ---- barriers --------------------------------------------------------------

struct barriers {
	struct tile tile[2];
	uint64_t q_full[Q_TILES], q_empty[Q_TILES];
	uint64_t k_full[STAGES], k_empty[STAGES], v_full[STAGES], v_empty[STAGES];
	uint64_t tile_full[2], tile_empty[2];
};

#define AT(member) ((uint32_t)offsetof(struct barriers, member))

static __device__ uint32_t address(const void *p)
{
	return (uint32_t)__cvta_generic_to_shared(p);
}

static __device__ void barrier_init(uint32_t b, int count)
{
	asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(b), "r"(count) : "memory");
}

static __device__ void barrier_arrive(uint32_t b)
{
	asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(b) : "memory");
}

static __device__ void barrier_expect(uint32_t b, int bytes)
{
	asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(b), "r"(bytes) : "memory");
}

static __device__ void barrier_wait(uint32_t b, uint32_t parity)
{
	uint32_t done;

	do
		asm volatile("{\n.reg .pred p;\n"
			     "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
			     "selp.u32 %0, 1, 0, p;\n}"
			     : "=r"(done)
			     : "r"(b), "r"(parity)
			     : "memory");
	while (!done);
}

// Once a warp, when all of it is done.
static __device__ void warp_arrive(uint32_t b)
{
	__syncwarp();
	if (threadIdx.x % 32 == 0)
		barrier_arrive(b);
}

// A place in a ring, and the parity of the times round it.
struct place {
	int stage;
	uint32_t parity;
};

// What the other block of a pair sees, too: the same place in block `rank`.
static __device__ uint32_t in_block(uint32_t b, int rank)
{
	uint32_t there;

	asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(b), "r"(rank));
	return there;
}

static __device__ void barrier_arrive_there(uint32_t b)
{
	asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(b) : "memory");
}

static __device__ void barrier_wait_there(uint32_t b, uint32_t parity)
{
	uint32_t done;

	do
		asm volatile("{\n.reg .pred p;\n"
			     "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2;\n"
			     "selp.u32 %0, 1, 0, p;\n}"
			     : "=r"(done)
			     : "r"(b), "r"(parity)
			     : "memory");
	while (!done);
}

static __device__ int rank_in_pair()
{
	int rank;

	asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
	return rank;
}

static __device__ void all_of_pair()
{
	asm volatile("barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;" ::: "memory");
}

static __device__ void step(struct place &p, int stages)
{
	p.stage = p.stage + 1 == stages ? 0 : p.stage + 1;
	p.parity ^= p.stage == 0;
}

static __device__ void my_turn(int group)
{
	if (TAKE_TURNS)
		asm volatile("bar.sync %0, 256;" ::"r"(1 + group) : "memory");
}

static __device__ void your_turn(int group)
{
	if (TAKE_TURNS)
		asm volatile("bar.arrive %0, 256;" ::"r"(1 + (group + 1) % GROUPS) : "memory");
}

// ---- products --------------------------------------------------------------

#define R0 "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15"
#define R1 "%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31"
#define R2 "%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47"
#define R3 "%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63"
#define R4 "%64,%65,%66,%67,%68,%69,%70,%71,%72,%73,%74,%75,%76,%77,%78,%79"
#define H3 "%48,%49,%50,%51,%52,%53,%54,%55"
#define H4 "%64,%65,%66,%67,%68,%69,%70,%71"
#define F8(d, i)                                                                                                    \
	"+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), "+f"(d[i + 6]), \
		"+f"(d[i + 7])
#define F16(d, i) F8(d, i), F8(d, i + 8)
#define F32(d, i) F16(d, i), F16(d, i + 16)

// d (64 x N) = a (64 x 16) b (16 x N), or added to d; b from shared memory, a
// from there or from registers, a row of either being 16 numbers side by side.
#define SCORES(N, REGISTERS, A0, A1, A2, A3, A4, A5, ...)                                                           \
	[[maybe_unused]] static __device__ void scores_step(float(&d)[N / 2], uint64_t a, uint64_t b, int keep)     \
	{                                                                                                           \
		asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, " A2 ", 0;\n"                                        \
			     "wgmma.mma_async.sync.aligned.m64n" #N "k16.f32.bf16.bf16 {" REGISTERS "}, " A0 ", " A1 \
			     ", p, 1, 1, 0, 0;\n}"                                                                  \
			     : __VA_ARGS__                                                                          \
			     : "l"(a), "l"(b), "r"(keep));                                                          \
	}                                                                                                           \
	[[maybe_unused]] static __device__ void scores_step(float(&d)[N / 2], const uint32_t *a, uint64_t b,        \
							    int keep)                                               \
	{                                                                                                           \
		asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, " A5 ", 0;\n"                                        \
			     "wgmma.mma_async.sync.aligned.m64n" #N "k16.f32.bf16.bf16 {" REGISTERS "}, {" A0 "," A1 \
			     "," A2 "," A3 "}, " A4 ", p, 1, 1, 0;\n}"                                              \
			     : __VA_ARGS__                                                                          \
			     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(keep));                      \
	}

SCORES(64, R0 "," R1, "%32", "%33", "%34", "%35", "%36", "%37", F32(d, 0))
SCORES(96, R0 "," R1 "," R2, "%48", "%49", "%50", "%51", "%52", "%53", F32(d, 0), F16(d, 32))
SCORES(112, R0 "," R1 "," R2 "," H3, "%56", "%57", "%58", "%59", "%60", "%61", F32(d, 0), F16(d, 32), F8(d, 48))
SCORES(128, R0 "," R1 "," R2 "," R3, "%64", "%65", "%66", "%67", "%68", "%69", F32(d, 0), F32(d, 32))
SCORES(144, R0 "," R1 "," R2 "," R3 "," H4, "%72", "%73", "%74", "%75", "%76", "%77", F32(d, 0), F32(d, 32), F8(d, 64))
SCORES(160, R0 "," R1 "," R2 "," R3 "," R4, "%80", "%81", "%82", "%83", "%84", "%85", F32(d, 0), F32(d, 32), F16(d, 64))

// d (64 x 128) += a (64 x 16, in registers) b (16 x 128, a row of d side by
// side).
static __device__ void values_step(float (&d)[64], const uint32_t *a, uint64_t b)
{
	asm volatile("wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {" R0 "," R1 "," R2 "," R3 "}, "
		     "{%64,%65,%66,%67}, %68, 1, 1, 1, 1;"
		     : F32(d, 0), F32(d, 32)
		     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}

static __device__ void products_begin()
{
	asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

static __device__ void products_end()
{
	asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
	asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
}

// Registers have these values here: what makes them is not moved below this
// line, what reads them not above it.
template <int N> static __device__ void settle(float (&d)[N])
{
#pragma unroll
	for (int i = 0; i < N; i++)
		asm volatile("" : "+f"(d[i])::"memory");
}

template <int N> static __device__ void settle(uint32_t (&d)[N])
{
#pragma unroll
	for (int i = 0; i < N; i++)
		asm volatile("" : "+r"(d[i])::"memory");
}

// Describes a tile to the multiplier: rows of 128 bytes, swizzled, groups of
// eight rows 1024 bytes apart; `leading` bytes from one half of d to the other
// where d is what a product's columns are.
static __device__ uint64_t describe(uint32_t at, uint32_t leading)
{
	uint64_t d;

	asm("mov.b64 %0, {%1, %2};" : "=l"(d) : "r"((at & 0x3ffff) >> 4 | leading >> 4 << 16), "n"(1024 >> 4 | 1 << 30));
	return d;
}

// What a warpgroup works on.
template <int KEYS> struct state {
	float s[KEYS / 2], o[64];
	uint32_t w[KEYS / 4], q[Q_STAYS ? 32 : 1];
	float base[2], sum[2][2]; // of the two rows that a thread has a part of
	struct place k, v, q_tile, slot;
	uint32_t q_at, k_at, v_at, out_at, b;
	uint32_t there, first; // the barriers of the block that this lane tells, and of the pair's first
	int group, row, col;
};

template <int KEYS, int FROM, int TO> static __device__ void scores(struct state<KEYS> &g)
{
	uint32_t k = g.k_at + g.k.stage * (KEYS * D * 2), q = g.q_at + g.q_tile.stage * (TILE_M * D * 2);

#pragma unroll
	for (int i = FROM; i < TO; i++) {
		uint64_t b = describe(k + i / 4 * (KEYS * LINE) + i % 4 * 32, 16);

		if (Q_STAYS)
			scores_step(g.s, &g.q[Q_STAYS * 4 * i], b, i > 0);
		else
			scores_step(g.s, describe(q + i / 4 * (TILE_M * LINE) + i % 4 * 32, 16), b, i > 0);
	}
}

template <int KEYS> static __device__ void add_values(struct state<KEYS> &g)
{
	uint32_t v = g.v_at + g.v.stage * (KEYS * D * 2);

#pragma unroll
	for (int i = 0; i < KEYS / 16; i++)
		values_step(g.o, &g.w[4 * i], describe(v + i * 16 * LINE, KEYS * LINE));
}

// ---- softmax ---------------------------------------------------------------

static __device__ float power(float x)
{
	float y;

	asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
	return y;
}

static __device__ uint32_t pack(float low, float high)
{
	__nv_bfloat162 two = __floats2bfloat162_rn(low, high);

	return *(uint32_t *)&two;
}

// Hides the keys from `end` on; with CAUSAL, those after a row's own.
template <int KEYS, bool CAUSAL> static __device__ void hide(struct state<KEYS> &g, int first, int end)
{
#pragma unroll
	for (int h = 0; h < 2; h++) {
		int left = (CAUSAL ? min(end, g.row + h * 8 + 1) : end) - first - g.col;

#pragma unroll
		for (int n = 0; n < KEYS / 8; n++)
#pragma unroll
			for (int e = 0; e < 2; e++)
				if (n * 8 + e >= left)
					g.s[4 * n + 2 * h + e] = -INFINITY;
	}
}

// Turns scores into weights on a base that no score exceeds. FIRST: there are
// no earlier ones.
template <int KEYS, bool FIRST> static __device__ void weigh_anew(struct state<KEYS> &g)
{
#pragma unroll
	for (int h = 0; h < 2; h++) {
		float top[2] = {g.s[2 * h], g.s[2 * h + 1]}, base, keep;

#pragma unroll
		for (int n = 1; n < KEYS / 8; n++) {
			top[0] = fmaxf(top[0], g.s[4 * n + 2 * h]);
			top[1] = fmaxf(top[1], g.s[4 * n + 2 * h + 1]);
		}
		top[0] = fmaxf(top[0], top[1]);
		top[0] = fmaxf(top[0], __shfl_xor_sync(0xffffffff, top[0], 1));
		top[0] = fmaxf(top[0], __shfl_xor_sync(0xffffffff, top[0], 2)) * SCALE;
		if (!FIRST)
			top[0] = fmaxf(top[0], g.base[h]);
		// A row may have seen nothing but hidden keys.
		base = top[0] == -INFINITY ? 0 : top[0];
		keep = FIRST ? 0 : power(g.base[h] - base);
		g.base[h] = top[0];
#pragma unroll
		for (int e = 0; e < 2; e++)
			g.sum[h][e] = FIRST ? 0 : g.sum[h][e] * keep;
#pragma unroll
		for (int n = 0; n < KEYS / 8; n++) {
			float low = power(g.s[4 * n + 2 * h] * SCALE - base);
			float high = power(g.s[4 * n + 2 * h + 1] * SCALE - base);

			g.sum[h][0] += low;
			g.sum[h][1] += high;
			g.w[2 * n + h] = pack(low, high);
		}
		if (!FIRST)
#pragma unroll
			for (int i = 0; i < 64; i += 4)
#pragma unroll
				for (int e = 0; e < 2; e++)
					g.o[i + 2 * h + e] *= keep;
	}
}

// The same on the base there is: bf16 has the exponents for weights above 1.
// False, and to be done anew, when sums get out of hand; the largest score need
// not be known, since a row's sum is as large as its largest weight.
template <int KEYS> static __device__ bool weigh(struct state<KEYS> &g)
{
	float sum[2][2];

#pragma unroll
	for (int h = 0; h < 2; h++)
#pragma unroll
		for (int e = 0; e < 2; e++)
			sum[h][e] = g.sum[h][e];
#pragma unroll
	for (int n = 0; n < KEYS / 8; n++)
#pragma unroll
		for (int h = 0; h < 2; h++) {
			float low = power(g.s[4 * n + 2 * h] * SCALE - g.base[h]);
			float high = power(g.s[4 * n + 2 * h + 1] * SCALE - g.base[h]);

			sum[h][0] += low;
			sum[h][1] += high;
			g.w[2 * n + h] = pack(low, high);
		}
	if (__any_sync(0xffffffff, !((sum[0][0] + sum[0][1]) + (sum[1][0] + sum[1][1]) <= LIMIT)))
		return false;
#pragma unroll
	for (int h = 0; h < 2; h++)
#pragma unroll
		for (int e = 0; e < 2; e++)
			g.sum[h][e] = sum[h][e];
	return true;
}

// A first tile of keys where all rows see all. Any base will do that the sums
// get along with: the largest score of eight keys.
template <int KEYS> static __device__ void weigh_first(struct state<KEYS> &g)
{
#pragma unroll
	for (int h = 0; h < 2; h++) {
		float top = fmaxf(g.s[2 * h], g.s[2 * h + 1]);

		top = fmaxf(top, __shfl_xor_sync(0xffffffff, top, 1));
		g.base[h] = fmaxf(top, __shfl_xor_sync(0xffffffff, top, 2)) * SCALE;
		g.sum[h][0] = g.sum[h][1] = 0;
	}
	if (!weigh(g))
		weigh_anew<KEYS, true>(g);
}

// ---- who does what ---------------------------------------------------------

// Heads that share the cache together; of them long rows of tiles first, so
// that what is left at the end is short. Where all are of a length what would
// be left comes first, in parts.
template <int KEYS, bool CAUSAL>
static __device__ struct tile find_tile(int index, const struct problem &p, int rank)
{
	struct tile t;
	int m, column, heads = p.heads / p.wide_heads;

	t.begin = 0;
	t.piece = t.part = -1;
	if (CAUSAL) {
		int group = index / (p.together * p.tiles);
		int size = max(min(p.together, p.columns - group * p.together), 1);

		index -= group * p.together * p.tiles;
		m = p.tiles - 1 - index / size;
		column = group * p.together + index % size;
	} else {
		int in_parts = p.left * p.parts;

		if (index < in_parts) {
			t.piece = index / p.parts;
			t.part = index % p.parts;
			index = p.tiles * p.columns - 1 - t.piece;
		} else if ((index -= in_parts) >= p.tiles * p.columns - p.left) {
			index = p.tiles * p.columns;
		}
		m = index % p.tiles;
		column = index / p.tiles;
	}
	t.first = (m * p.wide_tiles + (p.wide_tiles > 1 ? rank : 0)) * TILE_M;
	t.head = column % heads * p.wide_heads + (p.wide_heads > 1 ? rank : 0);
	t.sequence = column / heads;
	t.n = m >= 0 && column < p.columns ? ((CAUSAL ? min(p.seq, t.first + TILE_M) : p.seq) + KEYS - 1) / KEYS : 0;
	if (t.part >= 0) {
		t.begin = t.n * t.part / p.parts;
		t.n = t.n * (t.part + 1) / p.parts - t.begin;
		t.piece = t.piece * (p.wide_heads * p.wide_tiles) + rank;
	}
	return t;
}

// Two halves of a tile, each a swizzled box.
template <int ROWS>
static __device__ void copy(const CUtensorMap *map, uint32_t to, uint32_t full, int head, int row, int sequence)
{
	barrier_expect(full, ROWS * D * 2);
#pragma unroll
	for (int half = 0; half < 2; half++)
		asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.mbarrier::complete_tx::bytes "
			     "[%0], [%1, {%2, %3, %4, %5}], [%6];" ::"r"(to + half * ROWS * LINE),
			     "l"((uint64_t)map), "r"(half * HALF), "r"(head), "r"(row), "r"(sequence), "r"(full)
			     : "memory");
}

// Each block of a pair asks for a half, which lands in both.
template <int ROWS, bool PAIR>
static __device__ void copy_shared(const CUtensorMap *map, uint32_t to, uint32_t full, int head, int row, int sequence,
				   int rank)
{
	if (!PAIR) {
		copy<ROWS>(map, to, full, head, row, sequence);
		return;
	}
	barrier_expect(full, ROWS * D * 2);
	asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
		     "[%0], [%1, {%2, %3, %4, %5}], [%6], %7;" ::"r"(to + rank * ROWS * LINE),
		     "l"((uint64_t)map), "r"(rank * HALF), "r"(head), "r"(row), "r"(sequence), "r"(full),
		     "h"((uint16_t)3)
		     : "memory");
}

struct maps {
	CUtensorMap q, k, v, o;
};

// Shared memory: tiles of queries, of what comes out, of keys, of values; then
// the barriers.
#define OUT_AT		    (Q_TILES * TILE_M * D * 2)
#define K_AT		    (OUT_AT + TILE_M * D * 2)
#define V_AT(KEYS)	    (K_AT + STAGES * (KEYS) * D * 2)
#define BARRIERS_AT(KEYS)   (V_AT(KEYS) + STAGES * (KEYS) * D * 2)
#define SHARED_BYTES(KEYS) (BARRIERS_AT(KEYS) + 1024 + sizeof(struct barriers))

// The tile to work on next: the first block of a pair chooses for both.
template <int KEYS, bool CAUSAL, bool PAIR>
static __device__ struct tile choose(int index, const struct problem &p, struct barriers *barriers, struct place slot,
				     int rank)
{
	uint32_t b = address(barriers);
	struct tile t;

	if (rank == 0) {
		t = find_tile<KEYS, CAUSAL>(index, p, 0);
		barrier_wait_there(b + AT(tile_empty) + slot.stage * 8, slot.parity ^ 1);
		barriers->tile[slot.stage] = t;
		barrier_arrive(b + AT(tile_full) + slot.stage * 8);
		if (PAIR) {
			struct tile other = find_tile<KEYS, CAUSAL>(index, p, 1);
			uint32_t there = in_block(b, 1);

			uint32_t to = there + AT(tile) + slot.stage * (int)sizeof t;

			asm volatile("st.shared::cluster.v4.b32 [%0], {%1, %2, %3, %4};" ::"r"(to), "r"(other.first),
				     "r"(other.head), "r"(other.sequence), "r"(other.n)
				     : "memory");
			asm volatile("st.shared::cluster.v4.b32 [%0], {%1, %2, %3, %4};" ::"r"(to + 16),
				     "r"(other.begin), "r"(other.piece), "r"(other.part), "r"(0)
				     : "memory");
			barrier_arrive_there(there + AT(tile_full) + slot.stage * 8);
		}
	} else {
		barrier_wait_there(b + AT(tile_full) + slot.stage * 8, slot.parity);
		t = barriers->tile[slot.stage];
		barrier_arrive_there(in_block(b, 0) + AT(tile_empty) + slot.stage * 8);
	}
	return t;
}

template <int KEYS, bool CAUSAL, bool PAIR>
static __device__ void copy_tiles(const struct maps &maps, const struct problem &p, uint32_t room,
				  struct barriers *barriers)
{
	int rank = PAIR ? rank_in_pair() : 0, workers = (int)gridDim.x / (1 + PAIR);
	int index = (int)blockIdx.x / (1 + PAIR), shared = p.heads / p.kv_heads;
	struct place k = {0, 0}, v = {0, 0}, q = {0, 0}, slot = {0, 0};
	uint32_t b = address(barriers);

	for (;;) {
		struct tile t = choose<KEYS, CAUSAL, PAIR>(index, p, barriers, slot, rank);

		step(slot, 2);
		if (t.n == 0)
			break;
		if (rank == 0)
			index = workers + (int)atomicAdd(&next_tile, 1);
		barrier_wait(b + AT(q_empty) + q.stage * 8, q.parity ^ 1);
		copy<TILE_M>(&maps.q, room + q.stage * (TILE_M * D * 2), b + AT(q_full) + q.stage * 8, t.head, t.first,
			     t.sequence);
		step(q, Q_TILES);
		for (int j = t.n; j >= 0; j--) {
			if (j > 0) {
				barrier_wait(b + AT(k_empty) + k.stage * 8, k.parity ^ 1);
				copy_shared<KEYS, PAIR>(&maps.k, room + K_AT + k.stage * (KEYS * D * 2),
							b + AT(k_full) + k.stage * 8, t.head / shared,
							(t.begin + j - 1) * KEYS, t.sequence, rank);
				step(k, STAGES);
			}
			if (j < t.n) {
				barrier_wait(b + AT(v_empty) + v.stage * 8, v.parity ^ 1);
				copy_shared<KEYS, PAIR>(&maps.v, room + V_AT(KEYS) + v.stage * (KEYS * D * 2),
							b + AT(v_full) + v.stage * 8, t.head / shared,
							(t.begin + j) * KEYS, t.sequence, rank);
				step(v, STAGES);
			}
		}
	}
	if (rank)
		return;
	__threadfence();
	if ((int)atomicAdd(&finished, 1) == workers - 1) {
		next_tile = 0;
		finished = 0;
	}
}

// The tile that the copying warp chose; its number of rows of keys is 0 at the
// end.
template <bool CAUSAL, bool PAIR, int KEYS>
static __device__ struct tile next(struct state<KEYS> &g, const struct barriers *barriers)
{
	struct tile t;

	barrier_wait_there(g.b + AT(tile_full) + g.slot.stage * 8, g.slot.parity);
	t = barriers->tile[g.slot.stage];
	if (PAIR) {
		__syncwarp();
		if (threadIdx.x % 32 == 0)
			barrier_arrive_there(g.first + AT(tile_empty) + g.slot.stage * 8);
	} else {
		warp_arrive(g.b + AT(tile_empty) + g.slot.stage * 8);
	}
	step(g.slot, 2);
	// All lanes have the same: that the compiler sees it keeps loops uniform.
	t.first = __shfl_sync(0xffffffff, t.first, 0);
	t.n = __shfl_sync(0xffffffff, t.n, 0);
	t.begin = CAUSAL ? 0 : __shfl_sync(0xffffffff, t.begin, 0);
	t.part = CAUSAL ? -1 : __shfl_sync(0xffffffff, t.part, 0);
	return t;
}

// The queries of the next tile: to registers, or that they are there.
template <int KEYS> static __device__ void take_queries(struct state<KEYS> &g)
{
	int lane = threadIdx.x % 32;
	uint32_t row = g.q_at + (threadIdx.x / 32 % 4 * 16 + lane % 16) * LINE;

	barrier_wait(g.b + AT(q_full) + g.q_tile.stage * 8, g.q_tile.parity);
	if (!Q_STAYS)
		return;
#pragma unroll
	for (int i = 0; i < D / 16; i++)
		asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
			     : "=r"(g.q[Q_STAYS * 4 * i]), "=r"(g.q[Q_STAYS * (4 * i + 1)]),
			       "=r"(g.q[Q_STAYS * (4 * i + 2)]), "=r"(g.q[Q_STAYS * (4 * i + 3)])
			     : "r"(row + i / 4 * (TILE_M * LINE) + ((i % 4 * 2 + lane / 16) ^ lane % 8) * 16)
			     : "memory");
	warp_arrive(g.b + AT(q_empty));
	step(g.q_tile, 1);
}

// The sums of a thread's two rows.
template <int KEYS> static __device__ void add_up(const struct state<KEYS> &g, float (&sum)[2])
{
#pragma unroll
	for (int h = 0; h < 2; h++) {
		sum[h] = g.sum[h][0] + g.sum[h][1];
		sum[h] += __shfl_xor_sync(0xffffffff, sum[h], 1);
		sum[h] += __shfl_xor_sync(0xffffffff, sum[h], 2);
	}
}

// Leaves what this warp has of a piece for the last one, and says whether that
// is this one.
template <int KEYS>
static __device__ bool leave_part(const struct state<KEYS> &g, const struct tile &t, int parts, float (&sum)[2],
				  float4 *&at)
{
	int warp = g.group * 4 + threadIdx.x / 32 % 4, lane = threadIdx.x % 32;
	unsigned *count = &arrived[t.piece * (4 * GROUPS) + warp], before = 0;
	float4 *mine;

	// The parts of a piece and a warp lie one after the other.
	at = slots + ((long)(t.piece * (4 * GROUPS) + warp) * parts * SLOT_WORDS + lane);
	mine = at + t.part * SLOT_WORDS;
#pragma unroll
	for (int i = 0; i < 16; i++)
		__stcg(mine + i * 32, make_float4(g.o[4 * i], g.o[4 * i + 1], g.o[4 * i + 2], g.o[4 * i + 3]));
	__stcg(mine + 16 * 32, make_float4(g.base[0], g.base[1], sum[0], sum[1]));
	__threadfence();
	__syncwarp();
	if (lane == 0)
		before = atomicAdd(count, 1);
	if (__shfl_sync(0xffffffff, before, 0) != (unsigned)parts - 1)
		return false;
	__threadfence();
	if (lane == 0)
		*count = 0;
	return true;
}

// In the order of parts, so that the result does not depend on who was last.
template <int KEYS>
static __device__ void gather_parts(struct state<KEYS> &g, const float4 *at, int parts, float (&sum)[2])
{
	float base[2] = {-INFINITY, -INFINITY};

#pragma unroll
	for (int i = 0; i < 64; i++)
		g.o[i] = 0;
	sum[0] = sum[1] = 0;
#pragma unroll 1
	for (int part = 0; part < parts; part++, at += SLOT_WORDS) {
		float4 rows = __ldcg(at + 16 * 32), four[16];
		float old[2], now[2];

#pragma unroll
		for (int i = 0; i < 16; i++)
			four[i] = __ldcg(at + i * 32);
#pragma unroll
		for (int h = 0; h < 2; h++) {
			float b = h ? rows.y : rows.x, top = fmaxf(base[h], b);

			old[h] = power(base[h] - top);
			now[h] = power(b - top);
			base[h] = top;
			sum[h] = sum[h] * old[h] + (h ? rows.w : rows.z) * now[h];
		}
#pragma unroll
		for (int i = 0; i < 16; i++) {
			g.o[4 * i] = g.o[4 * i] * old[0] + four[i].x * now[0];
			g.o[4 * i + 1] = g.o[4 * i + 1] * old[0] + four[i].y * now[0];
			g.o[4 * i + 2] = g.o[4 * i + 2] * old[1] + four[i].z * now[1];
			g.o[4 * i + 3] = g.o[4 * i + 3] * old[1] + four[i].w * now[1];
		}
	}
}

// Each warp its 16 rows, through shared memory. The copy engine clips those
// past the end of a sequence.
template <int KEYS, bool CAUSAL>
static __device__ void store_rows(struct state<KEYS> &g, const struct tile &t, const CUtensorMap *map, int parts)
{
	int lane = threadIdx.x % 32;
	uint32_t row = g.out_at + lane % 16 * LINE;
	float sum[2], scale[2];

	add_up(g, sum);
	if (!CAUSAL && t.part >= 0) {
		float4 *at;

		if (!leave_part(g, t, parts, sum, at))
			return;
		gather_parts(g, at, parts, sum);
	}
#pragma unroll
	for (int h = 0; h < 2; h++)
		asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(scale[h]) : "f"(sum[h]));
	asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
	__syncwarp();
#pragma unroll
	for (int i = 0; i < D / 16; i++) {
		uint32_t w[4];

#pragma unroll
		for (int j = 0; j < 4; j++)
			w[j] = pack(g.o[8 * i + 2 * j] * scale[j % 2], g.o[8 * i + 2 * j + 1] * scale[j % 2]);
		asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1,%2,%3,%4};" ::"r"(
				     row + i / 4 * (16 * LINE) + ((i % 4 * 2 + lane / 16) ^ lane % 8) * 16),
			     "r"(w[0]), "r"(w[1]), "r"(w[2]), "r"(w[3])
			     : "memory");
	}
	asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
	__syncwarp();
	if (lane == 0) {
#pragma unroll
		for (int half = 0; half < 2; half++)
			asm volatile("cp.async.bulk.tensor.4d.global.shared::cta.bulk_group "
				     "[%0, {%1, %2, %3, %4}], [%5];" ::"l"((uint64_t)map),
				     "r"(half * HALF), "r"(t.head),
				     "r"(t.first + g.group * 64 + (int)(threadIdx.x / 32 % 4 * 16)), "r"(t.sequence),
				     "r"(g.out_at + half * 16 * LINE)
				     : "memory");
		asm volatile("cp.async.bulk.commit_group;" ::: "memory");
	}
}

// A stage of keys or values is free for this warp's part: both blocks of a pair
// write into both.
template <int KEYS, bool PAIR> static __device__ void leave(struct state<KEYS> &g, uint32_t at)
{
	if (PAIR) {
		__syncwarp();
		if (threadIdx.x % 32 < 2)
			barrier_arrive_there(g.there + at);
	} else {
		warp_arrive(g.b + at);
	}
}

// Adds the values of a tile of keys, then takes the scores of the next one.
template <int KEYS, bool PAIR> static __device__ void both_products(struct state<KEYS> &g)
{
	my_turn(g.group);
	settle(g.o);
	settle(g.w);
	products_begin();
	add_values(g);
	scores<KEYS, 0, D / 16 - EARLY>(g);
	// The other group's products queue up behind what is left.
	your_turn(g.group);
	scores<KEYS, D / 16 - EARLY, D / 16>(g);
	products_end();
	settle(g.o);
	settle(g.s);
	leave<KEYS, PAIR>(g, AT(v_empty) + g.v.stage * 8);
	step(g.v, STAGES);
}

template <int KEYS, bool PAIR> static __device__ void leave_keys(struct state<KEYS> &g)
{
	leave<KEYS, PAIR>(g, AT(k_empty) + g.k.stage * 8);
	step(g.k, STAGES);
}

template <int KEYS, bool CAUSAL, bool PAIR>
static __device__ void one_row_of_tiles(struct state<KEYS> &g, const struct tile &t, int seq)
{
	// Tiles below this one hide nothing from any row of the group.
	int clear = (CAUSAL ? min(seq, t.first + g.group * 64 + 1) : seq) / KEYS, j = t.begin + t.n - 1;

	g.row = t.first + g.group * 64 + threadIdx.x / 32 % 4 * 16 + threadIdx.x % 32 / 4;
#pragma unroll
	for (int i = 0; i < 64; i++)
		g.o[i] = 0;
	if (j >= clear)
		hide<KEYS, CAUSAL>(g, j * KEYS, seq);
	if (CAUSAL)
		weigh_anew<KEYS, true>(g);
	else
		weigh_first(g);
	for (j--; j >= t.begin; j--) {
		bool done = false;

		barrier_wait(g.b + AT(v_full) + g.v.stage * 8, g.v.parity);
		barrier_wait(g.b + AT(k_full) + g.k.stage * 8, g.k.parity);
		both_products<KEYS, PAIR>(g);
		leave_keys<KEYS, PAIR>(g);
		if (j >= clear)
			hide<KEYS, CAUSAL>(g, j * KEYS, seq);
		else
			done = weigh(g);
		if (!done)
			weigh_anew<KEYS, false>(g);
	}
}

template <int KEYS, bool CAUSAL, bool PAIR>
static __device__ void multiply_tiles(const struct maps &maps, const struct problem &p, uint32_t room,
				      const struct barriers *barriers, int group)
{
	struct state<KEYS> g;
	struct tile t;

	g.k = g.v = g.q_tile = g.slot = (struct place){0, 0};
	g.b = address(barriers);
	g.there = PAIR ? in_block(g.b, threadIdx.x & 1) : 0;
	g.first = PAIR ? in_block(g.b, 0) : 0;
	g.q_at = room + group * 64 * LINE;
	g.out_at = room + OUT_AT + (group * 4 + threadIdx.x / 32 % 4) * 16 * D * 2;
	g.k_at = room + K_AT;
	g.v_at = room + V_AT(KEYS);
	g.group = group;
	g.col = threadIdx.x % 4 * 2;
	if (group == GROUPS - 1)
		your_turn(group);
	t = next<CAUSAL, PAIR>(g, barriers);
	take_queries(g);
	barrier_wait(g.b + AT(k_full), 0);
	my_turn(group);
	products_begin();
	scores<KEYS, 0, D / 16>(g);
	your_turn(group);
	products_end();
	settle(g.s);
	leave_keys<KEYS, PAIR>(g);
	for (;;) {
		struct tile after;
		struct place q_used = g.q_tile;

		one_row_of_tiles<KEYS, CAUSAL, PAIR>(g, t, p.seq);
		after = next<CAUSAL, PAIR>(g, barriers);
		if (!Q_STAYS)
			step(g.q_tile, Q_TILES);
		barrier_wait(g.b + AT(v_full) + g.v.stage * 8, g.v.parity);
		if (after.n > 0) {
			take_queries(g);
			barrier_wait(g.b + AT(k_full) + g.k.stage * 8, g.k.parity);
		}
		// At the end the scores are of what lies there, and not used.
		both_products<KEYS, PAIR>(g);
		if (!Q_STAYS)
			warp_arrive(g.b + AT(q_empty) + q_used.stage * 8);
		if (after.n > 0)
			leave_keys<KEYS, PAIR>(g);
		store_rows<KEYS, CAUSAL>(g, t, &maps.o, p.parts);
		if (after.n == 0)
			break;
		t = after;
	}
	asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

template <int KEYS, bool CAUSAL, bool PAIR>
static __global__ void __launch_bounds__(THREADS, 1)
	attention_kernel(const __grid_constant__ struct maps maps, const __grid_constant__ struct problem p)
{
	extern __shared__ unsigned char unaligned[];
	unsigned char *aligned = unaligned + (-address(unaligned) & 1023);
	struct barriers *barriers = (struct barriers *)(aligned + BARRIERS_AT(KEYS));
	uint32_t b = address(barriers);
	int group = __shfl_sync(0xffffffff, threadIdx.x / 128, 0);

	if (threadIdx.x == 0) {
		for (int i = 0; i < Q_TILES; i++) {
			barrier_init(b + AT(q_full) + i * 8, 1);
			barrier_init(b + AT(q_empty) + i * 8, 4 * GROUPS);
		}
		for (int i = 0; i < STAGES; i++) {
			barrier_init(b + AT(k_full) + i * 8, 1);
			barrier_init(b + AT(v_full) + i * 8, 1);
			barrier_init(b + AT(k_empty) + i * 8, 4 * GROUPS * (1 + PAIR));
			barrier_init(b + AT(v_empty) + i * 8, 4 * GROUPS * (1 + PAIR));
		}
		for (int i = 0; i < 2; i++) {
			barrier_init(b + AT(tile_full) + i * 8, 1);
			// With the second block's copying warp, which reads it, too.
			barrier_init(b + AT(tile_empty) + i * 8, 4 * GROUPS * (1 + PAIR) + PAIR);
		}
		asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
		asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
	}
	if (PAIR)
		all_of_pair();
	else
		__syncthreads();
	if (group == 0) {
		asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(REGISTERS_COPY(PAIR)));
		if (threadIdx.x == 0)
			copy_tiles<KEYS, CAUSAL, PAIR>(maps, p, address(aligned), barriers);
	} else {
		asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(REGISTERS_MULTIPLY(PAIR)));
		multiply_tiles<KEYS, CAUSAL, PAIR>(maps, p, address(aligned), barriers, group - 1);
	}
	// A block that is gone can be told nothing.
	if (PAIR)
		all_of_pair();
}

// ---- host ------------------------------------------------------------------

typedef CUresult encode_function(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *,
				 const cuuint64_t *, const cuuint32_t *, const cuuint32_t *, CUtensorMapInterleave,
				 CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill);

static encode_function *find_encode()
{
	cudaDriverEntryPointQueryResult found;
	void *f = NULL;

	if (cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &f, 12000, cudaEnableDefault, &found) ||
	    found != cudaDriverEntryPointSuccess)
		return NULL;
	return (encode_function *)f;
}

// [batch][seq][heads][D], in boxes of `rows` of one head, half of d wide; rows
// past the end of a sequence read as zeroes and are not written.
static bool describe_tensor(CUtensorMap *map, encode_function *encode, const bf16 *data, int batch, int seq, int heads,
			    int rows)
{
	cuuint64_t size[4] = {D, (cuuint64_t)heads, (cuuint64_t)seq, (cuuint64_t)batch};
	cuuint64_t stride[3] = {D * 2, D * 2 * size[1], D * 2 * size[1] * size[2]};
	cuuint32_t box[4] = {HALF, 1, (cuuint32_t)rows, 1}, every[4] = {1, 1, 1, 1};

	return encode(map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 4, (void *)data, size, stride, box, every,
		      CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
		      CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
}

template <int KEYS, bool CAUSAL, bool PAIR>
static void launch(const bf16 *q, const bf16 *k, const bf16 *v, bf16 *o, const struct problem &p, cudaStream_t stream)
{
	static encode_function *encode = find_encode();
	auto kernel = attention_kernel<KEYS, CAUSAL, PAIR>;
	cudaLaunchAttribute attribute = {};
	cudaLaunchConfig_t launch = {};
	struct maps maps;
	struct problem with_parts = p;
	int device, processors, blocks, pieces = p.tiles * p.columns;

	if (pieces < 1 || !encode || !describe_tensor(&maps.q, encode, q, p.batch, p.seq, p.heads, TILE_M) ||
	    !describe_tensor(&maps.k, encode, k, p.batch, p.seq, p.kv_heads, KEYS) ||
	    !describe_tensor(&maps.v, encode, v, p.batch, p.seq, p.kv_heads, KEYS) ||
	    !describe_tensor(&maps.o, encode, o, p.batch, p.seq, p.heads, 16))
		return;
	cudaGetDevice(&device);
	cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
	attribute.id = cudaLaunchAttributeClusterDimension;
	attribute.val.clusterDim = {1 + PAIR, 1, 1};
	blocks = min(pieces, processors / (1 + PAIR));
	launch.gridDim = (unsigned)(blocks * (1 + PAIR));
	launch.blockDim = THREADS;
	launch.dynamicSmemBytes = SHARED_BYTES(KEYS);
	launch.stream = stream;
	launch.attrs = &attribute;
	launch.numAttrs = PAIR;
	with_parts.left = CAUSAL ? 0 : pieces % blocks;
	with_parts.parts = 1;
	if (with_parts.left)
		with_parts.parts = min(min(PARTS, min(blocks, SLOTS / (1 + PAIR)) / with_parts.left),
				       (p.seq + KEYS - 1) / KEYS / 2);
	if (with_parts.parts < 2)
		with_parts.left = 0;
	cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)launch.dynamicSmemBytes);
	cudaLaunchKernelEx(&launch, kernel, maps, with_parts);
}

extern "C" void attention(const bf16 *q, const bf16 *k, const bf16 *v, bf16 *o, int batch, int seq, int heads,
			  int kv_heads, int causal, cudaStream_t stream)
{
	// Bytes of keys and values of a head, and how many heads of those the
	// cache holds.
	long head = (long)seq * D * 4, held = head ? ((long)L2_MIB << 20) / head : 1;
	int shared = heads / (kv_heads ? kv_heads : 1), tiles = (seq + TILE_M - 1) / TILE_M;
	bool pair = causal ? PAIR_CAUSAL : PAIR_FULL;
	struct problem p = {batch, seq, heads, kv_heads, tiles, heads * batch, 1, 1, 0, 0, 1};

	// Two heads of the same keys, or else two tiles of a head, which where
	// causal do not end together.
	if (pair && shared % 2 == 0) {
		p.wide_heads = 2;
		p.columns /= 2;
	} else if (pair && !causal) {
		p.wide_tiles = 2;
		p.tiles = (tiles + 1) / 2;
	} else {
		pair = false;
	}
	held = held < 1 ? 1 : held > 4096 ? 4096 : held;
	p.together = max((int)held * shared / p.wide_heads, 1);
	if (causal && pair)
		launch<KEYS_CAUSAL, true, PAIR_CAUSAL>(q, k, v, o, p, stream);
	else if (causal)
		launch<KEYS_CAUSAL, true, false>(q, k, v, o, p, stream);
	else
		launch<KEYS_FULL, false, PAIR_FULL>(q, k, v, o, p, stream);
}
