/*
 * The processes of a contest: who still needs one, fresh ones every few
 * rounds, and how long each stood in line for a CPU while it was timed.
 */
#ifndef SCORER_CONTEST_ARMS_H
#define SCORER_CONTEST_ARMS_H

#include "scorer/contest/contest.h"

/* The candidate always, a rival until it is told. */
bool contest_still_needs(const struct contest *c, size_t contender);
/* Ends running arms; starts and warms up one for every contender that is still
 * needed, and the twin. */
struct error *contest_fresh_arms(struct score_outcome *o,
				 struct contest *c) MUST_CHECK;
void contest_stop_arms(struct contest *c);

#endif
