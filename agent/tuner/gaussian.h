/*
 * A Gaussian process over points of a finite grid: what is expected of a
 * point, and how surely, given the values of others. Distances count steps in
 * an ordered dimension and differences in an unordered one, each dimension
 * with a weight that the data choose.
 */
#ifndef AGENT_TUNER_GAUSSIAN_H
#define AGENT_TUNER_GAUSSIAN_H

#include "core/base/base.h"

#define GAUSSIAN_MAX_DIMS   64
#define GAUSSIAN_MAX_POINTS 160

struct gaussian {
	size_t dims;
	const size_t *values; /* how many each dimension has */
	const bool *ordered;
	double weight[GAUSSIAN_MAX_DIMS];
	/* what it was fitted to; points are borrowed */
	const size_t *point[GAUSSIAN_MAX_POINTS];
	size_t n;
	double mean, scale; /* of the values */
	double *factor;	    /* n * n: Cholesky factor of the covariance */
	double alpha[GAUSSIAN_MAX_POINTS];
};

void gaussian_init(struct gaussian *g, size_t dims, const size_t *values,
		   const bool *ordered);
/* Fits to n <= GAUSSIAN_MAX_POINTS values; with `learn` the weights too. */
void gaussian_fit(struct gaussian *g, const size_t *const *point,
		  const double *value, size_t n, bool learn);
/* Adds n points, GAUSSIAN_MAX_POINTS in all, as if each had the value that is
 * expected of it: what is expected anywhere stays as it is, but it is known
 * more surely near them. */
void gaussian_believe(struct gaussian *g, const size_t *const *point, size_t n);
void gaussian_predict(const struct gaussian *g, const size_t *point,
		      double *mean, double *deviation);
/* By how much the point is expected to be above `best`, where it is. */
double gaussian_improvement(const struct gaussian *g, const size_t *point,
			    double best);
void gaussian_release(struct gaussian *g);

DEFINE_RELEASE(gaussian, struct gaussian, gaussian_release)
#define cleanup_gaussian CLEANUP(gaussian)

#endif
