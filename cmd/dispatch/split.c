#include "cmd/dispatch/split.h"

#include <math.h>

/* What a tree may lose in the mean against the fastest of each case. */
#define LOSS 0.01

struct growing {
	const struct split_table *table;
	struct split *node;
	size_t n, cap;
};

static double log_seconds(const struct split_table *t, size_t c, size_t point)
{
	return log(t->seconds[c * t->n_points + point]);
}

/* The cases of a node that are on one side of a comparison. */
struct split_side {
	const bool *is_here; /* by case */
	size_t value;
	int64_t most;
	bool is_above;
};

static bool has(const struct split_side *s, const struct split_table *t,
		size_t c)
{
	if (!t->n_values)
		return s->is_here[c];
	return s->is_here[c] &&
	       (t->value[c * t->n_values + s->value] > s->most) == s->is_above;
}

/* What the side loses with its best point; *weight: of its cases. */
static double lose(size_t *point, double *weight, const struct split_table *t,
		   const struct split_side *s)
{
	double least = HUGE_VAL;

	*point = 0;
	for (size_t p = 0; p < t->n_points; p++) {
		double sum = 0;

		*weight = 0;
		for (size_t c = 0; c < t->n_cases; c++) {
			double best = HUGE_VAL;

			if (!has(s, t, c))
				continue;
			for (size_t q = 0; q < t->n_points; q++)
				best = MIN(best, log_seconds(t, c, q));
			sum += t->weight[c] * (log_seconds(t, c, p) - best);
			*weight += t->weight[c];
		}
		if (sum < least) {
			least = sum;
			*point = p;
		}
	}
	return least;
}

/* Between two values; in the middle of their logs, since sizes differ by
 * factors. */
static int64_t middle(int64_t low, int64_t high)
{
	if (low > 0)
		return MIN(
			MAX((int64_t)(sqrt((double)low) * sqrt((double)high)),
			    low),
			high - 1);
	return low + (int64_t)(((uint64_t)high - (uint64_t)low) / 2);
}

/* The least value of a case here that is above `low`; false: none is. */
static bool find_above(int64_t *out, const struct split_table *t,
		       const bool *is_here, size_t value, int64_t low)
{
	bool found = false;

	for (size_t c = 0; c < t->n_cases; c++) {
		int64_t v = t->value[c * t->n_values + value];

		if (!is_here[c] || v <= low || (found && v >= *out))
			continue;
		*out = v;
		found = true;
	}
	return found;
}

/* The comparison that leaves least to lose; false: there is nothing to
 * compare. */
static bool find_split(struct split *out, double *loss,
		       const struct split_table *t, const bool *is_here)
{
	bool found = false;

	for (size_t v = 0; v < t->n_values; v++) {
		int64_t low = 0, high = 0;

		if (!find_above(&low, t, is_here, v, INT64_MIN))
			continue;
		for (; find_above(&high, t, is_here, v, low); low = high) {
			struct split_side below = {is_here, v,
						   middle(low, high), false};
			struct split_side above = {is_here, v, below.most,
						   true};
			size_t ignored;
			double weight = 0;
			double sum = lose(&ignored, &weight, t, &below) +
				     lose(&ignored, &weight, t, &above);

			if (found && sum >= *loss)
				continue;
			found = true;
			*loss = sum;
			*out = (struct split){.value = v, .most = below.most};
		}
	}
	return found;
}

static size_t add_node(struct growing *g)
{
	GROW(g->node, g->n, g->cap);
	g->node[g->n] = (struct split){.is_leaf = true};
	return g->n++;
}

static void grow(struct growing *g, size_t at, const bool *is_here);

static size_t grow_side(struct growing *g, const struct split_side *s)
{
	const struct split_table *t = g->table;
	cleanup_free bool *is_here = xcalloc(t->n_cases, sizeof *is_here);
	size_t at = add_node(g);

	for (size_t c = 0; c < t->n_cases; c++)
		is_here[c] = has(s, t, c);
	grow(g, at, is_here);
	return at;
}

static void grow(struct growing *g, size_t at, const bool *is_here)
{
	const struct split_side all = {is_here, 0, INT64_MIN, true};
	struct split best;
	double weight = 0, after;
	double loss = lose(&g->node[at].point, &weight, g->table, &all);
	size_t below, above;

	if (loss <= LOSS * weight ||
	    !find_split(&best, &after, g->table, is_here))
		return;
	below = grow_side(g, &(struct split_side){is_here, best.value,
						  best.most, false});
	above = grow_side(g, &(struct split_side){is_here, best.value,
						  best.most, true});
	if (g->node[below].is_leaf && g->node[above].is_leaf &&
	    g->node[below].point == g->node[above].point)
		return;
	best.below = below;
	best.above = above;
	g->node[at] = best;
}

struct split *split_make(size_t *n, const struct split_table *t)
{
	cleanup_free bool *is_here = xcalloc(t->n_cases, sizeof *is_here);
	struct growing g = {.table = t};

	for (size_t c = 0; c < t->n_cases; c++)
		is_here[c] = true;
	grow(&g, add_node(&g), is_here);
	*n = g.n;
	return g.node;
}

size_t split_point(const struct split *tree, const int64_t *value)
{
	size_t at = 0;

	while (!tree[at].is_leaf)
		at = value[tree[at].value] <= tree[at].most ? tree[at].below
							    : tree[at].above;
	return tree[at].point;
}
