/*
 * Chooses where a new lineage begins. The end of a lineage is not always where
 * its best idea was. An earlier candidate is worth another try if its ideas
 * gained much, if it is far from the current work, and if no lineage began at
 * it yet.
 */
#ifndef CORE_RUN_BRANCHING_H
#define CORE_RUN_BRANCHING_H

#include "core/run/dead_end.h"
#include "core/run/population.h"
#include "core/base/random.h"

#define BRANCHING_NONE SIZE_MAX

/* May a lineage begin at this attempt? Only if it was accepted and passes. */
bool branching_allowed(const struct population *p, size_t attempt);
/* *out is the index of the attempt to branch from: drawn from the accepted ones
 * except the champion and the tip that was worked on last. If there is no
 * other: the base of the run, else the champion, else that tip. Never a dead
 * end (`dead_ends` may be NULL: none is one); BRANCHING_NONE if all are. The
 * result depends only on the population, the seed and the operator. */
struct error *branching_choose(size_t *out, const struct population *p,
			       struct dead_ends *dead_ends,
			       struct random *r) MUST_CHECK;

/* The name of TRIGGER_ASKED: a lineage begins at an attempt that the user named or
 * wrote. */
#define BRANCHING_ASKED "asked"
bool branching_was_asked(const char *trigger);

#endif
