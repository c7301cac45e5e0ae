#include <math.h>

#include "agent/tuner/search_state.h"

/* Of what others measured, so much is in the model while fewer points were told
 * than that, and so many of the best are asked until one
 * of them ran. */
#define MOST_GUIDES   (GAUSSIAN_MAX_POINTS / 4)
#define GUIDED_UNTIL  (GAUSSIAN_MAX_POINTS / 4)
#define GUIDED_STARTS 3
/* What the two gains at a point are taken to differ by before some are known at
 * both, beside what all differ by; it weighs as one such point. */
#define USUAL_DEVIATION 0.1

void search_guide(struct tuner_search *s, const size_t *point, double gain)
{
	GROW(s->guide, s->n_guides, s->cap_guides);
	s->guide[s->n_guides++] = (struct guide){
		.point = xmemdup(point, s->space.n * sizeof *point),
		.gain = gain,
	};
	s->is_sorted = false;
}

/* Best first, failed last. */
static int by_guide(const void *a, const void *b)
{
	double x = ((const struct guide *)a)->gain;
	double y = ((const struct guide *)b)->gain;

	if (isnan(x) || isnan(y))
		return isnan(x) - isnan(y);
	return (x < y) - (x > y);
}

void search_sort_guides(struct tuner_search *s)
{
	if (!s->is_sorted && s->n_guides)
		qsort(s->guide, s->n_guides, sizeof *s->guide, by_guide);
	s->is_sorted = true;
}

/* How the gains told differ from the others' at the same points. */
struct difference {
	double mean, deviation;
	size_t n;
};

/* The gain told at the guide's point less the guide's; NAN: one is missing. */
static double difference_at(const struct tuner_search *s, const struct guide *g)
{
	const struct search_point *t = search_find(s, g->point);

	return t && t->is_told ? t->gain - g->gain : (double)NAN;
}

static struct difference find_difference(const struct tuner_search *s)
{
	struct difference d = {0};
	double sum = 0, squares = USUAL_DEVIATION * USUAL_DEVIATION;

	for (size_t i = 0; i < s->n_guides; i++) {
		double at = difference_at(s, &s->guide[i]);

		if (isnan(at))
			continue;
		sum += at;
		d.n++;
	}
	d.mean = sum / (double)MAX(d.n, (size_t)1);
	for (size_t i = 0; i < s->n_guides; i++) {
		double at = difference_at(s, &s->guide[i]);

		squares += isnan(at) ? 0 : pow(at - d.mean, 2);
	}
	d.deviation = sqrt(squares / (double)MAX(d.n, (size_t)1));
	return d;
}

bool search_propose_guide(struct tuner_search *s)
{
	size_t tried = 0;

	for (size_t i = 0; i < s->n_guides && tried < GUIDED_STARTS; i++) {
		const struct guide *g = &s->guide[i];
		const struct search_point *t = search_find(s, g->point);

		if (isnan(g->gain) || (t && t->is_told && !isnan(t->gain)))
			return false;
		tried += t != NULL;
		if (t || !s->space.allowed(s->space.arg, g->point))
			continue;
		memcpy(s->proposal, g->point, s->space.n * sizeof *g->point);
		s->has_proposal = true;
		return true;
	}
	return false;
}

size_t search_add_guides(const struct tuner_search *s, const size_t **point,
			 double *value, double *deviation, size_t n,
			 double floor)
{
	size_t most = MIN(s->n_guides, (size_t)MOST_GUIDES);
	struct difference d = find_difference(s);

	if (!d.n || s->n > GUIDED_UNTIL)
		return n;
	for (size_t i = 0; i < most; i++) {
		size_t half = most / 2;
		const struct guide *g =
			&s->guide[i < half ? i
					   : half + (i - half) *
							     (s->n_guides -
							      half) /
							     (most - half)];
		double gain = isnan(g->gain) ? floor : g->gain + d.mean;

		if (search_is_known(s, g->point))
			continue;
		point[n] = g->point;
		deviation[n] = d.deviation;
		value[n++] = MAX(gain, floor);
	}
	return n;
}
