/*
 * A batch of launches between events, on caches that hold something else, or
 * with `cache: warm` each launch's own inputs and outputs: how a launcher times
 * a plan, and a resident the task's own code. Warm or cold, every launch has
 * contents of its own: what a kernel kept of another is worth nothing.
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
	struct gpu_place place;	 /* of the images */
	bool warm;
};

typedef const char *(*launch_fn)(void *arg, uint32_t image, CUevent begin);

const char *batch_open(struct batch *b, struct gpu *g, CUstream stream);
/* Where the images lie from here on. */
const char *batch_place(struct batch *b, const struct gpu_place *p, bool warm);
/* The images of q in their order; waits for them. */
const char *batch_run(struct gpu_ran_reply *out, struct batch *b,
		      const struct gpu_run_request *q, launch_fn launch,
		      void *arg);

#endif
