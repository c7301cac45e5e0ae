#include "agent/tuner/search.h"

#include <math.h>

#include "agent/tuner/search_state.h"

/* Candidates for the next point: neighbours of the BEST_FEW best points, and
 * random ones. Of each of these BEST_FEW + 1 kinds at most MOST_CANDIDATES are
 * considered, and so few that predicting their means takes at most WORK
 * multiplications. */
#define BEST_FEW	3
#define WORK		400000
#define MOST_CANDIDATES 1024
/* A space of so few points is looked at in full. */
#define SMALL 512
/* Weights and noise are learned from LEARN_FROM points on: with each point below
 * LEARN_ALWAYS, then with every LEARN_EVERY-th, half as often whenever the
 * points have doubled. */
#define LEARN_FROM   3
#define LEARN_ALWAYS 32
#define LEARN_EVERY  8
/* Of the points in a model that cannot hold all: fifths. */
#define BEST_OF_FIVE 3
#define FIRST_SLOTS  64
/* Of a dimension with more than MANY_VALUES, an ask looks at those NEAR_VALUES
 * steps away at most and at FAR_VALUES others. */
#define MANY_VALUES 64
#define NEAR_VALUES 8
#define FAR_VALUES  16
/* Values that are drawn before one is looked for, and points begun. */
#define DRAWS  4
#define BEGINS 8
/* Points looked at in turn before a space counts as used up. */
#define MOST_IN_TURN 1000000
/* Draws for the first point. */
#define DRAWN_FIRST 4096
/* Most expected points in the model. */
#define MOST_EXPECTED (GAUSSIAN_MAX_POINTS / 4)

struct tuner_search *search_new(const struct search_space *space, uint64_t seed)
{
	struct tuner_search *s = xcalloc(1, sizeof *s);

	s->space = *space;
	random_init(&s->random, seed);
	gaussian_init(&s->model, space->n, space->values, space->ordered);
	if (space->steps)
		gaussian_set_steps(&s->model, space->steps);
	s->proposal = xcalloc(space->n, sizeof *s->proposal);
	s->n_slots = FIRST_SLOTS;
	s->few = 1;
	for (size_t d = 0; d < space->n; d++)
		s->few = MIN(s->few * space->values[d], MOST_CANDIDATES);
	s->slot = xcalloc(s->n_slots, sizeof *s->slot);
	return s;
}

void search_free(struct tuner_search *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->n; i++)
		free(s->told[i].point);
	for (size_t i = 0; i < s->n_guides; i++)
		free(s->guide[i].point);
	free(s->guide);
	free(s->told);
	free(s->slot);
	gaussian_release(&s->model);
	free(s->proposal);
	free(s);
}

/* ---- points asked or told ------------------------------------------------- */

/* The point's slot, or the free one where it belongs. n_slots > n. */
static size_t slot_of(const struct tuner_search *s, const size_t *point)
{
	size_t bytes = s->space.n * sizeof *point;
	uint64_t hash = 0;
	size_t i;

	for (size_t d = 0; d < s->space.n; d++) {
		hash = (hash + point[d] + 1) * UINT64_C(0x9e3779b97f4a7c15);
		hash ^= hash >> 32;
	}
	for (i = hash & (s->n_slots - 1); s->slot[i];
	     i = (i + 1) & (s->n_slots - 1))
		if (memcmp(s->told[s->slot[i] - 1].point, point, bytes) == 0)
			break;
	return i;
}

static void fill_slots(struct tuner_search *s)
{
	memset(s->slot, 0, s->n_slots * sizeof *s->slot);
	for (size_t i = 0; i < s->n; i++)
		s->slot[slot_of(s, s->told[i].point)] = i + 1;
}

struct search_point *search_find(const struct tuner_search *s,
				 const size_t *point)
{
	size_t i = s->slot[slot_of(s, point)];

	return i ? &s->told[i - 1] : NULL;
}

bool search_is_known(const struct tuner_search *s, const size_t *point)
{
	return s->slot[slot_of(s, point)] > 0;
}

static struct search_point *add(struct tuner_search *s, const size_t *point)
{
	struct search_point *t;

	if (search_is_known(s, point))
		return search_find(s, point);
	GROW(s->told, s->n, s->cap);
	t = &s->told[s->n++];
	*t = (struct search_point){
		.point = xmemdup(point, s->space.n * sizeof *point),
		.gain = NAN,
	};
	if (2 * s->n > s->n_slots) {
		s->n_slots *= 2;
		free(s->slot);
		s->slot = xcalloc(s->n_slots, sizeof *s->slot);
		fill_slots(s);
	} else {
		s->slot[slot_of(s, t->point)] = s->n;
	}
	return t;
}

