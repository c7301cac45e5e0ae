#include "core/task/hidden_more.h"

#include <math.h>

#include "core/base/secret.h"
#include "core/task/hidden_parts.h"

#define SMALL_BYTES ((uint64_t)1 << 20)
#define COVER_BYTES ((uint64_t)64 << 20) /* as of other hidden cases */
#define WHOLE_BYTES \
	((uint64_t)2 << 20) /* of one of which all sizes are large */
#define DRAWS	   64	    /* of one case */
#define LEAST_SIZE 4	    /* of other symbols, where their ranges have it */
#define NUMBERS	   4	    /* sizes at numbers of the sources, of a symbol */
#define ANY_SIZES  2	    /* others of a symbol */
#define WHOLE	   2	    /* cases of which all sizes are large */
#define MOST_COVER 24	    /* cases for values of small ranges */

/* The cases in addition of one scoring. */
struct more {
	const struct task *task;
	const struct hidden_numbers *numbers;
	struct secret_random *secret;
	uint64_t most_bytes; /* of the largest case */
	double most_work;
	struct task_case *out;
	size_t n, room;
	int64_t *value, *least;	    /* of the case that is drawn */
	const struct task_case now; /* of `value` */
};

/* ---- which sizes go together --------------------------------------------- */

static int64_t largest(const struct task *t, size_t s)
{
	int64_t most = 0;

	for (size_t i = 0; i < t->n_cases; i++)
		most = MAX(most, t->cases[i].value[s]);
	return most;
}

/* What is beyond the range, up to the largest case. */
static struct hidden_range beyond(const struct task *t, size_t s)
{
	const struct hidden_range *h = &t->hidden[s];

	return (struct hidden_range){.low = hidden_highest(h) + h->step,
				     .high = largest(t, s),
				     .step = h->step};
}

static bool reaches_beyond(const struct task *t, size_t symbol)
{
	struct hidden_range wide;

	if (!t->hidden || hidden_is_fixed(&t->hidden[symbol]))
		return false;
	wide = beyond(t, symbol);
	return hidden_lowest(&wide) <= hidden_highest(&wide);
}

/* Is `a` never more than `b`, in any case and by their ranges? */
static bool is_below(const struct task *t, size_t a, size_t b)
{
	if (hidden_highest(&t->hidden[a]) > hidden_lowest(&t->hidden[b]))
		return false;
	for (size_t i = 0; i < t->n_cases; i++)
		if (t->cases[i].value[a] > t->cases[i].value[b])
			return false;
	return true;
}

/* The task does not say so, but a kernel may need it: a window that is smaller than what
 * it slides over. */
static bool keeps_order(const struct task *t, const int64_t *value)
{
	for (size_t a = 0; a < t->symbols.n; a++)
		for (size_t b = 0; b < t->symbols.n; b++)
			if (a != b && value[a] > value[b] && is_below(t, a, b))
				return false;
	return true;
}

static double work_of(const struct task *t, const struct task_case *c)
{
	double work = 0;
	bool is_bytes;
	cleanup_error struct error *err = task_work(&work, &is_bytes, t, c);

	return err ? HUGE_VAL : work;
}

static bool may_be(const struct more *x)
{
	return hidden_meets(x->task, &x->now) &&
	       keeps_order(x->task, x->value) &&
	       work_of(x->task, &x->now) <= x->most_work;
}

static void add(struct more *x)
{
	const struct task *t = x->task;
	struct task_case *one = &x->out[x->n++];

	*one = (struct task_case){
		.weight = 1,
		.value = xmemdup(x->value, t->symbols.n * sizeof *x->value)};
	hidden_name(one, t);
}

/* A small size of another symbol, from all of its range the longer none is found. */
static int64_t draw_other(const struct more *x, size_t s, size_t try)
{
	const struct hidden_range *h = &x->task->hidden[s];
	int64_t low = hidden_lowest(h), high = hidden_highest(h);

	if (try < DRAWS / 2 && low < LEAST_SIZE && high > LEAST_SIZE)
		low = LEAST_SIZE;
	return hidden_draw_between(h, low, high, x->secret);
}

/* Sizes of those that `pinned` has none for: of few bytes, or of the fewest that were
 * drawn. */
static bool draw_others(struct more *x, const int64_t *pinned)
{
	const struct task *t = x->task;
	uint64_t bytes, least = UINT64_MAX;

	for (size_t i = 0; i < DRAWS; i++) {
		for (size_t s = 0; s < t->symbols.n; s++)
			x->value[s] = pinned[s] != INT64_MIN
					      ? pinned[s]
					      : draw_other(x, s, i);
		if (!may_be(x))
			continue;
		bytes = hidden_bytes(t, &x->now);
		if (bytes <= MIN(SMALL_BYTES, x->most_bytes))
			return true;
		if (bytes >= least)
			continue;
		least = bytes;
		memcpy(x->least, x->value, t->symbols.n * sizeof *x->least);
	}
	memcpy(x->value, x->least, t->symbols.n * sizeof *x->value);
	return least <= x->most_bytes;
}

