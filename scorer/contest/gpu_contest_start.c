/* The start of a contest on the GPU: captured plans and running processes. */
#include "scorer/contest/arms.h"
#include "scorer/contest/gpu_contest_internal.h"
#include "scorer/host/gpu_setup.h"
#include "scorer/host/launchers.h"

/* With short launches many pairs of processes are timed. So many pairs start at
 * once, since nothing can be timed while they start. */
#define PAIRS_STARTED 4

bool gpu_contest_isolated(const struct gpu_contest *f)
{
	return f->contest->sc->isolated[0];
}

bool gpu_contest_is_resident(const struct gpu_contest *f, size_t contender)
{
	return gpu_contest_isolated(f) ||
	       f->contest->contender[contender].points.trusted;
}

struct error *gpu_contest_check_memory(const struct score_outcome *o,
				       struct gpu_contest *f,
				       struct runner **failed,
				       const struct gpu_addresses *addresses)
{
	if (o->verdict != VERDICT_CRASHED)
		return NULL;
	runner_free(*failed);
	*failed = NULL;
	return gpu_judge_check_memory(o, f->contest->sc->judge, addresses);
}

/* ---- plans --------------------------------------------------------------- */

/* Into *plan, for these addresses, which have no sizes. */
static struct error *capture_case(struct score_outcome *o,
				  struct readiness *how, struct gpu_contest *f,
				  size_t contender, size_t which, int *plan,
				  const struct gpu_addresses *at)
{
	struct scoring *sc = f->contest->sc;
	cleanup_input_set struct input_set s = INPUT_SET_INIT;
	struct gpu_addresses addresses = *at;
	int64_t images;

	TRY(gpu_count_images(&images, sc, &sc->task->cases[which]));
	TRY(gpu_set(&s, sc, &sc->task->cases[which], FILL_NORMAL, images));
	gpu_addresses_size(&addresses, &s.call);
	f->captured = MAX(f->captured, gpu_addresses_bytes(&addresses));
	TRY(gpu_capture(o, how, plan, f->capturer[contender], sc->task, &s.call,
			&addresses));
	if (*plan >= 0 && !gpu_plan_is_chain(*plan))
		f->side_by_side[contender] = true;
	return gpu_contest_check_memory(o, f, &f->capturer[contender],
					&addresses);
}

static struct error *capture_cases(struct score_outcome *o,
				   struct readiness *how, struct gpu_contest *f,
				   size_t contender)
{
	struct scoring *sc = f->contest->sc;
	cleanup_score_outcome struct score_outcome one = SCORE_OUTCOME_INIT;

	TRY(gpu_host_started(&one, f->capturer[contender], sc->task));
	for (size_t k = 0; one.verdict == VERDICT_PASS &&
			   how->state == GPU_READY && k < sc->task->n_cases;
	     k++)
		TRY(capture_case(&one, how, f, contender, k,
				 &f->plan[contender][k], &f->at));
	return contest_attribute(o, &one, f->contest, contender, NULL);
}

/* For later contests. A rival that cannot do so again keeps nothing. */
static struct error *capture_sets(struct score_outcome *o,
				  struct gpu_contest *f, size_t contender)
{
	struct scoring *sc = f->contest->sc;
	cleanup_score_outcome struct score_outcome one = SCORE_OUTCOME_INIT;
	struct readiness how = {0};
	size_t n = sc->task->n_cases;

	for (size_t i = 0; f->keeps_plans && one.verdict == VERDICT_PASS &&
			   how.state == GPU_READY && i < KEPT_SETS * n;
	     i++)
		TRY(capture_case(&one, &how, f, contender, i % n,
				 gpu_kept_plan(f, i / n, contender, i % n),
				 &sc->plans.set[i / n].at));
	return contest_attribute(o, &one, f->contest, contender, NULL);
}

static void drop_plans(struct gpu_contest *f)
{
	for (size_t i = 0; i < f->contest->n; i++)
		for (size_t k = 0; k < f->contest->sc->task->n_cases; k++)
			cleanup_fd_fn(&f->plan[i][k]);
}