/* Removes the points from index n on. */
static void forget_from(struct tuner_search *s, size_t n)
{
	if (s->n == n)
		return;
	while (s->n > n)
		free(s->told[--s->n].point);
	fill_slots(s);
}

void search_tell(struct tuner_search *s, const size_t *point, double gain)
{
	search_tell_within(s, point, gain, 0);
}

void search_tell_within(struct tuner_search *s, const size_t *point,
			double gain, double deviation)
{
	struct search_point *t = add(s, point);

	t->gain = gain;
	t->deviation = deviation;
	t->is_told = true;
	t->is_expected = false;
}

void search_expect(struct tuner_search *s, const size_t *point,
		   bool is_expected)
{
	struct search_point *t = search_find(s, point);

	if (t && !t->is_told)
		t->is_expected = is_expected;
}

/* Keeps the order of the other points: told_next relies on it. */
void search_withdraw(struct tuner_search *s, const size_t *point)
{
	struct search_point *t = search_find(s, point);

	if (!t || t->is_told)
		return;
	s->model.n = 0; /* it borrows the point */
	free(t->point);
	memmove(t, t + 1, (size_t)(s->told + --s->n - t) * sizeof *t);
	fill_slots(s);
}

bool search_was_told(const struct tuner_search *s, const size_t *point)
{
	const struct search_point *t = search_find(s, point);

	return t && t->is_told;
}

/* ---- what is known ----------------------------------------------------- */

/* Best first, failed last, else in order of arrival. */
static int by_gain(const void *a, const void *b, void *arg)
{
	const struct search_point *told = arg;
	size_t i = *(const size_t *)a, j = *(const size_t *)b;
	double x = told[i].gain, y = told[j].gain;

	if (isnan(x) != isnan(y))
		return isnan(x) ? 1 : -1;
	if (x != y && !isnan(x))
		return x < y ? 1 : -1;
	return (i > j) - (i < j);
}

/* Sorts the told points, best first. */
static size_t sort_told(const struct tuner_search *s, size_t *index)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++)
		if (s->told[i].is_told)
			index[n++] = i;
	qsort_r(index, n, sizeof *index, by_gain, s->told);
	return n;
}

static size_t list_expected(const struct tuner_search *s, const size_t **point)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n && n < MOST_EXPECTED; i++)
		if (s->told[i].is_expected)
			point[n++] = s->told[i].point;
	return n;
}

/* A new point must also improve on the believed values. */
static void believe(struct tuner_search *s, const size_t *const *point,
		    size_t n)
{
	if (!n)
		return;
	gaussian_believe(&s->model, point, n);
	for (size_t i = 0; i < n; i++) {
		double mean, deviation;

		gaussian_predict(&s->model, point[i], &mean, &deviation);
		s->best = MAX(s->best, mean);
	}
}

/* Few points are soon learned from. Of many, a few more tell little that is new,
 * and learning takes as long as some hundred predictions. */
static bool is_learning_due(size_t n)
{
	size_t every = LEARN_EVERY;

	if (n < LEARN_ALWAYS)
		return n >= LEARN_FROM;
	for (size_t i = 2 * LEARN_ALWAYS; i < n; i *= 2)
		every *= 2;
	return n % every == 0;
}

/* Chooses at most `most` of the n told points for the model, best first: the
 * best, because predictions matter most near them, and some evenly from among
 * the others, so that the model does not take where these lie for unknown.
 * Writes their numbers in the order from best to worst. */
static size_t choose_told(size_t *chosen, size_t n, size_t most)
{
	size_t best = MIN(n, most) * BEST_OF_FIVE / 5;

	if (n <= most)
		best = n;
	for (size_t i = 0; i < MIN(n, most); i++)
		chosen[i] = i < best ? i
				     : best + (i - best) * (n - best) /
						       (most - best);
	return MIN(n, most);
}

/* What a new point must improve on, of the n told points in the model, best
 * first: the best of them, but where it is known that it may be off, the best
 * that is likely. */
static double best_of(const struct gaussian *g, const double *value,
		      const double *deviation, size_t n)
{
	double likely = -HUGE_VAL, most = 0;

	for (size_t i = 0; i < n; i++) {
		likely = MAX(likely, gaussian_fitted(g, i, value[i]));
		most = MAX(most, deviation[i]);
	}
	return most > 0 ? likely : value[0];
}

