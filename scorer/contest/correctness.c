#include "scorer/contest/correctness.h"

#include "core/base/clock.h"
#include "scorer/contest/alone.h"
#include "scorer/contest/same_place.h"
#include "scorer/host/launch.h"

#define LAUNCH_BUDGET 0.03  /* seconds of the reference for a launch */
#define AGAIN_BUDGET  0.002 /* ... where it is asked again though all is right */

/* A launch that is right: its inputs and its outputs. */
struct trial {
	struct input_set set;
	struct buffers buffers;
	unsigned asked; /* for rows of outputs that are not exact */
};
#define TRIAL_INIT                                  \
	{                                           \
		.set = INPUT_SET_INIT, .buffers = { \
			.inputs = -1,               \
			.outputs = -1,              \
			.capture = -1               \
		}                                   \
	}

static void trial_release(struct trial *t)
{
	buffers_release(&t->buffers);
	set_release(&t->set);
}
DEFINE_RELEASE(trial, struct trial, trial_release)

static struct error *launch(struct score_outcome *o, struct buffers *b,
			    const struct input_set *set, struct scoring *sc,
			    struct arm *arm, const char *case_name)
{
	double seconds = 0;

	TRY(buffers_open(b, set, &sc->secret, &sc->layout));
	TRY(launch_timed(&seconds, o, arm, sc->judge, set, b));
	sc->seconds_timed += seconds;
	if (o->verdict != VERDICT_PASS) {
		cleanup_free char *why = steal(&o->why);

		o->why = xasprintf("%s, in case %s", why, case_name);
	}
	return NULL;
}

/* What is right in a case; before all checks of a hidden one, is the reference at fault?
 * A kernel with the same fault would pass for right, or fail by chance. */
static struct error *ask_reference(struct scoring *sc,
				   const struct input_set *set,
				   struct reference_cost *cost,
				   const struct check_case *tried)
{
	if (tried->which < sc->task->n_cases)
		return check_reference_first(sc, set, cost, LAUNCH_BUDGET);
	TRY(check_reference_first(sc, set, cost, AGAIN_BUDGET));
	if (check_draw(sc, &set->call.layout, cost, AGAIN_BUDGET))
		TRY(check_reference_again(sc, set, cost, AGAIN_BUDGET));
	/* Of all rows? Then it has been computed. */
	if (cost->whole > 0)
		return NULL;
	return check_reference_first(sc, set, cost, LAUNCH_BUDGET);
}

/* Makes and checks one launch of one case. What an input that is all the same does
 * to a function that is not for it (it divides by the spread, say) is no fault of the
 * kernel's: the reference is asked first. */
static struct error *try_case(struct score_outcome *o, struct trial *t,
			      struct reference_cost *cost, struct scoring *sc,
			      struct arm *arm, const struct check_case *tried)
{
	const struct task_case *c = tried->c;

	TRY(set_init(&t->set, sc->task, c, tried->mixed, 1, &sc->secret,
		     &sc->layout));
	check_case_use_ends(&t->set, sc->task, tried);
	TRY(judge_fill(sc->judge, &t->set));
	if (tried->ends)
		TRY(ask_reference(sc, &t->set, cost, tried));
	TRY(scoring_prepare(o, sc, &t->set, &arm, 1));
	if (o->verdict != VERDICT_PASS)
		return NULL;
	TRY(launch(o, &t->buffers, &t->set, sc, arm, c->name));
	if (o->verdict != VERDICT_PASS)
		return check_reference_again(sc, &t->set, cost, LAUNCH_BUDGET);
	if (!tried->ends)
		TRY(ask_reference(sc, &t->set, cost, tried));
	return check_outputs(o, tried->worst, sc, &t->set, &t->buffers, 0, true,
			     c->name);
}

/* The first element in which two tensors differ, of those below `a` and `b`; -1:
 * none. Only elements: the bytes around them are different poison. */
