#include "core/task/hidden_keys.h"

#include "core/base/secret.h"
#include "core/task/hidden_parts.h"
#include "core/task/hidden_steps.h"

#define DRAWS	      200 /* of one change */
#define SOURCE_KEYS   4	  /* numbers of the sources */
#define MOST_KEY      1024
#define FACTORS	      6 /* of which both stand in a key */
#define LISTED	      2 /* of the list, a pair */
#define DISTANCES     5
#define MOST_CHANGES  512
#define MOST_TIMES    ((int64_t)1 << 40)
#define LEAST_FACTOR  5 /* of the sources: smaller ones come anyway */
#define LEAST_MODULUS 3 /* single steps meet 2 */

/* a * one + b * other */
static const int64_t factors[FACTORS][2] = {{1, 3}, {3, 1}, {2, 3},
					    {3, 2}, {1, 4}, {4, 1}};
/* What people multiply a size with to tell two apart. */
static const int64_t listed[] = {5,  6,	 7,  8,	 10, 16,  17,
				 31, 32, 33, 37, 64, 100, 128};
/* Many moduli divide one of them: 16, 32, 64; 48, 96; 25, 50, 100; 60, 80, 120; 42,
 * 63, 84, 126. */
static const int64_t distances[DISTANCES] = {128, 192, 200, 240, 252};

/* How sizes change: of one symbol, or of two. */
struct key_change {
	size_t symbol[2];
	size_t n;
	int64_t by[2];
};

struct key_changes {
	struct key_change v[MOST_CHANGES];
	size_t n;
};

/* ---- which there are ----------------------------------------------------- */

/* Numbers of the sources from `least` on, in an order that is drawn. */
static size_t source_keys(int64_t out[SOURCE_KEYS],
			  const struct hidden_numbers *numbers, int64_t least,
			  struct secret_random *r)
{
	cleanup_free size_t *order = xcalloc(numbers->n + 1, sizeof *order);
	size_t n = 0;

	for (size_t i = 0; i < numbers->n; i++)
		order[i] = i;
	secret_shuffle(r, order, numbers->n);
	for (size_t i = 0; i < numbers->n && n < SOURCE_KEYS; i++) {
		int64_t size = numbers->v[order[i]].size;

		if (size >= least && size <= MOST_KEY)
			out[n++] = size;
	}
	return n;
}

static void take(struct key_changes *all, struct key_change one)
{
	if (all->n < MOST_CHANGES)
		all->v[all->n++] = one;
}

/* `a` times the one and `b` times the other stay the same in all. */
static void take_pairs(struct key_changes *all, const struct hidden_steps *x,
		       size_t n, int64_t a, int64_t b)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = i + 1; k < n; k++)
			take(all,
			     (struct key_change){
				     {x->order[i], x->order[k]}, 2, {b, -a}});
}

static void take_alone(struct key_changes *all, const struct hidden_steps *x,
		       size_t n, int64_t by)
{
	for (size_t i = 0; i < n; i++)
		take(all, (struct key_change){{x->order[i]}, 1, {by}});
}

/* The likeliest first: there may be no room for all. */
static void find_changes(struct key_changes *all, const struct hidden_steps *x,
			 const struct hidden_numbers *numbers)
{
	size_t n = MIN(x->n_order, (size_t)HIDDEN_STEPPED);
	size_t order[ARRAY_SIZE(listed)];
	int64_t key[SOURCE_KEYS];
	size_t n_keys = source_keys(key, numbers, LEAST_MODULUS, x->secret);

	for (size_t i = 0; i < n_keys; i++)
		take_alone(all, x, n, key[i]);
	for (size_t i = 0; i < 2; i++)
		take_pairs(all, x, n, factors[i][0], factors[i][1]);
	n_keys = source_keys(key, numbers, LEAST_FACTOR, x->secret);
	for (size_t i = 0; i < n_keys; i++) {
		take_pairs(all, x, n, 1, key[i]);
		take_pairs(all, x, n, key[i], 1);
	}
	for (size_t i = 0; i < DISTANCES; i++)
		take_alone(all, x, n, distances[i]);
	for (size_t i = 2; i < FACTORS; i++)
		take_pairs(all, x, n, factors[i][0], factors[i][1]);
	for (size_t i = 0; i < ARRAY_SIZE(listed); i++)
		order[i] = i;
	secret_shuffle(x->secret, order, ARRAY_SIZE(listed));
	for (size_t i = 0; i < LISTED; i++) {
		take_pairs(all, x, n, 1, listed[order[i]]);
		take_pairs(all, x, n, listed[order[i]], 1);
	}
}

