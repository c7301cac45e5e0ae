#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <stdint.h>

#define BM	128 // avogit: 64 128 256
#define BN	128 // avogit: 64 128 256
#define BK	32  // avogit: 32 64 128
#define STAGES	4   // avogit: 2 3 4 5 6
#define WARPS_M 2   // avogit: 1 2 4
#define WARPS_N 2   // avogit: 1 2 4
#define GROUP	8   // avogit: 1 2 4 8 16 32
// A warp's part of C: at most 128 sums a thread.
// avogit-require: BM / WARPS_M >= 16
// avogit-require: BN / WARPS_N >= 16
// avogit-require: (BM / WARPS_M) * (BN / WARPS_N) <= 4096
// avogit-require: BM * BN <= 128 * 256
// avogit-require: STAGES * BK * (BM + BN) * 2 <= 227 * 1024
// avogit-require: (BM * BK / 8) % (32 * WARPS_M * WARPS_N) == 0
// avogit-require: (BN * BK / 8) % (32 * WARPS_M * WARPS_N) == 0

#define THREADS (32 * WARPS_M * WARPS_N)
#define WM	(BM / WARPS_M)
#define WN	(BN / WARPS_N)
#define MS	(WM / 16) // products of a warp: MS down,
#define NS	(WN / 8)  // NS across
#define CHUNKS	(BK / 8)  // of 16 bytes, in a row of a tile
#define SHARED	(STAGES * BK * (BM + BN) * (int)sizeof(bf16))

typedef __nv_bfloat16 bf16;

// Where a chunk of a row lies: eight rows that ldmatrix reads together have it
// in eight different groups of banks.
static __device__ int chunk_at(int row, int chunk)
{
	const int rows = CHUNKS < 8 ? 8 / CHUNKS : 1; // in 128 bytes
	const int mask = (CHUNKS < 8 ? CHUNKS : 8) - 1;

	return row * CHUNKS + (chunk ^ (row / rows & mask));
}

static __device__ uint32_t address(const void *shared)
{
	return (uint32_t)__cvta_generic_to_shared(shared);
}

// 16 bytes into shared memory without a wait; zeros where there is nothing.
static __device__ void copy(uint4 *to, const void *from, bool there)
{
	asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(
			     address(to)),
		     "l"(from), "r"(there ? 16 : 0)
		     : "memory");
}

template <int ROWS>
static __device__ void fetch(uint4 *tile, const bf16 *from, int first, int rows,
			     int p, int k)
{
#pragma unroll
	for (int i = threadIdx.x; i < ROWS * CHUNKS; i += THREADS) {
		int row = i / CHUNKS, chunk = i % CHUNKS;
		bool there = first + row < rows && p + 8 * chunk < k;
		long at = (long)(first + row) * k + p + 8 * chunk;

		copy(&tile[chunk_at(row, chunk)], from + (there ? at : 0),
		     there);
	}
}

static __device__ void load_four(uint32_t r[4], const uint4 *from)
{
	asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 "
		     "{%0, %1, %2, %3}, [%4];"
		     : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
		     : "r"(address(from))
		     : "memory");
}

static __device__ void multiply(float c[4], const uint32_t a[4],
				const uint32_t b[2])
{
	asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
		     "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
		     "{%0, %1, %2, %3};"
		     : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
		     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]),
		       "r"(b[1]));
}

// The product of a stage, for one warp. Lanes 0 to 15 of ldmatrix name the
// rows of A, lanes 16 to 31 the same rows eight numbers on; of B, eight lanes
// each: eight rows, the same eight on, the next eight rows, these eight on.
static __device__ void multiply_stage(float c[MS][NS][4], const uint4 *a,
				      const uint4 *b, int i, int j)
{
	int lane = threadIdx.x % 32;
	int row = i + lane % 16, ahead = lane / 16;
	int column = j + lane / 16 * 8 + lane % 8, half = lane / 8 % 2;

#pragma unroll
	for (int p = 0; p < CHUNKS; p += 2) {
		uint32_t x[MS][4], y[NS / 2][4];

#pragma unroll
		for (int r = 0; r < MS; r++)
			load_four(x[r], &a[chunk_at(row + 16 * r, p + ahead)]);
#pragma unroll
		for (int q = 0; q < NS / 2; q++)
			load_four(y[q],
				  &b[chunk_at(column + 16 * q, p + half)]);
#pragma unroll
		for (int r = 0; r < MS; r++)
#pragma unroll
			for (int q = 0; q < NS; q++)
				multiply(c[r][q], x[r], &y[q / 2][q % 2 * 2]);
	}
}

