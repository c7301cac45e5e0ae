/*
 * Building ahead: compilers that run while something else is measured, each in
 * a process of its own whose only trace is the build cache. For CUDA, where
 * what is timed is not the CPU.
 */
#ifndef SCORER_AHEAD_H
#define SCORER_AHEAD_H

#include <sys/types.h>

#include "core/candidate.h"
#include "scorer/build.h"

#define AHEAD_MAX 6

struct ahead {
	struct building {
		pid_t pid;
		char id[FILESET_ID_LEN + 1]; /* of the sources */
	} building[AHEAD_MAX];
	size_t n;
};

/* Begins, unless it is being built, or as many are as this machine can do
 * beside a measurement. Borrows b, which outlives `a`. */
void ahead_begin(struct ahead *a, const struct builder *b,
		 const struct candidate *c);
/* Waits, where the candidate is being built. */
void ahead_await(struct ahead *a, const struct candidate *c);
/* Ends all that is still being built. */
void ahead_stop(struct ahead *a);

#endif
