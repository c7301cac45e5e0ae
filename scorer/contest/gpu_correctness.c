#include "core/base/clock.h"
#include "scorer/contest/gpu_contest.h"
#include "scorer/host/gpu_setup.h"
#include "scorer/contest/changed_element.h"
#include "scorer/contest/check_cases.h"
#include "scorer/host/launchers.h"

#define TRIAL_SLOTS 2 /* the second for the launch that is made twice */
#define CHECK_ROWS  64

struct gpu_trial {
	struct scoring *sc;
	const struct build *build;
	struct runner *host;	 /* capturer, or resident in class isolated */
	struct runner *launcher; /* class replayed */
	bool all_queues;	 /* the launcher opened all of them */
	struct gpu_buffers buffers;
	struct input_set set;
	int plan;	       /* of this case; -1: not yet */
	bool armed;	       /* with this plan, in these buffers */
	bool launched;	       /* in this case */
	struct input_set next; /* of the next case */
	struct gpu_addresses next_place;
	bool asked;			/* a capture of the next case */
	char plan_id[HASH_HEX_LEN + 1]; /* of the last plan */
	uint32_t slot;	  /* whose outputs the last launch wrote */
	uint64_t poison;  /* that they held before */
	double referring; /* seconds of the case's reference */
	double changing;  /* seconds of all launches with a changed element */
	size_t turn;	  /* whose input is changed next */
	size_t soon;	  /* spare runners that will be needed after this */
	struct runner *capturer; /* to begin with; may be NULL */
};

/* A capturer that was asked for the next case may still be at work. */
static void end_host(struct gpu_trial *t)
{
	if (t->asked)
		runner_free(t->host);
	else
		launchers_end(t->sc, t->host,
			      gpu_addresses_bytes(&t->buffers.addresses));
	t->host = NULL;
	t->asked = false;
}

static void gpu_trial_release(struct gpu_trial *t)
{
	end_host(t);
	runner_free(t->capturer);
	launchers_leave(t->sc, t->launcher);
	gpu_buffers_release(&t->buffers);
	cleanup_fd_fn(&t->plan);
	set_release(&t->set);
	set_release(&t->next);
}
DEFINE_RELEASE(gpu_trial, struct gpu_trial, gpu_trial_release)

static bool isolated(const struct gpu_trial *t)
{
	return t->sc->isolated[0];
}

/* ---- starting ------------------------------------------------------------ */

static struct error *load(struct gpu_trial *t)
{
	cleanup_fd int cubins = -1;

	TRY(gpu_cubins(&cubins, t->build));
	gpu_launcher_load(t->launcher, cubins);
	return NULL;
}

/* Kernels that run side by side may wait for each other, so they need a
 * launcher with all queues. */
static struct error *give_queues(struct gpu_trial *t, int plan)
{
	if (t->all_queues || gpu_plan_is_chain(plan))
		return NULL;
	launchers_leave(t->sc, t->launcher);
	t->launcher = NULL;
	t->armed = false;
	t->all_queues = true;
	TRY(launchers_take_fresh(&t->launcher, t->sc, false));
	return load(t);
}

static struct error *start_resident(struct runner **out,
				    const struct gpu_trial *t)
{
	struct runner_spec spec = gpu_resident_spec(t->sc, t->build);

	return gpu_host_start(out, t->sc->task, scoring_points(t->sc->task),
			      &spec);
}

static struct error *start(struct score_outcome *o, struct gpu_trial *t)
{
	struct scoring *sc = t->sc;
	struct entry_points points = scoring_points(sc->task);

	end_host(t);
	if (isolated(t)) {
		TRY(start_resident(&t->host, t));
	} else {
		t->host = steal(&t->capturer);
		if (!t->host)
			TRY(launchers_take_capturer(&t->host, sc, points,
						    t->build));
		TRY(launchers_take(&t->launcher, sc));
		TRY(load(t));
		/* This phase times no launch. */
		TRY(launchers_expect(sc, t->soon));
	}
	return gpu_host_started(o, t->host, sc->task);
}

/* ---- one launch ---------------------------------------------------------- */

