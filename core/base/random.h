/*
 * Seeded streams of random numbers: xoshiro256** (Blackman and Vigna 2018),
 * seeded through splitmix64. For what only has to look random and be repeatable:
 * a tuner, a bootstrap, a pause. A few outputs of it tell all others: what code
 * that is scored must not foresee comes from core/base/secret.h.
 */
#ifndef CORE_BASE_RANDOM_H
#define CORE_BASE_RANDOM_H

#include "core/base/base.h"

struct random {
	uint64_t s[4];
};

/* n bytes into out from the kernel, getrandom(2): nobody can foresee them. */
void random_bytes(void *out, size_t n);
/* A fresh seed of these. */
uint64_t random_seed(void);
void random_init(struct random *r, uint64_t seed);
uint64_t random_u64(struct random *r);
/* Uniform in [0, n); n > 0; without modulo bias. */
uint64_t random_below(struct random *r, uint64_t n);
/* Uniform in [0, 1). */
double random_unit(struct random *r);
/* n hex digits and a NUL into out, of random_bytes. */
void random_hex(char *out, size_t n);

#endif
