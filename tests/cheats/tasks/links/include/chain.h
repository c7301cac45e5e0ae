/* What the task asks for, and several of it at once. */
#ifndef CHAIN_H
#define CHAIN_H
#include <stdint.h>

static inline uint32_t next_of(uint32_t s, uint32_t x)
{
	s = (s ^ x) * 2654435761u;
	return (s ^ s >> 15) * 2246822519u;
}

static inline void one_chain(const uint32_t *x, uint32_t *y, int n)
{
	uint32_t s = 1;

	for (int i = 0; i < n; i++)
		y[i] = s = next_of(s, x[i]);
}

#endif
