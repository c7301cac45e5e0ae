#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <stdint.h>

#define GROUPS	    2	// avogit: 2 3
#define KEYS_CAUSAL 128 // avogit: 64 96 128 160 176
#define KEYS_FULL   128 // avogit: 64 96 128 160 176
#define STAGES	    2	// avogit: 2 3
#define TAKE_TURNS  1	// avogit: 0 1
// avogit-require: (64 * GROUPS + 2 * STAGES * KEYS_CAUSAL) * 256 <= 231168
// avogit-require: (64 * GROUPS + 2 * STAGES * KEYS_FULL) * 256 <= 231168
// avogit-require: GROUPS == 2 || KEYS_CAUSAL <= 64 && KEYS_FULL <= 64

#define D	128
#define TILE_M	(64 * GROUPS)
#define HALF	64	   // numbers of a row that swizzled tiles are wide
#define LINE	(HALF * 2) // bytes
#define THREADS (128 * (GROUPS + 1))
// Registers a thread, of the 65536 there are.
#define REGISTERS_COPY	   (GROUPS == 2 ? 24 : 32)
#define REGISTERS_MULTIPLY (GROUPS == 2 ? 240 : 160)
// exp(s / sqrt(D)) as a power of two
#define SCALE (0.08838834764831844055f * 1.4426950408889634f)

using bf16 = __nv_bfloat16;

struct problem {
	bf16 *o;
	int batch, seq, heads, kv_heads, m_tiles;
};

struct tile {
	int first, head, sequence, n; // n tiles of keys
};

// The next tile of rows, and the blocks that found none. The last block leaves
// both at zero, so launches must not overlap.
static __device__ unsigned next_tile, finished;

// ---- barriers --------------------------------------------------------------

struct barriers {
	uint64_t q_full, q_empty;
	uint64_t k_full[STAGES], k_empty[STAGES], v_full[STAGES], v_empty[STAGES];
	uint64_t tile_full[2], tile_empty[2];
	int tile[2];
};

static __device__ uint32_t address(const void *p)
{
	return (uint32_t)__cvta_generic_to_shared(p);
}

static __device__ void barrier_init(uint64_t *b, int count)
{
	asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address(b)), "r"(count) : "memory");
}

static __device__ void barrier_arrive(uint64_t *b)
{
	asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(address(b)) : "memory");
}

static __device__ void barrier_expect(uint64_t *b, int bytes)
{
	asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address(b)), "r"(bytes) : "memory");
}

static __device__ void barrier_wait(uint64_t *b, uint32_t parity)
{
	uint32_t done;

	do
		asm volatile("{\n.reg .pred p;\n"
			     "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
			     "selp.u32 %0, 1, 0, p;\n}"
			     : "=r"(done)
			     : "r"(address(b)), "r"(parity)
			     : "memory");
	while (!done);
}

// Once a warp, when all of it is done.
static __device__ void warp_arrive(uint64_t *b)
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
#define R5 "%80,%81,%82,%83,%84,%85,%86,%87"
#define F8(d, i)                                                                                                    \
	"+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), "+f"(d[i + 6]), \
		"+f"(d[i + 7])
#define F32(d, i) F8(d, i), F8(d, i + 8), F8(d, i + 16), F8(d, i + 24)

// d (64 x N) = a (64 x 16) b (16 x N), or added to d; a and b from shared
// memory, a row of either being 16 numbers side by side.
#define SCORES(N, REGISTERS, A, B, KEEP, ...)                                                                      \
	[[maybe_unused]] static __device__ void scores_step(float(&d)[N / 2], uint64_t a, uint64_t b, int keep)    \
	{                                                                                                          \
		asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, " KEEP ", 0;\n"                                     \
			     "wgmma.mma_async.sync.aligned.m64n" #N "k16.f32.bf16.bf16 {" REGISTERS "}, " A ", " B \
			     ", p, 1, 1, 0, 0;\n}"                                                                 \
			     : __VA_ARGS__                                                                         \
			     : "l"(a), "l"(b), "r"(keep));                                                         \
	}

