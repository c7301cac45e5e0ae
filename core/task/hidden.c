#include "core/task/hidden.h"
#include "core/task/hidden_parts.h"

#include <math.h>

#include "core/base/random.h"
#include "core/base/secret.h"
#include "core/task/layout.h"

#define MOST_DRAWS  20000 /* of one case, until hidden.require is met */
#define FIRM_DRAWS  32	  /* of one of which only what is ANY is drawn */
#define LOOSE_DRAWS 512	  /* of one with a symbol at an end */
#define FREE_DRAWS  64	  /* of one whose symbols all may be let go */
#define REST_DRAWS  64
#define SMALL_BYTES ((uint64_t)64 << 20)
#define HALVINGS    8 /* of the sizes of a range, over all tries */
#define FEW_BYTES   ((uint64_t)512 << 10)
#define AT_BYTES    ((uint64_t)2 << 20) /* of one at a number, while others fit */
#define ANY	    INT64_MIN		/* a size that is drawn */

/* ---- sizes of one symbol ------------------------------------------------- */

int64_t hidden_lowest(const struct hidden_range *h)
{
	return (h->low + h->step - 1) / h->step * h->step;
}

int64_t hidden_highest(const struct hidden_range *h)
{
	return h->high / h->step * h->step;
}

bool hidden_is_fixed(const struct hidden_range *h)
{
	return hidden_lowest(h) >= hidden_highest(h);
}

int64_t hidden_draw_between(const struct hidden_range *h, int64_t low,
			    int64_t high, struct secret_random *r)
{
	double at = (double)(secret_u64(r) >> 11) * 0x1p-53;
	/* `at` is less than 1, and a fraction is dropped. */
	double size = (double)low * pow(((double)high + 1) / (double)low, at);
	int64_t v;

	if (low <= 0) /* a range may begin at 0 */
		v = low + (int64_t)secret_below(r, (uint64_t)(high - low) + 1);
	else
		v = size < (double)high ? (int64_t)size : high;
	v = (v + h->step / 2) / h->step * h->step;
	return MIN(MAX(v, hidden_lowest(h)), hidden_highest(h));
}

static uint64_t n_sizes(const struct hidden_range *h)
{
	return (uint64_t)((hidden_highest(h) - hidden_lowest(h)) / h->step) + 1;
}

static int64_t nth_size(const struct hidden_range *h, uint64_t n)
{
	return hidden_lowest(h) + h->step * (int64_t)n;
}

static int64_t anywhere(const struct hidden_range *h, struct secret_random *r)
{
	return nth_size(h, secret_below(r, n_sizes(h)));
}

static bool is_in(const struct hidden_range *h, int64_t size)
{
	return size >= hidden_lowest(h) && size <= hidden_highest(h);
}

/* The i-th size beside an end, or around a number; false: not in the range. */
static bool around(int64_t *out, const struct hidden_range *h,
		   const struct hidden_numbers *numbers, size_t i)
{
	int64_t beside = (int64_t)(i % 3) - 1;

	if (i < 3 * numbers->n)
		*out = (numbers->v[i / 3].size / h->step + beside) * h->step;
	else if (beside < 0)
		*out = hidden_lowest(h) + h->step;
	else
		*out = hidden_highest(h) - h->step;
	return is_in(h, *out);
}

/* Beside an end or around a number of the sources; anywhere where no such size
 * is in the range. */
static int64_t special(const struct hidden_range *h,
		       const struct hidden_numbers *numbers,
		       struct secret_random *r)
{
	size_t all = 3 * numbers->n + 2, n = 0, which;
	int64_t size;

	for (size_t i = 0; i < all; i++)
		n += around(&size, h, numbers, i);
	if (!n)
		return anywhere(h, r);
	which = (size_t)secret_below(r, n);
	for (size_t i = 0;; i++)
		if (around(&size, h, numbers, i) && which-- == 0)
			return size;
}

/* One that leaves a rest that the sources name, of those in the range. */
static int64_t with_rest(const struct hidden_range *h,
			 const struct hidden_numbers *numbers,
			 struct secret_random *r)
{
	for (size_t i = 0; i < REST_DRAWS && numbers->n_rests; i++) {
		const struct hidden_rest *rest =
			&numbers->rest[secret_below(r, numbers->n_rests)];
		int64_t size = anywhere(h, r);

		size += rest->rest - size % rest->modulus;
		if (is_in(h, size) && size % h->step == 0)
			return size;
	}
	return special(h, numbers, r);
}

