/* The scorer's own kernels, as scorer/runner_gpu/kernels.cu has them, for the
 * types that the tests use. */
#include "tests/fake/cuda.h"

#include <math.h>
#include <string.h>

#include "core/base/dtype.h"
#include "scorer/runner/contents.h"
#include "scorer/runner_gpu/gpu.h"

#define P(type, i) (*(type *)p[i])

static uint64_t mix(uint64_t seed, uint64_t k)
{
	uint64_t x = seed + (k + 1) * 0x9e3779b97f4a7c15u;

	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	return x ^ (x >> 31);
}

static int64_t place(const struct gpu_tensor *t, int64_t i)
{
	int64_t at = 0;

	for (int d = t->n_dims - 1; d >= 0; d--) {
		at += i % t->shape[d] * t->stride[d];
		i /= t->shape[d];
	}
	return at;
}

/* Blocks of the group that an element is of: each is of many elements, so that
 * they are made once a group. */
static const uint32_t *word_of(const struct contents *c, uint64_t i)
{
	static uint32_t blocks[CONTENTS_LANES][CHACHA_WORDS];

	if (i % CONTENTS_GROUP == 0)
		for (uint64_t k = 0; k < CONTENTS_LANES; k++)
			chacha_block(blocks[k], &c->key, CHACHA_FAST, contents_block(i) + k, 0);
	return &blocks[i % CONTENTS_LANES][contents_word(i)];
}

static void fill(void **p)
{
	const struct gpu_tensor *t = p[1];
	const struct contents *c = p[2];
	char *data = P(char *, 0);

	for (uint64_t i = 0; i < (uint64_t)t->elements; i++) {
		struct contents_row row = contents_row(c, i / c->row);
		struct contents_draw d;
		int64_t at = place(t, (int64_t)i) * t->size;
		double v;
		float f;

		d = contents_draw(*word_of(c, i));
		v = contents_double(c, row, d);
		f = contents_float(c, row, d);
		if (t->dtype == DTYPE_F64)
			memcpy(data + at, &v, sizeof v);
		else
			memcpy(data + at, &f, sizeof f);
	}
}

static uint64_t poison_word(uint64_t seed, uint64_t i)
{
	return 0x7ff07ff07ff07ff0u ^ (mix(seed, i % 512) & 0x800e800e800e800eu);
}

static unsigned char poison_byte(uint64_t seed, uint64_t at)
{
	return (unsigned char)(poison_word(seed, at / 8) >> 8 * (at % 8));
}

static void poison(void **p)
{
	for (uint64_t i = 0; i < P(uint64_t, 1); i++)
		P(uint64_t *, 0)[i] = poison_word(P(uint64_t, 2), i);
}

static bool left(const unsigned char *region, uint64_t at, int bytes,
		 uint64_t seed)
{
	for (int b = 0; b < bytes; b++)
		if (region[at + (uint64_t)b] !=
		    poison_byte(seed, at + (uint64_t)b))
			return false;
	return true;
}

/* Of tensors without gaps. */
static void look(void **p)
{
	const unsigned char *region = P(const unsigned char *, 0);
	const struct gpu_tensor *t = p[1];
	uint64_t begin = P(uint64_t, 2), offset = P(uint64_t, 3);
	uint64_t bytes = P(uint64_t, 4), seed = P(uint64_t, 6);
	uint64_t *found = P(uint64_t *, 8);

	for (uint64_t at = begin; at < P(uint64_t, 5); at++)
		if ((at < offset || at >= offset + bytes) &&
		    region[at] != poison_byte(seed, at))
			found[0]++;
	for (int64_t i = t->elements - 1; P(int, 7) && i >= 0; i--) {
		uint64_t at = offset + (uint64_t)(place(t, i) * t->size);

		if (!left(region, at, t->size, seed))
			continue;
		found[1]++;
		found[2] = (uint64_t)i;
	}
}

static void spread(void **p)
{
	for (uint64_t i = 0; i < P(uint64_t, 1); i++)
		P(uint64_t *, 0)[i] = P(uint64_t, 2);
}

static void start(void **p)
{
	const struct gpu_tensor *t = p[2];
	const float *from = P(const float *, 1);

	for (int64_t i = 0; i < t->elements; i++)
		if (P(int, 3))
			P(double *, 0)[place(t, i)] = (double)from[place(t, i)];
		else
			P(float *, 0)[place(t, i)] = from[place(t, i)];
}

static void touch(void **p)
{
	uint64_t all = 0;

	for (size_t k = 0; k < 6; k += 2)
		for (uint64_t i = 0; i < P(uint64_t, k + 1); i++)
			all += P(const volatile uint64_t *, k)[i];
	if (all == 1)
		*P(uint64_t *, 6) = all;
}

static void same(void **p)
{
	const struct gpu_tensor *t = p[2];

	for (int64_t i = 0; i < t->elements; i++) {
		size_t at = (size_t)(place(t, i) * t->size);

		*P(uint64_t *, 3) += memcmp(P(const char *, 0) + at,
					    P(const char *, 1) + at,
					    (size_t)t->size) != 0;
	}
}

/* Of floats without gaps. */
static void unlike(void **p)
{
	const struct gpu_tensor *t = p[2];
	const float *a = P(const float *, 0), *b = P(const float *, 1);
	uint64_t tile = P(uint64_t, 3), *found = P(uint64_t *, 6);

	for (uint64_t at = 0; at < (uint64_t)t->elements; at += tile) {
		float peak = 0, difference = 0, most;
		uint64_t key;
		uint32_t bits;

		for (uint64_t i = at;
		     i < at + tile && i < (uint64_t)t->elements; i++) {
			peak = fmaxf(peak, fmaxf(fabsf(a[i]), fabsf(b[i])));
			difference = fmaxf(difference, fabsf(a[i] - b[i]));
		}
		if (difference <= 0)
			continue;
		most = difference / peak;
		memcpy(&bits, &most, sizeof bits);
		key = (uint64_t)bits << 32 | P(uint64_t, 5) << 26 | at / tile;
		if (key > found[0])
			found[0] = key;
	}
}

const struct own_kernel *own_kernel(const char *name)
{
#define TENSOR sizeof(struct gpu_tensor)
	static const unsigned fills[] = {8, TENSOR, sizeof(struct contents), 0},
			      words[] = {8, 8, 8, 0},
			      looks[] = {8, TENSOR, 8, 8, 8, 8, 8, 4, 8, 0},
			      starts[] = {8, 8, TENSOR, 4, 0},
			      sames[] = {8, 8, TENSOR, 8, 0},
			      touches[] = {8, 8, 8, 8, 8, 8, 8, 0},
			      unlikes[] = {8, 8, TENSOR, 8, 8, 8, 8, 0};
	static const struct own_kernel own[] = {
		{"avogit_fill", fill, fills},
		{"avogit_poison", poison, words},
		{"avogit_look", look, looks},
		{"avogit_spread", spread, words},
		{"avogit_start", start, starts},
		{"avogit_same", same, sames},
		{"avogit_touch", touch, touches},
		{"avogit_unlike", unlike, unlikes},
	};

	for (size_t i = 0; i < ARRAY_SIZE(own); i++)
		if (strcmp(own[i].name, name) == 0)
			return &own[i];
	return NULL;
}