/* The told points that the model holds, of the n told ones, best first. */
static void choose_sample(const struct tuner_search *s, const size_t *index,
			  size_t n, size_t most, struct search_sample *m)
{
	size_t chosen[GAUSSIAN_MAX_POINTS];

	m->floor = search_floor(s, index, n);
	m->n = choose_told(chosen, n, most);
	for (size_t i = 0; i < m->n; i++) {
		const struct search_point *t = &s->told[index[chosen[i]]];

		m->point[i] = t->point;
		m->gain[i] = t->gain;
		m->deviation[i] = t->deviation;
	}
}

/* Fits the model to as many points as it can hold. */
static void fit(struct tuner_search *s, const size_t *index, size_t n)
{
	const size_t *expected[MOST_EXPECTED];
	size_t n_expected = list_expected(s, expected), n_points;
	bool is_learning = is_learning_due(n);
	struct search_sample m = {0};

	s->model.n = 0;
	if (!n)
		return;
	choose_sample(s, index, n, GAUSSIAN_MAX_POINTS - n_expected, &m);
	search_fill_values(s, &m, is_learning);
	n_points = search_add_guides(s, m.point, m.value, m.deviation, m.n,
				     m.floor);
	gaussian_fit(&s->model, m.point, m.value, m.deviation, n_points,
		     is_learning);
	s->best = best_of(&s->model, m.value, m.deviation, m.n);
	believe(s, expected, n_expected);
}

/* ---- proposing --------------------------------------------------------- */

static void consider(struct tuner_search *s, const size_t *point)
{
	double enough = s->has_proposal ? s->improvement : -1, improvement;

	if (search_is_known(s, point) || !s->space.allowed(s->space.arg, point))
		return;
	improvement = s->model.n ? gaussian_improvement(&s->model, point,
							s->best, enough)
				 : 0;
	if (s->has_proposal && improvement <= s->improvement)
		return;
	memcpy(s->proposal, point, s->space.n * sizeof *point);
	s->improvement = improvement;
	s->has_proposal = true;
}

/* Candidates of a kind. A prediction's cost grows with points and dimensions;
 * an ask's must not. */
static size_t most_candidates(const struct tuner_search *s)
{
	return MIN(s->few, WORK / MAX(s->model.n * s->space.n, 1) + 1);
}

static size_t count_neighbours(const struct tuner_search *s)
{
	size_t n = 0;

	for (size_t d = 0; d < s->space.n; d++)
		n += (s->space.values[d] - 1) * (1 + 2 * (s->space.n - 1 - d));
	return n;
}

/* Considers the point with its coordinate d as it is, and each later coordinate
 * moved by one step: this share of them, at random. */
static void consider_steps(struct tuner_search *s, size_t *p, size_t d,
			   double share)
{
	for (size_t e = d + 1; e < s->space.n; e++) {
		size_t too = p[e];

		if (share < 1 && random_unit(&s->random) >= share)
			continue;
		p[e] = too + 1 < s->space.values[e] ? too + 1 : too;
		consider(s, p);
		p[e] = too ? too - 1 : too;
		consider(s, p);
		p[e] = too;
	}
}

/* Is this value near to the other, or one of a few drawn? Of few values all are
 * looked at. */
static bool is_looked_at(struct tuner_search *s, size_t d, size_t was,
			 size_t now)
{
	size_t n = s->space.values[d];
	size_t apart = now > was ? now - was : was - now;

	if (n <= MANY_VALUES)
		return true;
	if (s->space.steps && s->space.steps[d])
		apart = 2 * (size_t)s->space.steps[d][was * n + now];
	else if (!s->space.ordered[d])
		apart = n;
	return apart <= NEAR_VALUES || random_below(&s->random, n) < FAR_VALUES;
}

/* Considers each point with one coordinate changed, and each of these with a
 * second coordinate moved by one step; about `most` in all. */
static void consider_neighbours(struct tuner_search *s, size_t *p, size_t most)
{
	double share = (double)most / (double)MAX(count_neighbours(s), 1);

	for (size_t d = 0; d < s->space.n; d++) {
		size_t was = p[d];

		for (p[d] = 0; p[d] < s->space.values[d]; p[d]++) {
			if (p[d] == was ||
			    (most < SIZE_MAX && !is_looked_at(s, d, was, p[d])))
				continue;
			consider(s, p);
			consider_steps(s, p, d, share);
		}
		p[d] = was;
	}
}

/* Draws a value for dimension d that the ones before it allow; false: they allow
 * none. */