void gpu_contest_move(struct gpu_contest *f)
{
	drop_plans(f);
	f->moves++;
	gpu_addresses_draw(&f->at, &f->contest->sc->layout);
	for (size_t i = 0; i < f->n; i++)
		f->launcher[i].armed_for = 0;
}

static void drop_capturer(struct gpu_contest *f, size_t contender)
{
	launchers_end(f->contest->sc, f->capturer[contender], f->captured);
	f->capturer[contender] = NULL;
}

static void drop_capturers(struct gpu_contest *f)
{
	for (size_t i = 0; i < f->contest->n; i++)
		drop_capturer(f, i);
}

static bool needs_capturer(const struct gpu_contest *f, size_t contender)
{
	return !gpu_contest_is_resident(f, contender) &&
	       f->plan[contender][0] < 0 &&
	       contest_still_needs(f->contest, contender);
}

/* Starts all capturers that are needed, so that all load at the same time. */
static struct error *start_capturers(struct gpu_contest *f, const size_t *order)
{
	struct contest *c = f->contest;

	for (size_t k = 0; k < c->n; k++) {
		size_t i = order[k];
		const struct contender *who = &c->contender[i];

		if (needs_capturer(f, i))
			TRY(launchers_take_capturer(&f->capturer[i], c->sc,
						    who->points, who->build));
	}
	return NULL;
}

static const char *why_isolated(const struct readiness *how)
{
	return how->state == GPU_UNREPLAYABLE
		       ? how->why
		       : "the driver does not give the addresses that it was "
			 "captured with";
}

struct error *gpu_contest_isolate(struct score_outcome *o,
				  struct gpu_contest *f, size_t contender,
				  const char *why)
{
	cleanup_score_outcome struct score_outcome one = SCORE_OUTCOME_INIT;

	gpu_isolate(&one, f->contest->sc, why);
	return contest_attribute(o, &one, f->contest, contender, NULL);
}

static struct error *capture_each(struct score_outcome *o,
				  struct gpu_contest *f, const size_t *order,
				  bool *moved)
{
	for (size_t k = 0; k < f->contest->n; k++) {
		size_t i = order[k];
		struct readiness how = {0};

		if (!f->capturer[i])
			continue;
		TRY(capture_cases(o, &how, f, i));
		drop_capturer(f, i);
		if (o->verdict != VERDICT_PASS)
			return NULL;
		if (how.state == GPU_READY)
			continue;
		*moved = how.state == GPU_MOVED && f->moves < GPU_MOVES;
		if (!*moved)
			return gpu_contest_isolate(o, f, i, why_isolated(&how));
		gpu_contest_move(f);
		return NULL;
	}
	return NULL;
}

/* ---- processes ----------------------------------------------------------- */

size_t gpu_contest_contender_at(const struct gpu_contest *f, size_t at)
{
	return at < f->contest->n ? at : f->contest->twin_of;
}

static bool takes_part(const struct gpu_contest *f, size_t at)
{
	const struct contest *c = f->contest;

	if (at == c->n)
		return !c->twinless;
	return at == 0 || c->contender[at].active;
}

static size_t count_launchers(const struct gpu_contest *f)
{
	size_t n = 0;

	for (size_t i = 0; i < f->n; i++)
		n += takes_part(f, i) &&
		     !gpu_contest_is_resident(f,
					      gpu_contest_contender_at(f, i));
	return n;
}

/* The number of spares to expect; for later pairs only launchers. */
static size_t count_spares(const struct gpu_contest *f)
{
	size_t n = count_launchers(f);

	if (f->contest->by_process)
		return n * PAIRS_STARTED;
	for (size_t i = 0; i < f->contest->n; i++)
		n += needs_capturer(f, i);
	return n;
}

/* Starts the residents of contenders that already need one. */
static struct error *start_residents(struct gpu_contest *f)
{
	size_t order[HALF_MAX_SLOTS];

