#include "scorer/contest/check.h"
#include "scorer/contest/alone.h"
#include "scorer/contest/wrong_words.h"

#include <math.h>

#define SHORT_ROW 64 /* elements; shorter rows are taken in groups */

/* Can the reference compute a part of the rows? */
static bool check_has_rows(const struct task *t, const struct layout *l)
{
	return t->reference_rows && l->rows >= 2;
}

int64_t check_tile_rows(const struct layout *l)
{
	int64_t rows = 1;

	for (size_t i = 0; i < l->n; i++) {
		const struct tensor_layout *t = &l->arg[i].tensor;
		int64_t row;

		if (!l->arg[i].is_tensor || t->region != REGION_OUTPUT)
			continue;
		row = MAX(t->elements / MAX(l->rows, 1), 1);
		rows = MAX(rows, (SHORT_ROW + row - 1) / row);
	}
	return MIN(rows, MAX(l->rows, 1));
}

/* A tile somewhere in [begin, end). */
static struct segment draw_tile(struct secret_random *secret, int64_t begin,
				int64_t end, int64_t length)
{
	int64_t rows = MIN(length, end - begin), at = begin;

	at += (int64_t)secret_below(secret, (uint64_t)(end - begin - rows + 1));
	return (struct segment){at, at + rows};
}

/* Of selections of a single tile, one in so many is the last tile. */
#define LAST_EVERY 4

/* A random tile of each stratum, and the last tile of all: code that takes a
 * fixed number of rows at a time often fails at an incomplete last group. */
void check_select(struct selection *out, struct scoring *sc,
		  const struct layout *l, int64_t rows)
{
	int64_t length, n, strata, last;

	out->n_segments = 0;
	if (!check_has_rows(sc->task, l) || rows >= l->rows)
		return;
	length = check_tile_rows(l);
	n = MAX(rows / length, 1);
	if (n > PROTOCOL_SEGMENTS) {
		length = rows / PROTOCOL_SEGMENTS;
		n = PROTOCOL_SEGMENTS;
	}
	strata = MAX(n - 1, 1);
	last = l->rows - MIN(length, l->rows);
	for (int64_t k = 0; k < strata; k++)
		out->segment[out->n_segments++] =
			draw_tile(&sc->secret, k * l->rows / strata,
				  (k + 1) * l->rows / strata, length);
	if (n == 1 && secret_below(&sc->secret, LAST_EVERY) == 0)
		out->segment[0] = (struct segment){last, l->rows};
	last = MAX(last, out->segment[strata - 1].end);
	if (n > 1 && last < l->rows)
		out->segment[out->n_segments++] =
			(struct segment){last, l->rows};
}

static int64_t rows_selected(const struct selection *what,
			     const struct layout *l)
{
	int64_t rows = 0;

	if (!what->n_segments)
		return MAX(l->rows, 1);
	for (uint32_t k = 0; k < what->n_segments; k++)
		rows += what->segment[k].end - what->segment[k].begin;
	return rows;
}

static void learn(double *known, double seconds)
{
	*known = *known > 0 ? MIN(*known, seconds) : seconds;
}

void check_select_also(struct selection *what, struct scoring *sc,
		       const struct layout *l, const struct segment *also)
{
	uint32_t at = what->n_segments;

	if (!at || also->begin < 0 || also->begin >= also->end ||
	    also->end > l->rows)
		return;
	if (at == PROTOCOL_SEGMENTS)
		at = (uint32_t)secret_below(&sc->secret, PROTOCOL_SEGMENTS);
	else
		what->n_segments++;
	what->segment[at] = *also;
}

/* Uniform in [0, 1). */
static double draw_unit(struct secret_random *secret)
{
	return (double)(secret_u64(secret) >> 11) * 0x1p-53;
}

bool check_draw(struct scoring *sc, const struct layout *l,
		const struct reference_cost *cost, double budget)
{
	double least = cost->whole;

	if (check_has_rows(sc->task, l))
		least = cost->row * (double)check_tile_rows(l);
	return least <= budget || draw_unit(&sc->secret) * least < budget;
}

static bool has_contents(const struct argument *a)
{
	return a->kind == ARGUMENT_TENSOR && a->direction != DIRECTION_OUT;
}

