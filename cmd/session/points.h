/*
 * A small set of a run's attempts, so that each case has the one that is fastest
 * there: the best over all cases, then the one that brings most beside it.
 */
#ifndef CMD_SESSION_POINTS_H
#define CMD_SESSION_POINTS_H

#include "core/run/population.h"

#define POINTS_MAX 8

struct points {
	size_t attempt[POINTS_MAX]; /* indices of the population; the first is
				     * the best single one */
	/* The mean speed over the cases with so many of them, over that with
	 * one less; of the first 1. */
	double brings[POINTS_MAX];
	size_t n;
	size_t compared; /* attempts that could have been chosen */
};

/* Chooses at most `most` (POINTS_MAX) of the attempts that passed, were timed in
 * every case, and were measured as the run's champion was, or its start; fewer
 * where one more brings less than a twentieth. `left_out` (by attempt, or NULL):
 * not these. n is 0 if there is none. */
void points_choose(struct points *out, const struct population *p, size_t most,
		   const bool *left_out);
/* Which of the points is fastest in the case: an index of out->attempt. */
size_t points_of_case(const struct points *points, const struct population *p,
		      size_t c);

#endif
