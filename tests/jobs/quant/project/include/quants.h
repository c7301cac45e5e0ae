#ifndef QUANTS_H
#define QUANTS_H

#include <assert.h>
#include <stdint.h>

#define QK 32

/* QK numbers from -7 to 7, and what they are multiples of. */
typedef struct {
	float d;
	int8_t q[QK];
} block_q;
static_assert(sizeof(block_q) == 36, "a block has no padding");

void vec_dot_q(int n, float *restrict s, const void *restrict vx,
	       const void *restrict vy);

#endif
