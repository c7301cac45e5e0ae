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

#include "scorer/runner/channel.h"
#include "scorer/runner/reference.h"

struct value_memory {
	struct elsewhere elsewhere; /* first: callbacks cast it back */
	/* A launch of each side, as its runner sees it: outputs have the side's
	 * types (side_dtype). */
	struct entry_call call[2];
	struct mapping inputs, outputs[2];
	/* Has the function of a side called, by the scorer. NULL or what went
	 * wrong. */
	const char *(*ask)(struct value_memory *v, enum side side);
	/* The request that the judge serves, borrowed, which goes on under the
	 * number of the scorer's word that a call is done; and that word. */
	union runner_request *served;
	union runner_request called;
};

/* For a judge that serves this request: fills elsewhere, ask and served of a
 * zeroed *v. */
void value_memory_init(struct value_memory *v, union runner_request *served);
/* Maps the files of inputs, of outputs of the reference, and of those of the
 * plain version. NULL or what went wrong. */
const char *value_memory_map(struct value_memory *v,
			     const struct values_request *q, const int fd[3]);
void value_memory_release(struct value_memory *v);

#endif
