/*
 * Several sessions of one pair of kernels as one answer. In each the two are timed
 * anew, in fresh processes with a fresh seed, so that the layout of memory, the
 * inputs and what else the machine did are drawn again. On a busy machine no single
 * session is believed, since what disturbed it could have made the difference; but
 * that has no reason to side with the same kernel every time, and the scatter of
 * the sessions holds it. So here a session is one observation.
 *
 * A gate asks so for a loss (cmd/gate), a final for a gain (scorer/scoring_gain.c).
 */
#ifndef CORE_SCORE_SESSIONS_H
#define CORE_SCORE_SESSIONS_H

#include "core/score/measurement.h"

/* So many are made of a pair at most. */
#define SESSIONS_MOST 8
/* A difference (log ratio) that is smaller is never decided; it is what two
 * processes of the same code may differ by. */
#define SESSIONS_PRECISION 0.002

struct sessions {
	double log_ratio[SESSIONS_MOST], error[SESSIONS_MOST];
	size_t n;
};

/* Adds one; not one that had no time for a look. */
void sessions_add(struct sessions *s, const struct comparison *c);
/* All as one figure (of n = 1: that session's own): the mean weighted by the
 * errors, which are stretched where the sessions scatter more than they say of
 * themselves (Birge 1932). n > 0. */
void sessions_combine(double *ratio, struct interval *ratio95,
		      const struct sessions *s);
/* The lower end of that interval, as wide as SESSIONS_MOST looks ask for (Pocock
 * 1977); for n < 2 as it is. */
double sessions_low(const struct sessions *s);
/*
 * Does the mean lie above (below) `bound`, a log ratio, by more than the
 * precision? By a t-test on the scatter of the sessions alone. It may be asked
 * after each session: the looks after four to eight of them have 0.00029 of error
 * to spend together, and an earlier one finds nothing.
 */
bool sessions_above(const struct sessions *s, double bound);
bool sessions_below(const struct sessions *s, double bound);

#endif
