#include "scorer/contest/same_place.h"

#include "core/base/clock.h"
#include "scorer/contest/changed_element.h"
#include "scorer/host/launch.h"

#define ROUNDS_LEAST 3 /* of short cases; one of others */
#define ROUNDS_MOST  5
#define SECONDS	     0.1  /* after which there is no further round */
#define CHANGES_MOST 4	  /* elements that a round of a short case changes */
#define ATTEMPTS     6	  /* to find an element that shows */
#define BUDGET	     0.03 /* seconds of the reference for a launch */
#define LARGE_BYTES  ((size_t)1 << 20)

/* ---- which cases --------------------------------------------------------------- */

/* Those that may be launched: of the ones whose whole reference is short the larger
 * half (in a few elements a change may be all that there is), else the quickest. */
struct choice {
	const struct check_case **one;
	size_t n;
};

static void choice_release(struct choice *c)
{
	free(c->one);
}
DEFINE_RELEASE(choice, struct choice, choice_release)

static int by_bytes(const void *a, const void *b)
{
	const struct check_case *one = *(const struct check_case *const *)a;
	const struct check_case *other = *(const struct check_case *const *)b;

	return (one->bytes > other->bytes) - (one->bytes < other->bytes);
}

static bool is_short(const struct check_case *c)
{
	return c->whole > 0 && c->whole <= BUDGET && c->launch <= BUDGET &&
	       c->bytes <= LARGE_BYTES;
}

static void choose(struct choice *out, const struct check_cases *cases)
{
	const struct check_case *quickest = NULL;
	size_t half;

	out->one = xcalloc(cases->n + 1, sizeof(*out->one));
	for (size_t i = 0; i < cases->n; i++) {
		const struct check_case *c = &cases->one[i];

		if (!c->launched)
			continue;
		if (is_short(c))
			out->one[out->n++] = c;
		if (!quickest || c->launch < quickest->launch)
			quickest = c;
	}
	qsort(out->one, out->n, sizeof(*out->one), by_bytes);
	half = out->n / 2;
	out->n -= half;
	memmove(out->one, out->one + half, out->n * sizeof(*out->one));
	if (!out->n && quickest)
		out->one[out->n++] = quickest;
}

/* ---- one round ------------------------------------------------------------------ */

struct round {
	struct scoring *sc;
	struct arm *arm;
	const struct check_case *tried;
	struct input_set set; /* of the last launch, whose outputs were right */
	struct buffers buffers;
	struct selection what;	    /* the rows that are checked */
	struct reference_cost cost; /* of the reference */
};

static void round_release(struct round *r)
{
	buffers_release(&r->buffers);
	set_release(&r->set);
}
DEFINE_RELEASE(round, struct round, round_release)

/* A launch that failed does not say yet in which case it was. */
static void say_case(struct score_outcome *o, const struct round *r)
{
	cleanup_free char *why = steal(&o->why);

	o->why = xasprintf("%s, in case %s", why, r->tried->c->name);
}

/* `changed`: the input of which an element was; SIZE_MAX: all contents were others.
 * A launch that failed need not have kept anything. */
static void say_more(struct score_outcome *o, const struct task *t,
		     size_t changed, bool failed)
{
	cleanup_free char *why = NULL;

	if (changed != SIZE_MAX) {
		changed_say(o, t, changed, failed);
		return;
	}
	why = steal(&o->why);
	o->why = xasprintf(
		"%s; it was launched again in the buffers of an earlier "
		"launch, "
		"with other contents%s",
		why,
		failed ? "" : ": what was kept for an address is wrong there");
}

/* Launches with this set, of which the reference was computed, and takes it over. */
static struct error *launch_next(struct score_outcome *o, struct round *r,
				 struct input_set *next, size_t changed)
{
	struct scoring *sc = r->sc;
	double seconds = 0, worst = 0;
	bool failed;

	set_release(&r->set);
	r->set = *next;
	*next = (struct input_set)INPUT_SET_INIT;
	TRY(launch_again(&seconds, o, r->arm, sc->judge, &r->set,
			 secret_u64(&sc->secret), &r->buffers));
	sc->seconds_timed += seconds;
	failed = o->verdict != VERDICT_PASS;
	if (failed)
		say_case(o, r);
	else
		TRY(check_outputs(o, &worst, sc, &r->set, &r->buffers, 0, true,
				  r->tried->c->name));
	*r->tried->worst = MAX(*r->tried->worst, worst);
	if (o->verdict != VERDICT_PASS)
		say_more(o, sc->task, changed, failed);
	return NULL;
}

/* The first launch has nothing to be compared with: it is as any other. */
static struct error *begin(struct score_outcome *o, struct round *r)
{
	struct scoring *sc = r->sc;
	double seconds = 0;
	enum fill mixed = secret_below(&sc->secret, 2) ? FILL_NORMAL
						       : FILL_UNIFORM;

