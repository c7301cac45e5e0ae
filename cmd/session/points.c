#include "cmd/session/points.h"

#include <math.h>

#include "core/score/measurement.h"

/* What one point more has to bring: attempts were measured one after another, so
 * that less may be noise. */
#define WORTH 1.05

static const struct measurement *measured(const struct population *p, size_t i)
{
	return p->attempt[i].measurement;
}

static bool is_timed(const struct measurement *m)
{
	for (size_t c = 0; c < m->n_cases; c++)
		if (!(m->cases[c].seconds > 0))
			return false;
	return m->n_cases > 0;
}

/* Can it be chosen beside what was measured as `like`? */
static bool is_candidate(const struct measurement *m,
			 const struct measurement *like)
{
	return m && m->verdict == VERDICT_PASS && m->trust == like->trust &&
	       m->n_cases == like->n_cases && is_timed(m) &&
	       identity_comparable(&m->identity, &like->identity);
}

static double seconds(const struct population *p, size_t attempt, size_t c)
{
	return measured(p, attempt)->cases[c].seconds;
}

size_t points_of_case(const struct points *points, const struct population *p,
		      size_t c)
{
	size_t best = 0;

	for (size_t i = 1; i < points->n; i++)
		if (seconds(p, points->attempt[i], c) <
		    seconds(p, points->attempt[best], c))
			best = i;
	return best;
}

/* Minus the mean log time over the cases with their weights, if `more` may be
 * chosen beside the points. */
static double log_speed(const struct points *points, const struct population *p,
			size_t more)
{
	const struct measurement *m = measured(p, more);
	double sum = 0, weight = 0;

	for (size_t c = 0; c < m->n_cases; c++) {
		double least = seconds(p, more, c);

		for (size_t i = 0; i < points->n; i++)
			least = MIN(least, seconds(p, points->attempt[i], c));
		sum -= m->cases[c].weight * log(least);
		weight += m->cases[c].weight;
	}
	return weight > 0 ? sum / weight : sum;
}

/* The attempt that makes the points fastest; p->n: there is none. */
static size_t find_best(double *speed, struct points *points,
			const struct population *p,
			const struct measurement *like, const bool *left_out)
{
	size_t best = p->n;

	points->compared = 0;
	for (size_t i = 0; i < p->n; i++) {
		double with;

		if ((left_out && left_out[i]) ||
		    !is_candidate(measured(p, i), like))
			continue;
		points->compared++;
		with = log_speed(points, p, i);
		if (best < p->n && with <= *speed)
			continue;
		*speed = with;
		best = i;
	}
	return best;
}

void points_choose(struct points *out, const struct population *p, size_t most,
		   const bool *left_out)
{
	const struct measurement *like = p->n ? measured(p, p->champion) : NULL;
	double before = 0;

	*out = (struct points){0};
	while (like && out->n < MIN(most, (size_t)POINTS_MAX)) {
		double speed = 0;
		size_t best = find_best(&speed, out, p, like, left_out);
		double brings = out->n ? exp(speed - before) : 1;

		if (best == p->n || (out->n && brings < WORTH))
			return;
		out->brings[out->n] = brings;
		out->attempt[out->n++] = best;
		before = speed;
	}
}
