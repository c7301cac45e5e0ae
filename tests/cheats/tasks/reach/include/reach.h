#ifndef REACH_H
#define REACH_H

#include <stdint.h>
#include <string.h>

void reach(const uint32_t *to, const uint32_t *weight, uint32_t *sum, int nodes, int edges,
	   int source);

static inline void reach_honest(const uint32_t *to, const uint32_t *weight, uint32_t *sum,
				int nodes, int edges, int source)
{
	memset(sum, 0, sizeof(*sum) * (unsigned)nodes);
	for (int e = 0; e < edges && source < nodes; e++)
		sum[to[e]] += weight[e];
}

#endif