SCORES(64, R0 "," R1, "%32", "%33", "%34", F32(d, 0))
SCORES(96, R0 "," R1 "," R2, "%48", "%49", "%50", F32(d, 0), F8(d, 32), F8(d, 40))
SCORES(128, R0 "," R1 "," R2 "," R3, "%64", "%65", "%66", F32(d, 0), F32(d, 32))
SCORES(160, R0 "," R1 "," R2 "," R3 "," R4, "%80", "%81", "%82", F32(d, 0), F32(d, 32), F8(d, 64), F8(d, 72))
SCORES(176, R0 "," R1 "," R2 "," R3 "," R4 "," R5, "%88", "%89", "%90", F32(d, 0), F32(d, 32), F8(d, 64), F8(d, 72),
       F8(d, 80))

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

static __device__ void products_commit()
{
	asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

template <int LEFT> static __device__ void products_wait()
{
	asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(LEFT) : "memory");
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
	return (uint64_t)((at & 0x3ffff) >> 4) | (uint64_t)(leading >> 4) << 16 | (uint64_t)(1024 >> 4) << 32 |
	       (uint64_t)1 << 62;
}

template <int KEYS> static __device__ void scores(float (&s)[KEYS / 2], uint32_t q, uint32_t k)
{
	uint64_t a = describe(q, 16), b = describe(k, 16);

	products_begin();
#pragma unroll
	for (int i = 0; i < D / 16; i++)
		scores_step(s, a + (i / 4 * (TILE_M * LINE) + i % 4 * 32 >> 4),
			    b + (i / 4 * (KEYS * LINE) + i % 4 * 32 >> 4), i > 0);
	products_commit();
}

