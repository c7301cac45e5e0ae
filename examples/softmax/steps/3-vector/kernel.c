/*
 * Softmax of every row of a matrix, single precision.
 *
 * Version 1, naive: the definition in three passes, expf() from the C library
 * for each element, one at a time, and a division for each.
 *
 * Version 2, reciprocal: one division a row. Most of the time is expf() now.
 *
 * Version 3, vectors: VL elements at a time, UNROLL vectors in flight so that
 * the chains of maxima, sums and polynomial steps overlap. exp(x) is
 * 2^n * 2^f with n = round(x / ln 2): the integer part goes into the exponent
 * bits, the rest through a polynomial of DEGREE (Taylor's, in Horner's form,
 * |f ln 2| <= 0.35). Too low a degree is faster and wrong: the task's
 * tolerance will say so.
 */
#include <stdint.h>
#include <string.h>

// avogit-flags: -O2 | -O3 | -O3 -funroll-loops
#define VL 8	 // avogit: 4 8 16
#define UNROLL 1 // avogit: 1 2 3 4 6 8
#define DEGREE 8 // avogit: 4 5 6 7 8
#define AHEAD 0	 // avogit: 0 16 32 64 128

typedef float vec __attribute__((vector_size(4 * VL), aligned(4)));
typedef int32_t ivec __attribute__((vector_size(4 * VL), aligned(4)));

static const float inverse[] = {1,	   1,	      1.0f / 2,	   1.0f / 6,
				1.0f / 24, 1.0f / 120, 1.0f / 720, 1.0f / 5040,
				1.0f / 40320};

/* exp() of elements that are at most 0. Below -87 the result is taken for 0,
 * which it is to within single precision's smallest normal number. */
static inline vec exponential(vec x)
{
	const float magic = 12582912.0f; /* 1.5 * 2^23: rounds what is added */
	vec n = x * 1.44269504f + magic;
	ivec bits = ((ivec)n - 0x4b400000 + 127) << 23;
	vec whole = n - magic;
	vec f = x - whole * 0.693359375f + whole * 2.12194440e-4f;
	vec p = (vec){0} + inverse[DEGREE];
	ivec keep = x > (vec){0} - 87.0f;

#pragma GCC unroll 8
	for (int d = DEGREE - 1; d >= 0; d--)
		p = p * f + inverse[d];
	return (vec)((ivec)(p * (vec)bits) & keep);
}

static inline vec larger(vec a, vec b)
{
	ivec which = a > b;

	return (vec)(((ivec)a & which) | ((ivec)b & ~which));
}

static inline float widest(const float *x, int n)
{
	float largest = x[0];
	int j = 0;

	if (n >= VL * UNROLL) {
		vec m[UNROLL];

		for (int u = 0; u < UNROLL; u++)
			m[u] = *(const vec *)(x + u * VL);
		for (j = VL * UNROLL; j + VL * UNROLL <= n; j += VL * UNROLL)
			for (int u = 0; u < UNROLL; u++) {
				vec v = *(const vec *)(x + j + u * VL);

				m[u] = larger(v, m[u]);
			}
		for (int u = 0; u < UNROLL; u++)
			for (int i = 0; i < VL; i++)
				largest = m[u][i] > largest ? m[u][i] : largest;
	}
	for (; j < n; j++)
		largest = x[j] > largest ? x[j] : largest;
	return largest;
}

/* y = exp(x - largest); returns the sum. */
static inline float exponentials(const float *x, float *y, int n, float largest)
{
	vec sums[UNROLL] = {{0}};
	float sum = 0;
	int j = 0;

	for (; j + VL * UNROLL <= n; j += VL * UNROLL) {
		if (AHEAD)
			__builtin_prefetch(x + j + VL * AHEAD);
		for (int u = 0; u < UNROLL; u++) {
			vec e = exponential(*(const vec *)(x + j + u * VL) -
					    largest);

			*(vec *)(y + j + u * VL) = e;
			sums[u] += e;
		}
	}
	for (; j < n; j += VL) {
		int left = n - j < VL ? n - j : VL;
		vec v = (vec){0} + largest;

		memcpy(&v, x + j, 4 * (size_t)left);
		v = exponential(v - largest);
		memcpy(y + j, &v, 4 * (size_t)left);
		for (int i = 0; i < left; i++)
			sum += v[i];
	}
	for (int u = 0; u < UNROLL; u++)
		for (int i = 0; i < VL; i++)
			sum += sums[u][i];
	return sum;
}

void softmax(const float *x, float *y, int rows, int columns)
{
	for (int i = 0; i < rows; i++) {
		const float *from = x + (long)i * columns;
		float *to = y + (long)i * columns;
		float largest = widest(from, columns);
		float scale = 1 / exponentials(from, to, columns, largest);

		for (int j = 0; j < columns; j++)
			to[j] *= scale;
	}
}