/* ---- beyond the ranges --------------------------------------------------- */

/* All sizes are the same part of a case's. */
static void scale(struct more *x, const struct task_case *c, double part)
{
	const struct task *t = x->task;

	for (size_t s = 0; s < t->symbols.n; s++) {
		const struct hidden_range *h = &t->hidden[s];
		int64_t size = (int64_t)((double)c->value[s] * part + 0.5);

		size = (size + h->step / 2) / h->step * h->step;
		size = MIN(size, MAX(hidden_highest(h),
				     c->value[s] / h->step * h->step));
		x->value[s] = hidden_is_fixed(h) ? hidden_lowest(h)
						 : MAX(size, hidden_lowest(h));
	}
}

/* With `s` at the size and the others as much smaller as it is in a case, where small
 * others do not go with it: a square. */
static bool draw_alike(struct more *x, size_t s, int64_t size)
{
	const struct task *t = x->task;
	size_t first = (size_t)secret_below(x->secret, t->n_cases);

	for (size_t i = 0; i < t->n_cases; i++) {
		const struct task_case *c = &t->cases[(first + i) % t->n_cases];

		if (c->value[s] < size)
			continue;
		scale(x, c, (double)size / (double)c->value[s]);
		x->value[s] = size;
		if (may_be(x) && hidden_bytes(t, &x->now) <= x->most_bytes)
			return true;
	}
	return false;
}

static void add_size(struct more *x, size_t s, int64_t size)
{
	cleanup_free int64_t *pinned =
		xcalloc(x->task->symbols.n, sizeof *pinned);

	for (size_t k = 0; k < x->task->symbols.n; k++)
		pinned[k] = k == s ? size : INT64_MIN;
	if (x->n == x->room)
		return;
	if (draw_others(x, pinned) || draw_alike(x, s, size))
		add(x);
}

/* Sizes at numbers of the sources: the likeliest first. */
struct sizes {
	int64_t v[NUMBERS];
	size_t n;
};

static void take_size(struct sizes *at, const struct hidden_range *wide,
		      int64_t size)
{
	if (size < hidden_lowest(wide) || size > hidden_highest(wide))
		return;
	for (size_t i = 0; i < at->n; i++)
		if (at->v[i] == size)
			return;
	if (at->n < NUMBERS)
		at->v[at->n++] = size;
}

/* One above each number of a rank, in an order that is drawn, then the number, then
 * one below. */
static void find_sizes(struct sizes *at, const struct more *x,
		       const struct hidden_range *wide, enum hidden_rank rank)
{
	static const int64_t beside[] = {1, 0, -1};
	size_t n = x->numbers->n;
	cleanup_free size_t *order = xcalloc(n + 1, sizeof *order);

	for (size_t i = 0; i < n; i++)
		order[i] = i;
	secret_shuffle(x->secret, order, n);
	for (size_t b = 0; b < ARRAY_SIZE(beside); b++)
		for (size_t i = 0; i < n; i++) {
			const struct hidden_number *v =
				&x->numbers->v[order[i]];

			if (v->rank == rank)
				take_size(at, wide,
					  (v->size / wide->step + beside[b]) *
						  wide->step);
		}
}

/* Of each symbol a size at a number, then any, then at the next number: an early
 * end of the time leaves none out. */
static void add_beyond(struct more *x, const size_t *order, size_t n)
{
	cleanup_free struct sizes *at = xcalloc(n + 1, sizeof *at);

	for (size_t i = 0; i < n; i++) {
		struct hidden_range wide = beyond(x->task, order[i]);

		for (int rank = 0; rank < HIDDEN_RANKS; rank++)
			find_sizes(&at[i], x, &wide, (enum hidden_rank)rank);
	}
	for (size_t round = 0; round < MAX(NUMBERS, ANY_SIZES); round++) {
		for (size_t i = 0; i < n; i++)
			if (round < at[i].n)
				add_size(x, order[i], at[i].v[round]);
		for (size_t i = 0; round < ANY_SIZES && i < n; i++) {
			struct hidden_range wide = beyond(x->task, order[i]);

			add_size(x, order[i],
				 hidden_draw_between(
					 &wide, hidden_lowest(&wide),
					 hidden_highest(&wide), x->secret));
		}
	}
}

static bool is_beyond(const struct more *x)
{
	for (size_t s = 0; s < x->task->symbols.n; s++)
		if (x->value[s] > hidden_highest(&x->task->hidden[s]))
			return true;
	return false;
}

/* A number may be held against a product of sizes. */
static void add_whole(struct more *x)
{
	const struct task *t = x->task;

	for (size_t i = 0; i < DRAWS; i++) {
		const struct task_case *c =
			&t->cases[secret_below(x->secret, t->n_cases)];
		double at = (double)(secret_u64(x->secret) >> 11) * 0x1p-53;

		/* From 1/1024 on, each doubling as likely. */
		scale(x, c, exp2(-10 * at));
		if (is_beyond(x) && may_be(x) &&
		    hidden_bytes(t, &x->now) <=
			    MIN(WHOLE_BYTES, x->most_bytes)) {
			add(x);
			return;
		}
	}
}