/* ---- the cases ----------------------------------------------------------- */

/* The least multiple of the change that the steps of the ranges allow; 0: it is
 * larger than any size. */
static int64_t whole_steps(const struct hidden_steps *x,
			   const struct key_change *how)
{
	int64_t times = 1;

	for (size_t i = 0; i < how->n; i++) {
		int64_t step = x->task->hidden[how->symbol[i]].step;
		int64_t by = how->by[i] < 0 ? -how->by[i] : how->by[i];
		int64_t more = step / common_divisor(by, step);

		more /= common_divisor(more, times);
		if (more > MOST_TIMES / times)
			return 0;
		times *= more;
	}
	return times;
}

/* Are the sizes at `now`, and after the change, in their ranges and small? */
static bool may_change(const struct hidden_steps *x, struct task_case *now,
		       const struct key_change *how, int64_t times)
{
	bool may = hidden_steps_fit(x, now);

	for (size_t i = 0; i < how->n; i++) {
		const struct hidden_range *h = &x->task->hidden[how->symbol[i]];
		int64_t from = now->value[how->symbol[i]];
		int64_t to = from + times * how->by[i];
		/* Of one or two elements there is little to be wrong. */
		int64_t least = MIN(STEPS_LEAST_SIZE, hidden_highest(h) / 2);

		may = may && MIN(from, to) >= least &&
		      hidden_is_in_range(h, from) && hidden_is_in_range(h, to);
	}
	for (size_t i = 0; i < how->n; i++)
		now->value[how->symbol[i]] += times * how->by[i];
	may = may && hidden_steps_fit(x, now);
	for (size_t i = 0; i < how->n; i++)
		now->value[how->symbol[i]] -= times * how->by[i];
	return may;
}

/* Other sizes of those that change, small ones the longer none fits; in the end of
 * the others, too. False: the range is too short. */
static bool draw_from(struct hidden_steps *x, struct task_case *now,
		      const struct key_change *how, int64_t times, size_t try)
{
	const struct task *t = x->task;

	for (size_t s = 0; try > DRAWS / 2 && s < t->symbols.n; s++)
		now->value[s] = hidden_draw_between(
			&t->hidden[s], hidden_lowest(&t->hidden[s]),
			MAX(x->base.value[s], hidden_lowest(&t->hidden[s])),
			x->secret);
	for (size_t i = 0; i < how->n; i++) {
		const struct hidden_range *h = &t->hidden[how->symbol[i]];
		int64_t by = times * how->by[i];
		int64_t low = hidden_lowest(h) - MIN(by, 0);
		int64_t high = hidden_highest(h) - MAX(by, 0);

		if (low > high)
			return false;
		high = low + ((high - low) >> (try % 8));
		now->value[how->symbol[i]] =
			hidden_draw_between(h, low, high, x->secret);
	}
	return true;
}

/* From the sizes that are there where that can be, else from others. */
static void add_change(struct hidden_steps *x, struct task_case *now,
		       const struct key_change *how, size_t most)
{
	size_t bytes = x->task->symbols.n * sizeof *now->value;
	cleanup_free int64_t *before = xmemdup(now->value, bytes);
	int64_t times = whole_steps(x, how);
	bool is_drawn = false;

	for (size_t i = 0; times && i < DRAWS; i++) {
		times = secret_below(x->secret, 2) ? times : -times;
		if (i > 1 && !draw_from(x, now, how, times, i))
			break;
		is_drawn = memcmp(now->value, before, bytes) != 0;
		if (!may_change(x, now, how, times))
			continue;
		if (x->n + 1 + is_drawn > most)
			break;
		if (is_drawn)
			hidden_steps_add(x, now);
		for (size_t k = 0; k < how->n; k++)
			now->value[how->symbol[k]] += times * how->by[k];
		hidden_steps_add(x, now);
		return;
	}
	memcpy(now->value, before, bytes);
}

void hidden_keys_add(struct hidden_steps *x,
		     const struct hidden_numbers *numbers)
{
	cleanup_free int64_t *value = xmemdup(
		x->out[x->n - 1].value, x->task->symbols.n * sizeof *value);
	cleanup_free struct key_changes *all = xcalloc(1, sizeof *all);
	struct task_case now = {.value = value};
	size_t most = x->n + HIDDEN_KEYED;

	find_changes(all, x, numbers);
	for (size_t i = 0; i < all->n && x->n < most; i++)
		add_change(x, &now, &all->v[i], most);
}
