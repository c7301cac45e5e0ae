/*
 * Islands: the agents of a run in groups, each of which breeds lineages of its
 * own, so that the first good idea does not at once become everybody's parent.
 * Where an island has made its share of attempts, its champion is offered to the
 * next one, in a ring, which begins a lineage at it if it is faster than what it
 * has itself; its own lineage stays. These are the demes of Cantu-Paz, "A Survey
 * of Parallel Genetic Algorithms" (1998); FunSearch (Romera-Paredes and others,
 * Nature 625, 2024) and AlphaEvolve keep programs so.
 *
 * They have no state of their own: the beginning of an island, and a migration,
 * are entries of the journal that begin a lineage, as those of the supervisor.
 */
#ifndef CORE_RUN_ISLANDS_H
#define CORE_RUN_ISLANDS_H

#include "core/run/population.h"
#include "core/task/task.h"

/* One of n: 1, 2, ... All zero: the run has none. */
struct island {
	size_t number, n;
};

/* Is it of this island? A lineage of a run that had more of them, or none, has
 * a place in one of these. Where there are none: of all. */
bool islands_has(struct island at, const struct lineage *l);
/* The lineage with the island's fastest tip, an index; there must be one. */
size_t islands_champion(const struct population *p, struct island at);
/* The one that was begun last; likewise. */
size_t islands_newest(const struct population *p, struct island at);
/* Makes the entry of what is due: an island that has no lineage, or a migration.
 * False: nothing is. Depends on the population alone. entry_release disposes. */
bool islands_next(struct entry *out, const struct population *p,
		  const struct island_rules *rules);
/* Is it one that islands_next made? By its trigger. */
bool islands_said(const char *trigger);

#endif
