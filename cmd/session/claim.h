/*
 * A claim is what an earlier measurement of a candidate says; a new measurement
 * checks whether it holds. The verdict must be the same. Every rival that was
 * beaten must be beaten again, and on the same kind of machine by about as
 * much. There the score must also not have been far above today's. Better
 * figures today never break a claim.
 */
#ifndef CMD_SESSION_CLAIM_H
#define CMD_SESSION_CLAIM_H

#include "core/score/measurement.h"
#include "core/base/strvec.h"

/* A measurement that checks a claim names the claim under this key; it is not a
 * claim itself. */
#define CLAIM_KEY "verifies"

/* Is it a claim? */
bool claim_is(const struct measurement *m);
/* And one of a candidate that passed? */
bool claim_is_pass(const struct measurement *m);
/* Adds a sentence for each point: "holds: ...", "fails: ..." or, if today's
 * measurement was too coarse, "open: ...". Returns true if none fails. `start`: id of
 * the run's start, which may have been beaten in a champion's place; NULL: unknown. */
bool claim_holds(struct strvec *points, const struct measurement *claim,
		 const struct measurement *today, const char *start);

#endif
