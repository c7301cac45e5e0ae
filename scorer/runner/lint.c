#include "scorer/runner/judge.h"

#include <math.h>

#include "scorer/runner/fill.h"

/* A plain version off by a tenth is not a version of the reference. */
#define PLAIN_OFF 0.1
/* Outputs must differ by this many times what is allowed. */
#define SPREAD 10.0
/* Sets that are drawn until an output varies: so many, or what a second is
 * enough for, and a few at least. */
#define DRAWS	     1024
#define FEW_DRAWS    16
#define DRAW_SECONDS 1.0
/* An output that may vary seldom is refused after more, whatever the load of the
 * machine is, unless they take long. */
#define SURE_DRAWS   256
#define LONG_SECONDS 20.0

struct linting {
	struct reference *r;
	const struct lint_request *q;
	struct recipe recipe; /* of the first set */
	struct mapping mapping;
	unsigned char *inputs; /* of one launch */
	/* The outputs for the first set. */
	struct expected first[TASK_MAX_ARGS];
	size_t n;
	bool varies[TASK_MAX_ARGS]; /* in the order of `first` */
};

static void linting_release(struct linting *l)
{
	mapping_release(&l->mapping);
	for (size_t o = 0; o < l->n; o++)
		expected_release(&l->first[o]);
}

DEFINE_RELEASE(linting, struct linting, linting_release)
#define cleanup_linting CLEANUP(linting)

/* Runs the reference on the first set (draw 0) or on another one; in that only
 * argument `changed` has other contents (SIZE_MAX: all have). */
static const char *run(struct linting *l, uint64_t draw, size_t changed,
		       int *hole)
{
	const struct entry_call *c = &l->q->call;
	struct recipe recipe = l->recipe, second;
	const char *why;

	mapping_writable(&l->mapping, true);
	recipe_other(&second, &recipe, draw - 1);
	if (draw && changed != SIZE_MAX)
		second.is_static[changed] = false;
	why = inputs_fill(l->r, l->inputs, c,
			  draw && changed == SIZE_MAX ? &second : &recipe, 0);
	if (!why && draw && changed != SIZE_MAX)
		fill_tensor(inputs_tensor(l->inputs, c, changed, 0),
			    &c->layout.arg[changed].tensor, changed, &second,
			    0);
	/* A function that changes an input ends here, and is named. */
	mapping_writable(&l->mapping, false);
	return why ? why : reference_run(l->r, l->inputs, 0, hole);
}

/* Integers that may be off differ by how much they do; others differ or not. */
static double difference(const struct expected *a, const struct expected *b)
{
	size_t size = dtype_bytes(a->dtype);
	double squares = 0;

	for (int64_t i = 0; a->exact && a->tolerance.absolute && i < a->n;
	     i++) {
		double d = integer_difference(a->dtype,
					      a->exact + (size_t)i * size,
					      b->exact + (size_t)i * size);

		squares += d * d;
	}
	if (a->exact && a->tolerance.absolute)
		return a->n ? sqrt(squares / (double)a->n) : 0;
	if (a->exact)
		return memcmp(a->exact, b->exact, (size_t)a->n * size) != 0
			       ? INFINITY
			       : 0;
	for (int64_t i = 0; i < a->n; i++) {
		double d = a->reference[i] - b->reference[i];

		squares += isfinite(d) ? d * d : 0;
	}
	return a->n ? sqrt(squares / (double)a->n) : 0;
}

struct figures {
	double size;	/* rms of the reference */
	double plain;	/* rms error of the plain version */
	double allowed; /* rms error that passes */
};

static struct figures measure_integers(const struct expected *e)
{
	const struct tolerance *tol = &e->tolerance;
	struct figures f = {0};

	for (int64_t i = 0; tol->absolute && i < e->n; i++) {
		double v = dtype_load(e->dtype, e->exact, (size_t)i);

		f.size += v * v;
	}
	f.size = e->n ? sqrt(f.size / (double)e->n) : 0;
	f.allowed = tol->absolute ? tol->atol + tol->rtol * f.size : 0;
	return f;
}

static struct figures measure(const struct expected *e)
{
	const struct tolerance *tol = &e->tolerance;
	struct figures f = {0};
	double peak = 0;

