#include "scorer/runner/fill.h"

#define CHUNK 1024

/* Many versions of the hot loops, chosen at load time by the CPU. */
#if defined(__x86_64__) && defined(__gnu_linux__)
#define MANY_VERSIONS __attribute__((target_clones("avx2", "default")))
#else
#define MANY_VERSIONS
#endif

struct keys {
	uint32_t a, b, c;
};

/* splitmix64's finaliser. */
uint64_t fill_seed(uint64_t seed, uint64_t k)
{
	uint64_t x = seed + (k + 1) * 0x9e3779b97f4a7c15u;

	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	return x ^ (x >> 31);
}

/* A 32-bit mixer of low bias (the constants of C. Wellons' "lowbias32"). */
static inline uint32_t mix(uint32_t x)
{
	x ^= x >> 16;
	x *= 0x7feb352du;
	x ^= x >> 15;
	x *= 0x846ca68bu;
	return x ^ (x >> 16);
}

static inline uint32_t first_hash(struct keys k, uint32_t i)
{
	return mix(i * 0x9e3779b9u + k.a) ^ k.b;
}

static inline uint32_t second_hash(struct keys k, uint32_t h)
{
	return mix(h + k.c);
}

/* The sum of four uniforms of 16 bits, less its mean. */
static inline int32_t sum_of_four(uint32_t h1, uint32_t h2)
{
	return (int32_t)((h1 & 0xffff) + (h1 >> 16) + (h2 & 0xffff) +
			 (h2 >> 16)) -
	       131070;
}

#define DEVIATION 37837.22 /* of that sum: 65536 / sqrt(3) */

MANY_VERSIONS
static void normals(float *out, uint32_t start, size_t n, struct keys k,
		    float amplitude)
{
	float scale = amplitude / (float)DEVIATION;

	for (size_t i = 0; i < n; i++) {
		uint32_t h1 = first_hash(k, start + (uint32_t)i);
		uint32_t h2 = second_hash(k, h1);
		int32_t low = (int32_t)((h1 ^ (h2 << 7)) * 0x9e3779b9u) >> 12;

		out[i] = ((float)sum_of_four(h1, h2) +
			  (float)low * (1.0f / 1048576.0f)) *
			 scale;
	}
}

MANY_VERSIONS
static void normals_wide(double *out, uint32_t start, size_t n, struct keys k,
			 double amplitude)
{
	double scale = amplitude / DEVIATION;

	for (size_t i = 0; i < n; i++) {
		uint32_t h1 = first_hash(k, start + (uint32_t)i);
		uint32_t h2 = second_hash(k, h1);
		int32_t low = (int32_t)mix(h1 ^ (h2 << 7));

		out[i] = (sum_of_four(h1, h2) + low * (1.0 / 4294967296.0)) *
			 scale;
	}
}

MANY_VERSIONS
static void uniforms(float *out, uint32_t start, size_t n, struct keys k)
{
	for (size_t i = 0; i < n; i++) {
		uint32_t h = first_hash(k, start + (uint32_t)i);

		out[i] = (float)(int32_t)(h >> 8) * (1.0f / 16777216.0f);
	}
}

static void uniforms_wide(double *out, uint32_t start, size_t n, struct keys k)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t h1 = first_hash(k, start + (uint32_t)i);
		uint64_t h2 = second_hash(k, (uint32_t)h1);

		out[i] = (double)(((h1 << 32) | h2) >> 11) * 0x1p-53;
	}
}

/* Integers from low to high, both included. */
static void integers(double *out, uint32_t start, size_t n, struct keys k,
		     double low, double high)
{
	uint64_t span = high > low ? (uint64_t)(high - low) + 1 : 1;

	for (size_t i = 0; i < n; i++) {
		uint64_t h1 = first_hash(k, start + (uint32_t)i);
		uint64_t h2 = second_hash(k, (uint32_t)h1);
		uint64_t pick = span >> 32 ? ((h1 << 32) | h2) % span
					   : (h1 * span) >> 32;

		out[i] = low + (double)pick;
	}
}

/* Nine of ten become zero. */
static void thin_out(double *out, uint32_t start, size_t n, struct keys k)
{
	struct keys other = {k.c ^ 0x5bd1e995u, k.a, k.b};

	for (size_t i = 0; i < n; i++)
		if (first_hash(other, start + (uint32_t)i) % 10)
			out[i] = 0;
}

static double amplitude(enum fill f, enum dtype t)
{
	if (f == FILL_TINY)
		return 1e-4;
	if (f == FILL_LARGE)
		return t == DTYPE_F16 || t == DTYPE_F8E4M3 || t == DTYPE_F8E5M2
			       ? 16
			       : 1e4;
	return 1;
}

static void chunk_of_doubles(double *out, uint32_t start, size_t n,
			     struct keys k, size_t i,
			     const struct tensor_layout *t,
			     const struct recipe *r)
{
	enum fill f = (enum fill)r->fill[i];
	bool is_signed = t->dtype < DTYPE_U8;

	if (f == FILL_RANGE)
		integers(out, start, n, k, r->low[i], r->high[i]);
	else if (f == FILL_SMALL_INTS || !dtype_is_float(t->dtype))
		integers(out, start, n, k, is_signed ? -4 : 0,
			 is_signed ? 4 : 8);
	else if (f == FILL_UNIFORM)
		uniforms_wide(out, start, n, k);
	else
		normals_wide(out, start, n, k, amplitude(f, t->dtype));
	if (f == FILL_SPARSE)
		thin_out(out, start, n, k);
}

static bool fast_fill(enum fill f)
{
	return f == FILL_NORMAL || f == FILL_LARGE || f == FILL_TINY ||
	       f == FILL_UNIFORM;
}

static void fill_floats(float *out, uint32_t start, size_t n, struct keys k,
			enum fill f, enum dtype t)
{
	if (f == FILL_UNIFORM)
		uniforms(out, start, n, k);
	else
		normals(out, start, n, k, (float)amplitude(f, t));
}

static void fill_run(void *data, const struct run *run, struct keys k, size_t i,
		     const struct tensor_layout *t, const struct recipe *r)
{
	double chunk[CHUNK];

	for (int64_t at = 0; at < run->n; at += CHUNK) {
		size_t n = (size_t)MIN(CHUNK, run->n - at);

		chunk_of_doubles(chunk, (uint32_t)(run->first + at), n, k, i, t,
				 r);
		for (size_t j = 0; j < n; j++)
			dtype_store(t->dtype, data,
				    (size_t)(run->at +
					     (at + (int64_t)j) * run->step),
				    chunk[j]);
	}
}

void fill_tensor(void *data, const struct tensor_layout *t, size_t i,
		 const struct recipe *r)
{
	uint64_t s = fill_seed(r->seed, 1000 + i), s2 = fill_seed(s, 0);
	struct keys k = {(uint32_t)s, (uint32_t)(s >> 32), (uint32_t)s2};
	enum fill f = (enum fill)r->fill[i];
	struct runs w;
	struct run run;

	runs_start(&w, t, 0, tensor_rows(t));
	while (runs_next(&w, &run)) {
		if (t->dtype == DTYPE_F32 && run.step == 1 && fast_fill(f))
			fill_floats((float *)data + run.at, (uint32_t)run.first,
				    (size_t)run.n, k, f, t->dtype);
		else
			fill_run(data, &run, k, i, t, r);
	}
}
