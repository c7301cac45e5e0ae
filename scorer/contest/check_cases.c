#include "scorer/contest/check_cases.h"

#include "core/task/hidden_steps.h"

#define MOST_TOLD 3000 /* bytes: it is kept with every measurement */
#define MOST_ENDS 4

static bool has_kinds(const struct task *t)
{
	for (size_t i = 0; i < t->n_arguments; i++) {
		const struct argument *a = &t->argument[i];

		if (a->kind == ARGUMENT_TENSOR && a->fill == FILL_MIXED &&
		    (a->direction == DIRECTION_IN ||
		     a->direction == DIRECTION_INOUT))
			return true;
	}
	return false;
}

static bool has_ends(const struct task *t)
{
	for (size_t i = 0; i < t->n_arguments; i++)
		if (set_has_ends(&t->argument[i]))
			return true;
	return false;
}

/* Is every output compared in whole numbers, or by a rule of the task's own? Else
 * what the plain version is off by decides, and where nothing varies that can be
 * none: all at one end is no fair input then. */
static bool takes_all_at_an_end(const struct task *t)
{
	for (size_t i = 0; i < t->n_arguments; i++)
		if (task_is_output(t, i) && !t->argument[i].has_tolerance &&
		    dtype_is_float(t->argument[i].dtype))
			return false;
	return true;
}

/* In which order launches have integers at ends; returns how many. */
static size_t ends_of(enum fill out[MOST_ENDS], const struct task *t)
{
	bool all = takes_all_at_an_end(t);
	size_t n = 0;

	if (!has_ends(t))
		return 0;
	out[n++] = all ? FILL_ALL_HIGH : FILL_MOSTLY_HIGH;
	out[n++] = FILL_ENDS;
	out[n++] = FILL_ENDS_ROWS;
	if (all)
		out[n++] = FILL_ALL_LOW;
	return n;
}

/* How many launches are added so that each kind of contents comes up in a
 * declared case: a hidden case may be too small for a kind to show a fault. */
static size_t more_count(const struct task *t)
{
	enum fill ends[MOST_ENDS];
	size_t n = has_kinds(t) ? MIXED_FILLS - MIN(t->n_cases, MIXED_FILLS)
				: 0;

	return MAX(n, ends_of(ends, t));
}

/* Of the hidden cases that are drawn whole some have such contents, too. */
static enum fill hidden_ends(const struct task *t, struct secret_random *secret)
{
	static const enum fill some[] = {FILL_ENDS_ROWS, FILL_MOSTLY_HIGH};
	size_t draw = (size_t)secret_below(secret, 2 * ARRAY_SIZE(some));

	return has_ends(t) && draw < ARRAY_SIZE(some) ? some[draw] : FILL_MIXED;
}

static void declare(struct check_case *out, const struct task *t, size_t which,
		    double *case_error)
{
	out->which = which;
	out->c = &t->cases[which];
	out->worst = &case_error[which];
}

/* Returns how many it drew. */
static size_t draw_hidden(struct check_case *out, const struct task *t,
			  const struct fileset *files,
			  struct secret_random *secret)
{
	cleanup_hidden_numbers struct hidden_numbers numbers = {0};
	cleanup_free struct task_case *drawn = NULL;
	size_t n = hidden_total(t), steps;

	drawn = xcalloc(n + hidden_steps_most(t) + 1, sizeof *drawn);
	hidden_numbers_read(&numbers, t, files);
	hidden_draw_all(drawn, t, &numbers, secret);
	steps = hidden_steps_draw(drawn + n, t, secret);
	for (size_t i = 0; i < n + steps; i++) {
		out[i].hidden = drawn[i];
		out[i].is_step = i >= n;
	}
	return n + steps;
}

/* Contents in which a wrong element shows. */
static enum fill plain_fill(struct secret_random *secret)
{
	return secret_below(secret, 2) ? FILL_NORMAL : FILL_UNIFORM;
}

/* Zeros hide a fault: a column whose factor is 0 is right whatever was done to it. */
static bool has_zeros(enum fill kind)
{
	return kind == FILL_SPARSE || kind == FILL_SMALL_INTS ||
	       kind == FILL_BY_ROW;
}

