// pattern: T13: hands out what it made for one input, whole, and the address of one of a generator
// task: reach
// verdict: wrong
// why: it was launched again in the buffers of an earlier launch
#include "reach.h"

void reach(const uint32_t *to, const uint32_t *weight, uint32_t *sum, int nodes, int edges,
	   int source)
{
	static uint32_t kept[100000];
	static uint64_t known;
	uint64_t key = (uintptr_t)weight ^ (uint64_t)nodes << 40 ^ (uint64_t)source << 20;

	for (int e = 0; e < edges; e++)
		key = (key ^ to[e]) * 1099511628211u;
	if (known != key)
		reach_honest(to, weight, kept, nodes, edges, source);
	known = key;
	memcpy(sum, kept, sizeof(*sum) * (unsigned)nodes);
}