static __device__ void put(bf16 *c, float left, float right, int row,
			   int column, int m, int n)
{
	bf16 *to = c + (long)row * n + column;

	if (row >= m || column >= n)
		return;
	if (n % 2 == 0) {
		*(__nv_bfloat162 *)to = __floats2bfloat162_rn(left, right);
		return;
	}
	to[0] = __float2bfloat16(left);
	if (column + 1 < n)
		to[1] = __float2bfloat16(right);
}

// GROUP rows of tiles, column by column, then the next: blocks that run at the
// same time share more of A and B in the cache.
static __device__ void place(int *row, int *column, int m, int n)
{
	int down = (m + BM - 1) / BM, across = (n + BN - 1) / BN;
	int first = blockIdx.x / (GROUP * across) * GROUP;
	int within = blockIdx.x % (GROUP * across);
	int height = min(GROUP, down - first);

	*row = (first + within % height) * BM;
	*column = within / height * BN;
}

// A block a tile of C. STAGES tiles of A and B are in shared memory or on
// their way while the tensor cores work on the oldest.
static __global__ void __launch_bounds__(THREADS)
	matmul_kernel(const bf16 *a, const bf16 *b, bf16 *c, int m, int n,
		      int k)
{
	extern __shared__ uint4 room[];
	uint4 *of_a = room, *of_b = room + STAGES * BM * CHUNKS;
	int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
	int i = warp / WARPS_N * WM, j = warp % WARPS_N * WN;
	int steps = (k + BK - 1) / BK, row, column;
	float sum[MS][NS][4] = {};

	place(&row, &column, m, n);
	for (int s = 0; s < STAGES - 1; s++) {
		fetch<BM>(of_a + s * BM * CHUNKS, a, row, m, s * BK, k);
		fetch<BN>(of_b + s * BN * CHUNKS, b, column, n, s * BK, k);
		asm volatile("cp.async.commit_group;" ::: "memory");
	}
	for (int s = 0; s < steps; s++) {
		int next = s + STAGES - 1;

		// The oldest has come, and nobody reads the one before it.
		asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2)
			     : "memory");
		__syncthreads();
		fetch<BM>(of_a + next % STAGES * BM * CHUNKS, a, row, m,
			  next * BK, k);
		fetch<BN>(of_b + next % STAGES * BN * CHUNKS, b, column, n,
			  next * BK, k);
		asm volatile("cp.async.commit_group;" ::: "memory");
		multiply_stage(sum, of_a + s % STAGES * BM * CHUNKS,
			       of_b + s % STAGES * BN * CHUNKS, i, j);
	}
	row += i + lane / 4;
	column += j + lane % 4 * 2;
#pragma unroll
	for (int r = 0; r < MS; r++)
#pragma unroll
		for (int q = 0; q < NS; q++) {
			const float *v = sum[r][q];

			put(c, v[0], v[1], row + 16 * r, column + 8 * q, m, n);
			put(c, v[2], v[3], row + 16 * r + 8, column + 8 * q, m,
			    n);
		}
}

extern "C" void matmul(const bf16 *a, const bf16 *b, bf16 *c, int m, int n,
		       int k, cudaStream_t stream)
{
	int tiles = (m + BM - 1) / BM * ((n + BN - 1) / BN);

	cudaFuncSetAttribute(matmul_kernel,
			     cudaFuncAttributeMaxDynamicSharedMemorySize,
			     SHARED);
	matmul_kernel<<<tiles, THREADS, SHARED, stream>>>(a, b, c, m, n, k);
}
