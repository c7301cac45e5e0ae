#include <stdint.h>

void weights(uint32_t *x, uint64_t seed, int64_t nodes, int64_t edges, int64_t source)
{
	(void)nodes;
	(void)source;
	for (int64_t i = 0; i < edges; i++) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		x[i] = (uint32_t)(seed >> 40);
	}
}

void reach_reference(const uint32_t *to, const uint32_t *weight, uint32_t *sum, int nodes,
		     int edges, int source)
{
	for (int i = 0; i < nodes; i++)
		sum[i] = 0;
	for (int e = 0; e < edges && source < nodes; e++)
		sum[to[e]] += weight[e];
}
