#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <stddef.h>
#include <stdint.h>

#define STAGES 2  // avogit: 2 3
#define L2_MIB 24 // avogit: 8 16 24 32 48

#define D	128
#define GROUPS	2	      // warpgroups that multiply
#define KEYS	(64 * GROUPS) // of a block
#define QUERIES 64	      // that a block works on at a time
#define HALF	64	      // numbers of a row that swizzled tiles are wide
#define LINE	(HALF * 2)    // bytes
#define THREADS (128 * (GROUPS + 1))
#define SCALE	0.08838834764831844055f
#define LOG2_E	1.4426950408889634f

using bf16 = __nv_bfloat16;

// A block has a tile of keys of one head, and goes through the queries that see
// one of them.
struct problem {
	int batch, seq, heads;
	int padded;   // seq, to a multiple of 128
	int tiles;    // of keys in a head
	int together; // heads whose queries share the cache
	float *gq;    // sums of each query, see add_queries
	float *lse;   // of each query: -log2 of what its weights are divided by
	float *delta; // and its output times the output's gradient
};

struct maps {
	CUtensorMap q, k, v, go, gk, gv;
};

// ---- barriers --------------------------------------------------------------

struct stage_numbers {
	float lse[QUERIES], delta[QUERIES];
};

struct barriers {
	struct stage_numbers numbers[STAGES];
	uint64_t keys, full[STAGES], empty[STAGES];
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

// A place in a ring, and the parity of the times round it.
struct place {
	int stage;
	uint32_t parity;
};

static __device__ void step(struct place &p)
{
	p.stage = p.stage + 1 == STAGES ? 0 : p.stage + 1;
	p.parity ^= p.stage == 0;
}

// All that multiply.
static __device__ void meet()
{
	asm volatile("bar.sync 1, %0;" ::"n"(128 * GROUPS) : "memory");
}

// ---- products --------------------------------------------------------------

#define R0 "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15"
#define R1 "%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31"
#define R2 "%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47"
#define R3 "%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63"
#define F8(d, i)                                                                                                    \
	"+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), "+f"(d[i + 6]), \
		"+f"(d[i + 7])
#define F32(d, i) F8(d, i), F8(d, i + 8), F8(d, i + 16), F8(d, i + 24)

// d (64 x 64) = a (64 x 16) b (16 x 64), or added to d, both from shared memory.
// A row of d, or of b's transpose, is 16 numbers side by side there; TURNED: a
// column of a and a row of b are 64 numbers side by side.
template <int TURNED> static __device__ void product_step(float (&d)[32], uint64_t a, uint64_t b, int keep)
{
	asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %34, 0;\n"
		     "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {" R0 "," R1 "}, %32, %33, "
		     "p, 1, 1, %35, %35;\n}"
		     : F32(d, 0)
		     : "l"(a), "l"(b), "r"(keep), "n"(TURNED));
}

// d (64 x 128) += a (64 x 16, in registers) b (16 x 128, a row of d side by
// side).
static __device__ void gradient_step(float (&d)[64], const uint32_t *a, uint64_t b)
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