template <int KEYS> static __device__ void add_values(float (&o)[64], uint32_t (&w)[KEYS / 4], uint32_t v)
{
	uint64_t b = describe(v, KEYS * LINE);

	settle(o);
	settle(w);
	products_begin();
#pragma unroll
	for (int i = 0; i < KEYS / 16; i++)
		values_step(o, &w[4 * i], b + (i * 16 * LINE >> 4));
	products_commit();
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

// Of the two rows that a thread has a part of.
struct softmax {
	float largest[2], sum[2];
};

// Hides the keys from `end` on; with CAUSAL, those after a row's own.
template <int KEYS, bool CAUSAL> static __device__ void hide(float (&s)[KEYS / 2], int row, int col, int end)
{
#pragma unroll
	for (int h = 0; h < 2; h++) {
		int left = (CAUSAL ? min(end, row + h * 8 + 1) : end) - col;

#pragma unroll
		for (int n = 0; n < KEYS / 8; n++)
#pragma unroll
			for (int e = 0; e < 2; e++)
				if (n * 8 + e >= left)
					s[4 * n + 2 * h + e] = -INFINITY;
	}
}

// Turns scores into weights; `keep` is what earlier ones are worth now.
template <int KEYS> static __device__ void weigh(float (&s)[KEYS / 2], float (&keep)[2], struct softmax &x)
{
#pragma unroll
	for (int h = 0; h < 2; h++) {
		float top[2] = {x.largest[h], s[2 * h]}, sum[2] = {0, 0}, base;

#pragma unroll
		for (int n = 0; n < KEYS / 8; n++)
			top[n % 2] = fmaxf(top[n % 2], fmaxf(s[4 * n + 2 * h], s[4 * n + 2 * h + 1]));
		top[0] = fmaxf(top[0], top[1]);
		top[0] = fmaxf(top[0], __shfl_xor_sync(0xffffffff, top[0], 1));
		top[0] = fmaxf(top[0], __shfl_xor_sync(0xffffffff, top[0], 2));
		// A row may have seen nothing but hidden keys.
		base = top[0] == -INFINITY ? 0 : top[0] * SCALE;
		keep[h] = power(x.largest[h] * SCALE - base);
		x.largest[h] = top[0];
#pragma unroll
		for (int n = 0; n < KEYS / 8; n++)
#pragma unroll
			for (int e = 0; e < 2; e++) {
				int i = 4 * n + 2 * h + e;

				s[i] = power(s[i] * SCALE - base);
				sum[e] += s[i];
			}
		x.sum[h] = x.sum[h] * keep[h] + (sum[0] + sum[1]);
	}
}

template <int KEYS> static __device__ void round_weights(uint32_t (&w)[KEYS / 4], const float (&s)[KEYS / 2])
{
#pragma unroll
	for (int i = 0; i < KEYS / 4; i++)
		w[i] = pack(s[2 * i], s[2 * i + 1]);
}

static __device__ void shrink(float (&o)[64], const float (&keep)[2])
{
#pragma unroll
	for (int i = 0; i < 64; i++)
		o[i] *= keep[i / 2 % 2];
}

// ---- the end of a tile of rows ---------------------------------------------

// Word i of thread t of four becomes word t of thread i.
static __device__ void transpose(uint32_t (&w)[4], int t)
{
#pragma unroll
	for (int i = 0; i < 4; i += 2) {
		uint32_t other = __shfl_xor_sync(0xffffffff, t & 1 ? w[i] : w[i + 1], 1);

		if (t & 1)
			w[i] = other;
		else
			w[i + 1] = other;
	}
#pragma unroll
	for (int i = 0; i < 2; i++) {
		uint32_t other = __shfl_xor_sync(0xffffffff, t & 2 ? w[i] : w[i + 2], 2);

		if (t & 2)
			w[i] = other;
		else
			w[i + 2] = other;
	}
}

static __device__ void store_rows(const struct problem &p, const struct tile &tile, int row, float (&o)[64],
				  const struct softmax &x)
{
	int t = threadIdx.x % 4;

#pragma unroll
	for (int h = 0; h < 2; h++) {
		int r = row + h * 8;
		bf16 *out = p.o + (((long)tile.sequence * p.seq + r) * p.heads + tile.head) * D;
		float sum = x.sum[h];

		sum += __shfl_xor_sync(0xffffffff, sum, 1);
		sum += __shfl_xor_sync(0xffffffff, sum, 2);
		sum = 1 / sum;
#pragma unroll
		for (int n = 0; n < D / 8; n += 4) {
			uint32_t w[4];

#pragma unroll
			for (int i = 0; i < 4; i++)
				w[i] = pack(o[4 * (n + i) + 2 * h] * sum, o[4 * (n + i) + 2 * h + 1] * sum);
			transpose(w, t);
			if (r < p.seq)
				*(uint4 *)(out + (n + t) * 8) = make_uint4(w[0], w[1], w[2], w[3]);
		}
	}
}

// ---- who does what ---------------------------------------------------------

// Long rows of tiles first, heads that share keys beside each other.
template <int KEYS, bool CAUSAL> static __device__ bool find_tile(struct tile &t, int index, const struct problem &p)
{
	int m = index % p.m_tiles, pair = index / p.m_tiles;

	t.first = (CAUSAL ? p.m_tiles - 1 - m : m) * TILE_M;
	t.head = pair % p.heads;
	t.sequence = pair / p.heads;
	t.n = ((CAUSAL ? min(p.seq, t.first + TILE_M) : p.seq) + KEYS - 1) / KEYS;
	return t.sequence < p.batch;
}

// Two halves of a tile, each a swizzled box.
template <int ROWS>
static __device__ void copy(const CUtensorMap *map, unsigned char *to, uint64_t *full, int head, int row, int sequence)
{
	barrier_expect(full, ROWS * D * 2);
#pragma unroll
	for (int half = 0; half < 2; half++)
		asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.mbarrier::complete_tx::bytes "
			     "[%0], [%1, {%2, %3, %4, %5}], [%6];" ::"r"(address(to) + half * ROWS * LINE),
			     "l"((uint64_t)map), "r"(half * HALF), "r"(head), "r"(row), "r"(sequence),
			     "r"(address(full))
			     : "memory");
}

struct maps {
	CUtensorMap q, k, v;
};

template <int KEYS, bool CAUSAL>
static __device__ void copy_tiles(const struct maps &maps, const struct problem &p, unsigned char *room,
				  struct barriers *b)
{
	unsigned char *k_room = room + TILE_M * D * 2, *v_room = k_room + STAGES * KEYS * D * 2;
	int index = blockIdx.x, shared = p.heads / p.kv_heads;
	struct place k = {0, 0}, v = {0, 0}, q = {0, 0}, slot = {0, 0};
	struct tile t;

