/*
 * What somebody who works for a run may still take of it, and where they say
 * what they took: for a step of the operator and a review of the supervisor's
 * alike. The loop's; borrowed by whoever it is handed to.
 */
#ifndef CORE_RUN_ALLOWANCE_H
#define CORE_RUN_ALLOWANCE_H

#include "core/run/spend.h"

struct allowance {
	/* Why the run is over: "attempts", "time", "tokens", "interrupted" ...
	 * (stop_words of core/run/spend.h); NULL: it goes on. */
	const char *(*why_stop)(const struct allowance *self);
	/* Seconds until the run's time is up; INFINITY: it has no end. */
	double (*seconds_left)(const struct allowance *self);
	/* Set while somebody wants the run to stop; may be NULL. */
	const volatile int *stop_requested;
	/* Counts against the budget, and is shown. */
	void (*spent)(struct allowance *self, const struct spend *more);
	/* What is waited for right now, a few words for people. */
	void (*working)(struct allowance *self, const char *text);
};

#endif
