#include <math.h>

#include "agent/tuner/search_state.h"

/* Of what others measured, so much is in the model while fewer points were told
 * than the model can hold twice, and so many of the best are asked until one
 * of them ran. */
#define MOST_GUIDES   (GAUSSIAN_MAX_POINTS / 4)
#define GUIDED_UNTIL  (GAUSSIAN_MAX_POINTS / 2)
#define GUIDED_STARTS 3

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

/* How much larger the gains told are than the others' at the same points; false:
 * none ran at both. */
static bool guide_offset(const struct tuner_search *s, double *offset)
{
	double sum = 0;
	size_t n = 0;

	for (size_t i = 0; i < s->n_guides; i++) {
		const struct search_point *t =
			search_find(s, s->guide[i].point);

		if (!t || !t->is_told || isnan(t->gain) ||
		    isnan(s->guide[i].gain))
			continue;
		sum += t->gain - s->guide[i].gain;
		n++;
	}
	*offset = n ? sum / (double)n : 0;
	return n > 0;
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
			 double *value, size_t n, double floor)
{
	size_t most = MIN(s->n_guides, (size_t)MOST_GUIDES);
	double offset;

	if (!most || s->n > GUIDED_UNTIL || !guide_offset(s, &offset))
		return n;
	for (size_t i = 0; i < most; i++) {
		size_t half = most / 2;
		const struct guide *g =
			&s->guide[i < half ? i
					   : half + (i - half) *
							     (s->n_guides -
							      half) /
							     (most - half)];
		double gain = isnan(g->gain) ? floor : g->gain + offset;

		if (search_is_known(s, g->point))
			continue;
		point[n] = g->point;
		value[n++] = MAX(gain, floor);
	}
	return n;
}
