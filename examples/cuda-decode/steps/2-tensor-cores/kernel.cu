#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <stdint.h>

#define WARPS  4   // avogit: 2 4 8
#define TOKENS 16  // avogit: 16 32
#define CHUNK  512 // avogit: 256 512 1024 2048
#define BLOCKS 3   // avogit: 1 2 3 4 6
#define HINT   1   // avogit: 0 1 2
// A block's tokens are a warp's, TOKENS at a time, and a lane knows the page of
// one such tile: there are 32 at most. More warps than 16 have too few registers.
// avogit-require: CHUNK <= 32 * TOKENS * WARPS
// avogit-require: CHUNK % (TOKENS * WARPS) == 0
// avogit-require: WARPS * BLOCKS <= 16
// avogit-require: TOKENS == 16 || WARPS * BLOCKS <= 8

#define D	128
#define PAGE	64
#define QUERIES 8 // of a product, at most
#define PARTS	(TOKENS / 16)
#define SCALE	0.12751743f // of scores, and of powers of two: log2(e) / sqrt(D)
#define RISE	8.0f	    // powers of two that a weight may be above one
#define WIDTH	132	    // floats of a part: D sums, base, total
#define MERGERS 8	    // warps that merge a query's parts

typedef __nv_bfloat16 bf16;

struct cache {
	const bf16 *k, *v;
	const int *pages, *lengths;
	int heads, kv_heads, most_pages, most_chunks;
};

/* ---- instructions ------------------------------------------------------------ */