static __device__ void products_sent()
{
	asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

// All but the last N that were sent are done.
template <int N> static __device__ void products_wait()
{
	asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(N) : "memory");
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

// Shared memory: a tile of keys and of values, stages of queries and gradients
// of their outputs, two tiles of gradients of scores; then the barriers.
#define KEYS_BYTES    (KEYS * D * 2)
#define QUERIES_BYTES (QUERIES * D * 2)
#define SLOPES_BYTES  (KEYS * QUERIES * 2)
#define V_AT	      KEYS_BYTES
#define Q_AT	      (2 * KEYS_BYTES)
#define GO_AT	      (Q_AT + STAGES * QUERIES_BYTES)
#define SLOPES_AT     (GO_AT + STAGES * QUERIES_BYTES)
#define BARRIERS_AT   (SLOPES_AT + 2 * SLOPES_BYTES)
#define SHARED_BYTES  (BARRIERS_AT + 1024 + (int)sizeof(struct barriers))

// What a warpgroup works on: 64 keys.
struct state {
	float gk[64], gv[64];
	uint32_t room, b;
	int group, warp, lane;
};

// Of its keys against the queries at `b`, or of its values.
static __device__ void scores(struct state &g, float (&s)[32], uint32_t a, uint32_t b)
{
	a += g.room + g.group * 64 * LINE;
	b += g.room;
#pragma unroll
	for (int i = 0; i < D / 16; i++)
		product_step<0>(s, describe(a + i / 4 * (KEYS * LINE) + i % 4 * 32, 16),
				describe(b + i / 4 * (QUERIES * LINE) + i % 4 * 32, 16), i > 0);
}

static __device__ void add_gradients(struct state &g, float (&d)[64], const uint32_t (&w)[16], uint32_t rows)
{
#pragma unroll
	for (int i = 0; i < QUERIES / 16; i++)
		gradient_step(d, &w[4 * i], describe(g.room + rows + i * 16 * LINE, QUERIES * LINE));
}

// Half of the columns of what this tile of keys adds to gradients of queries.
static __device__ void query_gradients(struct state &g, float (&d)[32], uint32_t slopes)
{
	uint32_t keys = g.room + g.group * (KEYS * LINE);

#pragma unroll
	for (int i = 0; i < KEYS / 16; i++)
		product_step<1>(d, describe(g.room + slopes + i * 16 * LINE, 16), describe(keys + i * 16 * LINE, 16),
				i > 0);
}

// ---- between products --------------------------------------------------------

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

// A thread's numbers as the first factor of a product.
static __device__ void pack_all(uint32_t (&w)[16], const float (&s)[32])
{
#pragma unroll
	for (int i = 0; i < 16; i++)
		w[i] = pack(s[2 * i], s[2 * i + 1]);
}

// Scores to weights; a thread has two of every eight queries, and two keys, `row`
// and `row + 8` below the first of these. With `diagonal` queries before a key do
// not see it.
static __device__ void weigh(float (&s)[32], const float *lse, int lane, bool diagonal, int row)
{
#pragma unroll
	for (int n = 0; n < 8; n++) {
		float2 of = *(const float2 *)(lse + n * 8 + lane % 4 * 2);

#pragma unroll
		for (int h = 0; h < 2; h++) {
			s[4 * n + 2 * h] = power(s[4 * n + 2 * h] * (SCALE * LOG2_E) + of.x);
			s[4 * n + 2 * h + 1] = power(s[4 * n + 2 * h + 1] * (SCALE * LOG2_E) + of.y);
		}
	}
	if (!diagonal)
		return;
#pragma unroll
	for (int n = 0; n < 8; n++)
#pragma unroll
		for (int h = 0; h < 2; h++)
#pragma unroll
			for (int e = 0; e < 2; e++)
				if (n * 8 + lane % 4 * 2 + e < row + 8 * h)
					s[4 * n + 2 * h + e] = 0;
}

// Weights and their gradients to gradients of scores.
static __device__ void slope(float (&w)[32], const float (&gw)[32], const float *delta, int lane)
{
#pragma unroll
	for (int n = 0; n < 8; n++) {
		float2 of = *(const float2 *)(delta + n * 8 + lane % 4 * 2);

#pragma unroll
		for (int h = 0; h < 2; h++) {
			w[4 * n + 2 * h] *= gw[4 * n + 2 * h] - of.x;
			w[4 * n + 2 * h + 1] *= gw[4 * n + 2 * h + 1] - of.y;
		}
	}
}

// 16 rows of a warp, 64 columns, to a swizzled tile.
static __device__ void put_rows(uint32_t at, const uint32_t *w, int lane)
{
#pragma unroll
	for (int i = 0; i < 4; i++)
		asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1,%2,%3,%4};" ::"r"(
				     at + lane % 16 * LINE + ((i * 2 + lane / 16) ^ lane % 8) * 16),
			     "r"(w[4 * i]), "r"(w[4 * i + 1]), "r"(w[4 * i + 2]), "r"(w[4 * i + 3])
			     : "memory");
}

// Sums of 64 queries lie as threads have them: of each half of the columns eight
// times four numbers a thread, all threads' side by side.
static __device__ void add_queries(const float (&d)[32], float *to)
{
#pragma unroll
	for (int i = 0; i < 8; i++)
		asm volatile("red.relaxed.gpu.global.add.v4.f32 [%0], {%1,%2,%3,%4};" ::"l"(to + i * 512),
			     "f"(d[4 * i]), "f"(d[4 * i + 1]), "f"(d[4 * i + 2]), "f"(d[4 * i + 3])
			     : "memory");
}

// ---- who does what ---------------------------------------------------------

struct tile {
	int first, head, sequence; // keys from `first` on
	int begin, n;		   // tiles of queries
};

