/*
 * The buffers of a case as a process maps them: the judge's inputs, read-only,
 * the outputs of one slot, and memory of its own for what is prepared. All are
 * at the addresses of the case. All zero: nothing is mapped.
 *
 * fd[0] is the memory of the inputs, fd[1] that of the outputs; descriptors are
 * borrowed. What is mapped takes the place of what was mapped before.
 *
 * Functions return NULL, or a sentence that says what failed; the sentence
 * lasts until the next call. mapped_buffers_release disposes in either case.
 * g->moved says whether it failed since the driver gave another address.
 */
#ifndef RUNNER_GPU_MAPPED_BUFFERS_H
#define RUNNER_GPU_MAPPED_BUFFERS_H

#include "scorer/wire/gpu_protocol.h"
#include "scorer/runner_gpu/gpu.h"

struct mapped_buffers {
	struct gpu_memory inputs, outputs, prepared;
};

/* ---- for a case ---------------------------------------------------------- */

/* Maps inputs and outputs, and allocates prepared memory. */
const char *mapped_buffers_take(struct mapped_buffers *m, struct gpu_device *g,
				const struct gpu_addresses *p, const int fd[2]);
/* Maps other outputs, those of another slot; inputs and what is prepared
 * stay. */
const char *mapped_buffers_turn(struct mapped_buffers *m, struct gpu_device *g,
				const struct gpu_addresses *p, int fd);

/* ---- for a launch (class isolated) --------------------------------------- */

/* Unmaps inputs and outputs; their addresses then fault. */
void mapped_buffers_unmap(struct mapped_buffers *m, struct gpu_device *g);
/* Maps inputs and outputs at the same addresses. */
const char *mapped_buffers_remap(struct mapped_buffers *m, struct gpu_device *g,
				 const struct gpu_addresses *p,
				 const int fd[2]);

/* Unmaps all, and frees what is prepared. */
void mapped_buffers_release(struct mapped_buffers *m, struct gpu_device *g);

#endif