static bool draw_value(struct tuner_search *s, size_t *p, size_t d)
{
	size_t n = s->space.values[d], first;

	for (size_t i = 0; i < DRAWS; i++) {
		p[d] = random_below(&s->random, n);
		if (s->space.may_begin(s->space.arg, p, d + 1))
			return true;
	}
	first = p[d];
	for (size_t i = 1; i < n; i++) {
		p[d] = (first + i) % n;
		if (s->space.may_begin(s->space.arg, p, d + 1))
			return true;
	}
	return false;
}

/* Draws a point, of allowed ones where the space says what may begin one. */
static void draw(struct tuner_search *s, size_t *p)
{
	size_t begun = 0, d = 0;

	while (s->space.may_begin && d < s->space.n && begun < BEGINS) {
		if (draw_value(s, p, d)) {
			d++;
		} else {
			d = 0;
			begun++;
		}
	}
	for (; d < s->space.n; d++)
		p[d] = random_below(&s->random, s->space.values[d]);
}

static void consider_drawn(struct tuner_search *s, size_t *p)
{
	for (size_t i = 0; i < most_candidates(s); i++) {
		draw(s, p);
		consider(s, p);
	}
}

/* Considers points in turn until `enough` have been or all of them, or one can
 * be proposed and `is_any` says that any will do. */
static void consider_in_turn(struct tuner_search *s, size_t *p, size_t enough,
			     bool is_any)
{
	memset(p, 0, s->space.n * sizeof *p);
	for (size_t n = 0; n < enough && !(is_any && s->has_proposal); n++) {
		size_t d = 0;

		consider(s, p);
		while (d < s->space.n && ++p[d] == s->space.values[d])
			p[d++] = 0;
		if (d == s->space.n)
			return;
	}
}

/* As consider_in_turn until one can be proposed, but leaves out all points whose
 * first values none that is allowed begins with. */
static void consider_begun(struct tuner_search *s, size_t *p, size_t d,
			   size_t *looked)
{
	if (d == s->space.n) {
		consider(s, p);
		return;
	}
	for (p[d] = 0; p[d] < s->space.values[d]; p[d]++) {
		if (s->has_proposal || ++*looked > MOST_IN_TURN)
			return;
		if (s->space.may_begin(s->space.arg, p, d + 1))
			consider_begun(s, p, d + 1, looked);
	}
}

static size_t moves_between(const struct tuner_search *s, const size_t *a,
			    const size_t *b)
{
	size_t n = 0;

	for (size_t d = 0; d < s->space.n; d++)
		n += a[d] != b[d];
	return n;
}

/* The sum over ordered dimensions of the distance from the middle, 1 at an end
 * of the range. */
static double off_middle(const struct tuner_search *s, const size_t *p)
{
	double sum = 0;

	for (size_t d = 0; d < s->space.n; d++) {
		double half = ((double)s->space.values[d] - 1) / 2;

		if (half > 0 && s->space.ordered[d])
			sum += fabs((double)p[d] - half) / half;
	}
	return sum;
}

/* Proposes the middle of all ranges, or the allowed point nearest to it among
 * some random ones. */
static void propose_middle(struct tuner_search *s, size_t *p)
{
	size_t bytes = s->space.n * sizeof *p;
	double nearest = HUGE_VAL;

	s->has_begun = true;
	for (size_t d = 0; d < s->space.n; d++)
		p[d] = (s->space.values[d] - 1) / 2;
	for (size_t i = 0; i < DRAWN_FIRST; i++) {
		double off = off_middle(s, p);

		if (!i && search_is_known(s, p))
			return;
		if (off < nearest && s->space.allowed(s->space.arg, p) &&
		    !search_is_known(s, p)) {
			memcpy(s->proposal, p, bytes);
			s->has_proposal = true;
			nearest = off;
			if (!i)
				return;
		}
		draw(s, p);
	}
}

static void propose_around(struct tuner_search *s, size_t *p,
			   const size_t *around)
{
	memcpy(p, around, s->space.n * sizeof *p);
	consider_neighbours(s, p, most_candidates(s));
	if (!s->has_proposal)
		consider_neighbours(s, p, SIZE_MAX);
}

/* index: the n told points, best first. */
static void propose(struct tuner_search *s, size_t *p, const size_t *index,
		    size_t n)
{
	size_t looked = 0;

	if (s->few <= SMALL) {
		consider_in_turn(s, p, s->few, false);
		return;
	}
	consider_drawn(s, p);
	for (size_t i = 0; i < MIN(n, BEST_FEW); i++) {
		memcpy(p, s->told[index[i]].point, s->space.n * sizeof *p);
		consider_neighbours(s, p, most_candidates(s));
	}
	if (!s->has_proposal && s->space.may_begin)
		consider_begun(s, p, 0, &looked);
	else if (!s->has_proposal)
		consider_in_turn(s, p, MOST_IN_TURN, true);
}

