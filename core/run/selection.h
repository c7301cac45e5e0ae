/* Chooses which lineage is worked on next. */
#ifndef CORE_RUN_SELECTION_H
#define CORE_RUN_SELECTION_H

#include "core/run/dead_end.h"
#include "core/run/islands.h"
#include "core/run/population.h"
#include "core/base/random.h"

#define SELECTION_NONE SIZE_MAX

/* *out is the lineage to extend, an index into p->lineage: a young one until it
 * had its chance, else usually the champion's and sometimes another. Of the
 * others only the newest are worked on, so that at most `live` (0: any number)
 * are active. A lineage whose tip is a dead end is left out (`dead_ends` may be
 * NULL: none is one); SELECTION_NONE if all are. In an island its own lineages
 * and champion count; those of all once its own are dead ends. The population
 * must have a record. */
struct error *selection_choose(size_t *out, const struct population *p,
			       size_t live, struct dead_ends *dead_ends,
			       struct random *r, struct island at) MUST_CHECK;
/* Of an attempt that a person made: the lineage whose tip `tip` is, the champion's
 * if several are or none is. The population must have a record. */
size_t selection_of_tip(const struct population *p,
			const struct commit_id *tip);

#endif
