#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <stdint.h>

#define TILE_M	  128 // avogit: 64 128
#define TILE_N	  64  // avogit: 32 64 128
#define WARP_ROWS 32  // avogit: 16 32
#define STAGES	  2   // avogit: 2 3
#define BLOCKS	  2   // avogit: 1 2
// avogit-require: (TILE_M + 2 * STAGES * TILE_N) * 256 * BLOCKS <= 232448
// avogit-require: TILE_N + 4 * 128 * WARP_ROWS / 32 <= 576

#define D	128
#define THREADS (TILE_M / WARP_ROWS * 32)
#define BANDS	(WARP_ROWS / 16) // of sixteen rows, a warp
#define ROW	(D * 2)		 // bytes
#define STAGE	(2 * TILE_N * ROW)
#define SHARED	(TILE_M * ROW + STAGES * STAGE)
// exp(s / sqrt(D)) as a power of two
#define SCALE (0.08838834764831844055f * 1.4426950408889634f)

using bf16 = __nv_bfloat16;

struct problem {
	const bf16 *q, *k, *v;
	bf16 *o;
	int seq, heads, kv_heads, m_tiles;
};

static __device__ uint32_t pack(float low, float high)
{
	__nv_bfloat162 two = __floats2bfloat162_rn(low, high);

	return *(uint32_t *)&two;
}

static __device__ float power(float x)
{
	float y;

	asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
	return y;
}

// ---- shared memory ---------------------------------------------------------
// A row is sixteen pieces of sixteen bytes, the lower three bits of whose
// places are xored with the row's, so that eight rows meet in no bank.

// A thread copies the same piece of every so manieth row. `from` is its piece
// of its first row, `left` the rows from there to the end of the sequence: past
// it are zeroes, and nothing is read. `to` is where the piece goes.
template <int ROWS> static __device__ void copy_rows(uint32_t to, const bf16 *from, int left, int step)
{
#pragma unroll
	for (int i = 0; i < ROWS; i += THREADS / 16) {
		asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"((to + i * ROW) ^ i % 8 << 4),
			     "l"(from), "r"(i < left ? 16 : 0)
			     : "memory");
		from += step * (THREADS / 16);
	}
}

static __device__ void commit()
{
	asm volatile("cp.async.commit_group;" ::: "memory");
}

template <int LEFT> static __device__ void wait_copies()
{
	asm volatile("cp.async.wait_group %0;" ::"n"(LEFT) : "memory");
}

// Four pieces of eight rows, `skip` bytes from where `at` is with its piece
// xored by `move`: in these lines, so that no register keeps every address.
template <bool TRANSPOSED> static __device__ void load_matrices(uint32_t (&f)[4], uint32_t at, int move, int skip)
{
	if (TRANSPOSED)
		asm volatile("{\n.reg .b32 a;\nxor.b32 a, %4, %5;\nadd.s32 a, a, %6;\n"
			     "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [a];\n}"
			     : "=r"(f[0]), "=r"(f[1]), "=r"(f[2]), "=r"(f[3])
			     : "r"(at), "r"(move), "r"(skip)
			     : "memory");
	else
		asm volatile("{\n.reg .b32 a;\nxor.b32 a, %4, %5;\nadd.s32 a, a, %6;\n"
			     "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [a];\n}"
			     : "=r"(f[0]), "=r"(f[1]), "=r"(f[2]), "=r"(f[3])
			     : "r"(at), "r"(move), "r"(skip)
			     : "memory");
}

