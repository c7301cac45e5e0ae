/*
 * The tries of one confirmation. Each is a contest of its own, in fresh processes
 * with a fresh seed, so all of a final are sessions of one pair, which may be
 * believed together where no single one is (core/score/sessions.h).
 */
#ifndef SCORER_TRIES_H
#define SCORER_TRIES_H

#include "core/score/sessions.h"

struct tries {
	struct sessions told;
	/* Of each session: what all of them may have alike (log ratio). */
	double alike[SESSIONS_MOST];
	double *case_log; /* by case: sum of the logs of its ratios; owned */
	size_t n_cases, blocks;
	double floor; /* no gain (log ratio) up to it is believed of one */
};

void tries_release(struct tries *t);
DEFINE_RELEASE(tries, struct tries, tries_release)
#define cleanup_tries CLEANUP(tries)

void tries_add(struct tries *t, const struct comparison *c, double alike);
/* A gain of which the sessions' own scatter leaves no doubt, and more than what all
 * of them may have alike. */
bool tries_agree(const struct tries *t);
/* What m said of the last session it says of all, in its first comparison. */
void tries_tell(struct measurement *m, const struct tries *t);

#endif
