#include "core/score/sessions.h"

#include <math.h>

/* Half of a 95 % interval in standard errors; the same of one that is looked at
 * SESSIONS_MOST times (Pocock 1977, table 1, for 8 and 0.05). */
#define HALF_95	      1.96
#define HALF_95_LOOKS 2.512

/* The standard error of a log ratio. */
static double error_of(const struct comparison *c)
{
	double below = log(c->ratio / c->ratio95.lo);
	double above = log(c->ratio95.hi / c->ratio);

	/* The end of a decided interval may have been cut at 1. */
	return MAX(MAX(below, above) / HALF_95, SESSIONS_PRECISION / HALF_95);
}

void sessions_add(struct sessions *s, const struct comparison *c)
{
	if (!(c->ratio > 0) || !isfinite(c->ratio) || s->n == SESSIONS_MOST)
		return;
	s->log_ratio[s->n] = log(c->ratio);
	s->error[s->n++] = error_of(c);
}

static void combine(double *mean, double *half, const struct sessions *s)
{
	double weights = 0, sum = 0, chi = 0, stretch = 1;

	for (size_t i = 0; i < s->n; i++) {
		double weight = 1 / (s->error[i] * s->error[i]);

		weights += weight;
		sum += s->log_ratio[i] * weight;
	}
	*mean = sum / weights;
	for (size_t i = 0; i < s->n; i++) {
		double off = (s->log_ratio[i] - *mean) / s->error[i];

		chi += off * off;
	}
	if (s->n > 1)
		stretch = MAX(1, chi / (double)(s->n - 1));
	*half = HALF_95 * sqrt(stretch / weights);
}

void sessions_combine(double *ratio, struct interval *ratio95,
		      const struct sessions *s)
{
	double mean, half;

	combine(&mean, &half, s);
	*ratio = exp(mean);
	*ratio95 = (struct interval){exp(mean - half), exp(mean + half)};
}

double sessions_low(const struct sessions *s)
{
	double mean, half;

	combine(&mean, &half, s);
	if (s->n > 1)
		half *= HALF_95_LOOKS / HALF_95;
	return exp(mean - half);
}

/* Is the mean `by` away from where it must lie, on the right side? */
static bool is_sure(const struct sessions *s, double by)
{
	/* What the look after so many may spend. */
	static const double alpha[SESSIONS_MOST + 1] = {
		[4] = 3e-5, [5] = 3e-5, [6] = 5e-5, [7] = 8e-5, [8] = 1e-4};
	/* Figures that agree by luck scatter less than processes do. */
	double scatter =
		MAX(stats_sd(s->log_ratio, s->n), SESSIONS_PRECISION / 2);

	return alpha[s->n] > 0 &&
	       stats_t_above((by - SESSIONS_PRECISION) / scatter *
				     sqrt((double)s->n),
			     (double)(s->n - 1)) < alpha[s->n];
}

bool sessions_above(const struct sessions *s, double bound)
{
	return is_sure(s, stats_mean(s->log_ratio, s->n) - bound);
}

bool sessions_below(const struct sessions *s, double bound)
{
	return is_sure(s, bound - stats_mean(s->log_ratio, s->n));
}
