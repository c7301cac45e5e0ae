/*
 * Where a new lineage begins. A lineage's end is not where its best idea was:
 * an earlier candidate whose ideas paid well, that is far from where work goes
 * on now and that nothing was begun from yet, is worth another way.
 */
#ifndef CORE_RUN_BRANCHING_H
#define CORE_RUN_BRANCHING_H

#include "core/run/barren.h"
#include "core/run/population.h"
#include "core/base/random.h"

#define BRANCHING_NONE SIZE_MAX

/* May a lineage begin at this attempt? Only at what was accepted and right. */
bool branching_allowed(const struct population *p, size_t attempt);
/* *out is the index of the attempt to branch from: drawn from the accepted ones
 * but the champion and the tip that was worked on last; where there is no other
 * the base of the run, else the champion, else that tip. A barren one is never
 * chosen (`barren` may be NULL: none is); BRANCHING_NONE where all are. The
 * same population, seed and operator give the same. */
struct error *branching_choose(size_t *out, const struct population *p,
			       struct barren *barren,
			       struct random *r) MUST_CHECK;

#endif
