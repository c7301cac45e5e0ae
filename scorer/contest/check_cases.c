#include "scorer/contest/check_cases.h"

#include "core/task/hidden.h"
#include "core/task/hidden_alike.h"
#include "core/task/hidden_ends.h"
#include "core/task/hidden_more.h"
#include "core/task/hidden_steps.h"
#include "core/task/layout.h"

#define MOST_TOLD      3000 /* bytes: it is kept with every measurement */
#define MOST_ENDS      4
#define MOST_NEAR_ENDS 8
#define MOST_BESIDE    12 /* launches for single integers */

#define MOST_UNREACHED 60 /* bytes */

#define MORE_SECONDS 1.0 /* for more kinds of contents than cases, ... */
/* ... for sizes that are alike, for those of one at an end, for those of one or two
 * changed, as quick as the quickest of each, ... */
#define KIND_SECONDS	1.0
#define BETWEEN_SECONDS 1.0 /* ... and for sizes beyond the ranges */
#define LEAST_OF_KIND	4

#define MOST_ZEROS 12 /* launches of short rows with zeros */
#define SHORT_LOW  3  /* sizes of 1 and 2: see has_least_sizes */
#define SHORT_HIGH 12 /* of such a row one in four is all zero */
#define LEAST_PRODUCT \
	100 /* of their sizes: then not all inputs are zero, ... */
#define MOST_PRODUCT  100000 /* ... and they cost little */
#define ZEROS_SECONDS 1.0    /* for launches of them */
#define ZEROS_DRAWS   64

static bool has_kinds(const struct task *t)
{
	return set_mixed_inputs(t) > 0;
}

