/*
 * A Gaussian process over points of a finite grid. From the values of some
 * points it predicts mean and deviation at any other. The distance in an
 * ordered dimension is the number of steps, in an unordered one equal or
 * different; each dimension has a weight that is learned from the data, and so
 * is how much of what the values differ by is noise, by the largest posterior
 * density: Rasmussen and Williams 2006, ch. 2.2 and 5.2. A value of which is
 * known how far it may be off counts so much less: Ankenman, Nelson and Staum
 * 2010 (stochastic kriging).
 */
#ifndef AGENT_TUNER_GAUSSIAN_H
#define AGENT_TUNER_GAUSSIAN_H

#include "core/base/base.h"

#define GAUSSIAN_MAX_DIMS   64
#define GAUSSIAN_MAX_POINTS 128

struct gaussian {
	size_t dims;
	const size_t *values; /* number of values of each dimension */
	const bool *ordered;
	const uint8_t *const *steps; /* gaussian_set_steps */
	double weight[GAUSSIAN_MAX_DIMS];
	double noise; /* variance, as a share of the values' */
	/* By dimension and number of steps: the factor by which it lowers the
	 * correlation of two points. */
	double *correlation[GAUSSIAN_MAX_DIMS];
	/* The points that the process is fitted to; borrowed. */
	const size_t *point[GAUSSIAN_MAX_POINTS];
	/* Of each, as `noise`: what is known of how far its value is off. */
	double own[GAUSSIAN_MAX_POINTS];
	size_t n;
	double mean, scale; /* of the values */
	double *factor;	    /* n * n: Cholesky factor of the covariance */
	double alpha[GAUSSIAN_MAX_POINTS];
};

void gaussian_init(struct gaussian *g, size_t dims, const size_t *values,
		   const bool *ordered);
/* Between values of unordered dimensions: as in struct search_space. */
void gaussian_set_steps(struct gaussian *g, const uint8_t *const *steps);
/* Fits to n <= GAUSSIAN_MAX_POINTS values; `is_learning`: weights and noise,
 * too. `deviation`: how far each value may be off, beside the noise that is
 * learned; NULL: nothing is known of it. */
void gaussian_fit(struct gaussian *g, const size_t *const *point,
		  const double *value, const double *deviation, size_t n,
		  bool is_learning);
/* The mean at point i of those fitted, whose value is given. */
double gaussian_fitted(const struct gaussian *g, size_t i, double value);
/* How well the process predicts: the sum, over the first m of the points fitted, of
 * the log density of each one's value given all the others', with mean, scale,
 * weights and noise as they are. Fits of other values of the other points compare by
 * it where the m values are the same. Before gaussian_believe. Sundararajan and
 * Keerthi 2001; Rasmussen and Williams 2006, ch. 5.4.2. */
double gaussian_loo(const struct gaussian *g, size_t m);
/* Adds n points (at most GAUSSIAN_MAX_POINTS in all) with their predicted
 * values: predicted means stay as they are, deviations near the points
 * shrink. */
void gaussian_believe(struct gaussian *g, const size_t *const *point, size_t n);
/* Predicts mean and standard deviation at the point. */
void gaussian_predict(const struct gaussian *g, const size_t *point,
		      double *mean, double *deviation);
/* Expected improvement of the point over `best`; 0 if it is not more than
 * `enough`. */
double gaussian_improvement(const struct gaussian *g, const size_t *point,
			    double best, double enough);
/* Sets the weight of each dimension and the noise. */
void gaussian_set_weights(struct gaussian *g, const double *weight,
			  double noise);
void gaussian_release(struct gaussian *g);

DEFINE_RELEASE(gaussian, struct gaussian, gaussian_release)
#define cleanup_gaussian CLEANUP(gaussian)

#endif
