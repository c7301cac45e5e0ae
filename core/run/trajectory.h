/*
 * The trajectory of a run since it last had news (a gain, or an intervention
 * of the supervisor), as the figures that tell a stall or a circle from
 * progress. Read from the population alone, so every clone and every resumed
 * process sees the same.
 */
#ifndef CORE_RUN_TRAJECTORY_H
#define CORE_RUN_TRAJECTORY_H

#include "core/run/population.h"

struct trajectory {
	/* Since the news: attempts that were measured, seconds of work. */
	size_t attempts;
	double seconds;
	/* The news was an intervention, not a gain. */
	bool intervened;
	/* Since the last gain: what people ask about. */
	size_t gainless;
	double gainless_seconds;
	/* Of the newest attempts since the news, how many in a row ... */
	size_t failures;   /* failed */
	size_t same_error; /* failed with one and the same error */
	size_t repeats;	   /* were measured before: same tree or machine code */
	/* The newest 2 * period attempts are one sequence of 2 to 4 outcomes,
	 * twice; 0: they are not. */
	size_t period;
};

/* `spent`: seconds of work since the start of the run, now. */
void trajectory_read(struct trajectory *out, const struct population *p,
		     double spent);

/* What a failure is known by: its verdict and the first line of its reason,
 * with every number and address as '#'; an equal one is the same error again.
 * free() disposes. */
char *trajectory_error(const struct measurement *m) MUST_CHECK;

#endif