	if (gpu_contest_isolated(f))
		TRY(gpu_turns_rest(f));
	contest_order(order, f->contest, f->n);
	for (size_t k = 0; k < f->n; k++) {
		size_t i = order[k], contender = gpu_contest_contender_at(f, i);
		const struct contender *who = &f->contest->contender[contender];
		struct runner_spec spec =
			gpu_resident_spec(f->contest->sc, who->build);

		if (!takes_part(f, i) || f->launcher[i].runner ||
		    !gpu_contest_is_resident(f, contender))
			continue;
		TRY(gpu_host_start(&f->launcher[i].runner, f->contest->sc->task,
				   who->points, &spec));
	}
	return NULL;
}

static struct error *take_launcher(struct gpu_contest *f, size_t at)
{
	size_t contender = gpu_contest_contender_at(f, at);
	struct contest_launcher *l = &f->launcher[at];
	struct scoring *sc = f->contest->sc;
	cleanup_fd int cubins = -1;

	l->all_queues = f->side_by_side[contender];
	l->replays = true;
	l->runner = gpu_kept_launcher(&l->uses, f, at);
	if (l->runner)
		return NULL;
	TRY(gpu_cubins(&cubins, f->contest->contender[contender].build));
	if (l->all_queues)
		TRY(launchers_take_fresh(&l->runner, sc, false));
	else
		TRY(launchers_take(&l->runner, sc));
	gpu_launcher_load(l->runner, cubins);
	return NULL;
}

/* Takes the launchers that are missing, which load while plans are captured. */
static struct error *take_launchers(struct gpu_contest *f)
{
	size_t order[HALF_MAX_SLOTS];

	contest_order(order, f->contest, f->n);
	for (size_t k = 0; k < f->n; k++) {
		size_t i = order[k];

		if (takes_part(f, i) && !f->launcher[i].runner &&
		    !gpu_contest_is_resident(f, gpu_contest_contender_at(f, i)))
			TRY(take_launcher(f, i));
	}
	return NULL;
}

static void stop_launcher(struct gpu_contest *f, size_t at)
{
	struct contest_launcher *l = &f->launcher[at];
	struct scoring *sc = f->contest->sc;

	if (gpu_kept_leave(f, at))
		;
	else if (l->replays)
		launchers_leave(sc, l->runner);
	else
		launchers_end(sc, l->runner,
			      gpu_addresses_bytes(&f->buffers.addresses));
	*l = (struct contest_launcher){0};
}

/* Stops launchers that turned out to be of no use: one queue is too few for
 * what was captured, or it could not be. */
static void stop_unfit(struct gpu_contest *f)
{
	for (size_t i = 0; i < f->n; i++) {
		size_t contender = gpu_contest_contender_at(f, i);
		const struct contest_launcher *l = &f->launcher[i];

		if (l->replays && (gpu_contest_is_resident(f, contender) ||
				   l->all_queues != f->side_by_side[contender]))
			stop_launcher(f, i);
	}
}

struct error *gpu_contest_capture(struct score_outcome *o,
				  struct gpu_contest *f)
{
	size_t order[HALF_MAX_SLOTS];
	bool moved = true;

	contest_order(order, f->contest, f->contest->n);
	while (moved) {
		moved = false;
		TRY(start_capturers(f, order));
		TRY(take_launchers(f));
		TRY(capture_each(o, f, order, &moved));
		drop_capturers(f);
	}
	return NULL;
}

/* Puts copies in place of the plans of a contender. */
static struct error *own_plans(struct gpu_contest *f, size_t contender)
{
	for (size_t k = 0; k < f->contest->sc->task->n_cases; k++) {
		int *plan = &f->plan[contender][k];
		cleanup_fd int copy = -1;

		TRY(gpu_plan_copy(&copy, *plan));
		cleanup_fd_fn(plan);
		*plan = steal_fd(&copy);
	}
	return NULL;
}