/* 4294967295, where %g has 4.2949673e+09. */
static void add_number(struct buf *b, double v)
{
	bool is_integer = fabs(v) <= 0x1p53 && v == trunc(v);

	buf_addf(b, is_integer ? "%.0f" : "%.9g", v + 0.0);
}

static void add_range(struct buf *b, const char *before, double low,
		      const char *between, double high)
{
	buf_adds(b, before);
	add_number(b, low);
	buf_adds(b, between);
	add_number(b, high);
}

static void add_ends(struct buf *b, const struct recipe *r, size_t i)
{
	switch (r->fill[i]) {
	case FILL_ALL_HIGH:
		buf_adds(b, "all ");
		add_number(b, r->high[i]);
		break;
	case FILL_ALL_LOW:
		buf_adds(b, "all ");
		add_number(b, r->low[i]);
		break;
	case FILL_MOSTLY_HIGH:
		buf_adds(b, "mostly ");
		add_number(b, r->high[i]);
		break;
	case FILL_ENDS:
		add_range(b, "", r->low[i], " or ", r->high[i]);
		break;
	default:
		add_range(b, "by row from ", r->low[i], " to ", r->high[i]);
	}
}

/* "`perm` from 0 to 511", "`x` by make_x": what the task says of an input. */
static void add_own_contents(struct buf *b, const struct argument *a,
			     const struct recipe *r, size_t i)
{
	buf_addf(b, "%s`%s` ", b->len ? ", " : "", a->name);
	if (r->fill[i] >= FILL_ALL_HIGH)
		add_ends(b, r, i);
	else if (a->fill == FILL_GENERATOR)
		buf_addf(b, "as %s makes it", a->generator);
	else if (a->fill == FILL_RANGE && !(r->low[i] < r->high[i]))
		add_number(b, r->low[i]);
	else if (a->fill == FILL_RANGE)
		add_range(b, "from ", r->low[i], " to ", r->high[i]);
	else
		buf_adds(b, fill_name(a->fill));
}

/* Inputs named one by one in a message. */
#define MAX_NAMED 4

/* "tiny inputs"; "normal inputs, `x` sparse" where one is of another kind. */
static void add_mixed_contents(struct buf *b, const struct task *t,
			       const struct recipe *r)
{
	enum fill of_most = FILL_MIXED;

	for (size_t i = 0; i < t->n_arguments; i++) {
		const struct argument *a = &t->argument[i];

		if (!has_contents(a) || a->fill != FILL_MIXED)
			continue;
		if (of_most == FILL_MIXED)
			of_most = (enum fill)r->fill[i];
		else if (of_most != (enum fill)r->fill[i])
			of_most = FILL_NORMAL;
	}
	if (of_most != FILL_MIXED)
		buf_addf(b, "%s inputs", fill_name(of_most));
	for (size_t i = 0; i < t->n_arguments; i++) {
		const struct argument *a = &t->argument[i];

		if (has_contents(a) && a->fill == FILL_MIXED &&
		    (enum fill)r->fill[i] != of_most)
			buf_addf(b, ", `%s` %s", a->name,
				 fill_name((enum fill)r->fill[i]));
	}
}

/* What the inputs of a launch were: "tiny inputs, `perm` from 0 to 511". */
static char *contents(const struct input_set *s, const struct task *t)
{
	cleanup_buf struct buf b = BUF_INIT(BUF_LIMIT_TEXT);
	size_t named = 0;

	add_mixed_contents(&b, t, &s->recipe);
	for (size_t i = 0; i < t->n_arguments; i++) {
		const struct argument *a = &t->argument[i];

		if (!has_contents(a) || a->fill == FILL_MIXED)
			continue;
		if (named++ < MAX_NAMED)
			add_own_contents(&b, a, &s->recipe, i);
	}
	if (named > MAX_NAMED)
		buf_addf(&b, ", and %zu more", named - MAX_NAMED);
	if (!b.len)
		buf_adds(&b, "no inputs");
	return buf_take(&b);
}