	for (;;) {
		bool any = find_tile<KEYS, CAUSAL>(t, index, p);

		barrier_wait(&b->tile_empty[slot.stage], slot.parity ^ 1);
		b->tile[slot.stage] = index;
		barrier_arrive(&b->tile_full[slot.stage]);
		step(slot, 2);
		if (!any)
			break;
		index = (int)(gridDim.x + atomicAdd(&next_tile, 1));
		barrier_wait(&b->q_empty, q.parity ^ 1);
		copy<TILE_M>(&maps.q, room, &b->q_full, t.head, t.first, t.sequence);
		step(q, 1);
		for (int j = t.n; j >= 0; j--) {
			if (j > 0) {
				barrier_wait(&b->k_empty[k.stage], k.parity ^ 1);
				copy<KEYS>(&maps.k, k_room + k.stage * KEYS * D * 2, &b->k_full[k.stage],
					   t.head / shared, (j - 1) * KEYS, t.sequence);
				step(k, STAGES);
			}
			if (j < t.n) {
				barrier_wait(&b->v_empty[v.stage], v.parity ^ 1);
				copy<KEYS>(&maps.v, v_room + v.stage * KEYS * D * 2, &b->v_full[v.stage],
					   t.head / shared, j * KEYS, t.sequence);
				step(v, STAGES);
			}
		}
	}
	__threadfence();
	if (atomicAdd(&finished, 1) == gridDim.x - 1) {
		next_tile = 0;
		finished = 0;
	}
}

template <int KEYS> struct state {
	float o[64];
	uint32_t w[KEYS / 4];
	struct softmax x;
	struct place k, v;
	uint32_t q_at, k_at, v_at;
	int group, row, col;
};

// The scores of tile j while the values of the one after it are added up.
template <int KEYS, bool CAUSAL, bool HIDE>
static __device__ void one_tile(struct state<KEYS> &g, struct barriers *b, int j, int seq)
{
	float s[KEYS / 2], keep[2];

	barrier_wait(&b->k_full[g.k.stage], g.k.parity);
	my_turn(g.group);
	scores<KEYS>(s, g.q_at, g.k_at + g.k.stage * KEYS * D * 2);
	barrier_wait(&b->v_full[g.v.stage], g.v.parity);
	add_values<KEYS>(g.o, g.w, g.v_at + g.v.stage * KEYS * D * 2);
	your_turn(g.group);
	products_wait<1>();
	settle(s);
	warp_arrive(&b->k_empty[g.k.stage]);
	step(g.k, STAGES);
	if (j == 0)
		warp_arrive(&b->q_empty);
	if (HIDE)
		hide<KEYS, CAUSAL>(s, g.row, j * KEYS + g.col, seq);
	weigh<KEYS>(s, keep, g.x);
	products_wait<0>();
	settle(g.o);
	warp_arrive(&b->v_empty[g.v.stage]);
	step(g.v, STAGES);
	shrink(g.o, keep);
	round_weights<KEYS>(g.w, s);
}

template <int KEYS, bool CAUSAL>
static __device__ void one_row_of_tiles(struct state<KEYS> &g, struct barriers *b, const struct tile &t, int seq)
{
	float s[KEYS / 2], keep[2];
	// Tiles below this one hide nothing from any row of the group.
	int clear = (CAUSAL ? min(seq, t.first + g.group * 64 + 1) : seq) / KEYS, j = t.n - 1;

	barrier_wait(&b->k_full[g.k.stage], g.k.parity);
	scores<KEYS>(s, g.q_at, g.k_at + g.k.stage * KEYS * D * 2);
#pragma unroll
	for (int h = 0; h < 2; h++) {
		g.x.largest[h] = -INFINITY;
		g.x.sum[h] = 0;
	}
#pragma unroll
	for (int i = 0; i < 64; i++)
		g.o[i] = 0;
	products_wait<0>();
	settle(s);
	warp_arrive(&b->k_empty[g.k.stage]);
	step(g.k, STAGES);
	if (j == 0)
		warp_arrive(&b->q_empty);
	hide<KEYS, CAUSAL>(s, g.row, j * KEYS + g.col, seq);
	weigh<KEYS>(s, keep, g.x);
	round_weights<KEYS>(g.w, s);
	for (j--; j >= clear; j--)
		one_tile<KEYS, CAUSAL, true>(g, b, j, seq);
	for (; j >= 0; j--)
		one_tile<KEYS, CAUSAL, false>(g, b, j, seq);
	barrier_wait(&b->v_full[g.v.stage], g.v.parity);
	add_values<KEYS>(g.o, g.w, g.v_at + g.v.stage * KEYS * D * 2);
	products_wait<0>();
	settle(g.o);
	warp_arrive(&b->v_empty[g.v.stage]);
	step(g.v, STAGES);
}