	if (e->exact)
		return measure_integers(e);
	if (!e->n)
		return f;
	for (int64_t i = 0; i < e->n; i++) {
		double ref = e->reference[i];
		double off = e->plain ? e->plain[i] - ref : 0;

		f.size += isfinite(ref) ? ref * ref : 0;
		f.plain += isfinite(off) ? off * off : 0;
		peak = isfinite(ref) ? MAX(peak, fabs(ref)) : peak;
	}
	f.size = sqrt(f.size / (double)e->n);
	f.plain = sqrt(f.plain / (double)e->n);
	f.allowed = tol->absolute ? tol->atol + tol->rtol * f.size
				  : tol->factor * f.plain +
					    dtype_epsilon(e->dtype) * peak;
	return f;
}

/* By more than `times` what passes? Floats with a tolerance of their own are judged
 * one by one: there a very large one hides no small one. */
static bool differ(const struct expected *a, const struct expected *b,
		   double times)
{
	const struct tolerance *tol = &a->tolerance;

	if (a->exact || !tol->absolute)
		return difference(a, b) > times * measure(a).allowed;
	for (int64_t i = 0; i < a->n; i++) {
		double d = fabs(a->reference[i] - b->reference[i]);
		double each = tol->atol + tol->rtol * fabs(a->reference[i]);

		if (isfinite(d) && d > times * each)
			return true;
	}
	return false;
}

static bool found(struct judge_answer *a, enum finding f, size_t argument)
{
	a->finding = f;
	a->argument = (uint32_t)argument;
	return true;
}

static void take_first_set(struct linting *l)
{
	struct reference *r = l->r;

	for (size_t o = 0; o < l->n; o++)
		expected_release(&l->first[o]);
	memcpy(l->first, r->expected, sizeof l->first);
	l->n = r->n_expected;
	memset(r->expected, 0, sizeof r->expected);
	r->n_expected = 0;
}

static bool first_set_is_off(struct judge_answer *a, struct linting *l)
{
	take_first_set(l);
	for (size_t o = 0; o < l->n; o++) {
		struct figures f = measure(&l->first[o]);

		a->got = f.plain;
		a->expected = f.size;
		if (l->first[o].plain && f.plain > PLAIN_OFF * f.size)
			return found(a, FINDING_PLAIN_OFF,
				     l->first[o].argument);
	}
	return false;
}

/* Where nothing is finite nothing differs: outputs look alike since the inputs
 * made them run away. */
static void count_endless(struct judge_answer *a, const struct expected *e)
{
	int64_t n = 0;

	for (int64_t i = 0; !e->exact && i < e->n; i++)
		n += !isfinite(e->reference[i]);
	if (n <= a->endless)
		return;
	a->endless = n;
	a->looked_at = e->n;
}

static bool may_not_vary(const struct linting *l, size_t argument)
{
	return l->q->call.layout.arg[argument].tensor.may_not_vary;
}

/* Notes the outputs that differ from those of the set before; *a has the first
 * that never did. */
static bool all_vary(struct judge_answer *a, struct linting *l)
{
	bool all = true;

	for (size_t o = l->n; o-- > 0;) {
		const struct expected *e = &l->first[o];
		struct figures f = measure(e);
		double d = difference(e, &l->r->expected[o]);

		l->varies[o] = l->varies[o] ||
			       differ(e, &l->r->expected[o], SPREAD) ||
			       may_not_vary(l, e->argument);
		if (l->varies[o])
			continue;
		all = false;
		a->got = d;
		a->expected = SPREAD * f.allowed;
		a->argument = e->argument;
	}
	return all;
}

/* After the outputs of other sets took its place. */
static const char *first_set_again(struct linting *l)
{
	int hole;
	const char *why = run(l, 0, SIZE_MAX, &hole);

	if (!why)
		take_first_set(l);
	return why;
}

static bool is_enough(uint64_t draws, double since)
{
	return draws >= DRAWS ||
	       (draws >= FEW_DRAWS && since + DRAW_SECONDS < runner_now());
}

/* A whole number that hardly varies so far may be a predicate. */
static bool is_seldom(const struct linting *l, size_t argument)
{
	for (size_t o = 0; o < l->n; o++)
		if (l->first[o].argument == argument)
			return l->first[o].exact &&
			       !l->first[o].tolerance.absolute;
	return false;
}

static bool is_enough_output(const struct linting *l, size_t argument,
			     uint64_t draws, double since)
{
	if (!is_enough(draws, since))
		return false;
	return draws >= SURE_DRAWS || !is_seldom(l, argument) ||
	       since + LONG_SECONDS < runner_now();
}