// Heads that share the cache together; of them the first keys first, which most
// queries see.
static __device__ struct tile find_tile(int index, const struct problem &p)
{
	struct tile t;
	int columns = p.heads * p.batch, group = index / (p.together * p.tiles);
	int size = min(p.together, columns - group * p.together), column;

	index -= group * p.together * p.tiles;
	column = group * p.together + index % size;
	t.first = index / size * KEYS;
	t.head = column % p.heads;
	t.sequence = column / p.heads;
	t.begin = t.first / QUERIES;
	t.n = (p.seq + QUERIES - 1) / QUERIES - t.begin;
	return t;
}

// Two halves of a tile, each a swizzled box.
template <int ROWS>
static __device__ void copy(const CUtensorMap *map, uint32_t to, uint32_t full, int head, int row, int sequence)
{
#pragma unroll
	for (int half = 0; half < 2; half++)
		asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.mbarrier::complete_tx::bytes "
			     "[%0], [%1, {%2, %3, %4, %5}], [%6];" ::"r"(to + half * ROWS * LINE),
			     "l"((uint64_t)map), "r"(half * HALF), "r"(head), "r"(row), "r"(sequence), "r"(full)
			     : "memory");
}

static __device__ void copy_numbers(uint32_t to, const float *from, uint32_t full)
{
	asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
		     "l"(__cvta_generic_to_global(from)), "n"(QUERIES * 4), "r"(full)
		     : "memory");
}

static __device__ void copy_tiles(const struct maps &maps, const struct problem &p, const struct tile &t,
				  uint32_t room, uint32_t b)
{
	long numbers = ((long)t.sequence * p.heads + t.head) * p.padded;
	struct place at = {0, 0};

	barrier_expect(b + AT(keys), 2 * KEYS_BYTES);
	copy<KEYS>(&maps.k, room, b + AT(keys), t.head, t.first, t.sequence);
	copy<KEYS>(&maps.v, room + V_AT, b + AT(keys), t.head, t.first, t.sequence);
	for (int i = 0; i < t.n; i++) {
		uint32_t full = b + AT(full) + at.stage * 8;
		uint32_t to = b + AT(numbers) + at.stage * (uint32_t)sizeof(struct stage_numbers);
		int row = (t.begin + i) * QUERIES;

		barrier_wait(b + AT(empty) + at.stage * 8, at.parity ^ 1);
		barrier_expect(full, 2 * QUERIES_BYTES + (int)sizeof(struct stage_numbers));
		copy<QUERIES>(&maps.q, room + Q_AT + at.stage * QUERIES_BYTES, full, t.head, row, t.sequence);
		copy_numbers(to, p.lse + numbers + row, full);
		copy<QUERIES>(&maps.go, room + GO_AT + at.stage * QUERIES_BYTES, full, t.head, row, t.sequence);
		copy_numbers(to + QUERIES * 4, p.delta + numbers + row, full);
		step(at);
	}
}

// A warp's 16 keys, through shared memory. The copy engine clips those past the
// end of a sequence.
static __device__ void store_rows(struct state &g, const float (&d)[64], float scale, uint32_t at,
				  const CUtensorMap *map, const struct tile &t)
{
	int row = g.group * 64 + g.warp * 16;
	uint32_t w[32];

	at += g.room + row * LINE;
#pragma unroll
	for (int i = 0; i < 32; i++)
		w[i] = pack(d[2 * i] * scale, d[2 * i + 1] * scale);
	put_rows(at, w, g.lane);
	put_rows(at + KEYS * LINE, w + 16, g.lane);
	asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
	__syncwarp();
	if (g.lane == 0) {
#pragma unroll
		for (int half = 0; half < 2; half++)
			asm volatile("cp.async.bulk.tensor.4d.global.shared::cta.bulk_group "
				     "[%0, {%1, %2, %3, %4}], [%5];" ::"l"((uint64_t)map),
				     "r"(half * HALF), "r"(t.head), "r"(t.first + row), "r"(t.sequence),
				     "r"(at + half * KEYS * LINE)
				     : "memory");
		asm volatile("cp.async.bulk.commit_group;" ::: "memory");
	}
}

