/* Which lineage is worked on next. */
#ifndef CORE_RUN_SELECTION_H
#define CORE_RUN_SELECTION_H

#include "core/run/barren.h"
#include "core/run/population.h"
#include "core/base/random.h"

#define SELECTION_NONE SIZE_MAX

/* The lineage to extend: a young one until it had its chance, else mostly the
 * champion's and now and then another. Of the others only the newest are worked
 * on, so that at most `live` (0: any number) are; older ones rest. One whose
 * tip is barren (`barren` may be NULL: none is) is as if it was not there.
 * *out is an index into p->lineage, or SELECTION_NONE where all are barren; the
 * population has a record. */
struct error *selection_choose(size_t *out, const struct population *p,
			       size_t live, struct barren *barren,
			       struct random *r) MUST_CHECK;

#endif