/* An output that seldom varies, a predicate for example, is drawn until it
 * does. Each set is compared with the one before it: of one that is far off, as the
 * first may be by chance, so much is allowed that all others are alike beside it. */
static const char *find_variation(struct judge_answer *a, struct linting *l)
{
	double since = runner_now();
	const char *why = NULL;
	int hole;

	for (uint64_t draw = 1; !why; draw++) {
		why = run(l, draw, SIZE_MAX, &hole);
		if (why)
			return why;
		if (all_vary(a, l))
			return draw == 1 ? NULL : first_set_again(l);
		a->draws = draw;
		if (!is_enough_output(l, a->argument, draw, since)) {
			take_first_set(l);
			continue;
		}
		found(a, FINDING_CONSTANT, a->argument);
		for (size_t o = 0; o < l->n; o++)
			if (l->first[o].argument == a->argument)
				count_endless(a, &l->first[o]);
		return NULL;
	}
	return why;
}

/* a->got becomes above 0 where outputs differ, by no more than is allowed. */
static bool has_influence(struct judge_answer *a, const struct linting *l)
{
	for (size_t o = 0; o < l->n; o++) {
		const struct expected *other = &l->r->expected[o];

		if (differ(&l->first[o], other, 1))
			return true;
		a->got = MAX(a->got, difference(&l->first[o], other));
	}
	return false;
}

/* Generated arguments may depend on each other, so they are not changed. */
static bool can_change(const struct linting *l, size_t i)
{
	const struct tensor_layout *t = &l->q->call.layout.arg[i].tensor;

	return l->q->call.layout.arg[i].is_tensor && !l->q->settled[i] &&
	       (t->region == REGION_INPUT || t->region == REGION_OUTPUT) &&
	       t->direction != DIRECTION_OUT &&
	       l->q->recipe.fill[i] != FILL_GENERATOR && !may_not_vary(l, i);
}

/* Another first set: what a number among the others, such as a mode, keeps from having
 * an influence may have one beside another number. */
static const char *change_first_set(struct linting *l, uint64_t draw)
{
	struct recipe like = l->q->recipe;
	const char *why;
	int hole;

	recipe_other(&l->recipe, &like, DRAWS + draw);
	why = run(l, 0, SIZE_MAX, &hole);
	if (!why)
		take_first_set(l);
	return why;
}

static const char *find_influence(struct judge_answer *a, struct linting *l,
				  size_t i)
{
	double since = runner_now();
	const char *why = NULL;
	int hole;

	a->got = 0;
	for (uint64_t draw = 1; !why; draw++) {
		why = run(l, draw, i, &hole);
		if (why || has_influence(a, l))
			return why;
		a->draws = draw;
		if (l->q->draws ? draw < l->q->draws
				: !is_enough(draw, since)) {
			why = change_first_set(l, draw);
			continue;
		}
		found(a, FINDING_NO_INFLUENCE, i);
		for (size_t o = 0; o < l->n; o++)
			count_endless(a, &l->first[o]);
		return NULL;
	}
	return why;
}

const char *lint(struct judge_answer *a, struct reference *r,
		 const struct lint_request *q)
{
	cleanup_linting struct linting l = {
		.r = r, .q = q, .recipe = q->recipe};
	const char *why;
	int hole = -1;

	r->call = q->call;
	r->rows = q->rows;
	r->tolerance = q->tolerance;
	r->n_segments = q->n_segments;
	memcpy(r->segment, q->segment, sizeof r->segment);
	why = reference_inputs(r, &l.mapping, &l.inputs,
			       entry_call_inputs_bytes(&q->call));
	if (!why)
		why = run(&l, 0, SIZE_MAX, &hole);
	if (why)
		return why;
	if (hole >= 0) {
		found(a, FINDING_REFERENCE_HOLE, (size_t)hole);
		return NULL;
	}
	why = reference_again(r, l.inputs, 0, false);
	if (why)
		return why;
	if (first_set_is_off(a, &l))
		return NULL;
	if (!q->varied)
		why = find_variation(a, &l);
	for (size_t i = 0; !why && !a->finding && i < q->call.layout.n; i++)
		if (can_change(&l, i))
			why = find_influence(a, &l, i);
	return why;
}
