#include "agent/tuner/gaussian.h"

#include <math.h>

#include "core/score/stats.h"

/* Variance of the measurement noise, as a share of the total variance. */
#define NOISE 0.003

/* Possible weights of a dimension: exp(-weight) is the correlation of two
 * points that lie as far apart as this dimension allows. */
static const double weights[] = {0.05, 0.15, 0.4, 1, 2.5};

void gaussian_init(struct gaussian *g, size_t dims, const size_t *values,
		   const bool *ordered)
{
	*g = (struct gaussian){
		.dims = dims,
		.values = values,
		.ordered = ordered,
	};
	for (size_t d = 0; d < dims; d++)
		g->weight[d] = 0.4;
	g->factor = xcalloc(GAUSSIAN_MAX_POINTS * GAUSSIAN_MAX_POINTS,
			    sizeof *g->factor);
}

void gaussian_release(struct gaussian *g)
{
	free(g->factor);
	g->factor = NULL;
}

static double distance(const struct gaussian *g, size_t d, size_t a, size_t b)
{
	double steps = a > b ? (double)(a - b) : (double)(b - a);

	if (a == b)
		return 0;
	return g->ordered[d] ? steps / (double)(g->values[d] - 1) : 1;
}

static double covariance(const struct gaussian *g, const size_t *a,
			 const size_t *b)
{
	double sum = 0;

	for (size_t d = 0; d < g->dims; d++)
		sum += g->weight[d] * distance(g, d, a[d], b[d]);
	return exp(-sum);
}

/* Computes L of L L' = K + noise by rows; noise makes K positive definite. */
static void factorise(struct gaussian *g)
{
	size_t n = g->n;

	for (size_t i = 0; i < n; i++) {
		double *row = g->factor + i * n;

		for (size_t j = 0; j <= i; j++) {
			const double *other = g->factor + j * n;
			double sum = covariance(g, g->point[i], g->point[j]);

			if (i == j)
				sum += NOISE;
			for (size_t k = 0; k < j; k++)
				sum -= row[k] * other[k];
			row[j] = i == j ? sqrt(MAX(sum, 1e-9)) : sum / other[j];
		}
	}
}

static void solve_lower(const struct gaussian *g, double *x)
{
	for (size_t i = 0; i < g->n; i++) {
		const double *row = g->factor + i * g->n;

		for (size_t k = 0; k < i; k++)
			x[i] -= row[k] * x[k];
		x[i] /= row[i];
	}
}

static void solve_upper(const struct gaussian *g, double *x)
{
	for (size_t i = g->n; i-- > 0;) {
		x[i] /= g->factor[i * g->n + i];
		for (size_t k = 0; k < i; k++)
			x[k] -= g->factor[i * g->n + k] * x[i];
	}
}

/* Returns the log marginal likelihood of the scaled values y, up to a constant;
 * fills factor and alpha. */
static double likelihood(struct gaussian *g, const double *y)
{
	double fit = 0, determinant = 0;

	factorise(g);
	memcpy(g->alpha, y, g->n * sizeof *y);
	solve_lower(g, g->alpha);
	for (size_t i = 0; i < g->n; i++) {
		fit += g->alpha[i] * g->alpha[i];
		determinant += log(g->factor[i * g->n + i]);
	}
	solve_upper(g, g->alpha);
	return -fit / 2 - determinant;
}

/* One round of coordinate ascent over the grid of weights. */
static void learn_weights(struct gaussian *g, const double *y)
{
	double best = likelihood(g, y);

	for (size_t d = 0; d < g->dims; d++) {
		double kept = g->weight[d];

		for (size_t i = 0; i < ARRAY_SIZE(weights); i++) {
			double l;

			g->weight[d] = weights[i];
			l = likelihood(g, y);
			if (l > best) {
				best = l;
				kept = weights[i];
			}
		}
		g->weight[d] = kept;
	}
}

void gaussian_fit(struct gaussian *g, const size_t *const *point,
		  const double *value, size_t n, bool learn)
{
	double y[GAUSSIAN_MAX_POINTS];

	g->n = n;
	g->mean = stats_mean(value, n);
	g->scale = MAX(stats_sd(value, n), 1e-3);
	for (size_t i = 0; i < n; i++) {
		g->point[i] = point[i];
		y[i] = (value[i] - g->mean) / g->scale;
	}
	if (learn)
		learn_weights(g, y);
	likelihood(g, y);
}

/* A believed value equals the prediction, so it must not change predictions:
 * with alpha 0 for it, the equations of alpha still hold. */
void gaussian_believe(struct gaussian *g, const size_t *const *point, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		g->point[g->n] = point[i];
		g->alpha[g->n++] = 0;
	}
	factorise(g);
}

void gaussian_predict(const struct gaussian *g, const size_t *point,
		      double *mean, double *deviation)
{
	double k[GAUSSIAN_MAX_POINTS], sum = 0, variance = 1;

	for (size_t i = 0; i < g->n; i++) {
		k[i] = covariance(g, point, g->point[i]);
		sum += k[i] * g->alpha[i];
	}
	solve_lower(g, k);
	for (size_t i = 0; i < g->n; i++)
		variance -= k[i] * k[i];
	*mean = g->mean + g->scale * sum;
	*deviation = g->scale * sqrt(MAX(variance, 1e-9));
}

double gaussian_improvement(const struct gaussian *g, const size_t *point,
			    double best)
{
	double mean, deviation, z;

	gaussian_predict(g, point, &mean, &deviation);
	z = (mean - best) / deviation;
	return deviation * (z * 0.5 * erfc(-z / M_SQRT2) +
			    exp(-z * z / 2) / sqrt(2 * M_PI));
}
