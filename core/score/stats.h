/*
 * The statistics of a comparison. An observation is the log of a time ratio
 * of one block (an ABBA of two arms gives one number); positive means the
 * candidate was faster. Nothing here knows where the numbers come from.
 *
 * Sources: blocks in random order, Fisher 1935; the trimmed mean and its error
 * from winsorised squares, Tukey and McLaughlin 1963, tested by Student's t;
 * bootstrap-t interval, Efron and Tibshirani 1993, ch. 12; alpha spent by looks,
 * more of it on the last ones, Lan and DeMets 1983, here fixed shares of it
 * (Bonferroni's bound).
 */
#ifndef CORE_SCORE_STATS_H
#define CORE_SCORE_STATS_H

#include <math.h>

#include "core/base/random.h"

double stats_mean(const double *x, size_t n);
/* Sample standard deviation; 0 for n < 2. */
double stats_sd(const double *x, size_t n);
/* Leaves x unchanged; q in [0, 1]; linear interpolation; NAN for n == 0. */
double stats_quantile(const double *x, size_t n, double q);
double stats_median(const double *x, size_t n);
/* `weight` NULL: all 1. 0 if an x is not positive, or if n is 0. */
double stats_geomean(const double *x, const double *weight, size_t n);

/* P(T > t) for Student's t with `freedom` degrees of freedom. */
double stats_t_above(double t, double freedom);

struct interval {
	double lo, hi;
};

/* Confidence interval of the location of x at `level` (for example 0.95), by
 * the bootstrap; deterministic for a given seed. n < 2 gives (-inf, inf). */
struct interval stats_interval(const double *x, size_t n, double level,
			       uint64_t seed);

enum decision {
	DECISION_SLOWER = -1,
	DECISION_NONE = 0, /* no difference was found */
	DECISION_FASTER = 1,
};
/* "slower", "faster"; else "same" if the interval of the ratio contains 1 and
 * lies within 5 % of it, else "undecided". A wide interval says nothing, and
 * one beside 1 occurs in one of twenty comparisons of equals, so a decision
 * needs more than that. */
const char *decision_name(enum decision t, struct interval ratio95);
/* Is that name "same"? */
bool decision_is_same(enum decision t, struct interval ratio95);
bool decision_parse(enum decision *t, const char *name);

/*
 * A comparison in progress: blocks are added one by one, and at planned looks
 * it is tested whether there is a difference, with that look's share of the
 * error (`alpha` over all looks).
 */
struct comparison_design {
	double alpha;	   /* nominal rate of false decisions over all looks:
			    * 0.01 */
	size_t min_blocks; /* first look */
	size_t max_blocks; /* last look */
	/* May stop without a decision once the 95 % interval has a half width
	 * below this (log ratio); a difference that is surely smaller than this
	 * is not reported. */
	double precision;
	/* May stop once the 95 % interval lies below this log ratio: nothing of
	 * interest can follow (-HUGE_VAL: never). */
	double hopeless;
	/* May also stop once the remaining blocks could hardly show it to be
	 * faster. With noise as heavy as on a busy machine this loses one
	 * winner of twenty, so it is for expensive and steady blocks. */
	bool curtailed;
	/* See comparison_glance; 0: glances decide nothing. */
	double luck;
};
#define COMPARISON_DESIGN_DEFAULT                                 \
	{                                                         \
		.alpha = 0.01, .min_blocks = 4, .max_blocks = 48, \
		.precision = 0.002, .hopeless = -HUGE_VAL         \
	}

struct comparison_state {
	double ratio;		 /* exp(location): > 1 is faster */
	struct interval ratio95; /* 95 % interval of it */
	enum decision decision;
	bool done; /* no more blocks are needed */
};
/* Tests after n blocks. Between planned looks nothing is computed: done is
 * false and the ratio NAN. */
struct comparison_state comparison_look(const struct comparison_design *design,
					const double *log_ratio, size_t n,
					uint64_t seed);
/* Tests before the first look, if a block consists of many measurements. Few
 * blocks may share a chance shift of up to design->luck (log ratio). Only a
 * candidate that is slower by more than that is decided, and its interval is
 * widened by it; otherwise done is false. */
struct comparison_state comparison_glance(
	const struct comparison_design *design, const double *log_ratio,
	size_t n, uint64_t seed);

#endif