struct error *check_tell_failure(struct error *err, const struct input_set *s,
				 const struct task *t)
{
	cleanup_free char *with = contents(s, t);
	bool ends = false;

	if (!err || !error_is(err, ERROR_TASK) || !s->case_name)
		return err;
	for (size_t i = 0; i < t->n_arguments; i++)
		ends |= s->recipe.fill[i] >= FILL_ALL_HIGH;
	return error_wrap(err, "in case %s, with %s%s", s->case_name, with,
			  ends ? " (`uniform: true` beside `low` and `high` of "
				 "`fill` keeps such inputs from it)"
			       : "");
}

/* Computes the reference and measures its cost. */
static struct error *compute(struct scoring *sc, const struct input_set *s,
			     struct reference_cost *cost,
			     const struct selection *what)
{
	const struct layout *l = &s->call.layout;
	double before = sc->judge->seconds, seconds;

	TRY(check_tell_failure(judge_reference(sc->judge, s, what), s,
			       sc->task));
	seconds = sc->judge->seconds - before;
	learn(&cost->row, seconds / (double)rows_selected(what, l));
	if (!what->n_segments)
		learn(&cost->whole, seconds);
	return NULL;
}

int64_t check_rows_worth(const struct reference_cost *cost, double budget)
{
	int64_t rows = 1;

	if (cost->row > 0)
		rows = (int64_t)MIN(budget / cost->row, 1e15);
	return MAX(rows, 1);
}

struct error *check_reference(struct scoring *sc, const struct input_set *s,
			      struct reference_cost *cost, uint32_t index,
			      double budget, const struct segment *also)
{
	const struct layout *l = &s->call.layout;
	struct selection what = {.index = index};

	check_select(&what, sc, l, check_rows_worth(cost, budget));
	if (also)
		check_select_also(&what, sc, l, also);
	return compute(sc, s, cost, &what);
}

/* Enough steps from one tile to all rows: the first also measures the plain
 * version's error, so its time says little of a row's cost. */
#define REFERENCE_STEPS 4

struct error *check_reference_first(struct scoring *sc,
				    const struct input_set *s,
				    struct reference_cost *cost, double budget)
{
	const struct layout *l = &s->call.layout;
	int64_t checked = 0;

	for (unsigned i = 0; i < REFERENCE_STEPS; i++) {
		struct selection what = {.index = 0};
		int64_t rows =
			MIN(check_rows_worth(cost, budget), MAX(l->rows, 1));

		if (i && rows < 2 * checked)
			return NULL;
		check_select(&what, sc, l, rows);
		checked = rows_selected(&what, l);
		TRY(compute(sc, s, cost, &what));
		if (!what.n_segments)
			return NULL;
	}
	return NULL;
}

struct error *check_reference_again(struct scoring *sc,
				    const struct input_set *s,
				    struct reference_cost *cost, double budget)
{
	const struct layout *l = &s->call.layout;
	struct selection what = {.again = true};

	if (sc->task->language == LANGUAGE_CUDA)
		return NULL;
	check_select(&what, sc, l, check_rows_worth(cost, budget));
	return compute(sc, s, cost, &what);
}

void check_select_only(struct selection *what, const struct task *t,
		       const struct layout *l, const struct segment *rows)
{
	what->n_segments = 0;
	if (!check_has_rows(t, l) || rows->begin < 0 ||
	    rows->begin >= rows->end || rows->end > l->rows)
		return;
	what->segment[what->n_segments++] = *rows;
}

/* "c[3,17]" */
static char *element_name(const struct task *t, const struct layout *l,
			  const struct judge_answer *a)
{
	const struct tensor_layout *tensor = &l->arg[a->argument].tensor;
	cleanup_buf struct buf b = BUF_INIT(256);
	int64_t left = a->element, inner = tensor->elements;

	buf_adds(&b, t->argument[a->argument].name);
	for (size_t d = 0; d < tensor->n_dims; d++) {
		inner /= MAX(tensor->shape[d], 1);
		buf_addf(&b, "%s%lld", d ? "," : "[",
			 (long long)(left / MAX(inner, 1)));
		left %= MAX(inner, 1);
	}
	if (tensor->n_dims)
		buf_addc(&b, ']');
	return buf_take(&b);
}

/* Where floats are compared whose sums are not exact, rounding may choose another
 * integer. */
static bool has_rounding(const struct task *t, const struct input_set *s)
{
	for (size_t i = 0; i < t->n_arguments; i++) {
		const struct argument *a = &t->argument[i];

		if (has_contents(a) && dtype_is_float(a->dtype) &&
		    a->fill != FILL_SMALL_INTS &&
		    s->recipe.fill[i] != FILL_SMALL_INTS)
			return true;
	}
	return false;
}

