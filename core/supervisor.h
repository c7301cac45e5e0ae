/*
 * The supervisor watches the trajectory. On a stall (`stall` attempts in the
 * lineage without a gain) it begins a new lineage at an earlier candidate and
 * says why; by rule, no model is needed.
 */
#ifndef CORE_SUPERVISOR_H
#define CORE_SUPERVISOR_H

#include "core/population.h"
#include "core/random.h"

struct supervisor_rules {
	size_t stall;	     /* attempts without a gain */
	size_t max_lineages; /* live at a time */
};
#define SUPERVISOR_RULES_DEFAULT               \
	{                                      \
		.stall = 12, .max_lineages = 4 \
	}

struct intervention {
	bool wanted;
	size_t parent; /* attempt index where the new lineage begins */
	char *reason;  /* for the journal and the operator; owned */
};

/* Looks at the population; intervention_release disposes. */
void supervisor_review(struct intervention *out,
		       const struct supervisor_rules *rules,
		       const struct population *p, struct random *r);
void intervention_release(struct intervention *i);

DEFINE_RELEASE(intervention, struct intervention, intervention_release)
#define cleanup_intervention CLEANUP(intervention)

#endif