/* ---- all of them --------------------------------------------------------- */

static void begin(struct more *x)
{
	const struct task *t = x->task;

	for (size_t i = 0; i < t->n_cases; i++) {
		uint64_t bytes = hidden_bytes(t, &t->cases[i]);
		double work = work_of(t, &t->cases[i]);

		if (bytes != UINT64_MAX)
			x->most_bytes = MAX(x->most_bytes, bytes);
		x->most_work = MAX(x->most_work, work);
	}
}

size_t hidden_more_most(const struct task *t)
{
	return t->hidden && t->symbols.n ? MOST_COVER + HIDDEN_BETWEEN : 0;
}

size_t hidden_between_draw(struct task_case *out, const struct task *t,
			   const struct hidden_numbers *numbers,
			   struct secret_random *r)
{
	cleanup_free int64_t *value = xcalloc(t->symbols.n + 1, sizeof *value);
	cleanup_free int64_t *least = xcalloc(t->symbols.n + 1, sizeof *least);
	cleanup_free size_t *order = xcalloc(t->symbols.n + 1, sizeof *order);
	struct more x = {.task = t,
			 .numbers = numbers,
			 .secret = r,
			 .out = out,
			 .room = HIDDEN_BETWEEN - WHOLE,
			 .value = value,
			 .least = least,
			 .now = {.value = value}};
	size_t n = 0;

	for (size_t s = 0; s < t->symbols.n; s++)
		if (reaches_beyond(t, s))
			order[n++] = s;
	if (!n)
		return 0;
	begin(&x);
	secret_shuffle(r, order, n);
	add_beyond(&x, order, n);
	x.room = HIDDEN_BETWEEN;
	for (size_t i = 0; i < WHOLE; i++)
		add_whole(&x);
	return x.n;
}

/* ---- values of small ranges ---------------------------------------------- */

/* Values of a symbol that no case has. */
struct unseen_values {
	int64_t v[HIDDEN_SMALL];
	size_t n;
};

static void find_missing(struct unseen_values *out,
			 const struct hidden_range *h, size_t s,
			 const struct task_case *drawn, size_t n,
			 struct secret_random *r)
{
	int64_t low = hidden_lowest(h), high = hidden_highest(h);
	size_t order[HIDDEN_SMALL], all;

	if ((high - low) / h->step >= HIDDEN_SMALL)
		return;
	all = (size_t)((high - low) / h->step) + 1;
	for (size_t i = 0; i < all; i++)
		order[i] = i;
	secret_shuffle(r, order, all);
	for (size_t i = 0; i < all; i++) {
		int64_t v = low + (int64_t)order[i] * h->step;
		size_t k = 0;

		while (k < n && drawn[k].value[s] != v)
			k++;
		if (k == n)
			out->v[out->n++] = v;
	}
}

/* The i-th value of each symbol that has so many, in one case; where they do not go
 * together, in one for each. */
static void add_values(struct more *x, const struct unseen_values *missing,
		       size_t i)
{
	size_t n = x->task->symbols.n;
	cleanup_free int64_t *pinned = xcalloc(n, sizeof *pinned);

	for (size_t s = 0; s < n; s++)
		pinned[s] = i < missing[s].n ? missing[s].v[i] : INT64_MIN;
	if (x->n < x->room && draw_others(x, pinned)) {
		add(x);
		return;
	}
	for (size_t s = 0; s < n; s++)
		if (i < missing[s].n)
			add_size(x, s, missing[s].v[i]);
}

size_t hidden_cover_draw(struct task_case *out, const struct task *t,
			 const struct task_case *drawn, size_t n,
			 struct secret_random *r)
{
	cleanup_free int64_t *value = xcalloc(t->symbols.n + 1, sizeof *value);
	cleanup_free int64_t *least = xcalloc(t->symbols.n + 1, sizeof *least);
	cleanup_free struct unseen_values *missing =
		xcalloc(t->symbols.n + 1, sizeof *missing);
	struct more x = {.task = t,
			 .secret = r,
			 .most_work = HUGE_VAL,
			 .out = out,
			 .room = MOST_COVER,
			 .value = value,
			 .least = least,
			 .now = {.value = value}};
	size_t most = 0;

	for (size_t s = 0; t->hidden && s < t->symbols.n; s++) {
		find_missing(&missing[s], &t->hidden[s], s, drawn, n, r);
		most = MAX(most, missing[s].n);
	}
	if (most)
		begin(&x);
	x.most_bytes = MAX(x.most_bytes, COVER_BYTES);
	for (size_t i = 0; i < most; i++)
		add_values(&x, missing, i);
	return x.n;
}
