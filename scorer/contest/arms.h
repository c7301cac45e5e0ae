/*
 * The processes of a contest: which contenders still need one, new ones every
 * few rounds, and how long each waited for a CPU while it was timed.
 */
#ifndef SCORER_CONTEST_ARMS_H
#define SCORER_CONTEST_ARMS_H

#include "scorer/contest/contest.h"

/* True for the candidate, and for a rival until its comparison is decided. */
bool contest_still_needs(const struct contest *c, size_t contender);
/* Ends running arms; starts and warms up one for the twin and for every
 * contender that still needs one. */
struct error *contest_fresh_arms(struct score_outcome *o,
				 struct contest *c) MUST_CHECK;
void contest_stop_arms(struct contest *c);

#endif
