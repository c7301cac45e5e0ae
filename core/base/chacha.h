/*
 * ChaCha (D. J. Bernstein 2008; RFC 8439, section 2.3): 64 bytes for each key,
 * nonce and counter. Without the key nothing is known of them, even after any
 * number of others was seen. With 20 rounds for keys. With eight for contents:
 * no attack on eight is known either (the best is on seven).
 *
 * Needs nothing else, since a GPU's kernels include it, too.
 */
#ifndef CORE_BASE_CHACHA_H
#define CORE_BASE_CHACHA_H

#include <stdint.h>

#ifdef __CUDACC__
#define ANYWHERE static inline __host__ __device__
#else
#define ANYWHERE static inline
#endif

#define KEY_WORDS     8
#define CHACHA_WORDS  16
#define CHACHA_ROUNDS 20
#define CHACHA_FAST   8

/* 256 bits. */
struct chacha_key {
	uint32_t word[KEY_WORDS];
};

/* For words or for vectors of them. */
#define CHACHA_TURN(x, n) ((x) << (n) | (x) >> (32 - (n)))
#define CHACHA_QUARTER(x, a, b, c, d)                \
	do {                                         \
		x[a] += x[b];                        \
		x[d] = CHACHA_TURN(x[d] ^ x[a], 16); \
		x[c] += x[d];                        \
		x[b] = CHACHA_TURN(x[b] ^ x[c], 12); \
		x[a] += x[b];                        \
		x[d] = CHACHA_TURN(x[d] ^ x[a], 8);  \
		x[c] += x[d];                        \
		x[b] = CHACHA_TURN(x[b] ^ x[c], 7);  \
	} while (0)
#define CHACHA_TWO_ROUNDS(x)                     \
	do {                                     \
		CHACHA_QUARTER(x, 0, 4, 8, 12);  \
		CHACHA_QUARTER(x, 1, 5, 9, 13);  \
		CHACHA_QUARTER(x, 2, 6, 10, 14); \
		CHACHA_QUARTER(x, 3, 7, 11, 15); \
		CHACHA_QUARTER(x, 0, 5, 10, 15); \
		CHACHA_QUARTER(x, 1, 6, 11, 12); \
		CHACHA_QUARTER(x, 2, 7, 8, 13);  \
		CHACHA_QUARTER(x, 3, 4, 9, 14);  \
	} while (0)

ANYWHERE void chacha_start(uint32_t x[CHACHA_WORDS], const struct chacha_key *k,
			   uint64_t counter, uint64_t nonce)
{
	x[0] = 0x61707865;
	x[1] = 0x3320646e;
	x[2] = 0x79622d32;
	x[3] = 0x6b206574;
	for (int i = 0; i < KEY_WORDS; i++)
		x[4 + i] = k->word[i];
	x[12] = (uint32_t)counter;
	x[13] = (uint32_t)(counter >> 32);
	x[14] = (uint32_t)nonce;
	x[15] = (uint32_t)(nonce >> 32);
}

/* `rounds`: an even number. */
ANYWHERE void chacha_block(uint32_t x[CHACHA_WORDS], const struct chacha_key *k,
			   int rounds, uint64_t counter, uint64_t nonce)
{
	uint32_t start[CHACHA_WORDS];

	chacha_start(start, k, counter, nonce);
	for (int i = 0; i < CHACHA_WORDS; i++)
		x[i] = start[i];
	for (int i = 0; i < rounds; i += 2)
		CHACHA_TWO_ROUNDS(x);
	for (int i = 0; i < CHACHA_WORDS; i++)
		x[i] += start[i];
}

/* A key of its own for each purpose and number; it tells nothing of others, nor
 * of where it comes from. `out` may be `from`. */
ANYWHERE void chacha_derive(struct chacha_key *out,
			    const struct chacha_key *from, uint64_t purpose,
			    uint64_t number)
{
	uint32_t x[CHACHA_WORDS];

	chacha_block(x, from, CHACHA_ROUNDS, number, purpose);
	for (int i = 0; i < KEY_WORDS; i++)
		out->word[i] = x[i];
}

#endif
