/*
 * A batch of launches between events, on caches that hold something else:
 * how a launcher times a plan, and a resident the task's own code.
 */
#ifndef RUNNER_GPU_BATCH_H
#define RUNNER_GPU_BATCH_H

#include "scorer/gpu_protocol.h"
#include "scorer/runner/gpu.h"

struct batch {
	struct gpu *gpu; /* borrowed */
	CUstream stream; /* borrowed */
	CUevent event[2 * GPU_IMAGES];
	struct gpu_memory flush; /* several times the cache */
};

typedef const char *(*launch_fn)(void *arg, uint32_t image, CUevent begin);

const char *batch_open(struct batch *b, struct gpu *g, CUstream stream);
/* The images of q in their order, all below `images`; waits for them. */
const char *batch_run(struct gpu_ran_reply *out, struct batch *b,
		      const struct gpu_run_request *q, uint32_t images,
		      launch_fn launch, void *arg);

#endif
