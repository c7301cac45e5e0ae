#include "core/task/hidden_steps.h"

#include <math.h>

#include "core/base/secret.h"
#include "core/task/hidden.h"
#include "core/task/hidden_parts.h"

#define LEAST_BYTES ((uint64_t)16 << 10) /* of the first case, or its ranges' */
#define BYTES_BITS  5	/* ... at most so many doublings more */
#define BASES	    16	/* tried, until every symbol can change alone */
#define BASE_DRAWS  400 /* of one of them */
#define STEP_DRAWS  48	/* of one step */
#define LEAST_SIZE  4	/* of the first case, where the range has it */
#define FAR	    1.5 /* times the size before */

/* The steps of one scoring. */
struct steps {
	const struct task *task;
	struct secret_random *secret;
	uint64_t most; /* bytes of the first case */
	size_t *order; /* the symbols that change */
	size_t n_order;
	struct task_case base;
	struct task_case *out;
	size_t n;
};

static bool is_fixed(const struct hidden_range *h)
{
	return hidden_lowest(h) >= hidden_highest(h);
}

static size_t n_symbols(const struct task *t)
{
	size_t n = 0;

	for (size_t s = 0; t->hidden && s < t->symbols.n; s++)
		n += !is_fixed(&t->hidden[s]);
	return MIN(n, (size_t)HIDDEN_STEPPED);
}

size_t hidden_steps_most(const struct task *t)
{
	size_t n = n_symbols(t);

	return n ? 2 + 2 * n + 1 : 0;
}

/* A size from low to high, each doubling as likely: small ones are not rare. */
static int64_t draw_between(const struct hidden_range *h, int64_t low,
			    int64_t high, struct secret_random *r)
{
	double at = (double)(secret_u64(r) >> 11) * 0x1p-53;
	double size = (double)low * pow((double)high / (double)low, at);
	int64_t v;

	if (low <= 0) /* a range may begin at 0 */
		v = low + (int64_t)secret_below(r, (uint64_t)(high - low) + 1);
	else
		v = (int64_t)size;
	v = (v + h->step / 2) / h->step * h->step;
	return MIN(MAX(v, hidden_lowest(h)), hidden_highest(h));
}

static void add(struct steps *x, const struct task_case *c)
{
	const struct task *t = x->task;
	struct task_case *one = &x->out[x->n++];

	*one = (struct task_case){
		.weight = 1,
		.value = xmemdup(c->value, t->symbols.n * sizeof *c->value)};
	hidden_name(one, t);
}

/* ---- the first case ------------------------------------------------------ */

/* From the lower half of each range, less of it the longer none fits; where none
 * does at all, the smallest of those that may be. */
static bool draw_base(struct steps *x)
{
	const struct task *t = x->task;
	cleanup_free int64_t *least = xcalloc(t->symbols.n + 1, sizeof *least);
	uint64_t bytes, least_bytes = UINT64_MAX;
	const struct hidden_range *h;

	for (size_t i = 0; i < BASE_DRAWS; i++) {
		unsigned shift = (unsigned)(1 + i / (BASE_DRAWS / 32));

		/* It may be that small ones do not go together. */
		if (i > BASE_DRAWS / 4 && i % 2)
			shift = 0;

		for (size_t s = 0; s < t->symbols.n; s++) {
			int64_t low, high;

			h = &t->hidden[s];
			low = hidden_lowest(h);
			high = low + ((hidden_highest(h) - low) >> shift);
			if (low < LEAST_SIZE && high > LEAST_SIZE)
				low = LEAST_SIZE;
			x->base.value[s] =
				draw_between(h, low, high, x->secret);
		}
		if (!hidden_meets(t, &x->base))
			continue;
		bytes = hidden_bytes(t, &x->base);
		if (bytes <= x->most)
			return true;
		if (bytes >= least_bytes)
			continue;
		least_bytes = bytes;
		memcpy(least, x->base.value, t->symbols.n * sizeof *least);
	}
	if (least_bytes == UINT64_MAX)
		return false;
	memcpy(x->base.value, least, t->symbols.n * sizeof *least);
	return true;
}

