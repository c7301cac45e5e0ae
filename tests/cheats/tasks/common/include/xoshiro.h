/*
 * Works out the state of a xoshiro256** generator (Blackman and Vigna 2018) from
 * the low bits of some of what it drew, by Gaussian elimination over GF(2): its
 * step is linear, and so are the low bits of its output once the two products
 * are taken back. Twelve draws of which 33 bits are seen say it all.
 */
#ifndef XOSHIRO_H
#define XOSHIRO_H

#include <stdint.h>
#include <string.h>

#define XOSHIRO_BITS 256
#define XOSHIRO_SEEN 26 /* linear ones of the 33 low bits of an output */
#define XOSHIRO_LOW  33

/* A bit as the sum of bits of the first state. */
struct xoshiro_row {
	uint64_t of[4];
	int value;
};

struct xoshiro_solver {
	uint64_t bit[4][64][4];			/* the state of now, by bits */
	struct xoshiro_row pivot[XOSHIRO_BITS]; /* by their leading bit */
	unsigned char has[XOSHIRO_BITS];
	unsigned known, at;
	int contradicts;
};

static inline uint64_t xoshiro_next(uint64_t s[4])
{
	uint64_t x = s[1] * 5, out = ((x << 7) | (x >> 57)) * 9, t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = (s[3] << 45) | (s[3] >> 19);
	return out;
}

static inline void xoshiro_solver_init(struct xoshiro_solver *x)
{
	memset(x, 0, sizeof *x);
	for (int w = 0; w < 4; w++)
		for (int b = 0; b < 64; b++)
			x->bit[w][b][w] = 1ull << b;
}

static inline void xoshiro_add(uint64_t to[64][4], uint64_t from[64][4], int up)
{
	for (int b = up; b < 64; b++)
		for (int k = 0; k < 4; k++)
			to[b][k] ^= from[b - up][k];
}

static inline void xoshiro_solver_step(struct xoshiro_solver *x)
{
	uint64_t before[64][4], turned[64][4];

	memcpy(before, x->bit[1], sizeof before);
	xoshiro_add(x->bit[2], x->bit[0], 0);
	xoshiro_add(x->bit[3], x->bit[1], 0);
	xoshiro_add(x->bit[1], x->bit[2], 0);
	xoshiro_add(x->bit[0], x->bit[3], 0);
	xoshiro_add(x->bit[2], before, 17);
	for (int b = 0; b < 64; b++)
		memcpy(turned[(b + 45) % 64], x->bit[3][b], sizeof turned[0]);
	memcpy(x->bit[3], turned, sizeof turned);
	x->at++;
}

static inline int xoshiro_leading(const struct xoshiro_row *r)
{
	for (int k = 0; k < 4; k++)
		if (r->of[k])
			return 64 * k + __builtin_ctzll(r->of[k]);
	return -1;
}

static inline void xoshiro_take(struct xoshiro_solver *x, struct xoshiro_row r)
{
	int lead;

	while ((lead = xoshiro_leading(&r)) >= 0 && x->has[lead]) {
		for (int k = 0; k < 4; k++)
			r.of[k] ^= x->pivot[lead].of[k];
		r.value ^= x->pivot[lead].value;
	}
	if (lead < 0) {
		x->contradicts |= r.value;
		return;
	}
	x->pivot[lead] = r;
	x->has[lead] = 1;
	x->known++;
}

/* The draw at this position (from 0, not before an earlier one that was seen)
 * had these low bits. */
static inline void xoshiro_see(struct xoshiro_solver *x, unsigned position, uint64_t low)
{
	uint64_t s;

	while (x->at < position)
		xoshiro_solver_step(x);
	s = low * 0x8e38e38e38e38e39ull; /* a ninth */
	s = (s >> 7) & ((1u << XOSHIRO_SEEN) - 1);
	s *= 0xcccccccccccccccdull; /* a fifth */
	for (int b = 0; b < XOSHIRO_SEEN; b++) {
		struct xoshiro_row r = {.value = (int)(s >> b & 1)};

		memcpy(r.of, x->bit[1][b], sizeof r.of);
		xoshiro_take(x, r);
	}
}

/* The state before the first draw; 0 where what was seen does not determine it,
 * or is of no such generator. */
static inline int xoshiro_solve(uint64_t state[4], struct xoshiro_solver *x)
{
	if (x->contradicts || x->known < XOSHIRO_BITS)
		return 0;
	memset(state, 0, 4 * sizeof *state);
	for (int lead = XOSHIRO_BITS - 1; lead >= 0; lead--) {
		struct xoshiro_row *r = &x->pivot[lead];
		uint64_t sum = 0;

		/* Bits after the leading one are known already. */
		for (int k = 0; k < 4; k++)
			sum ^= r->of[k] & state[k];
		if ((__builtin_popcountll(sum) & 1) ^ r->value)
			state[lead / 64] |= 1ull << lead % 64;
	}
	return 1;
}

#endif
