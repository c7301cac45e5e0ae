#include "scorer/contest/same_place.h"

#include "core/base/clock.h"
#include "scorer/contest/changed_element.h"
#include "scorer/host/launch.h"

#define DECLARED_MOST 2 /* rounds of declared cases, which are the first */
#define ROUNDS_LEAST  3 /* of short cases; one of others */
#define ROUNDS_MOST   5
#define ROUNDS_TRIED  12  /* with those in which no contents showed */
#define SECONDS	      0.1 /* after which there is no further round */
#define SECONDS_MOST \
	0.3 /* ... though contents showed in fewer than the least */
#define ROUND_SECONDS 0.03 /* after which a round changes no more elements */
#define CHANGES_MOST \
	4 /* inputs whose elements a round of a short case changes */
#define CHANGES_MORE	32 /* launches with one more change, of a declared case */
#define ATTEMPTS	6 /* to find an element, or contents, that shows */
#define ATTEMPTS_LEAST	2
#define ATTEMPT_SECONDS 0.015 /* after which no other element is tried */
#define BUDGET		0.03  /* seconds of the reference for a launch */
#define LARGE_BYTES	((size_t)1 << 20)
#define DECLARED_BYTES	(4 * LARGE_BYTES)

/* ---- which cases --------------------------------------------------------------- */

/* Those that may be launched. Of the ones whose whole reference is short, the declared
 * ones, and of all the larger half (in a few elements a change may be all that there
 * is); if none is short, the quickest. */
struct choice {
	const struct check_case **one;
	size_t n;
	const struct check_case **declared; /* in any order */
	size_t n_declared;
};

static void choice_release(struct choice *c)
{
	free(c->one);
	free(c->declared);
}
DEFINE_RELEASE(choice, struct choice, choice_release)

static int by_bytes(const void *a, const void *b)
{
	const struct check_case *one = *(const struct check_case *const *)a;
	const struct check_case *other = *(const struct check_case *const *)b;

	return (one->bytes > other->bytes) - (one->bytes < other->bytes);
}

static bool is_declared(const struct check_case *c)
{
	return c->c != &c->hidden;
}

static bool is_short(const struct check_case *c)
{
	return c->whole > 0 && c->whole <= BUDGET && c->launch <= BUDGET &&
	       c->bytes <= (is_declared(c) ? DECLARED_BYTES : LARGE_BYTES);
}

static void keep_larger_half(struct choice *c)
{
	size_t half = c->n / 2;

	qsort(c->one, c->n, sizeof(*c->one), by_bytes);
	c->n -= half;
	memmove(c->one, c->one + half, c->n * sizeof(*c->one));
}

static void choose(struct choice *out, const struct check_cases *cases)
{
	const struct check_case *quickest = NULL;

	out->one = xcalloc(cases->n + 1, sizeof(*out->one));
	out->declared = xcalloc(cases->n + 1, sizeof(*out->one));
	for (size_t i = 0; i < cases->n; i++) {
		const struct check_case *c = &cases->one[i];

		if (!c->launched)
			continue;
		if (is_short(c) && c->bytes <= LARGE_BYTES)
			out->one[out->n++] = c;
		if (is_short(c) && is_declared(c) && !c->is_more)
			out->declared[out->n_declared++] = c;
		if (!quickest || c->launch < quickest->launch)
			quickest = c;
	}
	keep_larger_half(out);
	if (!out->n && !out->n_declared && quickest)
		out->one[out->n++] = quickest;
}

/* The case of a round; NULL: there is none. Declared ones come first: a hidden one may
 * have an answer that no contents decide. */
static const struct check_case *choose_next(struct choice *c,
					    struct secret_random *secret,
					    size_t round)
{
	const struct check_case *found;
	size_t k;

	if (round >= DECLARED_MOST || !c->n_declared) {
		k = (size_t)secret_below(secret, MAX(c->n, 1));
		return c->n ? c->one[k] : NULL;
	}
	k = (size_t)secret_below(secret, c->n_declared);
	found = c->declared[k];
	c->declared[k] = c->declared[--c->n_declared];
	return found;
}

/* ---- one round ------------------------------------------------------------------ */

/* What all rounds have done. */
struct all_rounds {
	size_t turn; /* whose input is changed next */
	size_t rounds, shown;
	/* Which inputs have elements that can be changed, and did so that it showed. */
	bool can[TASK_MAX_ARGS], changed[TASK_MAX_ARGS];
	double began;
};

struct round {
	struct scoring *sc;
	struct arm *arm;
	const struct check_case *tried;
	struct input_set set; /* of the last launch, whose outputs were right */
	struct buffers buffers;
	struct selection what;	    /* the rows that are checked */
	struct reference_cost cost; /* of the reference */
	bool dull
		[TASK_MAX_ARGS]; /* inputs of which no changed element showed */
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

/* All contents are others, but for static ones and those that are `kept` (may be
 * NULL). *shows: what was right before is not any more. */
static struct error *draw_contents(bool *shows, struct input_set *next,
				   struct round *r, const bool *kept)
{
	struct scoring *sc = r->sc;

	set_init_static(next, &r->set, &sc->secret);
	if (kept)
		set_keep(next, &r->set, kept);
	TRY(judge_fill(sc->judge, next));
	if (is_short(r->tried))
		TRY(check_tell_failure(judge_reference(sc->judge, next,
						       &r->what),
				       next, sc->task));
	else
		TRY(check_reference_first(sc, next, &r->cost, BUDGET));
	return judge_is_unlike(shows, sc->judge, next, r->buffers.capture);
}

/* Launches with such contents, of some draws the first that shows. */
static struct error *replace(struct score_outcome *o, bool *shows,
			     struct round *r, const bool *kept)
{
	unsigned most = is_short(r->tried) ? ATTEMPTS : 1;

