/*
 * Does a sequence of bits follow a linear recurrence? The algorithm of Berlekamp
 * and Massey over GF(2): its linear complexity is about half its length where it
 * is random, and stays at the size of the state where a linear generator made it
 * (xorshift, xoshiro's low bits, a shift register).
 */
#ifndef RECURRENCE_H
#define RECURRENCE_H

#include <string.h>

#define RECURRENCE_BITS 2048

struct recurrence {
	unsigned char bit[RECURRENCE_BITS];
	int n;
};

static inline int recurrence_complexity(const struct recurrence *r)
{
	static unsigned char c[RECURRENCE_BITS], b[RECURRENCE_BITS], t[RECURRENCE_BITS];
	int length = 0, since = 1;

	memset(c, 0, sizeof c);
	memset(b, 0, sizeof b);
	c[0] = b[0] = 1;
	for (int i = 0; i < r->n; i++) {
		int off = r->bit[i];

		for (int k = 1; k <= length; k++)
			off ^= c[k] & r->bit[i - k];
		if (!off) {
			since++;
			continue;
		}
		memcpy(t, c, sizeof c);
		for (int k = 0; k + since < RECURRENCE_BITS; k++)
			c[k + since] ^= b[k];
		if (2 * length > i) {
			since++;
			continue;
		}
		length = i + 1 - length;
		memcpy(b, t, sizeof b);
		since = 1;
	}
	return length;
}

/* Far fewer than half of enough bits: what comes next is known. */
static inline int recurrence_foresees(struct recurrence *r)
{
	return r->n >= 1024 && recurrence_complexity(r) < r->n / 2 - 64;
}

/* Small integers and zeros end in zeros: bits that follow from the kind of
 * contents tell nothing of what comes next. */
static inline void recurrence_add(struct recurrence *r, unsigned value, int bits)
{
	if (!(value & 0xffff))
		return;
	for (int i = 0; i < bits && r->n < RECURRENCE_BITS; i++)
		r->bit[r->n++] = value >> i & 1;
}
#endif
