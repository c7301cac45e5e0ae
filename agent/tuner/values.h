/*
 * The values that a declaration lists: words, and what stands for many words:
 *
 *     16 32 64             these
 *     16..256 step 16      16 32 48 ... 256; without "step" by 1
 *     2^4..2^10            16 32 64 ... 1024
 *     choice(0 1 2)        these, none nearer to another than a third
 *     perm(m n k)          m,n,k m,k,n n,m,k ...: every order
 */
#ifndef AGENT_TUNER_VALUES_H
#define AGENT_TUNER_VALUES_H

#include "core/base/strvec.h"

/* Elements of a permutation; it has at most 120 orders. */
#define VALUES_ELEMENTS 5

enum values_kind { VALUES_WORDS, VALUES_CHOICE, VALUES_ORDERS };

/* Adds the words, at most `most`; a permutation's elements are joined by `join`.
 * Returns what is wrong (a static string), or NULL. */
const char *values_expand(struct strvec *out, enum values_kind *kind,
			  const char *text, char join, size_t most) MUST_CHECK;
/* In how many pairs of elements two orders differ. */
uint8_t values_steps(const char *a, const char *b, char join);

#endif