static __device__ void multiply(float (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1)
{
	asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, "
		     "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
		     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
		     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// ---- what a warp does with a tile of keys ----------------------------------

struct softmax {
	float largest[BANDS][2], sum[BANDS][2];
};

static __device__ void scores(float (&s)[BANDS][TILE_N / 8][4], uint32_t q, uint32_t k)
{
#pragma unroll
	for (int b = 0; b < BANDS; b++)
#pragma unroll
		for (int n = 0; n < TILE_N / 8; n++)
#pragma unroll
			for (int e = 0; e < 4; e++)
				s[b][n][e] = 0;
#pragma unroll
	for (int i = 0; i < D / 16; i++) {
		uint32_t a[BANDS][4];

#pragma unroll
		for (int b = 0; b < BANDS; b++)
			load_matrices<false>(a[b], q, i << 5, b * 16 * ROW);
#pragma unroll
		for (int n = 0; n < TILE_N / 16; n++) {
			uint32_t f[4];

			load_matrices<false>(f, k, i << 5, n * 16 * ROW);
#pragma unroll
			for (int b = 0; b < BANDS; b++) {
				multiply(s[b][2 * n], a[b], f[0], f[1]);
				multiply(s[b][2 * n + 1], a[b], f[2], f[3]);
			}
		}
	}
}

// Hides the keys at `end` and after it; with CAUSAL, those after a row's own
// (rows past the end see zeroes, and are not stored). `row` is this thread's
// first, `col` its first key.
template <bool CAUSAL> static __device__ void hide(float (&s)[BANDS][TILE_N / 8][4], int row, int col, int end)
{
#pragma unroll
	for (int b = 0; b < BANDS; b++)
#pragma unroll
		for (int h = 0; h < 2; h++) {
			int left = (CAUSAL ? row + b * 16 + h * 8 + 1 : end) - col;

#pragma unroll
			for (int n = 0; n < TILE_N / 8; n++)
#pragma unroll
				for (int e = 0; e < 2; e++)
					if (n * 8 + e >= left)
						s[b][n][2 * h + e] = -INFINITY;
		}
}

// Turns scores into weights; what was summed up before is made smaller.
static __device__ void weigh(uint32_t (&w)[BANDS][TILE_N / 8][2], float (&s)[BANDS][TILE_N / 8][4],
			     float (&o)[BANDS][D / 8][4], struct softmax &x)
{
#pragma unroll
	for (int b = 0; b < BANDS; b++) {
		float base[2], keep[2], sum[2] = {0, 0};

#pragma unroll
		for (int h = 0; h < 2; h++) {
			float top = x.largest[b][h];

#pragma unroll
			for (int n = 0; n < TILE_N / 8; n++)
				top = fmaxf(top, fmaxf(s[b][n][2 * h], s[b][n][2 * h + 1]));
			top = fmaxf(top, __shfl_xor_sync(0xffffffff, top, 1));
			top = fmaxf(top, __shfl_xor_sync(0xffffffff, top, 2));
			// A row may have seen nothing but hidden keys.
			base[h] = top == -INFINITY ? 0 : top * SCALE;
			keep[h] = power(x.largest[b][h] * SCALE - base[h]);
			x.largest[b][h] = top;
		}
#pragma unroll
		for (int n = 0; n < TILE_N / 8; n++)
#pragma unroll
			for (int h = 0; h < 2; h++) {
				float low = power(s[b][n][2 * h] * SCALE - base[h]);
				float high = power(s[b][n][2 * h + 1] * SCALE - base[h]);

				sum[h] += low + high;
				w[b][n][h] = pack(low, high);
			}
#pragma unroll
		for (int h = 0; h < 2; h++)
			x.sum[b][h] = x.sum[b][h] * keep[h] + sum[h];
#pragma unroll
		for (int d = 0; d < D / 8; d++)
#pragma unroll
			for (int e = 0; e < 4; e++)
				o[b][d][e] *= keep[e / 2];
	}
}

static __device__ void add_values(float (&o)[BANDS][D / 8][4], const uint32_t (&w)[BANDS][TILE_N / 8][2], uint32_t v)
{
#pragma unroll
	for (int d = 0; d < D / 16; d++)
#pragma unroll
		for (int n = 0; n < TILE_N / 16; n++) {
			uint32_t f[4];

			load_matrices<true>(f, v, d << 5, n * 16 * ROW);
#pragma unroll
			for (int b = 0; b < BANDS; b++) {
				uint32_t a[4] = {w[b][2 * n][0], w[b][2 * n][1], w[b][2 * n + 1][0],
						 w[b][2 * n + 1][1]};
				multiply(o[b][2 * d], a, f[0], f[1]);
				multiply(o[b][2 * d + 1], a, f[2], f[3]);
			}
		}
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

static __device__ void store_rows(bf16 *out, int step, int row, int rows, float (&o)[BANDS][D / 8][4],
				  const struct softmax &x)
{
	int t = threadIdx.x % 4;

#pragma unroll
	for (int b = 0; b < BANDS; b++)
#pragma unroll
		for (int h = 0; h < 2; h++) {
			int r = row + b * 16 + h * 8;
			float sum = x.sum[b][h];

			sum += __shfl_xor_sync(0xffffffff, sum, 1);
			sum += __shfl_xor_sync(0xffffffff, sum, 2);
			sum = 1 / sum;
#pragma unroll
			for (int d = 0; d < D / 8; d += 4) {
				uint32_t w[4];

#pragma unroll
				for (int i = 0; i < 4; i++)
					w[i] = pack(o[b][d + i][2 * h] * sum, o[b][d + i][2 * h + 1] * sum);
				transpose(w, t);
				if (r < rows)
					*(uint4 *)(out + (long)r * step + (d + t) * 8) =
						make_uint4(w[0], w[1], w[2], w[3]);
			}
		}
}

// Where a thread's pieces of the tiles of keys and values come from, and go.
struct source {
	const bf16 *k; // values lie as far from it as v from k
	int left;
	uint32_t to;
};

// Goes one tile back.
static __device__ void copy_tile(struct source &x, uint32_t stage, const struct problem &p)
{
	int step = p.kv_heads * D;

	copy_rows<TILE_N>(x.to + stage, x.k, x.left, step);
	copy_rows<TILE_N>(x.to + stage + TILE_N * ROW, p.v + (x.k - p.k), x.left, step);
	x.k -= (long)step * TILE_N;
	x.left += TILE_N;
}

struct place {
	int first, head, sequence;
};

// Long rows of tiles first, heads that share keys beside each other. Read anew
// each time it is asked for, since the loop has no register to keep it in.
template <bool CAUSAL> static __device__ struct place find_place(const struct problem &p)
{
	int block, m, pair;

	asm volatile("mov.u32 %0, %%ctaid.x;" : "=r"(block));
	m = block % p.m_tiles;
	pair = block / p.m_tiles;
	return {(CAUSAL ? p.m_tiles - 1 - m : m) * TILE_M, pair % p.heads, pair / p.heads};
}

template <bool CAUSAL> static __global__ void __launch_bounds__(THREADS, BLOCKS) attention_kernel(struct problem p)
{
	extern __shared__ __align__(1024) unsigned char room[];
	uint32_t q_at = (uint32_t)__cvta_generic_to_shared(room), ring = q_at + TILE_M * ROW;
	struct place at = find_place<CAUSAL>(p);
	int lane = threadIdx.x % 32, warp_row = threadIdx.x / 32 * WARP_ROWS, row = at.first + warp_row + lane / 4;
	int n = ((CAUSAL ? min(p.seq, at.first + TILE_M) : p.seq) + TILE_N - 1) / TILE_N;
	uint32_t q_lane = q_at + (warp_row + lane % 16) * ROW + ((lane / 16 ^ lane % 8) << 4);
	uint32_t k_lane = (lane / 16 * 8 + lane % 8) * ROW + ((lane / 8 % 2 ^ lane % 8) << 4);
	uint32_t v_lane = TILE_N * ROW + lane % 16 * ROW + ((lane / 16 ^ lane % 8) << 4);
	// This thread's piece and first row when it copies.
	int piece = threadIdx.x % 16, r = threadIdx.x / 16;
	uint32_t to = r * ROW + ((piece ^ r % 8) << 4), stage = 0, next = (STAGES - 1) * STAGE;
	long token = (long)at.sequence * p.seq + r;
	float o[BANDS][D / 8][4] = {};
	struct softmax x;
	struct source source;

#pragma unroll
	for (int b = 0; b < BANDS; b++)
#pragma unroll
		for (int h = 0; h < 2; h++) {
			x.largest[b][h] = -INFINITY;
			x.sum[b][h] = 0;
		}
	copy_rows<TILE_M>(q_at + to, p.q + ((token + at.first) * p.heads + at.head) * D + piece * 8,
			  p.seq - at.first - r, p.heads * D);
	source.left = p.seq - (n - 1) * TILE_N - r;
	source.k = p.k + ((token + (n - 1) * TILE_N) * p.kv_heads + at.head / (p.heads / p.kv_heads)) * D + piece * 8;
	source.to = ring + to;
#pragma unroll
	for (int i = 0; i < STAGES - 1; i++) {
		if (i < n)
			copy_tile(source, i * STAGE, p);
		commit();
	}
	for (int j = n - 1; j >= 0; j--) {
		float s[BANDS][TILE_N / 8][4];
		uint32_t w[BANDS][TILE_N / 8][2];

		wait_copies<STAGES - 2>();
		// All have the tile, and are done with the one before it.
		__syncthreads();
		if (j >= STAGES - 1)
			copy_tile(source, next, p);
		commit();
		scores(s, q_lane, ring + stage + k_lane);
		if ((j + 1) * TILE_N > (CAUSAL ? row + 1 : p.seq))
			hide<CAUSAL>(s, row, j * TILE_N + lane % 4 * 2, p.seq);
		weigh(w, s, o, x);
		add_values(o, w, ring + stage + v_lane);
		next = stage;
		stage = stage == (STAGES - 1) * STAGE ? 0 : stage + STAGE;
	}
	at = find_place<CAUSAL>(p);
	store_rows(p.o + ((long)at.sequence * p.seq * p.heads + at.head) * D, p.heads * D,
		   at.first + warp_row + lane / 4, p.seq, o, x);
}

template <bool CAUSAL> static void launch(const struct problem *p, int batch, cudaStream_t stream)
{
	cudaFuncSetAttribute(attention_kernel<CAUSAL>, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED);
	attention_kernel<CAUSAL><<<(unsigned)(p->m_tiles * p->heads * batch), THREADS, SHARED, stream>>>(*p);
}

extern "C" void attention(const bf16 *q, const bf16 *k, const bf16 *v, bf16 *o, int batch, int seq, int heads,
			  int kv_heads, int causal, cudaStream_t stream)
{
	struct problem p = {q, k, v, o, seq, heads, kv_heads, (seq + TILE_M - 1) / TILE_M};

	if (causal)
		launch<true>(&p, batch, stream);
	else
		launch<false>(&p, batch, stream);
}