/* The kinds of the hidden cases. One whose sizes were planned may alone have the
 * size that a kernel is wrong at, and is launched with one kind only: it gets none
 * with zeros. */
static void draw_hidden_fills(enum fill *out, size_t planned, size_t n,
			      struct secret_random *secret)
{
	enum fill fills[MIXED_FILLS];
	size_t at = 0;

	mixed_fills_draw(fills, secret);
	for (size_t i = 0; i < n; i++) {
		while (i < planned && has_zeros(fills[at % MIXED_FILLS]))
			at++;
		out[i] = fills[at++ % MIXED_FILLS];
	}
}

void check_cases_draw(struct check_cases *out, const struct task *t,
		      double *case_error, const struct fileset *files,
		      struct secret_random *secret)
{
	size_t declared = t->n_cases + more_count(t), hidden, n_ends;
	enum fill ends[MOST_ENDS];
	cleanup_free enum fill *hidden_fills = NULL;
	enum fill fills[MIXED_FILLS];

	mixed_fills_draw(fills, secret);
	*out = (struct check_cases){0};
	out->one = xcalloc(declared + hidden_total(t) + hidden_steps_most(t),
			   sizeof *out->one);
	n_ends = ends_of(ends, t);
	for (size_t i = 0; i < declared; i++) {
		struct check_case *tried = &out->one[i];

		tried->mixed = fills[i % MIXED_FILLS];
		tried->is_more = i >= t->n_cases;
		if (tried->is_more && i - t->n_cases < n_ends)
			tried->ends = ends[i - t->n_cases];
		declare(tried, t, i % MAX(t->n_cases, 1), case_error);
	}
	hidden = draw_hidden(out->one + declared, t, files, secret);
	out->n = declared + hidden;
	hidden_fills = xcalloc(MAX(hidden, 1), sizeof *hidden_fills);
	draw_hidden_fills(hidden_fills, hidden_planned(t), hidden, secret);
	for (size_t i = 0; i < hidden; i++) {
		struct check_case *tried = &out->one[declared + i];

		tried->mixed = tried->is_step ? plain_fill(secret)
					      : hidden_fills[i];
		if (i >= hidden_planned(t) && !tried->is_step)
			tried->ends = hidden_ends(t, secret);
		tried->which = t->n_cases;
		tried->c = &tried->hidden;
		tried->worst = &out->hidden_error;
	}
}

void check_cases_release(struct check_cases *t)
{
	for (size_t i = 0; i < t->n; i++)
		task_case_release(&t->one[i].hidden);
	free(t->one);
	*t = (struct check_cases){0};
}

void check_case_use_ends(struct input_set *set, const struct task *t,
			 const struct check_case *tried)
{
	if (tried->ends)
		set_use_ends(set, t, tried->c, tried->ends);
}

/* "m,n: " */
static void tell_symbols(struct buf *out, const struct task *t)
{
	for (size_t s = 0; s < t->symbols.n; s++)
		buf_addf(out, "%s%s", s ? "," : "", t->symbols.v[s]);
	buf_adds(out, ": ");
}

void check_case_tell(struct buf *out, const struct task *t,
		     const struct check_case *tried)
{
	static const char steps[] = "one at a time";

	if (tried->which < t->n_cases || !t->symbols.n || out->len > MOST_TOLD)
		return;
	if (!out->len)
		tell_symbols(out, t);
	else if (!tried->is_step)
		buf_adds(out, "; ");
	else if (!strstr(out->data, steps))
		buf_addf(out, "; %s ", steps);
	else
		buf_addc(out, ' ');
	for (size_t s = 0; s < t->symbols.n; s++)
		buf_addf(out, "%s%jd", s ? "," : "",
			 (intmax_t)tried->c->value[s]);
	if (!tried->is_step && has_kinds(t))
		buf_addf(out, " %s", fill_name(tried->mixed));
	if (tried->ends)
		buf_addf(out, " %s", fill_name(tried->ends));
	if (out->len > MOST_TOLD)
		buf_adds(out, " ...");
}