/* Takes a capture that was asked for while the judge worked, or asks now. */
static struct error *capture(struct score_outcome *o, struct readiness *how,
			     struct gpu_trial *t)
{
	const struct task *task = t->sc->task;
	const struct gpu_addresses *p = &t->buffers.addresses;

	if (!t->asked)
		gpu_capture_ask(t->host, task, &t->set.call, p);
	t->asked = false;
	TRY(gpu_capture_take(o, how, &t->plan, t->host, task, &t->set.call, p));
	if (o->verdict != VERDICT_PASS || how->state != GPU_READY)
		return NULL;
	TRY(give_queues(t, t->plan));
	return gpu_plan_id(t->plan_id, t->plan, task->prepare != NULL, p);
}

static struct error *make_ready(struct score_outcome *o, struct readiness *how,
				struct gpu_trial *t, uint32_t slot)
{
	struct scoring *sc = t->sc;
	bool cases;

	if (isolated(t))
		return gpu_resident_arm(o, how, t->host, sc->task, &t->set.call,
					&t->buffers, slot, 0);
	if (t->plan < 0)
		TRY(capture(o, how, t));
	if (o->verdict != VERDICT_PASS || how->state != GPU_READY)
		return NULL;
	cases = t->armed;
	t->armed = true;
	gpu_launcher_arm(t->launcher, sc->task, &t->buffers, slot, t->plan,
			 cases);
	return gpu_launcher_armed(o, how, t->launcher, sc->task);
}

/* After a crash: an error if the card has too little memory. Ends the processes
 * that failed. */
static struct error *check_memory(const struct score_outcome *o,
				  struct gpu_trial *t)
{
	if (o->verdict != VERDICT_CRASHED)
		return NULL;
	runner_free(t->host);
	runner_free(t->launcher);
	t->host = t->launcher = NULL;
	return gpu_judge_check_memory(o, t->sc->judge, &t->buffers.addresses);
}

static void forget_plan(struct gpu_trial *t)
{
	cleanup_fd_fn(&t->plan);
	t->armed = false;
}

/* Repeats while the driver gives other addresses; a candidate that cannot be
 * replayed goes on in class isolated. */
static struct error *get_ready(struct score_outcome *o, struct gpu_trial *t,
			       uint32_t slot)
{
	for (unsigned i = 0; i < GPU_MOVES && o->verdict == VERDICT_PASS; i++) {
		struct readiness how = {0};

		TRY(make_ready(o, &how, t, slot));
		TRY(check_memory(o, t));
		if (o->verdict != VERDICT_PASS || how.state == GPU_READY)
			return NULL;
		if (how.state == GPU_UNREPLAYABLE) {
			gpu_isolate(o, t->sc, how.why);
			return NULL;
		}
		gpu_addresses_draw(&t->buffers.addresses, &t->sc->layout);
		forget_plan(t);
	}
	if (o->verdict != VERDICT_PASS)
		return NULL;
	if (isolated(t))
		return error_new(ERROR_SYSTEM,
				 "the driver gives no address that is asked "
				 "for: try again");
	gpu_isolate(o, t->sc,
		    "the driver does not give it the addresses that it was "
		    "captured with");
	return NULL;
}

static struct error *reference(struct gpu_trial *t)
{
	struct scoring *sc = t->sc;
	struct selection what = {.index = 0};
	double began = clock_seconds();

	check_select(&what, sc, &t->set.call.layout, CHECK_ROWS);
	TRY(check_tell_failure(gpu_judge_reference(sc->judge, &t->set, &what),
			       &t->set, sc->task));
	t->referring = clock_seconds() - began;
	return NULL;
}

/* Arms, prepares, and fills the inputs of this set; does not finish if the
 * candidate becomes one of class isolated. `expects`: the reference of the set is
 * computed, too, before the arming if the inputs are there by then: so a capturer
 * that was asked works meanwhile. */
