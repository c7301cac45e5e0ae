/*
 * Reading what was captured: a graph of the driver's becomes one launch of a
 * plan. What a launcher could not do the same way is named, so that the
 * candidate can be run as a whole instead.
 */
#ifndef RUNNER_GPU_GRAPH_H
#define RUNNER_GPU_GRAPH_H

#include "scorer/wire/gpu_protocol.h"
#include "scorer/runner_gpu/gpu.h"

/* NULL, or why it cannot be replayed; nothing launched is no node. `place`: the only memory, besides what
 * the graph itself takes, that a launcher will have. */
const char *graph_take(struct plan_launch *out, struct gpu_device *g,
		       CUgraph graph, const struct gpu_addresses *addresses);

#endif
