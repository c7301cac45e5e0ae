#include "core/task/hidden_ends.h"

#include "core/base/secret.h"
#include "core/task/hidden_parts.h"

#define NEAR_LOW 4		 /* sizes, of those of another symbol */
#define LEVELS	 (ENDS_RUNS - 1) /* columns of the array, each in another order */

struct ends {
	const struct task *task;
	struct secret_random *secret;
	const size_t *column; /* of a symbol; it may be at either level first */
	size_t low;	      /* the symbol at its low end */
	size_t run;
};

/* Is another symbol near its high end in this run? */
static bool is_high(const struct ends *x, size_t symbol)
{
	size_t column = x->column[symbol];
	size_t mask = column % LEVELS + 1, turned = column / LEVELS % 2;

	return ((size_t)__builtin_parityll(x->run & mask) ^ turned) != 0;
}

static void draw_sizes(int64_t *value, void *of, size_t try)
{
	const struct ends *x = of;

	for (size_t s = 0; s < x->task->symbols.n; s++) {
		const struct hidden_range *h = &x->task->hidden[s];
		int64_t low = hidden_lowest(h), high = hidden_highest(h);

		if (s == x->low) {
			high = low;
		} else if (is_high(x, s)) {
			high = hidden_highest_of_try(h, try);
			low = MAX(low, high - high / 16);
		} else {
			high = MIN(high, low + NEAR_LOW - 1);
		}
		value[s] = hidden_draw_between(h, low, high, x->secret);
	}
}

/* The symbols in an order that is drawn; the range of each of the first, as many as
 * are returned, has several sizes. */
static size_t draw_order(size_t *order, const struct task *t,
			 struct secret_random *r)
{
	size_t n = 0;

	for (size_t s = 0; s < t->symbols.n; s++)
		if (!hidden_is_fixed(&t->hidden[s]))
			order[n++] = s;
	secret_shuffle(r, order, n);
	return MIN(n, (size_t)ENDS_SYMBOLS);
}

size_t hidden_ends_most(const struct task *t)
{
	return t->hidden && t->symbols.n > 1 ? HIDDEN_ENDS : 0;
}

size_t hidden_ends_draw(struct task_case *out, const struct task *t,
			struct secret_random *r)
{
	cleanup_free size_t *order = xcalloc(t->symbols.n + 1, sizeof *order);
	cleanup_free size_t *column = xcalloc(t->symbols.n + 1, sizeof *column);
	struct ends x = {.task = t, .secret = r, .column = column};
	size_t n = 0, symbols;

	if (!hidden_ends_most(t))
		return 0;
	symbols = draw_order(order, t, r);
	for (size_t i = 0; i < symbols; i++) {
		size_t first = secret_below(r, LEVELS), next = 0;

		x.low = order[i];
		for (size_t s = 0; s < t->symbols.n; s++)
			if (s != x.low && !hidden_is_fixed(&t->hidden[s]))
				column[s] = (first + next++) % LEVELS +
					    LEVELS * secret_below(r, 2);
		for (x.run = 0; x.run < ENDS_RUNS; x.run++)
			n += hidden_draw_small(&out[n], t, draw_sizes, &x);
	}
	return n;
}
