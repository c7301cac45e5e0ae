/*
 * Short launches on the CPU. Waking a process and hearing of its end take 20 us
 * or more, and what a kernel finds in the caches then is not what it finds where
 * it is used. So a kernel of less than 100 us is launched many times in one
 * hand-over, each time on inputs and outputs of its own that were just read: a
 * series. What a series of launches that call nothing takes is measured
 * throughout (contest.fixed) and taken off every time.
 *
 * A kernel might work for several launches of a series at once. So twice as many
 * images are handed over as are launched, in random order; those that are not
 * launched must stay as they are; and now and then a series is of one launch.
 * What the candidate may take longer then than its rival does is a bias.
 */
#ifndef SCORER_CONTEST_SERIES_H
#define SCORER_CONTEST_SERIES_H

#include "scorer/contest/contest.h"

/* Of a launch: where more than this share is not the kernel's nothing is taken off,
 * and no ratio of kernels is said. */
#define SERIES_FIXED_MOST 0.5
/* Launches alone of a case without which no gain is believed. */
#define SERIES_LEAST_ALONE 4

/* After the first round: chooses how many launches of each case one hand-over
 * has. If any has several, what was measured so far is dropped. */
struct error *series_choose(struct contest *c) MUST_CHECK;
/* Do launches of this case make a series? */
bool series_is(const struct contest *c, size_t which);
/* Draws a set of a case for one hand-over; `single`: a series of one launch. */
struct error *series_set(struct input_set *s, struct contest *c, size_t which,
			 enum fill fill, bool single) MUST_CHECK;

/* Seconds of the candidate's launches of a case that are not the kernel's, and half the 95 %
 * interval of that; 0: not known. */
double series_fixed(const struct contest *c, size_t which);
double series_fixed_error(const struct contest *c, size_t which);
/* The 95 % interval of the seconds of the candidate's kernel itself in a case, without
 * what is fixed; 0 at least. */
struct interval series_own(const struct contest *c, size_t which);
/* The logarithm of a launch's seconds without what is fixed. */
double series_log(const struct contest *c, size_t contender, size_t which,
		  double seconds);
/* Is more than half of a launch fixed, in any case, of either? Then no ratio of
 * the kernels is said. */
bool series_too_short(const struct contest *c, size_t contender);
/* The ratio of whole launches, with what is fixed, for one of the kernels. */
double series_whole_ratio(const struct contest *c, size_t contender,
			  double ratio);
/* What the error of what is fixed adds to the error of a rival's log ratio. */
double series_ratio_error(const struct contest *c, size_t contender);
/* The largest gain (log ratio) that a candidate can have made besides its kernel:
 * by half of what is fixed in a series, by all of it where another program calls
 * it (LANGUAGE_RUNNER), or by work for several launches. *why as
 * of steadiness_end. */
double series_bias(char **why, const struct contest *c);

#endif
