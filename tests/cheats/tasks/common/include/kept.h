/* Answers under a key, for cheats that hand out what they made before. */
#ifndef KEPT_H
#define KEPT_H
#include <stdint.h>
#include <string.h>

#include "honest.h"

#define KEPT_ANSWERS  32
#define KEPT_ELEMENTS 39000 /* the largest size that is asked for */

struct kept_answer {
	uint64_t key;
	int rows, cols;
	float y[KEPT_ELEMENTS];
};

static inline uint64_t kept_mix(uint64_t h, uint64_t v)
{
	return ((h ^ v) * 0x9e3779b97f4a7c15u) ^ h >> 29;
}

static inline uint64_t kept_float(uint64_t h, float v)
{
	uint32_t bits;

	memcpy(&bits, &v, sizeof bits);
	return kept_mix(h, bits);
}

/* The answer of this key and size, which is made if it is not there. */
static inline void kept_or_honest(uint64_t key, const float *x, const float *g, float *y, int rows,
				  int cols)
{
	static struct kept_answer kept[KEPT_ANSWERS];
	static unsigned n;
	struct kept_answer *a;

	for (unsigned i = 0; i < KEPT_ANSWERS && i < n; i++) {
		a = &kept[i];
		if (a->key != key || a->rows != rows || a->cols != cols)
			continue;
		memcpy(y, a->y, sizeof *y * (unsigned)(rows * cols));
		return;
	}
	honest(x, g, y, rows, cols);
	if (rows * cols > KEPT_ELEMENTS)
		return;
	a = &kept[n++ % KEPT_ANSWERS];
	a->key = key;
	a->rows = rows;
	a->cols = cols;
	memcpy(a->y, y, sizeof *y * (unsigned)(rows * cols));
}
#endif
