/*
 * Where a new lineage begins. A lineage's end is not where its best idea was:
 * an earlier candidate whose ideas paid well, that is far from where work goes
 * on now and that nothing was begun from yet, is worth another way.
 */
#ifndef CORE_BRANCHING_H
#define CORE_BRANCHING_H

#include "core/population.h"
#include "core/random.h"

/* May a lineage begin at this attempt? Only at what was accepted and right. */
bool branching_allowed(const struct population *p, size_t attempt);
/* Index of the attempt to branch from: drawn from the accepted ones but the
 * champion and the tip that was worked on last; the base of the run where
 * there is no other. The same population and seed give the same. */
size_t branching_choose(const struct population *p, struct random *r);

#endif