/* An integer without a tolerance is equal or not, so no share of an allowed
 * error can be said. */
static void tell_value(struct score_outcome *o, const struct task *t,
		       const struct input_set *s, const struct judge_answer *a,
		       const char *where, const char *case_name,
		       const char *with)
{
	const struct argument *arg = &t->argument[a->argument];
	bool exact = !dtype_is_float(arg->dtype) && !arg->has_tolerance;
	int digits = dtype_is_float(arg->dtype) ? 9 : 17;
	cleanup_free char *by =
		exact ? xasprintf("integers must be equal where the task gives "
				  "no atol or rtol%s",
				  has_rounding(t, s)
					  ? "; if comparing floats decides "
					    "them: `fill: small_ints`"
					  : "")
		      : xasprintf("an error of %.3g times what is allowed",
				  a->times);

	score_outcome_set(o, VERDICT_WRONG,
			  "%s is %.*g where %.*g is right (%s), in case %s "
			  "with %s",
			  where, digits, a->got, digits, a->expected, by,
			  case_name, with);
}

/* One of so many elements may hold by chance what memory round the inputs does. */
#define BY_CHANCE 64

static const char *unwritten_words(const struct task *t,
				   const struct input_set *s,
				   const struct judge_answer *a)
{
	const struct tensor_layout *l = &s->call.layout.arg[a->argument].tensor;

	if (t->argument[a->argument].direction != DIRECTION_OUT)
		return "";
	if (dtype_is_float(l->dtype) && a->wrong <= l->elements / BY_CHANCE)
		return " (so few may also be what lies outside of the inputs: "
		       "does it read there? One that may stay in part as it "
		       "was is `inout`)";
	return " (one that may stay in part as it was is `inout`)";
}

/* Where no kernel need be right by the reference that is said, with the remedy. It is a
 * verdict all the same: what a candidate computed led here. */
static void tell_nan(struct score_outcome *o, const struct judge_answer *a,
		     const char *where, const char *case_name, const char *with)
{
	cleanup_free char *more = xstrdup("");

	if (a->endless > 0) {
		free(more);
		more = xasprintf(
			"; the plain version is another there, too, and %lld "
			"of %lld elements that were looked at are infinite or "
			"no number by the reference: the inputs make it run "
			"away. Choose smaller ones (`fill: tiny`), a range, or "
			"a generator that makes those that it is for",
			(long long)a->endless, (long long)a->looked_at);
	}
	score_outcome_set(o, VERDICT_WRONG,
			  "%s is %g where %.9g is right, in case %s with %s%s",
			  where, a->got, a->expected, case_name, with, more);
}

static void tell(struct score_outcome *o, const struct task *t,
		 const struct input_set *s, const struct judge_answer *a,
		 const char *case_name)
{
	cleanup_free char *where = element_name(t, &s->call.layout, a);
	cleanup_free char *with = contents(s, t);
	const char *name = t->argument[a->argument].name;

	switch (a->finding) {
	case FINDING_GUARD:
		score_outcome_set(o, VERDICT_OUT_OF_BOUNDS,
				  "it wrote outside `%s`, in case %s", name,
				  case_name);
		break;
	case FINDING_UNWRITTEN:
		score_outcome_set(o, VERDICT_WRONG,
				  "%lld elements of `%s` were not written, the "
				  "first is %s, in case %s%s",
				  (long long)a->wrong, name, where, case_name,
				  unwritten_words(t, s, a));
		break;
	case FINDING_NAN:
		tell_nan(o, a, where, case_name, with);
		break;
	default:
		tell_value(o, t, s, a, where, case_name, with);
	}
}

static bool is_declared(const struct task *t, const char *case_name)
{
	for (size_t i = 0; i < t->n_cases; i++)
		if (str_eq(t->cases[i].name, case_name))
			return true;
	return false;
}

