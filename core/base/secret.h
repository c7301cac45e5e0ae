/*
 * Numbers that the code being scored must not foresee. A stream is ChaCha20
 * (RFC 8439, of libcrypto) under 256 bits from getrandom(2); its key is
 * replaced by its own first output again and again (fast key erasure,
 * D. J. Bernstein 2017), so that what was drawn cannot be worked out later.
 *
 * There are two streams, of two types, so that one cannot be handed over for
 * the other:
 *
 *  - secret_random: for all that decides. Keys of inputs, poison, hidden
 *    shapes, sampled rows, which launch is looked at, which buffer is
 *    not launched, which candidate goes first.
 *  - layout_random: for what the code that is scored is shown as it is:
 *    addresses, placement within a page, the order of a batch.
 *
 * Neither tells anything about the other or about itself. What only has to look
 * random (a tuner, a bootstrap) is core/base/random.h.
 */
#ifndef CORE_BASE_SECRET_H
#define CORE_BASE_SECRET_H

#include "core/base/base.h"
#include "core/base/chacha.h"

#define KEYED_DRAWS 64 /* between two keys */

struct keyed_stream {
	struct chacha_key key;
	uint64_t draw[KEYED_DRAWS];
	size_t left;
};

struct secret_random {
	struct keyed_stream of_secrets;
};

struct layout_random {
	struct keyed_stream of_layout;
};

/* From the kernel. */
void secret_random_init(struct secret_random *r);
void layout_random_init(struct layout_random *r);
/* Repeatable, for tests: seeds that are equal give streams that are equal, but
 * the two types differ under the same seed. */
void secret_random_repeat(struct secret_random *r, uint64_t seed);
void layout_random_repeat(struct layout_random *r, uint64_t seed);

uint64_t secret_u64(struct secret_random *r);
/* Uniform in [0, n); n > 0; without modulo bias. */
uint64_t secret_below(struct secret_random *r, uint64_t n);
void secret_key(struct chacha_key *out, struct secret_random *r);
/* Fisher-Yates over n indices. */
void secret_shuffle(struct secret_random *r, size_t *index, size_t n);

/* As secret_below. */
uint64_t layout_below(struct layout_random *r, uint64_t n);
/* As secret_shuffle. */
void layout_shuffle(struct layout_random *r, size_t *index, size_t n);

#endif