static struct error *set_up(struct score_outcome *o, struct gpu_trial *t,
			    uint32_t slot, bool expects)
{
	struct scoring *sc = t->sc;
	bool was_isolated = isolated(t), previewed = gpu_has_preview(sc);

	TRY(gpu_fill_preview(sc, &t->buffers, &t->set));
	if (expects && !previewed)
		TRY(reference(t));
	TRY(get_ready(o, t, slot));
	if (o->verdict != VERDICT_PASS || isolated(t) != was_isolated)
		return NULL;
	if (sc->task->prepare)
		TRY(gpu_prepare(o, was_isolated ? t->host : t->launcher,
				sc->task, 1));
	TRY(check_memory(o, t));
	if (!previewed)
		return NULL;
	TRY(gpu_judge_fill(sc->judge, &t->set.recipe));
	return expects && o->verdict == VERDICT_PASS ? reference(t) : NULL;
}

static struct error *launch(struct score_outcome *o, struct gpu_trial *t,
			    uint32_t slot, uint64_t poison)
{
	struct scoring *sc = t->sc;
	struct gpu_ran ran = {0};

	t->launched = true;
	t->slot = slot;
	t->poison = poison;
	if (isolated(t)) {
		TRY(gpu_run_isolated(o, &ran.seconds, t->host, sc->judge,
				     &t->buffers, slot, poison, 1, false,
				     &sc->layout));
	} else {
		TRY(gpu_judge_poison(sc->judge, slot, poison));
		/* `late` does not matter: the time is not used. */
		TRY(gpu_run_timed(o, &ran, t->launcher, sc->task, 1,
				  GPU_NO_IMAGE, &sc->layout));
	}
	sc->seconds_timed += ran.seconds;
	return NULL;
}

static struct error *check(struct score_outcome *o, double *worst,
			   struct gpu_trial *t, uint32_t slot, uint64_t poison,
			   const char *case_name)
{
	struct judge_answer a;

	TRY(gpu_judge_compare(&a, t->sc->judge, slot, 0, GPU_NO_IMAGE, poison));
	check_tell(o, worst, t->sc->task, &t->set, &a, case_name);
	return NULL;
}

/* Asks for the capture of the next case while the judge checks this one. */
static struct error *look_ahead(struct gpu_trial *t,
				const struct check_case *next)
{
	struct scoring *sc = t->sc;

	if (!next || isolated(t))
		return NULL;
	set_release(&t->next);
	TRY(gpu_set(&t->next, sc, next->c, next->mixed, 1));
	check_case_use_ends(&t->next, sc->task, next);
	t->next_place = t->buffers.addresses;
	gpu_addresses_shift(&t->next_place, &sc->layout);
	gpu_addresses_size(&t->next_place, &t->next.call);
	gpu_capture_ask(t->host, sc->task, &t->next.call, &t->next_place);
	t->asked = true;
	return NULL;
}

/* Sets inputs and addresses of a case: those of look_ahead, or new ones, for which
 * the capture is asked for. */
static struct error *begin(struct gpu_trial *t, const struct check_case *tried)
{
	forget_plan(t);
	set_release(&t->set);
	t->launched = false;
	if (t->asked) {
		t->set = t->next;
		t->next = (struct input_set)INPUT_SET_INIT;
		t->buffers.addresses = t->next_place;
		return NULL;
	}
	TRY(gpu_set(&t->set, t->sc, tried->c, tried->mixed, 1));
	check_case_use_ends(&t->set, t->sc->task, tried);
	gpu_addresses_shift(&t->buffers.addresses, &t->sc->layout);
	if (isolated(t))
		return NULL;
	gpu_addresses_size(&t->buffers.addresses, &t->set.call);
	gpu_capture_ask(t->host, t->sc->task, &t->set.call,
			&t->buffers.addresses);
	t->asked = true;
	return NULL;
}