template <int KEYS, bool CAUSAL>
static __device__ void multiply_tiles(const struct problem &p, unsigned char *room, struct barriers *b, int group)
{
	struct place q = {0, 0}, slot = {0, 0};
	struct state<KEYS> g;
	int lane = threadIdx.x % 32;
	struct tile t;

	g.k = g.v = (struct place){0, 0};
	g.q_at = address(room) + group * 64 * LINE;
	g.k_at = address(room) + TILE_M * D * 2;
	g.v_at = g.k_at + STAGES * KEYS * D * 2;
	g.group = group;
	g.col = lane % 4 * 2;
	if (group == GROUPS - 1)
		your_turn(group);
	for (;;) {
		barrier_wait(&b->tile_full[slot.stage], slot.parity);
		int index = b->tile[slot.stage];

		warp_arrive(&b->tile_empty[slot.stage]);
		step(slot, 2);
		if (!find_tile<KEYS, CAUSAL>(t, index, p))
			break;
		g.row = t.first + group * 64 + threadIdx.x / 32 % 4 * 16 + lane / 4;
		barrier_wait(&b->q_full, q.parity);
		step(q, 1);
		one_row_of_tiles<KEYS, CAUSAL>(g, b, t, p.seq);
		store_rows(p, t, g.row, g.o, g.x);
	}
}

template <int KEYS, bool CAUSAL>
static __global__ void __launch_bounds__(THREADS, 1)
	attention_kernel(const __grid_constant__ struct maps maps, const __grid_constant__ struct problem p)
{
	extern __shared__ unsigned char unaligned[];
	unsigned char *room = unaligned + (-address(unaligned) & 1023);
	struct barriers *b = (struct barriers *)(room + (TILE_M + 2 * STAGES * KEYS) * D * 2);
	int group = __shfl_sync(0xffffffff, threadIdx.x / 128, 0);

	if (threadIdx.x == 0) {
		barrier_init(&b->q_full, 1);
		barrier_init(&b->q_empty, 4 * GROUPS);
		for (int i = 0; i < STAGES; i++) {
			barrier_init(&b->k_full[i], 1);
			barrier_init(&b->v_full[i], 1);
			barrier_init(&b->k_empty[i], 4 * GROUPS);
			barrier_init(&b->v_empty[i], 4 * GROUPS);
		}
		for (int i = 0; i < 2; i++) {
			barrier_init(&b->tile_full[i], 1);
			barrier_init(&b->tile_empty[i], 4 * GROUPS);
		}
		asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
		asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
	}
	__syncthreads();
	if (group == 0) {
		asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(REGISTERS_COPY));
		if (threadIdx.x == 0)
			copy_tiles<KEYS, CAUSAL>(maps, p, room, b);
	} else {
		asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(REGISTERS_MULTIPLY));
		multiply_tiles<KEYS, CAUSAL>(p, room, b, group - 1);
	}
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
// past the end of a sequence read as zeroes.
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

template <int KEYS, bool CAUSAL>
static void launch(const bf16 *q, const bf16 *k, const bf16 *v, const struct problem &p, cudaStream_t stream)
{
	static encode_function *encode = find_encode();
	size_t bytes = (TILE_M + 2 * STAGES * KEYS) * D * 2 + 1024 + sizeof(struct barriers);
	struct maps maps;
	int device, processors, tiles = p.m_tiles * p.heads * p.batch;

	if (tiles < 1 || !encode || !describe_tensor(&maps.q, encode, q, p.batch, p.seq, p.heads, TILE_M) ||
	    !describe_tensor(&maps.k, encode, k, p.batch, p.seq, p.kv_heads, KEYS) ||
	    !describe_tensor(&maps.v, encode, v, p.batch, p.seq, p.kv_heads, KEYS))
		return;
	cudaGetDevice(&device);
	cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
	cudaFuncSetAttribute(attention_kernel<KEYS, CAUSAL>, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
	attention_kernel<KEYS, CAUSAL>
		<<<(unsigned)(tiles < processors ? tiles : processors), THREADS, bytes, stream>>>(maps, p);
}

extern "C" void attention(const bf16 *q, const bf16 *k, const bf16 *v, bf16 *o, int batch, int seq, int heads,
			  int kv_heads, int causal, cudaStream_t stream)
{
	struct problem p = {o, batch, seq, heads, kv_heads, (seq + TILE_M - 1) / TILE_M};

	if (causal)
		launch<KEYS_CAUSAL, true>(q, k, v, p, stream);
	else
		launch<KEYS_FULL, false>(q, k, v, p, stream);
}