static int64_t unlike_below(const struct tensor_layout *t,
			    const unsigned char *a, const unsigned char *b,
			    size_t dimension)
{
	size_t size = dtype_bytes(t->dtype), step;
	int64_t inner = 1, at;

	if (dimension == t->n_dims)
		return memcmp(a, b, size) == 0 ? -1 : 0;
	if (dimension + 1 == t->n_dims && t->stride[dimension] == 1 &&
	    memcmp(a, b, (size_t)t->shape[dimension] * size) == 0)
		return -1;
	for (size_t k = dimension + 1; k < t->n_dims; k++)
		inner *= t->shape[k];
	step = (size_t)t->stride[dimension] * size;
	for (int64_t i = 0; i < t->shape[dimension]; i++, a += step, b += step)
		if ((at = unlike_below(t, a, b, dimension + 1)) >= 0)
			return i * inner + at;
	return -1;
}

/* May a right one have only one value? */
static bool is_exact(const struct tensor_layout *t)
{
	return !dtype_is_float(t->dtype) && !t->has_tolerance;
}

/* The first row in which outputs of two launches differ, of those that are exact or
 * of the others; -1: none. */
static int64_t unlike_row(const struct buffers *a, const struct buffers *b,
			  bool exact)
{
	const struct layout *l = &a->call.layout;

	for (size_t i = 0; i < l->n; i++) {
		const struct tensor_layout *t = &l->arg[i].tensor;
		int64_t at;

		if (!l->arg[i].is_tensor || t->region != REGION_OUTPUT ||
		    is_exact(t) != exact)
			continue;
		at = unlike_below(t, a->captured + t->offset,
				  b->captured + t->offset, 0);
		if (at >= 0)
			return at / MAX(t->elements / MAX(l->rows, 1), 1);
	}
	return -1;
}

/* Of a case's launches that differ, so many are held against the reference where
 * they may: they are as likely sums in another order. Of exact outputs one is wrong. */
#define MOST_UNLIKE 4

/* What differs may lie in rows that the reference was not asked for. What it says of
 * few is not what outputs hold. */
static struct error *ask_for_row(const struct trial *t, struct scoring *sc,
				 int64_t row)
{
	const struct layout *l = &t->set.call.layout;
	struct segment rows = {row, MIN(row + check_tile_rows(l), l->rows)};
	struct selection what = {.index = 0};
	const struct judge before = *sc->judge;

	check_select_only(&what, sc->task, l, &rows);
	TRY(check_tell_failure(judge_reference(sc->judge, &t->set, &what),
			       &t->set, sc->task));
	memcpy(sc->judge->uniform, before.uniform, sizeof before.uniform);
	memcpy(sc->judge->value, before.value, sizeof before.value);
	return NULL;
}

/* Holds both launches against the reference where they first differ: either may be
 * the wrong one. */
static struct error *hold_both(struct score_outcome *o, bool *differ,
			       struct trial *t, const struct buffers *b,
			       struct scoring *sc,
			       const struct check_case *tried, bool exact)
{
	int64_t row = unlike_row(&t->buffers, b, exact);
	const char *name = tried->c->name;

	if (row < 0)
		return NULL;
	*differ = true;
	if (!exact && t->asked++ >= MOST_UNLIKE)
		return NULL;
	TRY(ask_for_row(t, sc, row));
	TRY(check_outputs(o, tried->worst, sc, &t->set, b, 0, true, name));
	if (o->verdict != VERDICT_PASS)
		return NULL;
	return check_outputs(o, tried->worst, sc, &t->set, &t->buffers, 0, true,
			     name);
}

/* Launches again with the inputs whose outputs were right. */
static struct error *try_again(struct score_outcome *o,
			       struct correctness *found, struct trial *t,
			       struct scoring *sc, struct arm *arm,
			       const struct check_case *tried)
{
	cleanup_buffers struct buffers b = {
		.inputs = -1, .outputs = -1, .capture = -1};
	const char *name = tried->c->name;
	bool differ = false;

	TRY(launch(o, &b, &t->set, sc, arm, name));
	if (o->verdict != VERDICT_PASS)
		return NULL;
	TRY(check_outputs(o, tried->worst, sc, &t->set, &b, 0, false, name));
	if (o->verdict == VERDICT_PASS)
		TRY(hold_both(o, &differ, t, &b, sc, tried, true));
	if (o->verdict == VERDICT_PASS)
		TRY(hold_both(o, &differ, t, &b, sc, tried, false));
	found->repeats++;
	found->unlike += differ;
	if (o->verdict == VERDICT_PASS && differ && sc->task->deterministic)
		score_outcome_set(
			o, VERDICT_WRONG,
			"two launches with the same inputs gave different "
			"bits, and the task asks for the same, in case %s",
			name);
	return NULL;
}