	TRY(set_init(&r->set, sc->task, r->tried->c, mixed, 1, &sc->secret,
		     &sc->layout));
	TRY(judge_fill(sc->judge, &r->set));
	TRY(scoring_prepare(o, sc, &r->set, &r->arm, 1));
	if (o->verdict != VERDICT_PASS)
		return NULL;
	TRY(buffers_open(&r->buffers, &r->set, &sc->secret, &sc->layout));
	TRY(launch_timed(&seconds, o, r->arm, sc->judge, &r->set, &r->buffers));
	sc->seconds_timed += seconds;
	if (o->verdict != VERDICT_PASS)
		say_case(o, r);
	return NULL;
}

/* All contents are others, but for static ones. */
static struct error *replace(struct score_outcome *o, struct round *r)
{
	cleanup_input_set struct input_set next = INPUT_SET_INIT;
	struct scoring *sc = r->sc;

	set_init_static(&next, &r->set, &sc->secret);
	TRY(judge_fill(sc->judge, &next));
	if (is_short(r->tried))
		TRY(check_tell_failure(judge_reference(sc->judge, &next,
						       &r->what),
				       &next, sc->task));
	else
		TRY(check_reference_first(sc, &next, &r->cost, BUDGET));
	return launch_next(o, r, &next, SIZE_MAX);
}

/* Changes one more element of argument i. *shows: what was right before the change
 * is not any more. */
static struct error *change(bool *shows, struct input_set *next,
			    struct round *r, size_t i)
{
	struct scoring *sc = r->sc;
	struct layout *l = &next->call.layout;

	*next = r->set;
	next->fd = -1;
	if (!is_short(r->tried))
		check_select(&r->what, sc, l,
			     check_rows_worth(&r->cost, BUDGET));
	changed_draw(next, i, sc, &r->what);
	TRY(judge_fill(sc->judge, next));
	TRY(check_tell_failure(judge_reference(sc->judge, next, &r->what), next,
			       sc->task));
	return judge_is_unlike(shows, sc->judge, next, r->buffers.capture);
}

static struct error *change_one(struct score_outcome *o, struct round *r,
				size_t i)
{
	for (unsigned n = 0; n < ATTEMPTS; n++) {
		cleanup_input_set struct input_set next = INPUT_SET_INIT;
		bool shows = false;

		if (!is_short(r->tried) &&
		    !check_draw(r->sc, &r->set.call.layout, &r->cost, BUDGET))
			return NULL;
		TRY(change(&shows, &next, r, i));
		if (shows)
			return launch_next(o, r, &next, i);
	}
	return NULL;
}

/* `turn`: which input is the first. */
static struct error *make_round(struct score_outcome *o, size_t *turn,
				struct scoring *sc, struct arm *arm,
				const struct check_case *tried)
{
	CLEANUP(round)
	struct round r = {
		.sc = sc,
		.arm = arm,
		.tried = tried,
		.set = INPUT_SET_INIT,
		.buffers = {.inputs = -1, .outputs = -1, .capture = -1}};
	size_t which[TASK_MAX_ARGS], n, n_changed;

	TRY(begin(o, &r));
	if (o->verdict == VERDICT_PASS)
		TRY(replace(o, &r));
	n = changed_inputs(which, sc->task, &r.set);
	n_changed = MIN(n, CHANGES_MOST);
	if (!is_short(tried))
		n_changed = MIN(n_changed, 1);
	for (size_t i = 0; i < n_changed; i++)
		if (o->verdict == VERDICT_PASS)
			TRY(change_one(o, &r, which[(*turn)++ % n]));
	return NULL;
}

/* Is there an input at all whose contents can be others? */
static bool has_inputs(const struct task *t)
{
	for (size_t i = 0; i < t->n_arguments; i++)
		if (t->argument[i].kind == ARGUMENT_TENSOR &&
		    t->argument[i].direction != DIRECTION_OUT &&
		    !t->argument[i].is_static)
			return true;
	return false;
}

struct error *same_place_check(struct score_outcome *o, struct scoring *sc,
			       struct arm *arm, const struct check_cases *cases)
{
	CLEANUP(choice) struct choice among = {0};
	double began = clock_seconds();
	size_t turn = (size_t)secret_below(&sc->secret, TASK_MAX_ARGS), least;

	if (!arm_may_stay(arm) || !has_inputs(sc->task))
		return NULL;
	choose(&among, cases);
	least = among.n && is_short(among.one[0]) ? ROUNDS_LEAST : 1;
	for (size_t i = 0; among.n && i < ROUNDS_MOST; i++) {
		size_t k = (size_t)secret_below(&sc->secret, among.n);

		if (i >= least && clock_seconds() > began + SECONDS)
			return NULL;
		TRY(make_round(o, &turn, sc, arm, among.one[k]));
		if (o->verdict != VERDICT_PASS)
			return NULL;
	}
	return NULL;
}
