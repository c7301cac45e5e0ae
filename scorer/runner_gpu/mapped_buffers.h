/*
 * The buffers of a case as a process maps them: the judge's inputs, read-only,
 * the outputs of one slot, and memory of its own for what is prepared. All are
 * at the addresses of the case. Descriptors are borrowed.
 *
 * Functions return NULL, or a sentence; mapped_buffers_release disposes in
 * either case.
 */
#ifndef RUNNER_GPU_MAPPED_BUFFERS_H
#define RUNNER_GPU_MAPPED_BUFFERS_H

#include "scorer/wire/gpu_protocol.h"
#include "scorer/runner_gpu/gpu.h"

struct mapped_buffers {
	struct gpu_memory inputs, outputs, prepared;
};

/* Maps inputs fd[0] and outputs fd[1] and allocates prepared memory. Releases
 * what *m had. */
const char *mapped_buffers_take(struct mapped_buffers *m, struct gpu_device *g,
				const struct gpu_addresses *p, const int fd[2]);
/* Maps only other outputs. */
const char *mapped_buffers_turn(struct mapped_buffers *m, struct gpu_device *g,
				const struct gpu_addresses *p, int fd);
/* Unmaps inputs and outputs, whose addresses then fault; remap maps others in
 * their place. */
void mapped_buffers_unmap(struct mapped_buffers *m, struct gpu_device *g);
const char *mapped_buffers_remap(struct mapped_buffers *m, struct gpu_device *g,
				 const struct gpu_addresses *p,
				 const int fd[2]);
void mapped_buffers_release(struct mapped_buffers *m, struct gpu_device *g);

#endif
