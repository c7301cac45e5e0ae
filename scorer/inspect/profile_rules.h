/*
 * Rules for what makes a kernel slow. A rule gives a severity: the share of the
 * time, in percent, that the counts could explain; 0 or NAN if it does not
 * hold. The severity of a busy part of the card is how busy it is. That of a
 * wait is its length, times the share of the card that is idle: with tensor
 * cores at 90 % of their peak it does not matter that warps wait for them.
 * docs/profile.md lists the rules.
 */
#ifndef SCORER_INSPECT_PROFILE_RULES_H
#define SCORER_INSPECT_PROFILE_RULES_H

#include "scorer/inspect/profile.h"

#define RULE_LEAST 10.0 /* a smaller severity is not reported */

struct profile_rule {
	const char *name;
	double (*severity)(const struct profile *p);
	/* Adds a sentence with the counts; called if the rule holds. */
	void (*figures)(struct buf *out, const struct profile *p);
	const char *advice; /* NULL: `advise` says */
	const char *(*advise)(const struct profile *p);
};

/* Fixed lists of *n rules: for parts that are near their limit, for a card that
 * is not filled, for work that is wasted and warps that wait. */
const struct profile_rule *rules_of_parts(size_t *n);
const struct profile_rule *rules_of_filling(size_t *n);
const struct profile_rule *rules_of_waste(size_t *n);

/* How busy the busiest part of the card is, in percent. */
double profile_busiest(const struct profile *p);
/* The rest of that, 0 to 1: how much other causes can matter. */
double profile_idle(const struct profile *p);

#endif
