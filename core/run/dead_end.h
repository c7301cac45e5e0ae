/*
 * Dead ends of the search: candidates that the operator refuses to vary (a tuner
 * needs tunables), or of which it has tried all that it can make. They do not
 * become parents.
 * Kept in memory only: another operator may be able to vary them, so the
 * journal does not record it.
 */
#ifndef CORE_RUN_DEAD_END_H
#define CORE_RUN_DEAD_END_H

#include "core/run/archive.h"
#include "core/run/variation.h"

struct dead_ends {
	struct variation_operator *operator_; /* borrowed, as the archive is */
	struct archive *archive;
	signed char *known; /* each attempt: 0 not asked, 1 no, -1 yes */
	size_t n;
	/* Why it refused the last one; NULL once it has tried any. */
	char *why;
	bool tried;
};

/* *out: is this attempt a dead end? Asks the operator once for each attempt. If `b`
 * is NULL, no attempt is one. */
struct error *dead_end_ask(bool *out, struct dead_ends *b,
			   const struct population *p,
			   size_t attempt) MUST_CHECK;
/* Is it known to be one? Does not ask the operator. */
bool dead_end_known(const struct dead_ends *b, size_t attempt);
/* The operator has tried everything that it could make of this attempt. */
void dead_end_mark(struct dead_ends *b, size_t attempt);
void dead_end_release(struct dead_ends *b);

#endif