/* `next`: the next case; may be NULL. */
static struct error *try_case(struct score_outcome *o, struct gpu_trial *t,
			      const struct check_case *tried,
			      const struct check_case *next)
{
	struct scoring *sc = t->sc;
	bool was_isolated = isolated(t);
	uint64_t poison = secret_u64(&sc->secret);

	TRY(begin(t, tried));
	TRY(gpu_judge_allocate(&t->buffers, sc->judge, &t->set.call,
			       TRIAL_SLOTS, isolated(t)));
	TRY(set_up(o, t, 0, true));
	if (o->verdict != VERDICT_PASS || isolated(t) != was_isolated)
		return NULL;
	TRY(launch(o, t, 0, poison));
	if (o->verdict != VERDICT_PASS)
		return NULL;
	TRY(look_ahead(t, next));
	return check(o, tried->worst, t, 0, poison, tried->c->name);
}

/* Launches again with the inputs that were right, into other memory. */
static struct error *try_again(struct score_outcome *o,
			       struct correctness *found, struct gpu_trial *t,
			       const struct check_case *tried,
			       const struct check_case *next)
{
	struct scoring *sc = t->sc;
	uint64_t poison = secret_u64(&sc->secret);
	bool was_isolated = isolated(t);
	int64_t differ = 0;

	TRY(set_up(o, t, 1, false));
	if (o->verdict == VERDICT_PASS && isolated(t) != was_isolated)
		return start(o, t);
	if (o->verdict == VERDICT_PASS)
		TRY(launch(o, t, 1, poison));
	if (o->verdict != VERDICT_PASS)
		return NULL;
	TRY(look_ahead(t, next));
	TRY(check(o, tried->worst, t, 1, poison, tried->c->name));
	if (o->verdict != VERDICT_PASS)
		return NULL;
	TRY(gpu_judge_same(&differ, sc->judge, 0, 1));
	found->repeats = 1;
	found->unlike = differ != 0;
	if (differ && sc->task->deterministic)
		score_outcome_set(
			o, VERDICT_WRONG,
			"two launches with the same inputs gave different "
			"bits in %lld elements, and the task asks for the "
			"same, in case %s",
			(long long)differ, tried->c->name);
	return NULL;
}

/* ---- again with one changed element --------------------------------------- */

/* Seconds after which no further element is changed, and those that the reference may
 * take for the first one. */
#define CHANGING_SECONDS 0.1
#define CHANGING_FIRST	 0.5
#define CHANGE_ATTEMPTS	 3 /* to find an element that shows */

static bool may_change(const struct gpu_trial *t)
{
	double after = t->changing + t->referring;

	return after <= CHANGING_SECONDS ||
	       (t->changing <= 0 && after <= CHANGING_FIRST);
}

/* Changes an element of argument i, and computes the reference. *shows: what was right
 * before is not any more. */
static struct error *change(bool *shows, struct gpu_trial *t, size_t i)
{
	struct scoring *sc = t->sc;
	struct selection what = {.index = 0};
	struct judge_answer a;

	check_select(&what, sc, &t->set.call.layout, CHECK_ROWS);
	t->set.recipe.n_changes = 0;
	changed_draw(&t->set, i, sc, &what);
	TRY(gpu_judge_fill(sc->judge, &t->set.recipe));
	TRY(check_tell_failure(gpu_judge_reference(sc->judge, &t->set, &what),
			       &t->set, sc->task));
	TRY(gpu_judge_compare(&a, sc->judge, t->slot, 0, GPU_NO_IMAGE,
			      t->poison));
	*shows = a.finding != FINDING_NONE;
	return NULL;
}

/* After a launch that was right, in its buffers. */
static struct error *launch_changed(struct score_outcome *o,
				    struct gpu_trial *t,
				    const struct check_case *tried, size_t i)
{
	bool failed, shows = false;
	double end = clock_seconds() + CHANGING_FIRST;

	/* A generator of the task may take longer than its reference. */
	for (unsigned n = 0;
	     n < CHANGE_ATTEMPTS && !shows && (!n || clock_seconds() < end);
	     n++)
		TRY(change(&shows, t, i));
	if (!shows)
		return NULL;
	TRY(launch(o, t, t->slot, secret_u64(&t->sc->secret)));
	failed = o->verdict != VERDICT_PASS;
	if (!failed)
		TRY(check(o, tried->worst, t, t->slot, t->poison,
			  tried->c->name));
	if (o->verdict != VERDICT_PASS)
		changed_say(o, t->sc->task, i, failed);
	return NULL;
}