/* ---- whole cases --------------------------------------------------------- */

bool hidden_meets(const struct task *t, const struct task_case *c)
{
	cleanup_error struct error *err = NULL;
	int64_t v = 1;

	if (t->hidden_require)
		err = task_eval(&v, t->hidden_require, t, c);
	return !err && v != 0;
}

uint64_t hidden_bytes(const struct task *t, const struct task_case *c)
{
	cleanup_free struct layout *l = xcalloc(1, sizeof *l);
	struct error *err = layout_make(l, t, c, true);
	uint64_t sum = err ? UINT64_MAX : 0;

	for (unsigned i = 0; !err && i < REGION_COUNT; i++)
		sum += l->region_bytes[i];
	error_free(err);
	return sum;
}

/* What a case that is not drawn at random may take: the task's own ones say what
 * there is room for. */
static uint64_t most_bytes(const struct task *t)
{
	uint64_t most = SMALL_BYTES;

	for (size_t i = 0; i < t->n_cases; i++) {
		uint64_t bytes = hidden_bytes(t, &t->cases[i]);

		if (bytes != UINT64_MAX)
			most = MAX(most, bytes);
	}
	return most;
}

void hidden_name(struct task_case *c, const struct task *t)
{
	cleanup_free char *name = xstrdup("hidden");

	for (size_t s = 0; s < t->symbols.n; s++) {
		char *longer = xasprintf("%s %s=%jd", name, t->symbols.v[s],
					 (intmax_t)c->value[s]);

		free(name);
		name = longer;
	}
	c->name = steal(&name);
}

static void begin(struct task_case *out, const struct task *t)
{
	*out = (struct task_case){.weight = 1};
	out->value = xcalloc(t->symbols.n + 1, sizeof *out->value);
}

/* Sets what is drawn; false: such sizes do not go together. */
static bool draw_sizes(struct task_case *c, const struct task *t,
		       struct secret_random *r)
{
	for (size_t s = 0; s < t->symbols.n; s++)
		c->value[s] = anywhere(&t->hidden[s], r);
	return hidden_meets(t, c);
}

void hidden_draw(struct task_case *out, const struct task *t,
		 struct secret_random *r)
{
	size_t tries = 0;

	begin(out, t);
	while (!draw_sizes(out, t, r) && tries < MOST_DRAWS)
		tries++;
	/* Almost never, or reading the task had said that there are none: sizes
	 * that the kernel is for. */
	if (tries == MOST_DRAWS && t->n_cases)
		memcpy(out->value, t->cases[0].value,
		       t->symbols.n * sizeof *out->value);
	hidden_name(out, t);
}

bool hidden_draw_within(struct task_case *out, const struct task *t,
			size_t symbol, int64_t low, int64_t high,
			struct secret_random *r)
{
	struct hidden_range h = t->hidden[symbol];

	h.low = MAX(h.low, low);
	h.high = MIN(h.high, high);
	if (hidden_lowest(&h) > hidden_highest(&h))
		return false;
	hidden_draw(out, t, r);
	out->value[symbol] = anywhere(&h, r);
	free(out->name);
	hidden_name(out, t);
	return true;
}

bool hidden_is_possible(const struct task *t)
{
	cleanup_free int64_t *value = xcalloc(t->symbols.n + 1, sizeof *value);
	struct task_case c = {.value = value};
	struct random r;

	random_init(&r, 1);
	for (size_t i = 0; i < MOST_DRAWS; i++) {
		for (size_t s = 0; s < t->symbols.n; s++) {
			const struct hidden_range *h = &t->hidden[s];

			value[s] = nth_size(h, random_below(&r, n_sizes(h)));
		}
		if (hidden_meets(t, &c))
			return true;
	}
	return false;
}

int64_t hidden_highest_of_try(const struct hidden_range *h, size_t try)
{
	return MAX(hidden_lowest(h),
		   hidden_highest(h) >> try / (HIDDEN_TRIES / HALVINGS));
}

