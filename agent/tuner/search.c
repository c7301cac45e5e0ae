#include "agent/tuner/search.h"

#include <math.h>

#include "agent/tuner/gaussian.h"

/* A failed point counts as slower than the slowest by this much (log). */
#define FAILURE_PENALTY 0.3
/* Candidates for the next point: neighbours of the BEST_FEW best points, and
 * DRAWN random ones. */
#define BEST_FEW    3
#define DRAWN	    256
#define LEARN_EVERY 4
/* Most expected points in the model. */
#define MOST_EXPECTED (GAUSSIAN_MAX_POINTS / 4)

struct search_point {
	size_t *point;
	double gain; /* log speed; NAN: failed */
	bool is_told;
	bool is_expected; /* asked and not told, see search_expect */
};

struct tuner_search {
	struct search_space space;
	struct random random;
	struct search_point *told; /* points asked or told */
	size_t n, cap;
	struct gaussian model;
	double best; /* largest gain told or believed */
	/* Best proposal so far while search_ask runs. */
	size_t *proposal;
	double improvement;
	bool has_proposal;
};

struct tuner_search *search_new(const struct search_space *space, uint64_t seed)
{
	struct tuner_search *s = xcalloc(1, sizeof *s);

	s->space = *space;
	random_init(&s->random, seed);
	gaussian_init(&s->model, space->n, space->values, space->ordered);
	s->proposal = xcalloc(space->n, sizeof *s->proposal);
	return s;
}

void search_free(struct tuner_search *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->n; i++)
		free(s->told[i].point);
	free(s->told);
	gaussian_release(&s->model);
	free(s->proposal);
	free(s);
}

static struct search_point *find(const struct tuner_search *s,
				 const size_t *point)
{
	for (size_t i = 0; i < s->n; i++)
		if (memcmp(s->told[i].point, point,
			   s->space.n * sizeof *point) == 0)
			return &s->told[i];
	return NULL;
}

static struct search_point *add(struct tuner_search *s, const size_t *point)
{
	struct search_point *t = find(s, point);

	if (t)
		return t;
	GROW(s->told, s->n, s->cap);
	t = &s->told[s->n++];
	*t = (struct search_point){
		.point = xmemdup(point, s->space.n * sizeof *point),
		.gain = NAN,
	};
	return t;
}

void search_tell(struct tuner_search *s, const size_t *point, double gain)
{
	struct search_point *t = add(s, point);

	t->gain = gain;
	t->is_told = true;
	t->is_expected = false;
}

void search_expect(struct tuner_search *s, const size_t *point,
		   bool is_expected)
{
	struct search_point *t = find(s, point);

	if (t && !t->is_told)
		t->is_expected = is_expected;
}

/* Keeps the order of the other points: told_next relies on it. */
void search_withdraw(struct tuner_search *s, const size_t *point)
{
	struct search_point *t = find(s, point);

	if (!t || t->is_told)
		return;
	s->model.n = 0; /* it borrows the point */
	free(t->point);
	memmove(t, t + 1, (size_t)(s->told + --s->n - t) * sizeof *t);
}

bool search_was_told(const struct tuner_search *s, const size_t *point)
{
	const struct search_point *t = find(s, point);

	return t && t->is_told;
}

/* ---- what is known ----------------------------------------------------- */

/* Sorts the told points, best first. */
static size_t sort_told(const struct tuner_search *s, size_t *index)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++) {
		double gain = s->told[i].gain;
		size_t at = n;

		if (!s->told[i].is_told)
			continue;
		while (at && !(s->told[index[at - 1]].gain >= gain) &&
		       !isnan(gain)) {
			index[at] = index[at - 1];
			at--;
		}
		index[at] = i;
		n++;
	}
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

/* Fits the model to as many points as it can hold, the best ones: predictions
 * matter most near the best. */
