/*
 * Builds in advance: compilers run while something else is measured, each in
 * its own process, which leaves nothing but an entry in the build cache. For
 * CUDA, where the timed code does not run on the CPU. Candidates that the tuner
 * has chosen come before those that it may choose.
 */
#ifndef SCORER_BUILD_PREFETCH_H
#define SCORER_BUILD_PREFETCH_H

#include <sys/types.h>

#include "core/run/candidate.h"
#include "scorer/build/build.h"

/* Where a build takes four times as long as a score, six have no room for guesses
 * beside those that are sure. */
#define PREFETCH_MAX 12

struct prefetch {
	struct prefetch_build {
		pid_t pid;
		char id[FILESET_ID_LEN + 1];	 /* of the sources, or "" */
		const struct trusted_code *code; /* borrowed; else NULL */
	} building[PREFETCH_MAX];
	size_t n;
	double seconds;		      /* of the longest build so far */
	const volatile int *stop_now; /* the builder's; may be NULL */
};

/* How many builds this machine can run at once beside a measurement. */
size_t prefetch_at_once(void);
/* Begins to build a candidate, unless it is being built; false if too many
 * builds run. A candidate that is not sure to be scored leaves builds to those
 * that are. Borrows b, which outlives `p`. */
bool prefetch_begin(struct prefetch *p, struct builder *b,
		    const struct candidate *c, bool is_sure);
/* How many builds must begin in advance, so that each is done by its turn, if
 * a score takes `seconds`: at least one, and no more than run at once, since
 * another one would only be chosen earlier and not built earlier. */
size_t prefetch_wanted(const struct prefetch *p, double seconds,
		       size_t at_once);
/* Begins to build trusted code for the first score, while nothing is measured.
 * Borrows code until it is built. */
void prefetch_begin_trusted(struct prefetch *p, struct builder *b,
			    const struct fileset *files,
			    const struct trusted_code *code);
void prefetch_await_trusted(struct prefetch *p,
			    const struct trusted_code *code);
/* Waits until this candidate is built, if it is being built. */
void prefetch_await(struct prefetch *p, const struct candidate *c);
/* Ends all builds that still run, with their compilers and these' files. */
void prefetch_stop(struct prefetch *p);

#endif