struct error *gpu_contest_capture_first(struct score_outcome *o,
					struct runner **capturer,
					struct gpu_contest *f)
{
	struct readiness how = {0};
	size_t order[HALF_MAX_SLOTS];

	*capturer = NULL;
	gpu_kept_plans_take(f);
	gpu_kept_plans_draw(f);
	contest_order(order, f->contest, f->contest->n);
	TRY(start_capturers(f, order));
	for (size_t k = 0; k < f->contest->n; k++) {
		size_t i = order[k];

		if (!f->capturer[i])
			continue;
		TRY(capture_cases(o, &how, f, i));
		if (o->verdict != VERDICT_PASS || how.state != GPU_READY)
			return NULL;
		if (!i)
			continue;
		TRY(capture_sets(o, f, i));
		if (o->verdict != VERDICT_PASS)
			return NULL;
		drop_capturer(f, i);
	}
	gpu_kept_plans_whole(f);
	TRY(own_plans(f, 0));
	*capturer = steal(&f->capturer[0]);
	return NULL;
}

/* Starts the processes that are missing. */
static struct error *fill_launchers(struct score_outcome *o,
				    struct gpu_contest *f)
{
	size_t order[HALF_MAX_SLOTS];

	stop_unfit(f);
	TRY(start_residents(f));
	TRY(take_launchers(f));
	contest_order(order, f->contest, f->n);
	for (size_t k = 0; k < f->n && o->verdict == VERDICT_PASS; k++) {
		size_t i = order[k], contender = gpu_contest_contender_at(f, i);
		cleanup_score_outcome struct score_outcome one =
			SCORE_OUTCOME_INIT;

		if (!takes_part(f, i) || f->launcher[i].replays)
			continue;
		TRY(gpu_host_started(&one, f->launcher[i].runner,
				     f->contest->sc->task));
		TRY(contest_attribute(o, &one, f->contest, contender, NULL));
	}
	return NULL;
}

/* Starting Python and compiling takes seconds, and a baseline is the task's own
 * code: its process lasts for the whole comparison. */
static bool is_kept(const struct gpu_contest *f, size_t at)
{
	const struct runner *r = f->launcher[at].runner;

	return r && r->packet &&
	       f->contest->contender[gpu_contest_contender_at(f, at)]
		       .points.trusted &&
	       takes_part(f, at);
}

static void stop(struct gpu_contest *f, bool all)
{
	gpu_turns_end(f);
	for (size_t i = 0; i < f->n; i++)
		if (!all && is_kept(f, i))
			f->launcher[i].armed_for = 0;
		else
			stop_launcher(f, i);
}

struct error *gpu_contest_start(struct score_outcome *o, struct gpu_contest *f)
{
	stop(f, false);
	if (f->contest->sc->launchers.n < count_launchers(f) ||
	    !f->contest->by_process)
		TRY(launchers_expect(f->contest->sc, count_spares(f)));
	TRY(start_residents(f));
	TRY(gpu_contest_capture(o, f));
	if (o->verdict == VERDICT_PASS)
		TRY(fill_launchers(o, f));
	/* What opens the card in the checks is in their way; here most of the
	 * time is the judge's, which asks nothing of the driver. */
	TRY(launchers_expect(f->contest->sc, f->contest->sc->spares_next));
	gpu_watch_await(&f->watch);
	return NULL;
}

void gpu_contest_stop(struct gpu_contest *f)
{
	stop(f, false);
}

void gpu_contest_plans_free(struct gpu_contest *f)
{
	stop(f, true);
	launchers_leave(f->contest->sc, f->checked);
	f->checked = NULL;
	drop_capturers(f);
	drop_plans(f);
	for (size_t i = 0; i < f->contest->n; i++)
		free(f->plan[i]);
	free(f->plan);
	free(f->side_by_side);
	free(f->gate_steps);
	free(f->capturer);
	free(f->launcher);
	launchers_kill_spent(&f->contest->sc->launchers);
}