/* Before anything is known; in a large space also after the point that the
 * source has, which may lie anywhere. n: points told. */
static bool is_middle_due(const struct tuner_search *s, size_t n)
{
	return !s->n || (!s->has_begun && n == 1 && s->few > SMALL);
}

bool search_ask(struct tuner_search *s, size_t *point, const size_t *around,
		const char **reason)
{
	cleanup_free size_t *index = xcalloc(s->n + 1, sizeof *index);
	cleanup_free size_t *p = xcalloc(s->space.n, sizeof *p);
	size_t n = sort_told(s, index);
	bool is_guided = false;

	s->has_proposal = false;
	search_sort_guides(s);
	fit(s, index, n);
	if (around)
		propose_around(s, p, around);
	if (!s->has_proposal && search_propose_guide(s))
		is_guided = true;
	if (!s->has_proposal && is_middle_due(s, n))
		propose_middle(s, p);
	if (!s->has_proposal)
		propose(s, p, index, n);
	if (!s->has_proposal)
		return false;
	memcpy(point, s->proposal, s->space.n * sizeof *point);
	add(s, point);
	if (is_guided)
		*reason = "the best that was measured before";
	else
		*reason = n && moves_between(s, point,
					     s->told[index[0]].point) <= 2
				  ? "a neighbour of the best point so far"
				  : "little is known about points like it";
	return true;
}

/* ---- foreseeing ---------------------------------------------------------- */

/* Possible results of the next point, in deviations from its mean, the
 * likeliest first. */
static const double outcomes[] = {0, -1, 1};

/* Index of the point that will be told next: the last one asked that is not
 * expected. s->n: none. An index, because asking can move the array. */
static size_t told_next(const struct tuner_search *s)
{
	for (size_t i = s->n; i-- > 0;)
		if (!s->told[i].is_told && !s->told[i].is_expected)
			return i;
	return s->n;
}

/* Asks as if the point at `at` had this gain; forgets the asked point. */
static bool ask_as_if(struct tuner_search *s, size_t at, double gain,
		      size_t *point, const size_t *around)
{
	struct search_point before = s->told[at];
	size_t n = s->n;
	const char *reason;
	bool found;

	s->told[at].gain = gain;
	s->told[at].is_told = true;
	found = search_ask(s, point, around, &reason);
	forget_from(s, n);
	s->told[at] = before;
	return found;
}

static bool is_among(const struct tuner_search *s, const size_t *points,
		     size_t n, const size_t *point)
{
	for (size_t i = 0; i < n; i++)
		if (moves_between(s, points + i * s->space.n, point) == 0)
			return true;
	return false;
}

/* The next choice depends on a result, so a few possible ones are tried. */
static size_t foresee_next(struct tuner_search *s, size_t *points, size_t n,
			   const size_t *around)
{
	size_t next = told_next(s);
	struct random random = s->random;
	double mean = 0, deviation = 0;
	size_t found = 0;

	if (next == s->n || !s->model.n)
		return 0;
	gaussian_predict(&s->model, s->told[next].point, &mean, &deviation);
	for (size_t i = 0; i < ARRAY_SIZE(outcomes) && found < n; i++) {
		size_t *point = points + found * s->space.n;

		s->random = random;
		if (ask_as_if(s, next, mean + outcomes[i] * deviation, point,
			      around) &&
		    !is_among(s, points, found, point))
			found++;
	}
	s->random = random;
	return found;
}

/* After these, adds the points that look best now: most are asked later. */
size_t search_foresee(struct tuner_search *s, size_t *points, size_t n,
		      const size_t *around)
{
	struct random random = s->random;
	double weight[GAUSSIAN_MAX_DIMS], noise = s->model.noise;
	size_t before = s->n, found;
	struct search_ways slow = s->slow;
	bool has_begun = s->has_begun;
	const char *reason;

	memcpy(weight, s->model.weight, sizeof weight);
	found = foresee_next(s, points, n, around);
	for (size_t i = 0; i < found; i++)
		add(s, points + i * s->space.n);
	while (found < n &&
	       search_ask(s, points + found * s->space.n, around, &reason))
		found++;
	forget_from(s, before);
	s->has_begun = has_begun;
	s->slow = slow;
	gaussian_set_weights(&s->model, weight, noise);
	s->random = random;
	return found;
}