/* Threads of one launch may meet or not, as the machine has time for them: what
 * they do to each other shows in some launches of many. */
#define THREADED_SECONDS 0.6 /* for all declared cases */
#define THREADED_LEAST	 6
#define THREADED_MOST	 64

static double part_of(double seconds, struct secret_random *r)
{
	return seconds * (double)secret_below(r, 1000) / 1000;
}

static struct error *try_many(struct score_outcome *o,
			      struct correctness *found, struct trial *t,
			      struct scoring *sc, struct arm *arm,
			      const struct check_case *tried)
{
	const double share = THREADED_SECONDS / (double)sc->task->n_cases;
	const double end = clock_seconds() + share, late = end + 3 * share;
	double least = 1;

	for (unsigned n = 0;
	     o->verdict == VERDICT_PASS && n < THREADED_MOST &&
	     clock_seconds() < (n < THREADED_LEAST ? late : end);
	     n++) {
		double timed = sc->seconds_timed;

		/* Every second one, somewhere in the launch. */
		arm->jolt_after = n % 2 ? part_of(least, &sc->secret) : 0;
		TRY(try_again(o, found, t, sc, arm, tried));
		least = MIN(least, sc->seconds_timed - timed);
	}
	arm->jolt_after = 0;
	return NULL;
}

static void remember(struct check_case *tried, const struct trial *t,
		     const struct reference_cost *cost, double seconds)
{
	const size_t *bytes = t->set.call.layout.region_bytes;

	tried->whole = cost->whole;
	tried->launch = seconds;
	tried->bytes = bytes[REGION_INPUT] + bytes[REGION_OUTPUT];
}

static struct error *try_check_case(struct score_outcome *o,
				    struct correctness *found,
				    struct scoring *sc, struct arm *arm,
				    struct check_case *tried)
{
	CLEANUP(trial) struct trial t = TRIAL_INIT;
	struct reference_cost hidden = {0};
	bool is_hidden = tried->which == sc->task->n_cases;
	struct reference_cost *cost = is_hidden ? &hidden
						: &found->cost[tried->which];
	double timed = sc->seconds_timed;

	TRY(try_case(o, &t, cost, sc, arm, tried));
	remember(tried, &t, cost, sc->seconds_timed - timed);
	if (o->verdict != VERDICT_PASS)
		return NULL;
	if (sc->task->threads > 1 && !is_hidden && !tried->is_more)
		return try_many(o, found, &t, sc, arm, tried);
	if (found->repeats)
		return NULL;
	return try_again(o, found, &t, sc, arm, tried);
}

/* ---- outputs that seldom vary -------------------------------------------- */

/* What was seen of the integer outputs. One that had a single value in all that
 * was checked would be right in a kernel that always writes it. */
struct seen {
	bool any[TASK_MAX_ARGS], varied[TASK_MAX_ARGS];
	uint64_t value[TASK_MAX_ARGS];
};

/* Notes what the last reference said. Was it new? */
static bool see(struct seen *seen, const struct task *t, const struct judge *j)
{
	bool is_new = false;

	for (size_t i = 0; i < t->n_arguments; i++) {
		if (!task_is_output(t, i) || seen->varied[i])
			continue;
		if (j->uniform[i] && !seen->any[i])
			seen->value[i] = j->value[i];
		else if (!j->uniform[i] || j->value[i] != seen->value[i])
			seen->varied[i] = is_new = true;
		seen->any[i] = true;
	}
	return is_new;
}

/* The first output that must vary and did not; SIZE_MAX if all did. */
static size_t unvaried(const struct seen *seen, const struct task *t)
{
	for (size_t i = 0; i < t->n_arguments; i++)
		if (task_is_output(t, i) && !seen->varied[i] &&
		    !t->argument[i].may_not_vary &&
		    !dtype_is_float(t->argument[i].dtype))
			return i;
	return SIZE_MAX;
}

