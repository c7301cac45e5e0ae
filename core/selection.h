/* Which lineage is worked on next. */
#ifndef CORE_SELECTION_H
#define CORE_SELECTION_H

#include "core/population.h"
#include "core/random.h"

/* The lineage to extend: a young one until it had its chance, else mostly the
 * champion's and now and then another. Of the others only the newest are worked
 * on, so that at most `live` (0: any number) are; older ones rest. Returns an
 * index into p->lineage; the population has a record. */
size_t selection_choose(const struct population *p, size_t live,
			struct random *r);

#endif