	*shows = false;
	for (unsigned n = 1; n <= most; n++) {
		cleanup_input_set struct input_set next = INPUT_SET_INIT;

		TRY(draw_contents(shows, &next, r, kept));
		if (*shows || n == most)
			return launch_next(o, r, &next, SIZE_MAX);
	}
	return NULL;
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
	if (next->recipe.n_changes == PROTOCOL_CHANGES)
		next->recipe.n_changes = 0;
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
				struct all_rounds *p, size_t i)
{
	double end = clock_seconds() + ATTEMPT_SECONDS;

	for (unsigned n = 0; n < ATTEMPTS; n++) {
		cleanup_input_set struct input_set next = INPUT_SET_INIT;
		bool shows = false;

		if (n >= ATTEMPTS_LEAST && clock_seconds() > end)
			break;
		if (!is_short(r->tried) &&
		    !check_draw(r->sc, &r->set.call.layout, &r->cost, BUDGET))
			return NULL;
		TRY(change(&shows, &next, r, i));
		if (!shows)
			continue;
		p->changed[i] = true;
		return launch_next(o, r, &next, i);
	}
	r->dull[i] = true;
	return NULL;
}

/* How many elements a round changes at least, of so many inputs, and at most. */
static size_t least_changes(const struct round *r, size_t inputs)
{
	return MIN(inputs, is_short(r->tried) ? CHANGES_MOST : 1);
}

static size_t most_changes(const struct round *r, size_t inputs)
{
	if (inputs > 0 && is_short(r->tried) && is_declared(r->tried))
		return MAX(CHANGES_MORE, least_changes(r, inputs));
	return least_changes(r, inputs);
}

/* Each input in turn; when each had its turn only those that showed. */
static struct error *change_some(struct score_outcome *o, struct round *r,
				 struct all_rounds *p)
{
	size_t which[TASK_MAX_ARGS];
	size_t n = changed_inputs(which, r->sc->task, &r->set);
	size_t least = least_changes(r, n), most = most_changes(r, n);
	double end = clock_seconds() + ROUND_SECONDS;

	for (size_t i = 0; i < n; i++)
		p->can[which[i]] = true;
	for (size_t i = 0; i < most && o->verdict == VERDICT_PASS; i++) {
		size_t k = which[p->turn++ % n];

		if (i >= least && clock_seconds() > end)
			return NULL;
		if (i < least || !r->dull[k])
			TRY(change_one(o, r, p, k));
	}
	return NULL;
}

/* Inputs of a generator may belong together, so that no element of one changes alone:
 * all contents of all of them do, where there are others. */
static struct error *replace_generated(struct score_outcome *o, struct round *r)
{
	const struct task *t = r->sc->task;
	size_t which[TASK_MAX_ARGS], n;
	bool kept[TASK_MAX_ARGS] = {false}, generated = false, shows = false;

	for (size_t i = 0; i < t->n_arguments; i++)
		generated |= r->set.recipe.fill[i] == FILL_GENERATOR &&
			     !t->argument[i].is_static;
	n = changed_inputs(which, t, &r->set);
	if (!generated || !n)
		return NULL;
	for (size_t i = 0; i < n; i++)
		kept[which[i]] = true;
	return replace(o, &shows, r, kept);
}

static struct error *make_round(struct score_outcome *o, struct all_rounds *p,
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
	bool shows = false;

	TRY(begin(o, &r));
	if (o->verdict == VERDICT_PASS)
		TRY(replace(o, &shows, &r, NULL));
	p->shown += shows;
	if (o->verdict == VERDICT_PASS && (shows || !is_short(tried)))
		TRY(change_some(o, &r, p));
	if (o->verdict == VERDICT_PASS && shows && is_short(tried))
		TRY(replace_generated(o, &r));
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

/* Was an element of each input changed that can be? */
static bool all_changed(const struct all_rounds *p)
{
	for (size_t i = 0; i < TASK_MAX_ARGS; i++)
		if (p->can[i] && !p->changed[i])
			return false;
	return true;
}

/* Rounds in which nothing showed do not count, for some time. */
static bool is_enough(const struct all_rounds *p, size_t least)
{
	double seconds = clock_seconds() - p->began;

	if (p->shown >= least && all_changed(p))
		return p->shown >= ROUNDS_MOST || seconds > SECONDS;
	return p->rounds >= least &&
	       seconds > (p->shown >= least ? SECONDS : SECONDS_MOST);
}

struct error *same_place_check(struct score_outcome *o, struct scoring *sc,
			       struct arm *arm, const struct check_cases *cases)
{
	CLEANUP(choice) struct choice among = {0};
	struct all_rounds p = {.turn = (size_t)secret_below(&sc->secret,
							    TASK_MAX_ARGS),
			       .began = clock_seconds()};
	const struct check_case *tried;
	size_t least, most;

	if (!arm_may_stay(arm) || !has_inputs(sc->task))
		return NULL;
	choose(&among, cases);
	least = among.n && !is_short(among.one[0]) ? 1 : ROUNDS_LEAST;
	most = least == 1 ? ROUNDS_MOST : ROUNDS_TRIED;
	for (; p.rounds < most && !is_enough(&p, least); p.rounds++) {
		tried = choose_next(&among, &sc->secret, p.rounds);
		if (!tried)
			return NULL;
		TRY(make_round(o, &p, sc, arm, tried));
		if (o->verdict != VERDICT_PASS)
			return NULL;
	}
	return NULL;
}