/* Draws inputs for one case, and launches where the right outputs are such as
 * were not seen yet. */
static struct error *try_draw(struct score_outcome *o,
			      struct correctness *found, struct seen *seen,
			      struct scoring *sc, struct arm *arm, size_t draw)
{
	CLEANUP(trial) struct trial t = TRIAL_INIT;
	size_t which = draw % sc->task->n_cases;
	const struct task_case *c = &sc->task->cases[which];
	enum fill mixed[MIXED_FILLS];

	mixed_fills_draw(mixed, &sc->secret);
	TRY(set_init(&t.set, sc->task, c, mixed[0], 1, &sc->secret,
		     &sc->layout));
	TRY(judge_fill(sc->judge, &t.set));
	TRY(check_reference_first(sc, &t.set, &found->cost[which],
				  LAUNCH_BUDGET));
	if (!see(seen, sc->task, sc->judge))
		return NULL;
	TRY(scoring_prepare(o, sc, &t.set, &arm, 1));
	if (o->verdict != VERDICT_PASS)
		return NULL;
	TRY(launch(o, &t.buffers, &t.set, sc, arm, c->name));
	if (o->verdict != VERDICT_PASS)
		return NULL;
	return check_outputs(o, &found->case_error[which], sc, &t.set,
			     &t.buffers, 0, true, c->name);
}

#define DRAWS	     4096
#define FEW_DRAWS    64
#define DRAW_SECONDS 5.0

static struct error *draw_until_varied(struct score_outcome *o,
				       struct correctness *found,
				       struct seen *seen, struct scoring *sc,
				       struct arm *arm)
{
	double end = clock_seconds() + DRAW_SECONDS;
	size_t draw = 0, at;

	while (!o->why && (at = unvaried(seen, sc->task)) != SIZE_MAX) {
		if (draw == DRAWS ||
		    (draw >= FEW_DRAWS && clock_seconds() > end))
			return error_new(
				ERROR_TASK,
				"%s: output `%s` has the same value in all of "
				"%zu launches, so a kernel that always writes "
				"that would pass: let a generator make inputs "
				"of both kinds, or say `vary: false` of it",
				sc->task->path, sc->task->argument[at].name,
				draw);
		TRY(try_draw(o, found, seen, sc, arm, draw++));
	}
	return NULL;
}

static struct error *start(struct score_outcome *o, struct arm **arm,
			   struct scoring *sc, const struct build *build)
{
	double began = clock_seconds();
	struct runner_spec spec;

	TRY(scoring_arm_spec(&spec, sc, build));
	TRY(arm_spawn(arm, sc->task, scoring_points(sc->task), &spec));
	TRY(arm_ready(o, *arm));
	sc->seconds_starting += clock_seconds() - began;
	return NULL;
}

struct error *correctness_check(struct score_outcome *o,
				struct correctness *found, struct scoring *sc,
				const struct build *build)
{
	cleanup_arm struct arm *arm = NULL;
	cleanup_check_cases struct check_cases cases = {0};
	struct seen seen = {0};
	struct check_time spent = {0};

	check_cases_draw(&cases, sc->task, found->case_error, found->files,
			 &sc->secret);
	stage_begin(sc->stage, STAGE_CHECK);
	TRY(start(o, &arm, sc, build));
	for (size_t i = 0; !o->why && i < cases.n; i++) {
		struct check_case *tried = &cases.one[i];
		double began = clock_seconds();

		stage_done(sc->stage, (double)i / (double)cases.n);
		if (!check_time_is_left(&spent, tried))
			continue;
		tried->launched = true;
		check_case_tell(found->checked, sc->task, tried);
		TRY(try_check_case(o, found, sc, arm, tried));
		see(&seen, sc->task, sc->judge);
		check_time_spend(&spent, tried, clock_seconds() - began);
	}
	check_cases_unreached(found->unreached, sc->task, &cases);
	if (!o->why)
		TRY(alone_once(sc, &cases));
	if (!o->why)
		TRY(same_place_check(o, sc, arm, &cases));
	return draw_until_varied(o, found, &seen, sc, arm);
}
