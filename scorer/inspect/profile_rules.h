/*
 * Rules of what holds a kernel back. A rule gives a severity: the part of the
 * time, in percent, that what was counted could explain; 0 or NAN where it
 * does not hold. A part of the card that is busy is as severe as it is busy. A
 * wait is as severe as it is long, but only for the part of the card that
 * nothing keeps busy: with tensor cores at 90 % of their peak it does not matter
 * that warps wait for them. docs/profile.md lists the rules.
 */
#ifndef SCORER_INSPECT_PROFILE_RULES_H
#define SCORER_INSPECT_PROFILE_RULES_H

#include "scorer/inspect/profile.h"

#define RULE_LEAST 10.0 /* a severity below is not told */

struct profile_rule {
	const char *name;
	double (*severity)(const struct profile *p);
	/* What was counted, a sentence; called where the rule holds. */
	void (*figures)(struct buf *out, const struct profile *p);
	const char *advice; /* NULL: it depends on the wait */
};

/* Each a fixed list of *n: of parts that are near their limit, of a card that
 * is not filled, of work that is wasted and warps that wait. */
const struct profile_rule *rules_of_parts(size_t *n);
const struct profile_rule *rules_of_filling(size_t *n);
const struct profile_rule *rules_of_waste(size_t *n);

/* The busiest part of the card, in percent: what else is slow hardly matters
 * beside it. */
double profile_busiest(const struct profile *p);
/* What that leaves: a part in 1. */
double profile_idle(const struct profile *p);

#endif