static bool has_ends(const struct task *t)
{
	for (size_t i = 0; i < t->n_arguments; i++)
		if (set_has_ends(t, i))
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

/* ---- single integers ------------------------------------------------------------ */

/* How many numbers from low to high are such that the sources hold something
 * against, have a name for, or one beside them; *value becomes number `which`. */
static size_t near_numbers(double *value, const struct hidden_numbers *numbers,
			   double low, double high, size_t which)
{
	size_t n = 0;

	for (size_t i = 0; i < numbers->n; i++) {
		const struct hidden_number *v = &numbers->v[i];

		if (!v->is_compared && v->rank != HIDDEN_TUNABLE)
			continue;
		for (int64_t d = -1; d <= 1; d++) {
			double here = (double)(v->size + d);

			if (here >= low && here <= high && n++ == which)
				*value = here;
		}
	}
	return n;
}

/* Anything in a range meets one of its numbers seldom: each of these comes up in
 * turn, and of several inputs not always the same ones together. */
static void use_beside(struct input_set *set, const struct task *t,
		       const struct check_case *tried)
{
	struct recipe *r = &set->recipe;
	size_t turn = tried->beside;

	for (size_t i = 0; i < t->n_arguments; i++) {
		double value = 0;
		size_t n;

		if (!set_is_integer_in_range(&t->argument[i]) ||
		    r->fill[i] != FILL_RANGE ||
		    set->call.layout.arg[i].tensor.elements != 1)
			continue;
		n = near_numbers(&value, tried->numbers, r->low[i], r->high[i],
				 SIZE_MAX);
		if (!n)
			continue;
		near_numbers(&value, tried->numbers, r->low[i], r->high[i],
			     (turn + turn / n * (i + 1)) % n);
		r->low[i] = r->high[i] = value;
	}
}

/* How many launches there have to be for them where no sizes are drawn. */
static size_t beside_count(const struct task *t,
			   const struct hidden_numbers *numbers)
{
	cleanup_free struct layout *l = xcalloc(1, sizeof *l);
	cleanup_error struct error *failed = NULL;
	size_t most = 0;

	if (t->hidden || !t->n_cases)
		return 0;
	failed = layout_make(l, t, &t->cases[0], true);
	for (size_t i = 0; i < t->n_arguments && !failed; i++) {
		double low, high, ignored;

		if (!set_is_integer_in_range(&t->argument[i]) ||
		    l->arg[i].tensor.elements != 1)
			continue;
		failed = set_range(&low, &high, t, i, &t->cases[0]);
		if (!failed)
			most = MAX(most, near_numbers(&ignored, numbers, low,
						      high, SIZE_MAX));
	}
	return MIN(most, MOST_BESIDE);
}

/* Declared cases once more all, hidden ones every other. */
static void draw_beside(struct check_cases *out, const struct task *t,
			size_t declared, struct secret_random *secret)
{
	size_t turn = 1 + (size_t)secret_below(secret, 1 << 16);

	for (size_t i = 0; i < out->n; i++) {
		struct check_case *tried = &out->one[i];
		bool has = i < declared ? tried->is_more : (i - declared) % 2;

		tried->numbers = &out->numbers;
		if (has && t->n_cases)
			tried->beside = turn++;
	}
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

/* A sum of one or two tiny numbers may be next to nothing where what it goes through
 * is not: the logarithm of a sum that is 1 is exact in one kernel, and off by the last
 * place of 1 in another that is as good. */
static bool has_least_sizes(const struct task *t, const struct task_case *c)
{
	for (size_t s = 0; s < t->symbols.n; s++)
		if (c->value[s] <= 2)
			return true;
	return false;
}

/* ---- short rows with zeros ------------------------------------------------------- */

static bool has_fair_product(const struct task *t, const struct task_case *c)
{
	int64_t product = 1;

	for (size_t s = 0; s < t->symbols.n; s++) {
		if (c->value[s] < 1 || c->value[s] > MOST_PRODUCT / product)
			return false;
		product *= c->value[s];
	}
	return product >= LEAST_PRODUCT;
}

/* Draws sizes of which number `symbol` is small; false: found none. */
static bool draw_short(struct task_case *out, const struct task *t,
		       size_t symbol, struct secret_random *secret)
{
	for (size_t i = 0; i < ZEROS_DRAWS; i++) {
		if (!hidden_draw_within(out, t, symbol, SHORT_LOW, SHORT_HIGH,
					secret))
			return false;
		if (has_fair_product(t, out) && !has_least_sizes(t, out) &&
		    hidden_meets(t, out))
			return true;
		task_case_release(out);
	}
	return false;
}

/* A row that is all zero is a short one. Hidden cases of short rows that are planned
 * have no zeros, so that there are some more, each symbol being the small one in
 * turn. Where all inputs have zeros, what an output gets in place of its own is often
 * zero, too: in the others one input has. Not all of a launch is zero: next to
 * nothing would be allowed then. A GPU has none: each size is a capture of its own.
 * Returns how many it added. */
static size_t draw_zeros(struct check_case *out, const struct task *t,
			 struct secret_random *secret)
{
	size_t inputs = set_mixed_inputs(t), each = MIN(inputs + 1, 4);
	size_t n = 0, turn = 1 + (size_t)secret_below(secret, 1 << 16);

	if (!t->hidden || !inputs || t->language == LANGUAGE_CUDA)
		return 0;
	for (size_t s = 0; s < t->symbols.n && n + each <= MOST_ZEROS; s++) {
		size_t symbol = (turn + s) % t->symbols.n;

		for (size_t i = 0; i < each; i++)
			if (draw_short(&out[n].hidden, t, symbol, secret))
				out[n++].zeros = turn + i;
	}
	return n;
}

/* One input in turn, then all. */
static void use_zeros(struct input_set *set, const struct task *t,
		      const struct check_case *tried)
{
	size_t inputs = set_mixed_inputs(t);
	size_t which = tried->zeros % (inputs + 1);

	if (which < inputs)
		set_use_normal_beside(set, t, tried->c, which);
}

/* Labels that are all to be ignored, indices that are all the same: each end of each
 * input, at any sizes. What is a float by such integers alone may be off by nothing in
 * the plain version then, which is not a fair measure (takes_all_at_an_end). */
static size_t draw_near_ends(struct check_case *out, const struct task *t,
			     struct secret_random *secret)
{
	size_t n = 0;

	if (!t->hidden || (!takes_all_at_an_end(t) && !has_kinds(t)))
		return 0;
	for (size_t i = 0; i < t->n_arguments && n < MOST_NEAR_ENDS; i++)
		for (size_t high = 0; high < 2 && set_has_near_ends(t, i);
		     high++) {
			hidden_draw(&out[n].hidden, t, secret);
			out[n].kind = CHECK_CONTENTS;
			out[n++].near_end = 2 * i + 1 + high;
		}
	return n;
}

/* How many a task has room for. */
static size_t most_hidden(const struct task *t)
{
	return hidden_total(t) + hidden_more_most(t) + hidden_alike_most(t) +
	       hidden_ends_most(t) + MOST_NEAR_ENDS + MOST_ZEROS +
	       hidden_steps_most(t);
}

/* Moves cases from `drawn` to `out`; returns how many. */
static size_t add_hidden(struct check_case *out, const struct task_case *drawn,
			 size_t n, enum check_kind kind)
{
	for (size_t i = 0; i < n; i++) {
		out[i].hidden = drawn[i];
		out[i].kind = kind;
	}
	return n;
}

/* Returns how many it drew. */
static size_t draw_hidden(struct check_case *out, const struct task *t,
			  const struct hidden_numbers *numbers,
			  struct secret_random *secret)
{
	cleanup_free struct task_case *drawn =
		xcalloc(most_hidden(t) + 1, sizeof *drawn);
	size_t n = hidden_total(t), more;

	hidden_draw_all(drawn, t, numbers, secret);
	n += hidden_cover_draw(drawn + n, t, drawn, n, secret);
	add_hidden(out, drawn, n, CHECK_PLAIN);
	more = hidden_alike_draw(drawn, t, numbers, secret);
	n += add_hidden(out + n, drawn, more, CHECK_ALIKE);
	n += draw_near_ends(out + n, t, secret);
	more = hidden_ends_draw(drawn, t, secret);
	n += add_hidden(out + n, drawn, more, CHECK_ENDS);
	more = hidden_between_draw(drawn, t, numbers, secret);
	n += add_hidden(out + n, drawn, more, CHECK_BETWEEN);
	n += draw_zeros(out + n, t, secret);
	more = hidden_steps_draw(drawn, t, numbers, secret);
	return n + add_hidden(out + n, drawn, more, CHECK_STEP);
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

/* The kinds of the hidden cases. Of those of which not all sizes were drawn at random
 * each may alone have the size that a kernel is wrong at: it gets none with zeros.
 * Those of draw_zeros are there for them. */
static void draw_hidden_fills(struct check_case *out, const struct task *t,
			      size_t n, struct secret_random *secret)
{
	enum fill fills[MIXED_FILLS];
	size_t at = 0;

	mixed_fills_draw(fills, secret);
	for (size_t i = 0; i < n; i++) {
		if (out[i].zeros) {
			out[i].mixed = FILL_SPARSE;
			continue;
		}
		if (i >= hidden_total(t)) {
			out[i].mixed = plain_fill(secret);
			continue;
		}
		while (i < hidden_planned(t) &&
		       has_zeros(fills[at % MIXED_FILLS]))
			at++;
		out[i].mixed = fills[at++ % MIXED_FILLS];
		if (out[i].mixed == FILL_TINY &&
		    has_least_sizes(t, &out[i].hidden))
			out[i].mixed = plain_fill(secret);
	}
}

void check_cases_draw(struct check_cases *out, const struct task *t,
		      double *case_error, const struct fileset *files,
		      struct secret_random *secret)
{
	size_t declared, hidden, n_ends;
	enum fill ends[MOST_ENDS];
	enum fill fills[MIXED_FILLS];

	mixed_fills_draw(fills, secret);
	*out = (struct check_cases){0};
	hidden_numbers_read(&out->numbers, t, files);
	declared =
		t->n_cases + MAX(more_count(t), beside_count(t, &out->numbers));
	out->one = xcalloc(declared + most_hidden(t), sizeof *out->one);
	n_ends = ends_of(ends, t);
	for (size_t i = 0; i < declared; i++) {
		struct check_case *tried = &out->one[i];

		tried->mixed = fills[i % MIXED_FILLS];
		tried->is_more = i >= t->n_cases;
		if (tried->is_more && i - t->n_cases < n_ends)
			tried->ends = ends[i - t->n_cases];
		declare(tried, t, i % MAX(t->n_cases, 1), case_error);
	}
	hidden = draw_hidden(out->one + declared, t, &out->numbers, secret);
	out->n = declared + hidden;
	draw_hidden_fills(out->one + declared, t, hidden, secret);
	for (size_t i = 0; i < hidden; i++) {
		struct check_case *tried = &out->one[declared + i];

		if (i >= hidden_planned(t) && i < hidden_total(t))
			tried->ends = hidden_ends(t, secret);
		tried->which = t->n_cases;
		tried->c = &tried->hidden;
		tried->worst = &out->hidden_error;
	}
	draw_beside(out, t, declared, secret);
}

void check_cases_release(struct check_cases *t)
{
	for (size_t i = 0; i < t->n; i++)
		task_case_release(&t->one[i].hidden);
	free(t->one);
	hidden_numbers_release(&t->numbers);
	*t = (struct check_cases){0};
}

void check_case_use_ends(struct input_set *set, const struct task *t,
			 const struct check_case *tried)
{
	if (tried->ends)
		set_use_ends(set, t, tried->c, tried->ends);
	if (tried->near_end)
		set_use_near_end(set, t, tried->c, (tried->near_end - 1) / 2,
				 tried->near_end % 2 == 0);
	if (tried->beside)
		use_beside(set, t, tried);
	if (tried->zeros)
		use_zeros(set, t, tried);
}

bool check_counts_quickest(enum check_kind kind)
{
	return kind == CHECK_ALIKE || kind == CHECK_ENDS ||
	       kind == CHECK_CONTENTS || kind == CHECK_STEP;
}

bool check_time_is_left(const struct check_time *spent,
			const struct check_case *tried)
{
	size_t n = spent->n[tried->kind];
	double whole = spent->quickest[tried->kind] * (double)n;

	return (!tried->is_more || spent->more <= MORE_SECONDS) &&
	       (n < LEAST_OF_KIND || !check_counts_quickest(tried->kind) ||
		whole <= KIND_SECONDS) &&
	       (n < LEAST_OF_KIND || tried->kind != CHECK_BETWEEN ||
		spent->between <= BETWEEN_SECONDS) &&
	       (!tried->zeros || spent->zeros <= ZEROS_SECONDS);
}

void check_time_spend(struct check_time *spent, const struct check_case *tried,
		      double seconds)
{
	double *quickest = &spent->quickest[tried->kind];

	spent->more += tried->is_more ? seconds : 0;
	spent->zeros += tried->zeros ? seconds : 0;
	spent->between += tried->kind == CHECK_BETWEEN ? seconds : 0;
	*quickest = spent->n[tried->kind]++ ? MIN(*quickest, seconds) : seconds;
}

#define A_SIZE (INT64_C(1) << 24) /* what is larger is seldom one */

/* Was a size launched from one above it to half as much more? */
static bool is_reached(const struct task *t, const struct check_cases *cases,
		       int64_t number)
{
	for (size_t i = 0; i < cases->n; i++)
		for (size_t s = 0; cases->one[i].launched && s < t->symbols.n;
		     s++) {
			int64_t size = cases->one[i].c->value[s];

			if (size > number && size - number <= number / 2 + 1)
				return true;
		}
	return false;
}

void check_cases_unreached(struct buf *out, const struct task *t,
			   const struct check_cases *cases)
{
	int64_t high = 0;

	for (size_t s = 0; t->hidden && s < t->symbols.n; s++)
		high = MAX(high, t->hidden[s].high);
	for (size_t i = 0; t->hidden && i < cases->numbers.n; i++) {
		const struct hidden_number *v = &cases->numbers.v[i];

		if (!v->is_compared || v->size < high || v->size > A_SIZE ||
		    out->len > MOST_UNREACHED || is_reached(t, cases, v->size))
			continue;
		buf_addf(out, "%s%jd", out->len ? ", " : "", (intmax_t)v->size);
	}
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
	static const char *const heads[CHECK_KINDS] = {
		[CHECK_ALIKE] = "equal or twice",
		[CHECK_ENDS] = "one at its low end",
		[CHECK_STEP] = "one or two at a time"};
	const char *head = heads[tried->kind];

	if (tried->which < t->n_cases || !t->symbols.n || out->len > MOST_TOLD)
		return;
	if (!out->len)
		tell_symbols(out, t);
	else if (!head)
		buf_adds(out, "; ");
	else if (!strstr(out->data, head))
		buf_addf(out, "; %s ", head);
	else
		buf_addc(out, ' ');
	for (size_t s = 0; s < t->symbols.n; s++)
		buf_addf(out, "%s%jd", s ? "," : "",
			 (intmax_t)tried->c->value[s]);
	if (!head && has_kinds(t))
		buf_addf(out, " %s", fill_name(tried->mixed));
	if (tried->ends)
		buf_addf(out, " %s", fill_name(tried->ends));
	if (tried->near_end)
		buf_addf(out, " %s %s",
			 t->argument[(tried->near_end - 1) / 2].name,
			 fill_name(tried->near_end % 2 ? FILL_ALL_LOW
						       : FILL_ALL_HIGH));
	if (out->len > MOST_TOLD)
		buf_adds(out, " ...");
}
