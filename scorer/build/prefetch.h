/*
 * Building ahead: compilers that run while something else is measured, each in
 * a process of its own whose only trace is the build cache. For CUDA, where
 * what is timed is not the CPU. What the tuner has chosen comes before what it
 * may choose.
 */
#ifndef SCORER_BUILD_PREFETCH_H
#define SCORER_BUILD_PREFETCH_H

#include <sys/types.h>

#include "core/run/candidate.h"
#include "scorer/build/build.h"

#define AHEAD_MAX 6

struct ahead {
	struct building {
		pid_t pid;
		char id[FILESET_ID_LEN + 1];	 /* of the sources, or "" */
		const struct trusted_code *code; /* borrowed; else NULL */
	} building[AHEAD_MAX];
	size_t n;
	double seconds; /* that a build took so far, at most */
};

/* So many builds at once this machine can do beside a measurement. */
size_t ahead_at_once(void);
/* Begins, unless it is being built; false where as many are as there is room
 * for. What is not sure to be asked for leaves room for what is. Borrows b,
 * which outlives `a`. */
bool ahead_begin(struct ahead *a, const struct builder *b,
		 const struct candidate *c, bool is_sure);
/* How many have to be begun before their turn, so that each is built by then,
 * where a score takes so many seconds. */
size_t ahead_wanted(const struct ahead *a, double seconds);
/* The same of what a first score needs besides, while nothing is measured. */
void ahead_begin_trusted(struct ahead *a, const struct builder *b,
			 const struct fileset *files,
			 const struct trusted_code *code);
void ahead_await_trusted(struct ahead *a, const struct trusted_code *code);
/* Waits, where the candidate is being built. */
void ahead_await(struct ahead *a, const struct candidate *c);
/* Ends all that is still being built. */
void ahead_stop(struct ahead *a);

#endif
