/*
 * The trajectory of a run since its last news (a gain, or an intervention of
 * the supervisor): the figures that distinguish a stall or a cycle from
 * progress. Computed from the population alone, so every clone and every
 * resumed process gets the same.
 */
#ifndef CORE_RUN_TRAJECTORY_H
#define CORE_RUN_TRAJECTORY_H

#include "core/run/population.h"

struct trajectory {
	/* Since the news: attempts that were measured, and seconds of work. */
	size_t attempts;
	double seconds;
	/* The news was an intervention, not a gain. */
	bool intervened;
	/* Since the last gain: figures for people. */
	size_t gainless;
	double gainless_seconds;
	/* Of the newest attempts since the news, how many in a row ... */
	size_t failures;   /* failed */
	size_t same_error; /* failed with one and the same error */
	size_t repeats;	   /* were measured before: same tree or machine code */
	/* Length of a cycle: the newest 2 * period attempts are the same
	 * sequence of 2 to 4 outcomes, twice; 0: there is none. */
	size_t period;
};

/* `spent`: seconds of work since the start of the run, until now. */
void trajectory_read(struct trajectory *out, const struct population *p,
		     double spent);

/* What identifies a failure: its verdict and the first line of its reason, with
 * every number and address as '#'. Equal text means the same error. free()
 * disposes. */
char *trajectory_error(const struct measurement *m) MUST_CHECK;

#endif
