/*
 * The contents of one input of one launch. Each element is a function of its
 * index and of a key of 256 bits, which no other input and no other launch has.
 * So elements are made without state, in any order, on a CPU and on a GPU. They
 * reveal nothing of the key.
 *
 * Each element has its own word. 512 elements, a group, are 32 blocks of
 * ChaCha8; block k of a group has the words of elements k, k + 32, k + 64 and
 * so on, so that 32 threads of a GPU, or the lanes of a vector, work on
 * neighbours.
 *
 * Normal numbers are sums of four uniforms (they end at 3.46 deviations) with
 * random low bits, so that no product of two is exact.
 */
#ifndef RUNNER_CONTENTS_H
#define RUNNER_CONTENTS_H

#include "core/base/chacha.h"
#include "core/task/fill.h"

#define CONTENTS_GROUP	 512
#define CONTENTS_LANES	 32
#define CONTENTS_EACH	 (CONTENTS_GROUP / CONTENTS_LANES) /* of a block */
#define CONTENTS_OUTLIER 256 /* one element of so many */
#define CONTENTS_STRAY	 32  /* one row of so many */
#define CONTENTS_SHORT	 64  /* a row of a tensor of one dimension */
#define CONTENTS_SPARSE	 10  /* one element of so many is not zero */
#define CONTENTS_BESIDE	 16  /* one element of so many is at no end */

struct contents {
	struct chacha_key key;
	uint32_t rows;	  /* a key for kinds of rows and signs of shifts */
	int kind;	  /* enum fill, not mixed and not generator */
	int wide;	  /* made as doubles: f64, integers, a range */
	uint64_t row;	  /* elements of a row */
	double low, high; /* of a range */
	/* As the type allows: deviation of large numbers; outliers are from
	 * `outlier` to twice that; mean and deviation of shifted numbers. */
	double large, outlier, mean, spread;
};

/* A 32-bit mixer of low bias (the constants of C. Wellons' "lowbias32"), for
 * words that are random already. */
ANYWHERE uint32_t contents_mix(uint32_t x)
{
	x ^= x >> 16;
	x *= 0x7feb352du;
	x ^= x >> 15;
	x *= 0x846ca68bu;
	return x ^ (x >> 16);
}

/* The block of an element; contents_word: the word in it. */
ANYWHERE uint64_t contents_block(uint64_t element)
{
	return element / CONTENTS_GROUP * CONTENTS_LANES +
	       element % CONTENTS_LANES;
}

ANYWHERE int contents_word(uint64_t element)
{
	return (int)(element % CONTENTS_GROUP / CONTENTS_LANES);
}

/* ---- kinds of rows ------------------------------------------------------- */

ANYWHERE int contents_has_rows(const struct contents *c)
{
	return c->kind == FILL_BY_ROW || c->kind == FILL_STRAY_ROWS ||
	       c->kind == FILL_ENDS_ROWS;
}

struct contents_row {
	int kind;
	int below;   /* shifted numbers lie below zero */
	float large; /* deviation of large numbers */
};

/* A power of two from 2 to 256, one time in four the largest of the type: code
 * that is right for numbers near zero and for very large ones may be wrong for
 * those between. */
ANYWHERE float contents_row_large(const struct contents *c, uint32_t draw)
{
	float large = (float)(2 << (draw & 7));

	return draw & 24 && large < (float)c->large ? large : (float)c->large;
}

/* Any other kind, except those that reveal their kind at once. */
ANYWHERE int contents_any_kind(uint32_t draw)
{
	switch (draw % 8) {
	case 0:
		return FILL_NORMAL;
	case 1:
		return FILL_UNIFORM;
	case 2:
		return FILL_LARGE;
	case 3:
		return FILL_TINY;
	case 4:
		return FILL_SMALL_INTS;
	case 5:
		return FILL_SPARSE;
	case 6:
		return FILL_OUTLIERS;
	default:
		return FILL_SHIFTED;
	}
}

/* A kind on which no honest kernel takes longer. */
ANYWHERE int contents_stray_kind(uint32_t draw)
{
	switch (draw % 4) {
	case 0:
		return FILL_UNIFORM;
	case 1:
		return FILL_SHIFTED;
	default:
		return FILL_OUTLIERS;
	}
}

/* Not all of a row at one end: what divides by a spread gets one. */
ANYWHERE int contents_ends_kind(uint32_t draw)
{
	switch (draw % 4) {
	case 0:
		return FILL_RANGE;
	case 1:
		return FILL_ENDS;
	case 2:
		return FILL_MOSTLY_LOW;
	default:
		return FILL_MOSTLY_HIGH;
	}
}

ANYWHERE struct contents_row contents_row(const struct contents *c,
					  uint64_t row)
{
	uint32_t h = c->rows;
	struct contents_row out;

	out.kind = c->kind;
	out.below = (int)(h & 1);
	out.large = (float)c->large;
	if (!contents_has_rows(c))
		return out;
	h = contents_mix(h ^ (uint32_t)(row >> 32));
	h = contents_mix(h + (uint32_t)row * 0x9e3779b9u);
	out.below = (int)(h & 1);
	if (c->kind == FILL_ENDS_ROWS) {
		out.kind = contents_ends_kind(h >> 8);
	} else if (c->kind == FILL_BY_ROW) {
		out.large = contents_row_large(c, h >> 16);
		out.kind = contents_any_kind(h >> 8);
	} else if (h >> 8 & (CONTENTS_STRAY - 1)) {
		out.kind = FILL_NORMAL;
	} else {
		out.kind = contents_stray_kind(h >> 16);
	}
	return out;
}