/* The count goes into the reason, the picture into the log. */
static void tell_where(struct score_outcome *o, const struct task *t,
		       const struct input_set *s, const struct judge_answer *a,
		       const char *case_name)
{
	cleanup_buf struct buf why = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_buf struct buf place = BUF_INIT(BUF_LIMIT_TEXT);

	if (o->verdict != VERDICT_WRONG || !o->why)
		return;
	buf_adds(&why, o->why);
	if (a->finding != FINDING_UNWRITTEN)
		wrong_words_count(&why, t, &s->call.layout, a);
	free(o->why);
	o->why = buf_take(&why);
	if (!is_declared(t, case_name))
		return;
	wrong_words_place(&place, t, a);
	free(o->log);
	o->log = buf_take(&place);
}

void check_tell(struct score_outcome *o, double *worst, const struct task *t,
		const struct input_set *s, const struct judge_answer *a,
		const char *case_name)
{
	if (a->finding != FINDING_NONE) {
		tell(o, t, s, a, case_name);
		tell_where(o, t, s, a, case_name);
	}
	*worst = MAX(*worst, isnan(a->worst) ? (double)INFINITY : a->worst);
}

/* Is it one integer, as what a function returns is, or a counter? */
static bool is_number(const struct task *t, const struct layout *l, size_t i)
{
	return task_is_output(t, i) && !dtype_is_float(t->argument[i].dtype) &&
	       l->arg[i].tensor.elements == 1;
}

/* What a member of a state is after a launch (core/task/state.c): `held_after`
 * beside an input `held`. */
static bool is_of_state(const struct task *t, size_t i)
{
	const char *name = t->argument[i].name;
	size_t len = strlen(name);

	if (!ends_with(name, TASK_STATE_AFTER))
		return false;
	len -= strlen(TASK_STATE_AFTER);
	for (size_t k = 0; k < t->n_arguments; k++)
		if (strlen(t->argument[k].name) == len &&
		    strncmp(t->argument[k].name, name, len) == 0)
			return true;
	return false;
}

/* The greatest number of rows that the kernel says and that ends before this one;
 * SIZE_MAX: none. What a state holds before and after is no length of a list. */
static size_t count_before(const struct task *t, const struct layout *l,
			   const struct judge *j, int64_t row)
{
	size_t found = SIZE_MAX;
	double most = -1;

	for (size_t i = 0; i < t->n_arguments; i++) {
		const struct argument *a = &t->argument[i];
		double n;

		if (a->direction == DIRECTION_INOUT || !is_number(t, l, i) ||
		    is_of_state(t, i) || !j->uniform[i])
			continue;
		n = dtype_load(a->dtype, &j->value[i], 0);
		if (n <= most || (double)row < n)
			continue;
		most = n;
		found = i;
	}
	return found;
}

/* A list that is valid up to a number which the kernel says, too, is compared
 * whole: of an element behind it that is said, for it may be wrong for no other
 * reason. The number is not said: what is right is told of one element only. */
static void tell_behind(struct score_outcome *o, const struct task *t,
			const struct layout *l, const struct judge_answer *a,
			const struct judge *j)
{
	const struct tensor_layout *wrong = &l->arg[a->argument].tensor;
	int64_t rows = wrong->n_dims ? MAX(wrong->shape[0], 1) : 1;
	int64_t row = a->element / MAX(wrong->elements / rows, 1);
	size_t count = count_before(t, l, j, row);
	char *why;

	if (wrong->elements < 2 || count == SIZE_MAX)
		return;
	why = xasprintf("%s; it lies behind the first `%s` of `%s`: "
			"what is there is compared, too (`inout`: it "
			"has to stay as it was)",
			o->why, t->argument[count].name,
			t->argument[a->argument].name);
	free(o->why);
	o->why = why;
}

struct error *check_outputs(struct score_outcome *o, double *worst,
			    struct scoring *sc, const struct input_set *s,
			    const struct buffers *b, uint32_t index,
			    bool values, const char *case_name)
{
	struct judge_answer a;

	TRY(check_tell_failure(judge_compare(&a, sc->judge, s, b, index,
					     values),
			       s, sc->task));
	if (values)
		TRY(alone_before_blame(sc, s, &a));
	check_tell(o, worst, sc->task, s, &a, case_name);
	if (a.finding != FINDING_NONE && a.finding != FINDING_GUARD && o->why)
		tell_behind(o, sc->task, &s->call.layout, &a, sc->judge);
	return NULL;
}
