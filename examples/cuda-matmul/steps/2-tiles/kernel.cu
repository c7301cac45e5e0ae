#include <cuda_bf16.h>
#include <cuda_runtime.h>

#define TILE 128 // of C, on a side
#define DEEP 16	 // of k, at a time: a pack a thread of each of A and B
#define EACH 8	 // of C, on a side, a thread
#define SIDE (TILE / EACH)
#define PAD  4 // floats, so that rows begin in other banks

typedef __nv_bfloat16 bf16;

// Eight numbers, one load: k divides by eight.
struct alignas(16) pack {
	__nv_bfloat162 v[4];
};

// A tile of A or B with its rows side by side: what is needed together for a
// given k lies together.
typedef float tile[DEEP][TILE + PAD];

static __device__ void read(tile to, const bf16 *from, int first, int rows,
			    int p, int k)
{
	int row = threadIdx.x / (DEEP / 8), at = threadIdx.x % (DEEP / 8) * 8;
	pack x = {};

	if (first + row < rows && p + at < k)
		x = *(const pack *)(from + (long)(first + row) * k + p + at);
#pragma unroll
	for (int q = 0; q < 4; q++) {
		float2 v = __bfloat1622float2(x.v[q]);

		to[at + 2 * q][row] = v.x;
		to[at + 2 * q + 1][row] = v.y;
	}
}

static __device__ void multiply(float sum[EACH][EACH], const tile a,
				const tile b, int i, int j)
{
#pragma unroll
	for (int p = 0; p < DEEP; p++) {
		float x[EACH], y[EACH];

#pragma unroll
		for (int q = 0; q < EACH; q++) {
			x[q] = a[p][i + q];
			y[q] = b[p][j + q];
		}
#pragma unroll
		for (int r = 0; r < EACH; r++)
#pragma unroll
			for (int q = 0; q < EACH; q++)
				sum[r][q] += x[r] * y[q];
	}
}

// A block a tile of C, through shared memory; a thread a square of it, in
// registers: sixteen numbers read from shared memory serve 64 products.
static __global__ void __launch_bounds__(SIDE *SIDE)
	matmul_kernel(const bf16 *a, const bf16 *b, bf16 *c, int m, int n,
		      int k)
{
	__shared__ tile of_a, of_b;
	int i = threadIdx.x / SIDE * EACH, j = threadIdx.x % SIDE * EACH;
	int row = blockIdx.y * TILE, column = blockIdx.x * TILE;
	float sum[EACH][EACH] = {};

	for (int p = 0; p < k; p += DEEP) {
		read(of_a, a, row, m, p, k);
		read(of_b, b, column, n, p, k);
		__syncthreads();
		multiply(sum, of_a, of_b, i, j);
		__syncthreads();
	}
#pragma unroll
	for (int r = 0; r < EACH; r++)
#pragma unroll
		for (int q = 0; q < EACH; q++)
			if (row + i + r < m && column + j + q < n)
				c[(long)(row + i + r) * n + column + j + q] =
					__float2bfloat16(sum[r][q]);
}

extern "C" void matmul(const bf16 *a, const bf16 *b, bf16 *c, int m, int n,
		       int k, cudaStream_t stream)
{
	dim3 grid((n + TILE - 1) / TILE, (m + TILE - 1) / TILE);

	matmul_kernel<<<grid, SIDE * SIDE, 0, stream>>>(a, b, c, m, n, k);
}