static __device__ void multiply_tiles(const struct maps &maps, const struct problem &p, const struct tile &t,
				      uint32_t room, const struct barriers *barriers, int group)
{
	struct state g;
	struct place at = {0, 0};
	float s[32], gw[32], gq[32], *to;

	g.room = room;
	g.b = address(barriers);
	g.group = group;
	g.warp = threadIdx.x / 32 % 4;
	g.lane = threadIdx.x % 32;
	to = p.gq + ((long)t.sequence * p.heads + t.head) * p.padded * D + (long)t.begin * QUERIES * D +
	     group * (QUERIES * HALF) + threadIdx.x % 128 * 4;
#pragma unroll
	for (int i = 0; i < 64; i++)
		g.gk[i] = g.gv[i] = 0;
	barrier_wait(g.b + AT(keys), 0);
	for (int i = 0; i < t.n; i++, to += QUERIES * D) {
		uint32_t q = Q_AT + at.stage * QUERIES_BYTES, go = GO_AT + at.stage * QUERIES_BYTES;
		uint32_t slopes = SLOPES_AT + i % 2 * SLOPES_BYTES;
		const struct stage_numbers *numbers = &barriers->numbers[at.stage];
		uint32_t w[16], ws[16];

		barrier_wait(g.b + AT(full) + at.stage * 8, at.parity);
		products_begin();
		scores(g, s, 0, q);
		products_sent();
		scores(g, gw, V_AT, go);
		products_sent();
		products_wait<1>();
		settle(s);
		weigh(s, numbers->lse, g.lane, i < KEYS / QUERIES,
		      group * 64 + g.warp * 16 + g.lane / 4 - i * QUERIES);
		pack_all(w, s);
		products_wait<0>();
		settle(gw);
		settle(w);
		products_begin();
		add_gradients(g, g.gv, w, go);
		products_sent();
		slope(s, gw, numbers->delta, g.lane);
		pack_all(ws, s);
		put_rows(g.room + slopes + (g.group * 64 + g.warp * 16) * LINE, ws, g.lane);
		asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
		meet();
		settle(ws);
		products_begin();
		query_gradients(g, gq, slopes);
		products_sent();
		add_gradients(g, g.gk, ws, q);
		products_sent();
		products_wait<1>();
		settle(gq);
		add_queries(gq, to);
		products_wait<0>();
		settle(g.gk);
		settle(g.gv);
		barrier_arrive(g.b + AT(empty) + at.stage * 8);
		step(at);
	}
	// Nobody reads values any more, and keys not after the others' last product.
	store_rows(g, g.gv, 1, V_AT, &maps.gv, t);
	meet();
	store_rows(g, g.gk, SCALE, 0, &maps.gk, t);
	asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

static __global__ void __launch_bounds__(THREADS, 1)
	backward_kernel(const __grid_constant__ struct maps maps, const __grid_constant__ struct problem p)
{
	extern __shared__ unsigned char unaligned[];
	unsigned char *aligned = unaligned + (-address(unaligned) & 1023);
	struct barriers *barriers = (struct barriers *)(aligned + BARRIERS_AT);
	uint32_t b = address(barriers);
	int group = __shfl_sync(0xffffffff, threadIdx.x / 128, 0);
	struct tile t = find_tile((int)blockIdx.x, p);

	if (threadIdx.x == 0) {
		barrier_init(b + AT(keys), 1);
		for (int i = 0; i < STAGES; i++) {
			barrier_init(b + AT(full) + i * 8, 1);
			// Each thread reads numbers of a stage.
			barrier_init(b + AT(empty) + i * 8, 128 * GROUPS);
		}
		asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
		asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
	}
	__syncthreads();
	if (group == 0) {
		asm volatile("setmaxnreg.dec.sync.aligned.u32 24;");
		if (threadIdx.x == 0)
			copy_tiles(maps, p, t, address(aligned), b);
	} else {
		asm volatile("setmaxnreg.inc.sync.aligned.u32 240;");
		multiply_tiles(maps, p, t, address(aligned), barriers, group - 1);
	}
}

// ---- before and after ------------------------------------------------------

// 16 lanes a query and head: its two numbers, and zeroes for its sums.
static __global__ void __launch_bounds__(256)
	before(const bf16 *o, const bf16 *go, const float *lse, const __grid_constant__ struct problem p)
{
	int index = (int)((blockIdx.x * 256 + threadIdx.x) / 16), lane = threadIdx.x % 16;
	int head = index % p.heads, row = index / p.heads;
	long column = (long)blockIdx.y * p.heads + head;
	float sum = 0;

	if (row >= p.padded)
		return;
	if (row < p.seq) {
		long at = (((long)blockIdx.y * p.seq + row) * p.heads + head) * D + lane * 8;
		uint4 a = *(const uint4 *)(o + at), b = *(const uint4 *)(go + at);

#pragma unroll
		for (int i = 0; i < 4; i++) {
			float2 x = __bfloat1622float2(((const __nv_bfloat162 *)&a)[i]);
			float2 y = __bfloat1622float2(((const __nv_bfloat162 *)&b)[i]);

			sum += x.x * y.x + x.y * y.y;
		}
	}
	for (int n = 8; n; n /= 2)
		sum += __shfl_xor_sync(threadIdx.x % 32 < 16 ? 0x0000ffff : 0xffff0000, sum, n);
	if (lane == 0) {
		p.delta[column * p.padded + row] = sum;
		p.lse[column * p.padded + row] =
			row < p.seq ? -LOG2_E * lse[column * p.seq + row] : -INFINITY;
	}
	float4 *zeroes = (float4 *)(p.gq + (column * p.padded + row) * D) + lane * 2;
	zeroes[0] = zeroes[1] = make_float4(0, 0, 0, 0);
}

// Sums of 64 queries of a head, from where threads added them, to rows.
static __global__ void __launch_bounds__(256) after(bf16 *gq, const __grid_constant__ struct problem p)
{
	__shared__ alignas(16) bf16 rows[QUERIES][D + 8];
	int head = blockIdx.y, first = (int)blockIdx.x * QUERIES, thread = threadIdx.x % 128;
	int row = thread / 32 * 16 + thread % 32 / 4, column = threadIdx.x / 128 * HALF + thread % 4 * 2;
	const float4 *from = (const float4 *)(p.gq + (((long)blockIdx.z * p.heads + head) * p.padded + first) * D);

#pragma unroll
	for (int i = 0; i < 8; i++) {
		float4 v = from[threadIdx.x / 128 * 1024 + i * 128 + thread];

		*(uint32_t *)&rows[row][column + i * 8] = pack(v.x * SCALE, v.y * SCALE);
		*(uint32_t *)&rows[row + 8][column + i * 8] = pack(v.z * SCALE, v.w * SCALE);
	}
	__syncthreads();
#pragma unroll
	for (int i = 0; i < 4; i++) {
		int index = i * 256 + (int)threadIdx.x, r = index / 16, c = index % 16 * 8;

		if (first + r < p.seq)
			*(uint4 *)(gq + (((long)blockIdx.z * p.seq + first + r) * p.heads + head) * D + c) =
				*(const uint4 *)&rows[r][c];
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
// past the end of a sequence read as zeroes and are not written.
static bool describe_tensor(CUtensorMap *map, encode_function *encode, const bf16 *data, const struct problem &p,
			    int rows)
{
	cuuint64_t size[4] = {D, (cuuint64_t)p.heads, (cuuint64_t)p.seq, (cuuint64_t)p.batch};
	cuuint64_t stride[3] = {D * 2, D * 2 * size[1], D * 2 * size[1] * size[2]};
	cuuint32_t box[4] = {HALF, 1, (cuuint32_t)rows, 1}, every[4] = {1, 1, 1, 1};

	return encode(map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 4, (void *)data, size, stride, box, every,
		      CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
		      CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
}

extern "C" void attention_backward(const bf16 *q, const bf16 *k, const bf16 *v, const bf16 *o, const float *lse,
				   const bf16 *go, bf16 *gq, bf16 *gk, bf16 *gv, void *work, int batch, int seq,
				   int heads, cudaStream_t stream)
{
	static encode_function *encode = find_encode();
	struct problem p = {batch, seq, heads, (seq + 127) / 128 * 128, (seq + KEYS - 1) / KEYS};
	long rows = (long)batch * heads * p.padded, held = ((long)L2_MIB << 20) / ((long)p.padded * 1024 + 1);
	struct maps maps;

	p.together = (int)(held < 1 ? 1 : held > 4096 ? 4096 : held);
	p.gq = (float *)work;
	p.lse = p.gq + rows * D;
	p.delta = p.lse + rows;
	if (rows < 1 || !encode || !describe_tensor(&maps.q, encode, q, p, QUERIES) ||
	    !describe_tensor(&maps.go, encode, go, p, QUERIES) || !describe_tensor(&maps.k, encode, k, p, KEYS) ||
	    !describe_tensor(&maps.v, encode, v, p, KEYS) || !describe_tensor(&maps.gk, encode, gk, p, 16) ||
	    !describe_tensor(&maps.gv, encode, gv, p, 16))
		return;
	before<<<dim3((unsigned)(p.padded * heads + 15) / 16, (unsigned)batch), 256, 0, stream>>>(o, go, lse, p);
	cudaFuncSetAttribute(backward_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED_BYTES);
	backward_kernel<<<(unsigned)(p.tiles * heads * batch), THREADS, SHARED_BYTES, stream>>>(maps, p);
	after<<<dim3((unsigned)(seq + QUERIES - 1) / QUERIES, (unsigned)heads, (unsigned)batch), 256, 0, stream>>>(gq,
														    p);
}