/* ---- one size changes ---------------------------------------------------- */

/* Sizes of symbol `s` that are far from its size now, and greater while
 * `upwards`. */
static int64_t draw_far(const struct steps *x, size_t s, size_t try)
{
	const struct hidden_range *h = &x->task->hidden[s];
	int64_t now = x->base.value[s], high = hidden_highest(h);
	int64_t low = (int64_t)ceil((double)now * FAR);

	low = MAX(low, now + h->step);
	if (low > high || try >= STEP_DRAWS / 2)
		return draw_between(h, hidden_lowest(h), high, x->secret);
	high = low + ((high - low) >> (try / 4));
	return draw_between(h, low, high, x->secret);
}

/* Does it go with the others, and take no more than a few times the memory? */
static bool fits(const struct steps *x, const struct task_case *c)
{
	uint64_t most = MAX(x->most, hidden_bytes(x->task, &x->base));

	return hidden_meets(x->task, c) && hidden_bytes(x->task, c) / 8 <= most;
}

/* One step of the range down, beside `far`, or up. */
static void add_near(struct steps *x, struct task_case *c, size_t s)
{
	const struct hidden_range *h = &x->task->hidden[s];
	int64_t now = c->value[s], base = x->base.value[s];

	for (int side = -1; side <= 1; side += 2) {
		c->value[s] = now + side * h->step;
		if (c->value[s] < hidden_lowest(h) ||
		    c->value[s] > hidden_highest(h) || c->value[s] == base ||
		    !fits(x, c))
			continue;
		add(x, c);
		return;
	}
}

/* From the first case to a greater size of `s`, and back. */
static bool add_change(struct steps *x, size_t s, bool also_near)
{
	cleanup_free int64_t *value =
		xmemdup(x->base.value, x->task->symbols.n * sizeof *value);
	struct task_case c = {.value = value};

	for (size_t i = 0; i < STEP_DRAWS; i++) {
		c.value[s] = draw_far(x, s, i);
		if (c.value[s] == x->base.value[s] || !fits(x, &c))
			continue;
		add(x, &c);
		if (also_near)
			add_near(x, &c, s);
		add(x, &x->base);
		return true;
	}
	return false;
}

/* ---- all of them --------------------------------------------------------- */

static void start_over(struct steps *x)
{
	while (x->n)
		task_case_release(&x->out[--x->n]);
}

/* How many symbols change alone, of those that may. */
static size_t draw_chain(struct steps *x)
{
	size_t changed = 0;

	start_over(x);
	if (!draw_base(x))
		return 0;
	add(x, &x->base);
	add(x, &x->base);
	for (size_t i = 0; i < x->n_order && changed < HIDDEN_STEPPED; i++)
		changed += add_change(x, x->order[i], changed == 0);
	return changed;
}

static void draw_order(struct steps *x)
{
	const struct task *t = x->task;

	for (size_t s = 0; s < t->symbols.n; s++)
		if (!is_fixed(&t->hidden[s]))
			x->order[x->n_order++] = s;
	secret_shuffle(x->secret, x->order, x->n_order);
}

size_t hidden_steps_draw(struct task_case *out, const struct task *t,
			 struct secret_random *r)
{
	cleanup_free size_t *order = xcalloc(t->symbols.n + 1, sizeof *order);
	cleanup_free int64_t *base = xcalloc(t->symbols.n + 1, sizeof *base);
	struct steps x = {.task = t,
			  .secret = r,
			  .most = LEAST_BYTES << secret_below(r, BYTES_BITS),
			  .order = order,
			  .base = {.value = base},
			  .out = out};
	size_t all = n_symbols(t), most = 0;

	if (!all)
		return 0;
	draw_order(&x);
	for (size_t i = 0; i < BASES; i++) {
		size_t changed = draw_chain(&x);

		if (changed == all || (i >= BASES / 2 && changed >= most))
			break;
		most = MAX(most, changed);
	}
	return x.n;
}