static void fit(struct tuner_search *s, const size_t *index, size_t n)
{
	const size_t *point[GAUSSIAN_MAX_POINTS], *expected[MOST_EXPECTED];
	double value[GAUSSIAN_MAX_POINTS] = {0}, worst = 0;
	size_t n_expected = list_expected(s, expected);

	s->model.n = 0;
	if (!n)
		return;
	for (size_t i = 0; i < n; i++)
		if (!isnan(s->told[index[i]].gain))
			worst = s->told[index[i]].gain;
	n = MIN(n, GAUSSIAN_MAX_POINTS - n_expected);
	for (size_t i = 0; i < n; i++) {
		double gain = s->told[index[i]].gain;

		point[i] = s->told[index[i]].point;
		value[i] = isnan(gain) ? worst - FAILURE_PENALTY : gain;
	}
	s->best = value[0];
	gaussian_fit(&s->model, point, value, n, n % LEARN_EVERY == 0);
	believe(s, expected, n_expected);
}

/* ---- proposing --------------------------------------------------------- */

static void consider(struct tuner_search *s, const size_t *point)
{
	double improvement;

	if (find(s, point) || !s->space.allowed(s->space.arg, point))
		return;
	improvement = s->model.n
			      ? gaussian_improvement(&s->model, point, s->best)
			      : 0;
	if (s->has_proposal && improvement <= s->improvement)
		return;
	memcpy(s->proposal, point, s->space.n * sizeof *point);
	s->improvement = improvement;
	s->has_proposal = true;
}

/* Considers each point with one coordinate changed, and each of these with a
 * second coordinate moved by one step. */
static void consider_neighbours(struct tuner_search *s, size_t *p)
{
	for (size_t d = 0; d < s->space.n; d++) {
		size_t was = p[d];

		for (p[d] = 0; p[d] < s->space.values[d]; p[d]++) {
			if (p[d] == was)
				continue;
			consider(s, p);
			for (size_t e = d + 1; e < s->space.n; e++) {
				size_t too = p[e];
				bool up = too + 1 < s->space.values[e];

				p[e] = up ? too + 1 : too;
				consider(s, p);
				p[e] = too ? too - 1 : too;
				consider(s, p);
				p[e] = too;
			}
		}
		p[d] = was;
	}
}

static void consider_drawn(struct tuner_search *s, size_t *p)
{
	for (size_t i = 0; i < DRAWN; i++) {
		for (size_t d = 0; d < s->space.n; d++)
			p[d] = random_below(&s->random, s->space.values[d]);
		consider(s, p);
	}
}

/* Considers every point in turn, for a space that is nearly used up. */
static void consider_all(struct tuner_search *s, size_t *p)
{
	memset(p, 0, s->space.n * sizeof *p);
	for (size_t steps = 0; steps < 1000000 && !s->has_proposal; steps++) {
		size_t d = 0;

		consider(s, p);
		while (d < s->space.n && ++p[d] == s->space.values[d])
			p[d++] = 0;
		if (d == s->space.n)
			return;
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

bool search_ask(struct tuner_search *s, size_t *point, const size_t *around,
		const char **reason)
{
	cleanup_free size_t *index = xcalloc(s->n + 1, sizeof *index);
	cleanup_free size_t *p = xcalloc(s->space.n, sizeof *p);
	size_t n = sort_told(s, index), bytes = s->space.n * sizeof *p;

	s->has_proposal = false;
	fit(s, index, n);
	if (around) {
		memcpy(p, around, bytes);
		consider_neighbours(s, p);
	}
	if (!s->has_proposal) {
		consider_drawn(s, p);
		for (size_t i = 0; i < MIN(n, BEST_FEW); i++) {
			memcpy(p, s->told[index[i]].point, bytes);
			consider_neighbours(s, p);
		}
	}
	if (!s->has_proposal)
		consider_all(s, p);
	if (!s->has_proposal)
		return false;
	memcpy(point, s->proposal, bytes);
	add(s, point);
	*reason = n && moves_between(s, point, s->told[index[0]].point) <= 2
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
	while (s->n > n)
		free(s->told[--s->n].point);
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
	double weight[GAUSSIAN_MAX_DIMS];
	size_t before = s->n, found;
	const char *reason;

	memcpy(weight, s->model.weight, sizeof weight);
	found = foresee_next(s, points, n, around);
	for (size_t i = 0; i < found; i++)
		add(s, points + i * s->space.n);
	while (found < n &&
	       search_ask(s, points + found * s->space.n, around, &reason))
		found++;
	while (s->n > before)
		free(s->told[--s->n].point);
	memcpy(s->model.weight, weight, sizeof weight);
	s->random = random;
	return found;
}
