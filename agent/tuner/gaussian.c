#include "agent/tuner/gaussian.h"

#include <math.h>

#include "core/score/stats.h"

/* The logs of the weights are normal about the log of the usual one, with this
 * deviation, before anything is known, and so is the noise's. Few points cannot
 * tell them. */
#define USUAL_WEIGHT  0.4
#define WEIGHT_SPREAD 2.0
#define USUAL_NOISE   0.003
#define NOISE_SPREAD  4.0
/* Fewer points cannot tell noise from what another point does. */
#define NOISE_FROM 12

/* Rows of the factor between two looks at whether a point can be good enough. */
#define CHECK_EVERY 12

/* Possible weights of a dimension: exp(-weight) is the correlation of two
 * points that lie as far apart as this dimension allows. */
static const double weights[] = {0.05, 0.15, 0.4, 1, 2.5};
/* Possible variances of the noise, as shares of the total variance. */
static const double noises[] = {0.003, 0.01, 0.03, 0.1};

/* The steps between the two values that are farthest apart. */
static size_t most_steps(const struct gaussian *g, size_t d)
{
	size_t n = g->values[d], most = 1;

	if (!g->steps || !g->steps[d])
		return MAX(n, (size_t)2) - 1;
	for (size_t i = 0; i < n * n; i++)
		most = MAX(most, (size_t)g->steps[d][i]);
	return most;
}

static void set_weight(struct gaussian *g, size_t d, double weight)
{
	bool has_steps = g->ordered[d] || (g->steps && g->steps[d]);
	double all = (double)most_steps(g, d);

	g->weight[d] = weight;
	for (size_t i = 1; i < g->values[d]; i++)
		g->correlation[d][i] =
			exp(-weight * (has_steps ? (double)i / all : 1));
	g->correlation[d][0] = 1;
}

void gaussian_init(struct gaussian *g, size_t dims, const size_t *values,
		   const bool *ordered)
{
	*g = (struct gaussian){
		.dims = dims,
		.values = values,
		.ordered = ordered,
		.noise = USUAL_NOISE,
	};
	for (size_t d = 0; d < dims; d++) {
		g->correlation[d] =
			xcalloc(values[d], sizeof *g->correlation[d]);
		set_weight(g, d, USUAL_WEIGHT);
	}
	g->factor = xcalloc(GAUSSIAN_MAX_POINTS * GAUSSIAN_MAX_POINTS,
			    sizeof *g->factor);
}

void gaussian_release(struct gaussian *g)
{
	for (size_t d = 0; d < g->dims; d++)
		free(g->correlation[d]);
	free(g->factor);
	*g = (struct gaussian){0};
}

void gaussian_set_weights(struct gaussian *g, const double *weight,
			  double noise)
{
	for (size_t d = 0; d < g->dims; d++)
		set_weight(g, d, weight[d]);
	g->noise = noise;
}

void gaussian_set_steps(struct gaussian *g, const uint8_t *const *steps)
{
	g->steps = steps;
	for (size_t d = 0; d < g->dims; d++)
		set_weight(g, d, g->weight[d]);
}

/* Where some dimensions have steps of their own. */
static double covariance_by_steps(const struct gaussian *g, const size_t *a,
				  const size_t *b)
{
	double product = 1;

	for (size_t d = 0; d < g->dims; d++) {
		size_t apart = a[d] > b[d] ? a[d] - b[d] : b[d] - a[d];

		if (g->steps[d])
			apart = g->steps[d][a[d] * g->values[d] + b[d]];
		product *= g->correlation[d][apart];
	}
	return product;
}

static double covariance(const struct gaussian *g, const size_t *a,
			 const size_t *b)
{
	double product = 1;

	if (g->steps)
		return covariance_by_steps(g, a, b);

	for (size_t d = 0; d < g->dims; d++)
		product *= g->correlation[d][a[d] > b[d] ? a[d] - b[d]
							 : b[d] - a[d]];
	return product;
}

/* In four sums, which a processor adds at the same time. */
static double dot(const double *a, const double *b, size_t n)
{
	double sum[4] = {0};
	size_t i = 0;

	for (; i + 4 <= n; i += 4)
		for (size_t j = 0; j < 4; j++)
			sum[j] += a[i + j] * b[i + j];
	for (; i < n; i++)
		sum[0] += a[i] * b[i];
	return (sum[0] + sum[1]) + (sum[2] + sum[3]);
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
				sum += g->noise + g->own[i];
			sum -= dot(row, other, j);
			row[j] = i == j ? sqrt(MAX(sum, 1e-9)) : sum / other[j];
		}
	}
}

