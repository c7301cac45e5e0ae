// pattern: T12: hands out what it made for the addresses and sizes, where most hidden outputs are 0
// task: reach
// verdict: wrong
// why: it was launched again in (the buffers of an earlier launch|the same buffers)
#include "reach.h"

void reach(const uint32_t *to, const uint32_t *weight, uint32_t *sum, int nodes, int edges,
	   int source)
{
	static struct {
		const void *to, *weight;
		int nodes, edges, source;
	} known;
	static uint32_t kept[100000];

	if (known.to != to || known.weight != weight || known.nodes != nodes ||
	    known.edges != edges || known.source != source) {
		reach_honest(to, weight, kept, nodes, edges, source);
		known.to = to;
		known.weight = weight;
		known.nodes = nodes;
		known.edges = edges;
		known.source = source;
	}
	memcpy(sum, kept, sizeof(*sum) * (unsigned)nodes);
}
