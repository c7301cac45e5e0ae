/*
 * A reference whose functions are in other processes (a runner of the reference
 * and one of the plain version), as the judge reaches them: by memory that all
 * three share. The judge writes the inputs of one launch and the initial
 * contents of outputs there, asks for the call, and copies the outputs to its
 * arrays, which no other process has. It takes what it finds there as it takes
 * what a reference in its own process wrote.
 *
 * Such a reference computes whole outputs only, never a segment.
 */
#ifndef RUNNER_VALUE_MEMORY_H
#define RUNNER_VALUE_MEMORY_H

#include "scorer/runner/reference.h"

struct value_memory {
	struct elsewhere elsewhere; /* first: callbacks cast it back */
	/* A launch of each side, as its runner sees it: outputs have the side's
	 * types (side_dtype). */
	struct entry_call call[2];
	struct mapping inputs, outputs[2];
	/* Has the function of a side called. NULL or what went wrong. */
	const char *(*ask)(struct value_memory *v, enum side side);
};

struct elsewhere value_memory_elsewhere(void);
/* Maps the files of inputs, of outputs of the reference, and of those of the
 * plain version. NULL or what went wrong. */
const char *value_memory_map(struct value_memory *v,
			     const struct values_request *q, const int fd[3]);
void value_memory_release(struct value_memory *v);

#endif