/* ---- elements ------------------------------------------------------------ */

/* The random bits of an element: its word, and one that is made from it. */
struct contents_draw {
	uint32_t a, b;
};

ANYWHERE struct contents_draw contents_draw(uint32_t word)
{
	struct contents_draw d = {word, contents_mix(word + 0x9e3779b9u)};

	return d;
}

/* A third word, for a further draw. */
ANYWHERE uint32_t contents_besides(struct contents_draw d)
{
	return contents_mix(d.a ^ (d.b << 7 | d.b >> 25));
}

/* The sum of four uniforms of 16 bits, less its mean. */
ANYWHERE int32_t contents_sum(struct contents_draw d)
{
	return (int32_t)((d.a & 0xffff) + (d.a >> 16) + (d.b & 0xffff) +
			 (d.b >> 16)) -
	       131070;
}

#define CONTENTS_DEVIATION 37837.22 /* of that: 65536 / sqrt(3) */

ANYWHERE float contents_normal(struct contents_draw d)
{
	int32_t low = (int32_t)((d.a ^ (d.b << 7)) * 0x9e3779b9u) >> 12;

	return ((float)contents_sum(d) + (float)low * (1.0f / 1048576.0f)) *
	       (float)(1 / CONTENTS_DEVIATION);
}

ANYWHERE double contents_normal_wide(struct contents_draw d)
{
	int32_t low = (int32_t)contents_besides(d);

	return (contents_sum(d) + low * (1.0 / 4294967296.0)) *
	       (1 / CONTENTS_DEVIATION);
}

ANYWHERE float contents_uniform(struct contents_draw d)
{
	return (float)(int32_t)(d.a >> 8) * (1.0f / 16777216.0f);
}

ANYWHERE double contents_uniform_wide(struct contents_draw d)
{
	return (double)(((uint64_t)d.a << 32 | d.b) >> 11) *
	       (1.0 / 9007199254740992.0);
}

/* Integers from low to high, both included. */
ANYWHERE double contents_integer(struct contents_draw d, double low,
				 double high)
{
	uint64_t span = high > low ? (uint64_t)(high - low) + 1 : 1;
	uint64_t pick = span >> 32 ? ((uint64_t)d.a << 32 | d.b) % span
				   : d.a * span >> 32;

	return low + (double)pick;
}

/* One of the two ends, but for an odd one between. */
ANYWHERE double contents_beside(struct contents_draw d, double low, double high,
				double end)
{
	return contents_besides(d) < UINT32_MAX / CONTENTS_BESIDE
		       ? contents_integer(d, low, high)
		       : end;
}

ANYWHERE float contents_sparse(float v, struct contents_draw d)
{
	return contents_besides(d) < UINT32_MAX / CONTENTS_SPARSE ? v : 0;
}

/* The number that makes a normal number an outlier when added; mostly 0. */
ANYWHERE float contents_far(struct contents_draw d, float size)
{
	uint32_t h = contents_besides(d);
	float far = size + size * (float)(int32_t)(h & 0xffff) * (1 / 65536.0f);

	far = h & 0x10000 ? -far : far;
	return h >> 17 & (CONTENTS_OUTLIER - 1) ? 0 : far;
}

/* An element that is not made wide, of a row of this kind. */
ANYWHERE float contents_float(const struct contents *c, struct contents_row r,
			      struct contents_draw d)
{
	float v = contents_normal(d);

	switch (r.kind) {
	case FILL_UNIFORM:
		return contents_uniform(d);
	case FILL_LARGE:
		return v * r.large;
	case FILL_TINY:
		return v * 1e-4f;
	case FILL_SMALL_INTS:
		return (float)((int32_t)((uint64_t)d.a * 9 >> 32) - 4);
	case FILL_SPARSE:
		return contents_sparse(v, d);
	case FILL_OUTLIERS:
		return v + contents_far(d, (float)c->outlier);
	case FILL_SHIFTED:
		return v * (float)c->spread +
		       (r.below ? -(float)c->mean : (float)c->mean);
	default:
		return v;
	}
}

/* An element that is made wide, of a row of this kind. */
ANYWHERE double contents_double(const struct contents *c, struct contents_row r,
				struct contents_draw d)
{
	double v = contents_normal_wide(d);

	switch (r.kind) {
	case FILL_UNIFORM:
		return contents_uniform_wide(d);
	case FILL_LARGE:
		return v * (double)r.large;
	case FILL_TINY:
		return v * 1e-4;
	case FILL_SPARSE:
		return contents_sparse(1, d) > 0 ? v : 0;
	case FILL_OUTLIERS:
		return v + (double)contents_far(d, (float)c->outlier);
	case FILL_SHIFTED:
		return v * c->spread + (r.below ? -c->mean : c->mean);
	case FILL_SMALL_INTS:
		return contents_integer(d, -4, 4);
	case FILL_RANGE:
		return contents_integer(d, c->low, c->high);
	case FILL_ENDS:
		return d.a >> 31 ? c->high : c->low;
	case FILL_MOSTLY_LOW:
		return contents_beside(d, c->low, c->high, c->low);
	case FILL_MOSTLY_HIGH:
		return contents_beside(d, c->low, c->high, c->high);
	default:
		return v;
	}
}

#endif
