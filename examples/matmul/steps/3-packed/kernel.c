/*
 * Single-precision matrix product, C = A B, all row-major.
 *
 * Version 1, naive: the definition, three loops. The innermost one walks down
 * a column of B, a cache line for each element, and so waits for memory.
 *
 * Version 2, loop order: i-p-j, so that the innermost loop walks along a row
 * of B and a row of C, which the compiler turns into vectors. C is read and
 * written once for every p: the load and store ports are the limit now.
 *
 * Version 3, packed: a block of C, MR rows by NR columns, stays in registers
 * while p runs over KC steps (Goto and van de Geijn 2008). A and B are copied
 * into panels in the order in which the micro-kernel reads them, so that every
 * load is aligned and next to the one before; MC rows of A fill the L2 cache,
 * KC x NR of B the L1. The sizes below are modest guesses: the right ones
 * depend on the machine, which is what the tuner is for.
 */
#include <string.h>

// avogit-flags: -O2 | -O3 | -O3 -ffast-math
#define MR 4  // avogit: 2 4 6 8 12 14
#define NR 16 // avogit: 16 32 48 64
#define KC 64 // avogit: 32 64 128 256 512
#define MC 24 // avogit: 24 48 84 168 336
// avogit-require: MC % MR == 0
// avogit-require: MR * NR <= 768

#define NC 1024
#ifdef __AVX512F__
#define VL 16 /* floats in a vector */
#else
#define VL 8 /* wider ones than the processor's are taken apart badly */
#endif
#define NV (NR / VL)

typedef float vec __attribute__((vector_size(4 * VL), aligned(4 * VL)));
typedef float loose __attribute__((vector_size(4 * VL), aligned(4)));

/* Rounded up to whole panels: rows and columns that are not there are zero. */
static float panel_a[(MC + MR) * KC] __attribute__((aligned(64)));
static float panel_b[KC * (NC + NR)] __attribute__((aligned(64)));

static int min(int x, int y)
{
	return x < y ? x : y;
}

/* Panels of MR rows: MR elements for each p. */
static void pack_a(const float *a, int rows, int depth, int k)
{
	float *to = panel_a;

	for (int i = 0; i < rows; i += MR)
		for (int p = 0; p < depth; p++)
			for (int r = 0; r < MR; r++)
				*to++ = i + r < rows ? a[(long)(i + r) * k + p]
						     : 0;
}

/* Panels of NR columns: NR elements for each p. */
static void pack_b(const float *b, int depth, int columns, int n)
{
	float *to = panel_b;

	for (int j = 0; j < columns; j += NR) {
		int width = min(NR, columns - j);

		for (int p = 0; p < depth; p++, to += NR) {
			memcpy(to, b + (long)p * n + j, 4 * (size_t)width);
			if (width < NR)
				memset(to + width, 0, 4 * (size_t)(NR - width));
		}
	}
}

/* Adds the product of a panel of A and one of B to acc. */
static inline void multiply(const float *a, const float *b, int depth,
			    vec acc[MR][NV])
{
	for (int p = 0; p < depth; p++, a += MR, b += NR) {
		const vec *bv = (const vec *)b;

#pragma GCC unroll 16
		for (int r = 0; r < MR; r++)
#pragma GCC unroll 8
			for (int v = 0; v < NV; v++)
				acc[r][v] += a[r] * bv[v];
	}
}

static void block(const float *a, const float *b, int depth, float *c, int n,
		  int first)
{
	vec acc[MR][NV];

#pragma GCC unroll 16
	for (int r = 0; r < MR; r++)
#pragma GCC unroll 8
		for (int v = 0; v < NV; v++)
			acc[r][v] = (vec){0};
	multiply(a, b, depth, acc);
#pragma GCC unroll 16
	for (int r = 0; r < MR; r++)
#pragma GCC unroll 8
		for (int v = 0; v < NV; v++) {
			loose *to = (loose *)(c + (long)r * n + v * VL);

			*to = first ? acc[r][v] : *to + acc[r][v];
		}
}

/* A block that sticks out at the right or at the bottom: through a copy. */
static void edge(const float *a, const float *b, int depth, float *c, int n,
		 int first, int rows, int columns)
{
	float tile[MR * NR] __attribute__((aligned(64)));

	block(a, b, depth, tile, NR, 1);
	for (int r = 0; r < rows; r++)
		for (int j = 0; j < columns; j++) {
			float *to = c + (long)r * n + j;

			*to = first ? tile[r * NR + j] : *to + tile[r * NR + j];
		}
}

static void multiply_panels(float *c, int rows, int columns, int depth, int n,
			    int first)
{
	for (int j = 0; j < columns; j += NR)
		for (int i = 0; i < rows; i += MR) {
			const float *a = panel_a + (long)i * depth;
			const float *b = panel_b + (long)j * depth;
			float *to = c + (long)i * n + j;

			if (i + MR <= rows && j + NR <= columns)
				block(a, b, depth, to, n, first);
			else
				edge(a, b, depth, to, n, first,
				     min(MR, rows - i), min(NR, columns - j));
		}
}

void matmul(const float *a, const float *b, float *c, int m, int n, int k)
{
	for (int j = 0; j < n; j += NC)
		for (int p = 0; p < k; p += KC) {
			int columns = min(NC, n - j), depth = min(KC, k - p);

			pack_b(b + (long)p * n + j, depth, columns, n);
			for (int i = 0; i < m; i += MC) {
				int rows = min(MC, m - i);

				pack_a(a + (long)i * k + p, rows, depth, k);
				multiply_panels(c + (long)i * n + j, rows,
						columns, depth, n, p == 0);
			}
		}
}
