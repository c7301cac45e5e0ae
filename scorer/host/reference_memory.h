/*
 * The memory of one launch of a reference that runs in other processes: its
 * inputs, the outputs of the reference, and those of the plain version. The
 * judge writes and reads all of it; a runner reads the inputs and writes its
 * own outputs.
 */
#ifndef SCORER_HOST_REFERENCE_MEMORY_H
#define SCORER_HOST_REFERENCE_MEMORY_H

#include "scorer/wire/protocol.h"

struct reference_memory {
	/* For the judge. In `call` the reference [0] has double for floating
	 * outputs, the plain version [1] the kernel's types. */
	struct values_request request;
	int fd[3]; /* inputs, outputs of the two; -1: none */
};
#define REFERENCE_MEMORY_INIT        \
	{                            \
		.fd = { -1, -1, -1 } \
	}

/* For launches like `c`, one at a time. Drops what *m had. */
struct error *reference_memory_open(struct reference_memory *m,
				    const struct entry_call *c,
				    bool plain) MUST_CHECK;
void reference_memory_release(struct reference_memory *m);

DEFINE_RELEASE(reference_memory, struct reference_memory,
	       reference_memory_release)
#define cleanup_reference_memory CLEANUP(reference_memory)

#endif