/* Each case one input in turn, as long as it takes little time. */
static struct error *try_changed(struct score_outcome *o, struct gpu_trial *t,
				 const struct check_case *tried)
{
	double began = clock_seconds();
	size_t which[TASK_MAX_ARGS];
	size_t n = changed_inputs(which, t->sc->task, &t->set);

	if (!n || !may_change(t))
		return NULL;
	TRY(launch_changed(o, t, tried, which[t->turn++ % n]));
	t->changing += clock_seconds() - began;
	return NULL;
}

/* ---- a failure that replaying may have caused ---------------------------- */

/* A launcher lacks what a first call leaves in its process's memory for later
 * calls (a table that it fills, a pointer that it keeps). So a candidate that
 * is wrong each time it is replayed, and right with the same inputs in each of
 * so many calls of its host code, goes on in class isolated. */
#define WHOLE_TRIES 3

static bool may_be_the_replay(const struct score_outcome *o,
			      const struct gpu_trial *t)
{
	return t->launched && gpu_is_of_replay(o->verdict) &&
	       t->sc->task->launch_class != LAUNCH_REPLAYED;
}

/* Launches with the same inputs and other poison. */
static struct error *launch_same(struct score_outcome *o, struct gpu_trial *t,
				 const struct check_case *tried)
{
	uint64_t poison = secret_u64(&t->sc->secret);

	TRY(set_up(o, t, 0, true));
	if (o->verdict == VERDICT_PASS)
		TRY(launch(o, t, 0, poison));
	if (o->verdict != VERDICT_PASS)
		return NULL;
	return check(o, tried->worst, t, 0, poison, tried->c->name);
}

/* Replays in another launcher, since a fault ends one. */
static struct error *replay_again(struct score_outcome *o, struct gpu_trial *t,
				  const struct check_case *tried)
{
	runner_free(t->launcher);
	t->launcher = NULL;
	t->armed = false;
	if (t->all_queues)
		TRY(launchers_take_fresh(&t->launcher, t->sc, false));
	else
		TRY(launchers_take(&t->launcher, t->sc));
	TRY(load(t));
	return launch_same(o, t, tried);
}

/* Calls it WHOLE_TRIES times, in a resident that was started before. */
static struct error *call_often(struct score_outcome *o, struct gpu_trial *t,
				struct runner **resident,
				const struct check_case *tried)
{
	end_host(t);
	t->host = steal(resident);
	TRY(gpu_host_started(o, t->host, t->sc->task));
	if (o->verdict != VERDICT_PASS)
		return NULL;
	TRY(gpu_judge_allocate(&t->buffers, t->sc->judge, &t->set.call,
			       TRIAL_SLOTS, true));
	for (unsigned i = 0; i < WHOLE_TRIES && o->verdict == VERDICT_PASS; i++)
		TRY(launch_same(o, t, tried));
	return NULL;
}

/* *o is the failure of the replay. If the candidate is right in a resident, *o
 * becomes a pass and the class isolated, and its error what it was before the
 * replay (`known`) or is now. Most wrong candidates fail in the second replay
 * too; the resident opens the card during it. */
static struct error *try_as_a_whole(struct score_outcome *o,
				    struct gpu_trial *t,
				    const struct check_case *tried,
				    double known)
{
	cleanup_score_outcome struct score_outcome again = SCORE_OUTCOME_INIT;
	cleanup_score_outcome struct score_outcome whole = SCORE_OUTCOME_INIT;
	cleanup_runner struct runner *resident = NULL;
	cleanup_free char *why = xasprintf(
		"replayed it is something else than called: %s", o->why);

	TRY(start_resident(&resident, t));
	TRY(replay_again(&again, t, tried));
	if (!gpu_is_of_replay(again.verdict))
		return NULL;
	gpu_isolate(&whole, t->sc, why);
	*tried->worst = known;
	TRY(call_often(&whole, t, &resident, tried));
	if (whole.verdict == VERDICT_PASS)
		score_outcome_release(o);
	else
		t->sc->isolated[0] = '\0';
	return NULL;
}