// 16 bytes that nobody reads again.
static __device__ uint4 load(const bf16 *from)
{
	uint4 v;

#if HINT == 0
	asm volatile("ld.global.nc.v4.u32 {%0, %1, %2, %3}, [%4];"
#elif HINT == 1
	asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
#else
	asm volatile("ld.global.nc.L1::no_allocate.L2::256B.v4.u32 {%0, %1, "
		     "%2, %3}, [%4];"
#endif
		     : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
		     : "l"(from));
	return v;
}

// c += a b: 16 rows, 8 columns, 16 deep.
static __device__ void multiply(float (&c)[4], uint32_t a0, uint32_t a1, uint32_t a2, uint32_t a3, uint32_t b0,
				uint32_t b1)
{
	asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
	    "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
	    : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
	    : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}

// Two numbers a lane of an 8 x 8 matrix, rows and columns exchanged.
static __device__ uint32_t turned(float low, float high)
{
	__nv_bfloat162 two = __floats2bfloat162_rn(low, high);
	uint32_t to;

	asm("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(to) : "r"(*(uint32_t *)&two));
	return to;
}

static __device__ float power(float x)
{
	float y;

	asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
	return y;
}

// Over the eight lanes that have the same queries.
static __device__ float largest(float v)
{
	for (int lanes = 4; lanes < 32; lanes *= 2)
		v = fmaxf(v, __shfl_xor_sync(0xffffffff, v, lanes));
	return v;
}

static __device__ float sum(float v)
{
	for (int lanes = 4; lanes < 32; lanes *= 2)
		v += __shfl_xor_sync(0xffffffff, v, lanes);
	return v;
}

/* ---- a tile of tokens ---------------------------------------------------------
 *
 * Scores and sums are products with the tokens, or the numbers of a head, as
 * rows and the queries that share the head as columns. A lane reads 16 bytes of
 * a row at a time, and these are what it gives to two products: the order in
 * which numbers of a head are taken is the same for queries and keys, and sums
 * come out in an order that the way out knows. No tile is in shared memory.
 *
 * Of its lane: `eight` of eight rows, `four` of four neighbours. */
struct lane {
	int eight, four;
};

typedef uint4 keys[PARTS][2][4];   // tokens 8 apart; 32 numbers apart
typedef uint4 values[PARTS][4][2]; // tokens 0 1 8 9 from twice `four`; 64 numbers apart

// `left` is how many of the tile's tokens there are: of others the last is read.
template <bool WHOLE> static __device__ void fetch_keys(keys &k, const bf16 *at, int step, struct lane l, int left)
{
#pragma unroll
	for (int part = 0; part < PARTS; part++)
#pragma unroll
		for (int i = 0; i < 2; i++) {
			int token = 16 * part + 8 * i + l.eight;
			const bf16 *row = at + (WHOLE ? token : min(token, left - 1)) * step + 8 * l.four;

#pragma unroll
			for (int j = 0; j < 4; j++)
				k[part][i][j] = load(row + 32 * j);
		}
}

template <bool WHOLE> static __device__ void fetch_values(values &v, const bf16 *at, int step, struct lane l, int left)
{
#pragma unroll
	for (int part = 0; part < PARTS; part++)
#pragma unroll
		for (int i = 0; i < 4; i++) {
			int token = 16 * part + i / 2 * 8 + 2 * l.four + i % 2;
			const bf16 *row = at + (WHOLE ? token : min(token, left - 1)) * step + 8 * l.eight;

			v[part][i][0] = load(row);
			v[part][i][1] = load(row + 64);
		}
}

// What a lane has of a warp's softmax: queries 2 `four` and the next. The base
// is below the largest score so far by RISE at most, in powers of two.
struct softmax {
	float base[2], total[2], sums[8][4];
};

typedef float scores[PARTS][4]; // tokens `eight` and 8 below, two queries each

static __device__ void score(scores &s, const keys &k, const uint4 (&q)[4])
{
#pragma unroll
	for (int part = 0; part < PARTS; part++) {
		const uint4 *up = k[part][0], *down = k[part][1];

		s[part][0] = s[part][1] = s[part][2] = s[part][3] = 0;
#pragma unroll
		for (int j = 0; j < 4; j++) {
			multiply(s[part], up[j].x, down[j].x, up[j].y, down[j].y, q[j].x, q[j].y);
			multiply(s[part], up[j].z, down[j].z, up[j].w, down[j].w, q[j].z, q[j].w);
		}
	}
}

static __device__ void hide(scores &s, struct lane l, int left)
{
#pragma unroll
	for (int part = 0; part < PARTS; part++)
#pragma unroll
		for (int i = 0; i < 4; i++)
			if (16 * part + i / 2 * 8 + l.eight >= left)
				s[part][i] = -INFINITY;
}

// A score is far above the base: the base becomes the largest so far.
static __device__ void raise(struct softmax *m, const float (&most)[2])
{
#pragma unroll
	for (int i = 0; i < 2; i++) {
		float base = fmaxf(m->base[i], largest(most[i]) * SCALE), less = power(m->base[i] - base);

		m->base[i] = base;
		m->total[i] *= less;
#pragma unroll
		for (int j = 0; j < 8; j++) {
			m->sums[j][i] *= less;
			m->sums[j][2 + i] *= less;
		}
	}
}

// Scores become weights.
static __device__ void weigh(struct softmax *m, scores &s)
{
	float most[2] = {-INFINITY, -INFINITY};

#pragma unroll
	for (int part = 0; part < PARTS; part++)
#pragma unroll
		for (int i = 0; i < 4; i++)
			most[i % 2] = fmaxf(most[i % 2], s[part][i]);
	if (__any_sync(0xffffffff, fmaxf(most[0] * SCALE - m->base[0], most[1] * SCALE - m->base[1]) > RISE))
		raise(m, most);
#pragma unroll
	for (int part = 0; part < PARTS; part++)
#pragma unroll
		for (int i = 0; i < 4; i++) {
			s[part][i] = power(s[part][i] * SCALE - m->base[i % 2]);
			m->total[i % 2] += s[part][i];
		}
}

// A number of two tokens beside each other, of two words that have two numbers
// of one token each.
static __device__ uint32_t beside(const uint4 &first, const uint4 &second, int i)
{
	const uint32_t a = i / 2 == 0 ? first.x : i / 2 == 1 ? first.y : i / 2 == 2 ? first.z : first.w;
	const uint32_t b = i / 2 == 0 ? second.x : i / 2 == 1 ? second.y : i / 2 == 2 ? second.z : second.w;

	return __byte_perm(a, b, i % 2 ? 0x7632 : 0x5410);
}

static __device__ void add(struct softmax *m, const scores &s, const values &v)
{
#pragma unroll
	for (int part = 0; part < PARTS; part++) {
		const auto &t = v[part];
		uint32_t w0 = turned(s[part][0], s[part][1]), w1 = turned(s[part][2], s[part][3]);

#pragma unroll
		for (int i = 0; i < 8; i++)
			multiply(m->sums[i], beside(t[0][0], t[1][0], i), beside(t[0][1], t[1][1], i),
				 beside(t[2][0], t[3][0], i), beside(t[2][1], t[3][1], i), w0, w1);
	}
}

/* ---- a chunk of a sequence ---------------------------------------------------- */

struct work {
	int row, head, chunk; // head of keys and values
	int query,
		queries; // the first of those that share it, and how many, at most QUERIES
	int length, begin, count;
};

static __device__ struct work find_work(const struct cache &c)
{
	const int group = c.heads / c.kv_heads;
	struct work w;
	int first = (int)blockIdx.x / c.kv_heads * QUERIES;

	w.row = blockIdx.z;
	w.chunk = blockIdx.y;
	w.head = (int)blockIdx.x % c.kv_heads;
	w.query = w.head * group + first;
	w.queries = min(QUERIES, group - first);
	w.length = c.lengths[w.row];
	w.begin = w.chunk * CHUNK;
	w.count = min(CHUNK, w.length - w.begin);
	return w;
}

// A warp's tiles of the chunk, each WARPS tiles after the last.
static __device__ void attend(struct softmax *m, const uint4 (&q)[4], const struct cache &c, const struct work &w)
{
	const struct lane l = {(int)threadIdx.x % 32 / 4, (int)threadIdx.x % 4};
	const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, step = c.kv_heads * D, whole = w.count / TOKENS;
	const int mine = (warp + lane * WARPS) * TOKENS;
	const int page = mine < w.count ? c.pages[(long)w.row * c.most_pages + (w.begin + mine) / PAGE] : 0;
	const bf16 *k = c.k + w.head * D, *v = c.v + w.head * D;
	int i = 0, tile = warp;
	keys some_k;
	values some_v;
	scores s;
	auto at = [&](int turn) {
		return ((long)__shfl_sync(0xffffffff, page, turn) * PAGE + (warp + turn * WARPS) * TOKENS % PAGE) *
		       step;
	};

	if (tile < whole) {
		long to = at(0);

		fetch_keys<true>(some_k, k + to, step, l, 0);
		fetch_values<true>(some_v, v + to, step, l, 0);
	}
	for (; tile < whole; tile += WARPS) {
		bool more = tile + WARPS < whole;
		long to = at(++i & 31);

		score(s, some_k, q);
		if (more)
			fetch_keys<true>(some_k, k + to, step, l, 0);
		weigh(m, s);
		add(m, s, some_v);
		if (more)
			fetch_values<true>(some_v, v + to, step, l, 0);
	}
	if (tile == whole && w.count % TOKENS) {
		long to = at(i);
		int left = w.count % TOKENS;

		fetch_keys<false>(some_k, k + to, step, l, left);
		fetch_values<false>(some_v, v + to, step, l, left);
		score(s, some_k, q);
		hide(s, l, left);
		weigh(m, s);
		add(m, s, some_v);
	}
}

// Of each warp of a block.
struct meeting {
	float sums[WARPS][QUERIES][D], base[WARPS][QUERIES], total[WARPS][QUERIES];
};

static __device__ void leave(struct meeting *to, const struct softmax *m)
{
	const int warp = threadIdx.x / 32, eight = threadIdx.x % 32 / 4;

#pragma unroll
	for (int i = 0; i < 2; i++) {
		int query = threadIdx.x % 4 * 2 + i;
		float total = sum(m->total[i]);

#pragma unroll
		for (int j = 0; j < 8; j += 4) {
			float *half = &to->sums[warp][query][8 * eight + j];

			*(float4 *)half =
				make_float4(m->sums[j][i], m->sums[j + 1][i], m->sums[j + 2][i], m->sums[j + 3][i]);
			*(float4 *)(half + 64) = make_float4(m->sums[j][2 + i], m->sums[j + 1][2 + i],
							     m->sums[j + 2][2 + i], m->sums[j + 3][2 + i]);
		}
		if (eight == 0) {
			to->base[warp][query] = m->base[i];
			to->total[warp][query] = total;
		}
	}
}

static __device__ uint2 rounded(float4 v)
{
	__nv_bfloat162 low = __floats2bfloat162_rn(v.x, v.y), high = __floats2bfloat162_rn(v.z, v.w);

	return make_uint2(*(uint32_t *)&low, *(uint32_t *)&high);
}

// Four numbers of a query a thread: a part of it, or all where the sequence has
// no other chunk.
static __device__ void put(const struct meeting *from, bf16 *o, float *parts, const struct cache &c,
			   const struct work &w)
{
	for (int i = threadIdx.x; i < w.queries * (D / 4); i += 32 * WARPS) {
		int query = i / (D / 4), d = i % (D / 4) * 4;
		float4 all = make_float4(0, 0, 0, 0);
		float base = -INFINITY, total = 0;
		long row = (long)w.row * c.heads + w.query + query;
		float *part = parts + (row * c.most_chunks + w.chunk) * WIDTH;

		for (int j = 0; j < WARPS; j++)
			base = fmaxf(base, from->base[j][query]);
		for (int j = 0; j < WARPS; j++) {
			float share = power(from->base[j][query] - base);
			float4 v = *(const float4 *)&from->sums[j][query][d];

			total += share * from->total[j][query];
			all.x += share * v.x;
			all.y += share * v.y;
			all.z += share * v.z;
			all.w += share * v.w;
		}
		if (w.length <= CHUNK) {
			*(uint2 *)(o + row * D + d) =
				rounded(make_float4(all.x / total, all.y / total, all.z / total, all.w / total));
		} else {
			*(float4 *)(part + d) = all;
			if (d == 0)
				*(float2 *)(part + D) = make_float2(base, total);
		}
	}
}

static __global__ void __launch_bounds__(32 * WARPS, BLOCKS)
	decode_chunk(const bf16 *q, struct cache c, bf16 *o, float *parts)
{
	__shared__ __align__(16) struct meeting all;
	const struct work w = find_work(c);
	struct softmax m = {{-INFINITY, -INFINITY}};
	int query = threadIdx.x % 32 / 4;
	uint4 mine[4] = {};

	if (w.count <= 0)
		return;
	if (query < w.queries)
		for (int i = 0; i < 4; i++)
			mine[i] = *(const uint4 *)(q + ((long)w.row * c.heads + w.query + query) * D + 32 * i +
						   8 * (threadIdx.x % 4));
	attend(&m, mine, c, w);
	leave(&all, &m);
	__syncthreads();
	put(&all, o, parts, c, w);
}

/* ---- what chunks left --------------------------------------------------------- */

// A block a query; a warp every eighth part, a lane four numbers.
static __global__ void __launch_bounds__(32 * MERGERS) decode_merge(struct cache c, bf16 *o, const float *parts)
{
	__shared__ __align__(16) float sums[MERGERS][D];
	__shared__ float totals[MERGERS];
	const long row = (long)blockIdx.y * c.heads + blockIdx.x;
	const int n = (c.lengths[blockIdx.y] + CHUNK - 1) / CHUNK, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
	const float *part = parts + row * c.most_chunks * WIDTH;
	float4 all = make_float4(0, 0, 0, 0);
	float base = -INFINITY, total = 0, sum = 0;

	if (n < 2)
		return;
	for (int i = lane; i < n; i += 32)
		base = fmaxf(base, part[i * WIDTH + D]);
	for (int lanes = 16; lanes; lanes /= 2)
		base = fmaxf(base, __shfl_xor_sync(0xffffffff, base, lanes));
#pragma unroll 4
	for (int i = warp; i < n; i += MERGERS) {
		float4 v = *(const float4 *)(part + i * WIDTH + 4 * lane);
		float2 of = *(const float2 *)(part + i * WIDTH + D);
		float share = power(of.x - base);

		total += share * of.y;
		all.x += share * v.x;
		all.y += share * v.y;
		all.z += share * v.z;
		all.w += share * v.w;
	}
	*(float4 *)&sums[warp][4 * lane] = all;
	if (lane == 0)
		totals[warp] = total;
	__syncthreads();
	if (threadIdx.x >= D)
		return;
	total = 0;
	for (int i = 0; i < MERGERS; i++) {
		total += totals[i];
		sum += sums[i][threadIdx.x];
	}
	o[row * D + threadIdx.x] = __float2bfloat16(sum / total);
}

extern "C" void decode(const bf16 *q, const bf16 *k, const bf16 *v, const int *pages, const int *lengths, bf16 *o,
		       void *work, int batch, int heads, int kv_heads, int most_pages, cudaStream_t stream)
{
	const int chunks = (most_pages * PAGE + CHUNK - 1) / CHUNK, group = heads / kv_heads;
	const unsigned wide = (unsigned)(kv_heads * ((group + QUERIES - 1) / QUERIES));
	struct cache c = {k, v, pages, lengths, heads, kv_heads, most_pages, chunks};

	decode_chunk<<<dim3(wide, (unsigned)chunks, (unsigned)batch), 32 * WARPS, 0, stream>>>(q, c, o, (float *)work);
	if (chunks > 1)
		decode_merge<<<dim3((unsigned)heads, (unsigned)batch), 32 * MERGERS, 0, stream>>>(c, o,
												  (const float *)work);
}
