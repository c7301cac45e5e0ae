#include <math.h>

#include "agent/tuner/search_state.h"

/* Squeezing counts in units of this share of what the best is ahead of the
 * floor; a failed point lies so many units below, and none lies lower. */
#define UNIT	   0.5
#define MOST_UNITS 3
/* Fewer points cannot tell which way predicts better. */
#define CHOOSE_FROM 12

/* The median of the gains told. index: n points, best first. */
double search_floor(const struct tuner_search *s, const size_t *index, size_t n)
{
	size_t ran = 0;

	while (ran < n && !isnan(s->told[index[ran]].gain))
		ran++;
	return ran ? s->told[index[(ran - 1) / 2]].gain : 0;
}

/* What a gain counts as in the model. */
static double value_of(const struct search_sample *m, double gain,
		       enum search_slow slow)
{
	double unit = UNIT * (m->gain[0] - m->floor), below;

	if (gain >= m->floor)
		return gain;
	if (slow == SLOW_CUT_OFF || !(unit > 0))
		return m->floor;
	below = isnan(gain) ? HUGE_VAL : log1p((m->floor - gain) / unit);
	return m->floor - unit * MIN(below, (double)MOST_UNITS);
}

static void fill_values(struct search_sample *m, enum search_slow slow)
{
	for (size_t i = 0; i < m->n; i++)
		m->value[i] = value_of(m, m->gain[i], slow);
}

/* Learns with slow points told this way; returns how likely the fast ones then
 * are. Begins with what was learned so the last time. */
static double learn_with(struct tuner_search *s, struct search_sample *m,
			 enum search_slow slow)
{
	struct search_learned *learned = &s->slow.learned[slow];
	size_t fast = 0;

	fill_values(m, slow);
	while (fast < m->n && m->value[fast] > m->floor)
		fast++;
	if (learned->noise > 0)
		gaussian_set_weights(&s->model, learned->weight,
				     learned->noise);
	gaussian_fit(&s->model, m->point, m->value, m->deviation, m->n, true);
	memcpy(learned->weight, s->model.weight, sizeof learned->weight);
	learned->noise = s->model.noise;
	return gaussian_loo(&s->model, fast);
}

/* How slow the slow points are makes the model rough where it has to be exact,
 * but also tells where not to look. Which of the two weighs more differs between
 * spaces. */
static void choose(struct tuner_search *s, struct search_sample *m)
{
	double cut_off = learn_with(s, m, SLOW_CUT_OFF);
	double squeezed = learn_with(s, m, SLOW_SQUEEZED);
	const struct search_learned *learned;

	s->slow.chosen = squeezed > cut_off ? SLOW_SQUEEZED : SLOW_CUT_OFF;
	learned = &s->slow.learned[s->slow.chosen];
	gaussian_set_weights(&s->model, learned->weight, learned->noise);
}

void search_fill_values(struct tuner_search *s, struct search_sample *m,
			bool is_learning)
{
	if (is_learning && m->n >= CHOOSE_FROM)
		choose(s, m);
	fill_values(m, s->slow.chosen);
}