/* ---- all of them --------------------------------------------------------- */

/* Tries a case again if the candidate became one of class isolated in it. */
static struct error *try_either(struct score_outcome *o, struct gpu_trial *t,
				const struct check_case *tried,
				const struct check_case *next)
{
	bool before = isolated(t);
	double known = *tried->worst;

	TRY(try_case(o, t, tried, next));
	if (!before && !isolated(t) && may_be_the_replay(o, t))
		return try_as_a_whole(o, t, tried, known);
	if (o->verdict != VERDICT_PASS || isolated(t) == before)
		return NULL;
	TRY(start(o, t));
	return o->verdict == VERDICT_PASS ? try_case(o, t, tried, next) : NULL;
}

/* Adds to found->code: the machine code, and the launches of each case so far.
 */
static void add_code(struct correctness *found, const struct gpu_trial *t)
{
	struct hash *h = hash_new();

	hash_adds(h, found->code[0] ? found->code : t->build->cubins_id);
	hash_adds(h, t->plan_id);
	hash_finish(found->code, h);
	if (isolated(t))
		found->code[0] = '\0';
}

/* Which case comes after number `i`; as many as there are: none. It is known before
 * that one is launched, since the capture of the next one runs meanwhile. */
static size_t next_case(const struct check_cases *cases, size_t i,
			const struct check_time *spent)
{
	while (++i < cases->n) {
		if (!check_counts_quickest(cases->one[i].kind) ||
		    check_time_is_left(spent, &cases->one[i]))
			break;
	}
	return i;
}

/* The first case is launched twice, and no capture of a later one runs then. */
static struct error *try_all(struct score_outcome *o, struct correctness *found,
			     struct gpu_trial *t, struct check_cases *cases)
{
	struct check_time spent = {0};

	stage_begin(t->sc->stage, STAGE_CHECK);
	for (size_t i = 0, after; i < cases->n && o->verdict == VERDICT_PASS;
	     i = after) {
		struct check_case *tried = &cases->one[i];
		const struct check_case *next;
		double began = clock_seconds();

		after = next_case(cases, i, &spent);
		next = after < cases->n ? &cases->one[after] : NULL;
		stage_done(t->sc->stage, (double)i / (double)cases->n);
		tried->launched = true;
		check_case_tell(found->checked, t->sc->task, tried);
		TRY(try_either(o, t, tried, i ? next : NULL));
		if (i < t->sc->task->n_cases)
			add_code(found, t);
		if (i == 0 && o->verdict == VERDICT_PASS)
			TRY(try_again(o, found, t, tried, next));
		if (o->verdict == VERDICT_PASS)
			TRY(try_changed(o, t, tried));
		check_time_spend(&spent, tried, clock_seconds() - began);
	}
	return NULL;
}

struct error *gpu_correctness(struct score_outcome *o,
			      struct correctness *found, struct scoring *sc,
			      const struct build *build,
			      struct runner **capturer,
			      struct runner **launcher, size_t soon)
{
	CLEANUP(gpu_trial)
	struct gpu_trial trial = {.sc = sc,
				  .build = build,
				  .set = INPUT_SET_INIT,
				  .next = INPUT_SET_INIT,
				  .plan = -1,
				  .turn = (size_t)secret_below(&sc->secret,
							       TASK_MAX_ARGS),
				  .soon = soon,
				  .capturer = steal(capturer)};
	cleanup_check_cases struct check_cases cases;

	check_cases_draw(&cases, sc->task, found->case_error, found->files,
			 &sc->secret);
	gpu_buffers_init(&trial.buffers);
	gpu_addresses_draw(&trial.buffers.addresses, &sc->layout);
	TRY(start(o, &trial));
	TRY(try_all(o, found, &trial, &cases));
	check_cases_unreached(found->unreached, sc->task, &cases);
	if (launcher && o->verdict == VERDICT_PASS && !trial.all_queues &&
	    !isolated(&trial))
		*launcher = steal(&trial.launcher);
	return NULL;
}