bool hidden_draw_small(struct task_case *out, const struct task *t,
		       hidden_sizes_fn *draw, void *of)
{
	size_t size = (t->symbols.n + 1) * sizeof(int64_t);
	cleanup_free int64_t *value = xcalloc(1, size);
	cleanup_free int64_t *least = xcalloc(1, size);
	const struct task_case now = {.value = value};
	uint64_t fewest = UINT64_MAX;

	for (size_t i = 0; i < HIDDEN_TRIES && fewest > FEW_BYTES; i++) {
		uint64_t bytes;

		draw(value, of, i);
		if (!hidden_meets(t, &now))
			continue;
		bytes = hidden_bytes(t, &now);
		if (bytes >= fewest)
			continue;
		fewest = bytes;
		memcpy(least, value, size);
	}
	if (fewest > SMALL_BYTES)
		return false;
	*out = (struct task_case){.weight = 1, .value = steal(&least)};
	hidden_name(out, t);
	return true;
}

/* ---- cases at ends ------------------------------------------------------- */

struct plan {
	const struct task *task;
	const struct hidden_numbers *numbers;
	struct secret_random *secret;
	uint64_t most;	/* bytes */
	uint64_t small; /* rather no more than these */
	int64_t *value; /* a size for each symbol, or ANY */
	size_t pin;	/* the symbol that keeps its size; SIZE_MAX: none */
	bool evenly;	/* each size of a range is as likely, where it is ANY */
};

/* Sizes of what is ANY, and of every second other one where `loosely`. */
static void fill_in(struct task_case *c, const struct plan *p, bool loosely,
		    size_t pin)
{
	for (size_t s = 0; s < p->task->symbols.n; s++) {
		const struct hidden_range *h = &p->task->hidden[s];
		bool is_free =
			p->value[s] == ANY ||
			(loosely && s != pin && secret_below(p->secret, 2));

		if (!is_free)
			c->value[s] = p->value[s];
		else if (p->evenly || secret_below(p->secret, 2))
			c->value[s] = anywhere(h, p->secret);
		else
			c->value[s] = special(h, p->numbers, p->secret);
	}
}

static bool draw_within(struct task_case *out, const struct plan *p,
			uint64_t most, size_t draws, bool loosely, size_t pin)
{
	for (size_t i = 0; i < draws; i++) {
		fill_in(out, p, loosely, pin);
		if (hidden_meets(p->task, out) &&
		    hidden_bytes(p->task, out) <= most)
			return true;
	}
	return false;
}

/* Where the sizes do not go together, or take too much memory, some are let go,
 * and in the end all. */
static void draw_planned(struct task_case *out, const struct plan *p)
{
	const struct task *t = p->task;
	uint64_t most = p->most, small = MIN(p->small, most);

	begin(out, t);
	if (draw_within(out, p, small, FIRM_DRAWS, false, p->pin) ||
	    draw_within(out, p, most, FIRM_DRAWS, false, p->pin) ||
	    draw_within(out, p, small, LOOSE_DRAWS, true, p->pin) ||
	    draw_within(out, p, most, LOOSE_DRAWS, true, p->pin) ||
	    draw_within(out, p, most, FREE_DRAWS, true, SIZE_MAX)) {
		hidden_name(out, t);
		return;
	}
	task_case_release(out);
	hidden_draw(out, t, p->secret);
}

static void set_all(struct plan *p, int64_t size)
{
	for (size_t s = 0; s < p->task->symbols.n; s++)
		p->value[s] = size;
	p->pin = SIZE_MAX;
}

static size_t n_lows(const struct task *t)
{
	return MIN(t->symbols.n, (size_t)HIDDEN_LOWS);
}

size_t hidden_planned(const struct task *t)
{
	return t->hidden && t->symbols.n
		       ? 1 + n_lows(t) + HIDDEN_AT + HIDDEN_AROUND
		       : 0;
}

size_t hidden_total(const struct task *t)
{
	return t->hidden ? t->hidden_count + hidden_planned(t) : 0;
}