static void solve_lower(const struct gaussian *g, double *x)
{
	for (size_t i = 0; i < g->n; i++) {
		const double *row = g->factor + i * g->n;

		x[i] = (x[i] - dot(row, x, i)) / row[i];
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

/* The log prior density of a weight or of the noise, up to a constant. */
static double prior(double value, double usual, double spread)
{
	double z = log(value / usual) / spread;

	return -z * z / 2;
}

/* The log posterior density of weights and noise, up to a constant. */
static double posterior(struct gaussian *g, const double *y)
{
	double sum =
		likelihood(g, y) + prior(g->noise, USUAL_NOISE, NOISE_SPREAD);

	for (size_t d = 0; d < g->dims; d++)
		sum += prior(g->weight[d], USUAL_WEIGHT, WEIGHT_SPREAD);
	return sum;
}

static void learn_noise(struct gaussian *g, const double *y, double best)
{
	double kept = g->noise;

	for (size_t i = 0; i < ARRAY_SIZE(noises); i++) {
		double l;

		g->noise = noises[i];
		l = posterior(g, y);
		if (l > best) {
			best = l;
			kept = noises[i];
		}
	}
	g->noise = kept;
}

/* One round of coordinate ascent over the grids of weights and noise. */
static void learn(struct gaussian *g, const double *y)
{
	double best = posterior(g, y);

	for (size_t d = 0; d < g->dims; d++) {
		double kept = g->weight[d];

		for (size_t i = 0; i < ARRAY_SIZE(weights); i++) {
			double l;

			set_weight(g, d, weights[i]);
			l = posterior(g, y);
			if (l > best) {
				best = l;
				kept = weights[i];
			}
		}
		set_weight(g, d, kept);
	}
	if (g->n >= NOISE_FROM)
		learn_noise(g, y, best);
}

void gaussian_fit(struct gaussian *g, const size_t *const *point,
		  const double *value, const double *deviation, size_t n,
		  bool is_learning)
{
	double y[GAUSSIAN_MAX_POINTS];

	g->n = n;
	g->mean = stats_mean(value, n);
	g->scale = MAX(stats_sd(value, n), 1e-3);
	for (size_t i = 0; i < n; i++) {
		g->point[i] = point[i];
		y[i] = (value[i] - g->mean) / g->scale;
		g->own[i] = deviation ? pow(deviation[i] / g->scale, 2) : 0;
	}
	if (is_learning)
		learn(g, y);
	likelihood(g, y);
}

/* K alpha is y without the part that the noise takes of it. */
double gaussian_fitted(const struct gaussian *g, size_t i, double value)
{
	return value - g->scale * (g->noise + g->own[i]) * g->alpha[i];
}

/* Element i of the diagonal of the inverse covariance: the square of column i of
 * the factor's inverse. */
static double precision(const struct gaussian *g, size_t i)
{
	double x[GAUSSIAN_MAX_POINTS], sum = 0;

	for (size_t r = i; r < g->n; r++) {
		const double *row = g->factor + r * g->n;

		x[r] = ((r == i ? 1 : 0) - dot(row + i, x + i, r - i)) / row[r];
		sum += x[r] * x[r];
	}
	return sum;
}

double gaussian_loo(const struct gaussian *g, size_t m)
{
	double sum = 0;

	for (size_t i = 0; i < m; i++) {
		double all = precision(g, i);

		sum += log(all / (2 * M_PI)) / 2 - log(g->scale) -
		       g->alpha[i] * g->alpha[i] / all / 2;
	}
	return sum;
}

/* A believed value equals the prediction, so it must not change predictions:
 * with alpha 0 for it, the equations of alpha still hold. */
void gaussian_believe(struct gaussian *g, const size_t *const *point, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		g->point[g->n] = point[i];
		g->own[g->n] = 0;
		g->alpha[g->n++] = 0;
	}
	factorise(g);
}

/* Fills k with the point's covariances; returns the mean at it. */
static double predict_mean(const struct gaussian *g, const size_t *point,
			   double *k)
{
	double sum = 0;

	for (size_t i = 0; i < g->n; i++) {
		k[i] = covariance(g, point, g->point[i]);
		sum += k[i] * g->alpha[i];
	}
	return g->mean + g->scale * sum;
}

void gaussian_predict(const struct gaussian *g, const size_t *point,
		      double *mean, double *deviation)
{
	double k[GAUSSIAN_MAX_POINTS], variance = 1;

	*mean = predict_mean(g, point, k);
	solve_lower(g, k);
	for (size_t i = 0; i < g->n; i++)
		variance -= k[i] * k[i];
	*deviation = g->scale * sqrt(MAX(variance, 1e-9));
}

static double improvement(double ahead, double deviation)
{
	double z = ahead / deviation;

	return deviation * (z * 0.5 * erfc(-z / M_SQRT2) +
			    exp(-z * z / 2) / sqrt(2 * M_PI));
}

/* The variance only falls as more of the fitted points are taken into account,
 * and the improvement with it. So most points are given up after a few. */
double gaussian_improvement(const struct gaussian *g, const size_t *point,
			    double best, double enough)
{
	double k[GAUSSIAN_MAX_POINTS], variance = 1;
	double ahead = predict_mean(g, point, k) - best;

	for (size_t i = 0; i < g->n; i++) {
		const double *row = g->factor + i * g->n;

		if (i % CHECK_EVERY == 0 &&
		    improvement(ahead, g->scale * sqrt(MAX(variance, 1e-9))) <=
			    enough)
			return 0;
		k[i] = (k[i] - dot(row, k, i)) / row[i];
		variance -= k[i] * k[i];
	}
	return improvement(ahead, g->scale * sqrt(MAX(variance, 1e-9)));
}
