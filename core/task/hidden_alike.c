#include "core/task/hidden_alike.h"

#include "core/base/secret.h"
#include "core/task/hidden_parts.h"

#define LEAST_SIZE 4  /* of what is in no pair, where its range has it */
#define NOT_TINY   16 /* the greatest size of a symbol that may be in a pair */
#define MOST_STEP  ((int64_t)1 << 30)
#define PAIRS	   (ALIKE_SYMBOLS / 2)

/* What two sizes are to each other; all pairs of a case have another. */
enum likeness { EQUAL_LARGE, FIRST_TWICE, EQUAL_ANY, SECOND_TWICE, LIKENESSES };

/* Two symbols, of `times` a unit each. */
struct alike_pair {
	size_t symbol[2];
	int64_t times[2];
	struct hidden_range unit;
	bool is_large;
};

struct alike {
	const struct task *task;
	const struct hidden_numbers *numbers;
	struct secret_random *secret;
	size_t order[ALIKE_SYMBOLS];
	size_t n_order;
	struct task_case *out;
	size_t n;
};

/* ---- one pair ------------------------------------------------------------ */

static int64_t rounded_up(int64_t size, int64_t times)
{
	return (size + times - 1) / times;
}

/* Which units give sizes of both ranges; false: none. */
static bool find_units(struct alike_pair *p, const struct task *t)
{
	const struct hidden_range *a = &t->hidden[p->symbol[0]];
	const struct hidden_range *b = &t->hidden[p->symbol[1]];
	int64_t of_a = a->step / common_divisor(a->step, p->times[0]);
	int64_t of_b = b->step / common_divisor(b->step, p->times[1]);

	if (of_a > MOST_STEP || of_b > MOST_STEP ||
	    (hidden_is_fixed(a) && hidden_is_fixed(b)))
		return false;
	p->unit = (struct hidden_range){
		.low = MAX(rounded_up(hidden_lowest(a), p->times[0]),
			   rounded_up(hidden_lowest(b), p->times[1])),
		.high = MIN(hidden_highest(a) / p->times[0],
			    hidden_highest(b) / p->times[1]),
		.step = of_a / common_divisor(of_a, of_b) * of_b};
	return hidden_lowest(&p->unit) <= hidden_highest(&p->unit) &&
	       hidden_highest(&p->unit) * MAX(p->times[0], p->times[1]) >=
		       NOT_TINY;
}

static bool set_pair(struct alike_pair *p, const struct alike *x, size_t first,
		     size_t second, enum likeness how)
{
	*p = (struct alike_pair){.symbol = {x->order[first], x->order[second]},
				 .times = {how == FIRST_TWICE ? 2 : 1,
					   how == SECOND_TWICE ? 2 : 1},
				 .is_large = how != EQUAL_ANY};
	return find_units(p, x->task);
}

/* A number that the sources hold something against, or one beside it, of those from
 * low to high; false: found none. */
static bool draw_at_number(int64_t *out, const struct alike *x, int64_t low,
			   int64_t high)
{
	for (size_t i = 0; i < HIDDEN_TRIES && x->numbers->n; i++) {
		const struct hidden_number *v =
			&x->numbers->v[secret_below(x->secret, x->numbers->n)];

		*out = v->size + (int64_t)secret_below(x->secret, 3) - 1;
		if ((v->is_compared || v->rank == HIDDEN_TUNABLE) &&
		    *out >= low && *out <= high)
			return true;
	}
	return false;
}

static int64_t draw_unit(const struct alike *x, const struct alike_pair *p,
			 size_t try)
{
	const struct hidden_range *h = &p->unit;
	int64_t low = hidden_lowest(h), high = hidden_highest_of_try(h, try),
		at;

	if (p->is_large)
		low = MAX(low, high - high / 16);
	else if (secret_below(x->secret, 2) &&
		 draw_at_number(&at, x, low, high))
		low = high = at;
	else
		low = MAX(low, high / 8);
	return hidden_draw_between(h, low, high, x->secret);
}

/* ---- whole cases --------------------------------------------------------- */

struct pairs {
	const struct alike *of;
	const struct alike_pair *v;
	size_t n;
};

static void draw_sizes(int64_t *value, void *of, size_t try)
{
	const struct pairs *p = of;
	const struct alike *x = p->of;

	for (size_t s = 0; s < x->task->symbols.n; s++) {
		const struct hidden_range *h = &x->task->hidden[s];
		int64_t low = hidden_lowest(h), high = hidden_highest(h);

		if (try < HIDDEN_TRIES / 2 && low < LEAST_SIZE &&
		    high > LEAST_SIZE)
			low = LEAST_SIZE;
		value[s] = hidden_draw_between(h, low, high, x->secret);
	}
	for (size_t i = 0; i < p->n; i++) {
		int64_t unit = draw_unit(x, &p->v[i], try);

		for (size_t k = 0; k < 2; k++)
			value[p->v[i].symbol[k]] = unit * p->v[i].times[k];
	}
}

static bool add_case(struct alike *x, const struct alike_pair *p, size_t n)
{
	struct pairs pairs = {.of = x, .v = p, .n = n};

	if (x->n == HIDDEN_ALIKE ||
	    !hidden_draw_small(&x->out[x->n], x->task, draw_sizes, &pairs))
		return false;
	x->n++;
	return true;
}

/* Each alone where they do not go together. */
static void add_pairs(struct alike *x, const struct alike_pair *p, size_t n)
{
	if (!n || add_case(x, p, n))
		return;
	for (size_t i = 0; n > 1 && i < n; i++)
		add_case(x, &p[i], 1);
}

/* The pairs of a round, as in a tournament: the last one stays, the others move on
 * by a place in every round. */
static size_t find_pairs(struct alike_pair p[PAIRS], const struct alike *x,
			 size_t round, size_t turn)
{
	size_t all = x->n_order + x->n_order % 2, n = 0;

	for (size_t i = 0; i < all / 2; i++) {
		size_t a = i ? (round + i) % (all - 1) : all - 1;
		size_t b = (round + all - 1 - i) % (all - 1);
		enum likeness how = (enum likeness)((turn + i) % LIKENESSES);

		n += a < x->n_order && b < x->n_order &&
		     set_pair(&p[n], x, MIN(a, b), MAX(a, b), how);
	}
	return n;
}

static void draw_order(struct alike *x)
{
	const struct task *t = x->task;
	cleanup_free size_t *order = xcalloc(t->symbols.n + 1, sizeof *order);
	size_t n = 0;

	for (size_t s = 0; s < t->symbols.n; s++)
		if (hidden_highest(&t->hidden[s]) >= NOT_TINY)
			order[n++] = s;
	secret_shuffle(x->secret, order, n);
	x->n_order = MIN(n, (size_t)ALIKE_SYMBOLS);
	memcpy(x->order, order, x->n_order * sizeof *order);
}

size_t hidden_alike_most(const struct task *t)
{
	return t->hidden && t->symbols.n > 1 ? HIDDEN_ALIKE : 0;
}

size_t hidden_alike_draw(struct task_case *out, const struct task *t,
			 const struct hidden_numbers *numbers,
			 struct secret_random *r)
{
	struct alike x = {
		.task = t, .numbers = numbers, .secret = r, .out = out};

	if (!hidden_alike_most(t))
		return 0;
	draw_order(&x);
	for (size_t turn = 0; turn < LIKENESSES; turn++)
		for (size_t i = 0; i + 1 < x.n_order + x.n_order % 2; i++) {
			struct alike_pair p[PAIRS];

			add_pairs(&x, p, find_pairs(p, &x, i, turn));
		}
	return x.n;
}
