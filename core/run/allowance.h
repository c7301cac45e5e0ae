/*
 * The part of a run's budget that is left for a step of the operator or a
 * review of the supervisor, and the calls by which they report what they used.
 * The loop owns it; others borrow it.
 */
#ifndef CORE_RUN_ALLOWANCE_H
#define CORE_RUN_ALLOWANCE_H

#include "core/run/spend.h"

struct allowance {
	/* Why the run is over: "attempts", "time", "tokens", "interrupted" ...
	 * (stop_words of core/run/spend.h). NULL: it is not over. */
	const char *(*why_stop)(const struct allowance *self);
	/* Seconds until the run's time is up, or only its last measurements
	 * have a share of it left; INFINITY: it has no end. */
	double (*seconds_left)(const struct allowance *self);
	/* Adds what is left of the limits there are: "12 attempts, 58 min,
	 * $4.20"; nothing where there is none. NULL: not known. */
	void (*left)(const struct allowance *self, struct buf *out);
	/* Nonzero once the run is asked to stop; may be NULL. */
	const volatile int *stop_requested;
	/* What is at work gives up at once, with ERROR_INTERRUPTED, while this
	 * is 2; may be NULL. `cancel` sets it so (true) though the run is not
	 * asked to stop, and back: for any thread, one at a time. NULL: nothing
	 * can be cancelled. */
	const volatile int *stop_now;
	void (*cancel)(bool on);
	/* Adds to the spend of the run, and reports it. */
	void (*spent)(struct allowance *self, const struct spend *more);
	/* A few words for people: what the work waits for right now. */
	void (*working)(struct allowance *self, const char *text);
	/* A sentence for people: nothing goes on at the moment, and why. Called
	 * once a minute at most. */
	void (*waiting)(struct allowance *self, const char *text);
	/* A sentence for people: what went another way than was asked for. */
	void (*notice)(struct allowance *self, const char *text);
	/* Where several agents work on the run (core/run/agents.h): the caller
	 * now waits for something outside (a model, a program), and until it
	 * says false it uses nothing of the run, and calls nothing of this.
	 * NULL: there is one agent. */
	void (*away)(struct allowance *self, bool begins);
};

/* `a` may be NULL. */
static inline void allowance_away(struct allowance *a, bool begins)
{
	if (a && a->away)
		a->away(a, begins);
}

#endif
