/*
 * The buffers of a case as a process maps them: the judge's inputs, which
 * cannot be written there, outputs, and memory of its own for what is prepared.
 * All of it at the addresses of these buffers.
 */
#ifndef RUNNER_GPU_MAPPED_BUFFERS_H
#define RUNNER_GPU_MAPPED_BUFFERS_H

#include "scorer/wire/gpu_protocol.h"
#include "scorer/runner_gpu/gpu.h"

struct mapped_buffers {
	struct gpu_memory inputs, outputs, prepared;
};

/* `fd`: of inputs and outputs; borrowed. Lets go of what `m` had. A sentence
 * where it failed, else NULL; mapped_buffers_release disposes in either case. */
const char *mapped_buffers_take(struct mapped_buffers *m, struct gpu_device *g,
				const struct gpu_addresses *p, const int fd[2]);
/* The same with other outputs, `fd`, alone. */
const char *mapped_buffers_turn(struct mapped_buffers *m, struct gpu_device *g,
				const struct gpu_addresses *p, int fd);
/* Inputs and outputs are let go of: these addresses fault. And there are others,
 * `fd`, in their place. */
void mapped_buffers_unmap(struct mapped_buffers *m, struct gpu_device *g);
const char *mapped_buffers_remap(struct mapped_buffers *m, struct gpu_device *g,
				 const struct gpu_addresses *p,
				 const int fd[2]);
void mapped_buffers_release(struct mapped_buffers *m, struct gpu_device *g);

#endif
