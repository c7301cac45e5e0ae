/*
 * A claim is what an earlier measurement of a candidate says; measured again,
 * does it hold? The verdict must be the same; every rival that was beaten must
 * be beaten again, and on the same kind of machine by about as much; and there
 * the score must not have been far above what it is now. A claim that today's
 * figures surpass holds.
 */
#ifndef CMD_SESSION_CLAIM_H
#define CMD_SESSION_CLAIM_H

#include "core/score/measurement.h"
#include "core/base/strvec.h"

/* The key under which a measurement names the claim that it was made to check:
 * such a measurement is not a claim itself. */
#define CLAIM_KEY "verifies"

/* Is it a claim? */
bool claim_is(const struct measurement *m);
/* Adds a sentence a point that was looked at: "holds: ...", "fails: ..." or,
 * where today's measurement was too coarse to say, "open: ..."; true if none
 * fails. */
bool claim_holds(struct strvec *points, const struct measurement *claim,
		 const struct measurement *today);

#endif