static size_t draw_ends(struct task_case *out, struct plan *p)
{
	const struct task *t = p->task;
	cleanup_free size_t *order = xcalloc(t->symbols.n, sizeof *order);
	size_t n = 0;

	set_all(p, ANY);
	for (size_t s = 0; s < t->symbols.n; s++) {
		p->value[s] = hidden_highest(&t->hidden[s]);
		order[s] = s;
	}
	draw_planned(&out[n++], p);
	secret_shuffle(p->secret, order, t->symbols.n);
	/* Where the others are small, too, there is little to be wrong. */
	p->evenly = true;
	for (size_t i = 0; i < n_lows(t); i++) {
		set_all(p, ANY);
		p->pin = order[i];
		p->value[p->pin] = hidden_lowest(&t->hidden[p->pin]);
		draw_planned(&out[n++], p);
	}
	p->evenly = false;
	return n;
}

/* Sizes at the numbers of the sources, the likeliest first. */
struct sizes_at {
	int64_t v[HIDDEN_AT];
	size_t n;
};

static void add_size(struct sizes_at *at, int64_t size)
{
	for (size_t i = 0; i < at->n; i++)
		if (at->v[i] == size)
			return;
	if (at->n < HIDDEN_AT)
		at->v[at->n++] = size;
}

/* Of numbers of a rank in an order that is drawn: one above each, which leaves
 * a rest of one, then one below, then the number. */
static void find_sizes(struct sizes_at *out, const struct hidden_range *h,
		       const struct hidden_numbers *numbers,
		       enum hidden_rank rank, struct secret_random *r)
{
	static const size_t beside[] = {2, 0, 1}; /* of around() */
	cleanup_free size_t *order = xcalloc(numbers->n + 1, sizeof *order);
	int64_t size;

	for (size_t i = 0; i < numbers->n; i++)
		order[i] = i;
	secret_shuffle(r, order, numbers->n);
	for (size_t b = 0; b < ARRAY_SIZE(beside); b++)
		for (size_t i = 0; i < numbers->n; i++)
			if (numbers->v[order[i]].rank == rank &&
			    around(&size, h, numbers, 3 * order[i] + beside[b]))
				add_size(out, size);
}

/* Some for each symbol, at once; each is the one that keeps its size in turn. */
static size_t draw_at(struct task_case *out, struct plan *p)
{
	const struct task *t = p->task;
	cleanup_free struct sizes_at *at = xcalloc(t->symbols.n, sizeof *at);

	p->small = AT_BYTES;
	for (size_t s = 0; s < t->symbols.n; s++)
		for (int rank = HIDDEN_TUNABLE; rank < HIDDEN_OTHER; rank++)
			find_sizes(&at[s], &t->hidden[s], p->numbers,
				   (enum hidden_rank)rank, p->secret);
	for (size_t i = 0; i < HIDDEN_AT; i++) {
		set_all(p, ANY);
		p->pin = i % t->symbols.n;
		for (size_t s = 0; s < t->symbols.n; s++)
			if (i < at[s].n)
				p->value[s] = at[s].v[i];
		draw_planned(&out[i], p);
	}
	p->small = UINT64_MAX;
	return HIDDEN_AT;
}

static size_t draw_around(struct task_case *out, struct plan *p)
{
	const struct task *t = p->task;

	for (size_t i = 0; i < HIDDEN_AROUND; i++) {
		set_all(p, ANY);
		for (size_t s = 0; s < t->symbols.n; s++)
			p->value[s] = i ? special(&t->hidden[s], p->numbers,
						  p->secret)
					: with_rest(&t->hidden[s], p->numbers,
						    p->secret);
		draw_planned(&out[i], p);
	}
	return HIDDEN_AROUND;
}

void hidden_draw_all(struct task_case *out, const struct task *t,
		     const struct hidden_numbers *numbers,
		     struct secret_random *r)
{
	cleanup_free int64_t *value = xcalloc(t->symbols.n + 1, sizeof *value);
	struct plan p = {.task = t,
			 .numbers = numbers,
			 .secret = r,
			 .most = most_bytes(t),
			 .small = UINT64_MAX,
			 .value = value};
	size_t n = 0;

	if (t->hidden && t->symbols.n) {
		n += draw_ends(out, &p);
		n += draw_at(out + n, &p);
		n += draw_around(out + n, &p);
	}
	for (; n < hidden_total(t); n++)
		hidden_draw(&out[n], t, r);
}
