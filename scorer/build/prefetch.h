/*
 * Building what will be asked for: compilers that run while something else is measured, each in
 * a process of its own whose only trace is the build cache. For CUDA, where
 * what is timed is not the CPU. What the tuner has chosen comes before what it
 * may choose.
 */
#ifndef SCORER_BUILD_PREFETCH_H
#define SCORER_BUILD_PREFETCH_H

#include <sys/types.h>

#include "core/run/candidate.h"
#include "scorer/build/build.h"

#define PREFETCH_MAX 6

struct prefetch {
	struct prefetch_build {
		pid_t pid;
		char id[FILESET_ID_LEN + 1];	 /* of the sources, or "" */
		const struct trusted_code *code; /* borrowed; else NULL */
	} building[PREFETCH_MAX];
	size_t n;
	double seconds; /* that a build took so far, at most */
};

/* So many builds at once this machine can do beside a measurement. */
size_t prefetch_at_once(void);
/* Begins, unless it is being built; false where as many are as there is room
 * for. What is not sure to be asked for leaves room for what is. Borrows b,
 * which outlives `p`. */
bool prefetch_begin(struct prefetch *p, const struct builder *b,
		    const struct candidate *c, bool is_sure);
/* How many have to be begun before their turn, so that each is built by then,
 * where a score takes so many seconds. */
size_t prefetch_wanted(const struct prefetch *p, double seconds);
/* The same of what a first score needs besides, while nothing is measured. */
void prefetch_begin_trusted(struct prefetch *p, const struct builder *b,
			    const struct fileset *files,
			    const struct trusted_code *code);
void prefetch_await_trusted(struct prefetch *p,
			    const struct trusted_code *code);
/* Waits, where the candidate is being built. */
void prefetch_await(struct prefetch *p, const struct candidate *c);
/* Ends all that is still being built. */
void prefetch_stop(struct prefetch *p);

#endif
