#include "core/run/evolve.h"

#include <inttypes.h>
#include <math.h>

#include "core/base/clock.h"
#include "core/run/agents.h"
#include "core/run/branching.h"
#include "core/run/loop.h"
#include "core/run/selection.h"

/* ---- the algorithm ----------------------------------------------------- */

static struct error *begin(struct loop *l);
static struct error *measure_missing(struct loop *l);

static struct error *step(struct loop *l)
{
	size_t live = l->e->supervisor.rules.max_lineages, lineage;
	const struct island none = {0};
	bool resumed;

	TRY(loop_resume_step(&resumed, l));
	if (resumed)
		return NULL;
	if (*l->e->made_from.hex)
		lineage = selection_of_tip(l->p, &l->e->made_from);
	else
		TRY(selection_choose(&lineage, l->p, live, &l->dead_ends,
				     &l->random, none));
	if (lineage == SELECTION_NONE)
		loop_nothing_left(l);
	else
		TRY(loop_vary(l, &l->p->lineage[lineage]));
	return NULL;
}

static struct error *catch_up(struct loop *l)
{
	TRY(measure_missing(l));
	if (!loop_asked_to_stop(l))
		TRY(loop_place_champion(l));
	return loop_asked_to_stop(l) ? NULL : loop_compare_crowns(l);
}

static struct error *search(struct loop *l, const char **reason)
{
	const struct island none = {0};

	if (l->e->agents.n)
		return agents_search(l, reason);
	while (!(*reason = loop_why_stop(l))) {
		TRY(loop_supervise(l, none));
		/* A review spends from the budget too. */
		if (!loop_why_stop(l))
			TRY(step(l));
	}
	return NULL;
}

/* Who names attempts has them measured, however long that takes. */
static struct error *measure_again(struct loop *l, const char **reason)
{
	const struct strvec *ids = l->e->again;

	*reason = "attempts";
	l->until = HUGE_VAL;
	for (size_t i = 0; i < ids->n && !loop_asked_to_stop(l); i++) {
		const struct attempt *a = population_find(l->p, ids->v[i]);

		if (!a)
			return error_new(ERROR_NOT_FOUND,
					 "%.12s is no attempt of run %s",
					 ids->v[i], l->e->run);
		TRY(loop_measure_again(l, (size_t)(a - l->p->attempt), false));
	}
	if (loop_asked_to_stop(l))
		*reason = "interrupted";
	return NULL;
}

/* The share of the last measurements is theirs, however late the last attempt
 * was; but they end by themselves before they are cut off. */
static double end_of_call(const struct loop *l)
{
	const struct time_limit *t = &l->limit;

	if (!isfinite(t->all) || l->e->again)
		return HUGE_VAL;
	return MAX(l->began + t->all,
		   MIN(clock_run_seconds() + t->final, l->began + t->last));
}

/* Where the champion has to be compared, too, half of what is left is for that. */
static double end_of_final(const struct loop *l)
{
	double now = clock_run_seconds(), end = end_of_call(l);

	if (!isfinite(end) || loop_champion_is_measured(l))
		return end;
	return now + (end - now) / 2;
}

/* Searches, and holds the final; until neither gives a champion from which
 * there is more to try. */
static struct error *search_to_the_end(struct loop *l, const char **reason)
{
	bool crowned;

	do {
		l->until = l->began + l->limit.settle;
		TRY(search(l, reason));
		crowned = false;
		l->until = end_of_final(l);
		if (l->e->final && !l->e->proposes && !loop_asked_to_stop(l) &&
		    !str_eq(*reason, "gpu-time"))
			TRY(loop_final(l, &crowned));
	} while (crowned && loop_goes_on(l));
	/* The reason may have been forgotten, or be another now. */
	if (!str_eq(*reason, "time"))
		*reason = loop_why_stop(l);
	if (!*reason)
		*reason = "exhausted";
	return NULL;
}

/* Work goes mostly to the newest, and an older one may never be drawn. */
static bool newest_is_at(const struct population *p, size_t attempt)
{
	const struct lineage *newest;

	if (!p->n_lineages)
		return false;
	newest = &p->lineage[p->n_lineages - 1];
	return newest->root == attempt || newest->tip == attempt;
}

static struct error *begin_branch(struct loop *l)
{
	const struct attempt *a = population_find(l->p, l->e->branch.hex);
	cleanup_intervention struct intervention i = {.trigger = TRIGGER_ASKED};
	cleanup_entry struct entry e = {0};

	if (!a || !attempt_passes(a))
		return NULL;
	i.parent = (size_t)(a - l->p->attempt);
	if (newest_is_at(l->p, i.parent))
		return NULL;
	i.reason = xasprintf("the user goes on from #%" PRId64, a->number);
	intervention_entry(&e, &i, l->p);
	e.spent_seconds = loop_spent(l);
	return loop_record(l, &e);
}

static struct error *run(struct loop *l, const char **reason)
{
	TRY(begin(l));
	if (!l->e->proposes)
		TRY(catch_up(l));
	TRY(begin_branch(l));
	TRY(l->e->again ? measure_again(l, reason)
			: search_to_the_end(l, reason));
	if (loop_asked_to_stop(l))
		return NULL;
	l->until = end_of_call(l);
	return loop_measure_champion(l);
}

/* At --time, and the while that what had begun then may take. */
static void say_cut_off(struct loop *l)
{
	const struct attempt *a = population_in_flight(l->p, 0);
	cleanup_free char *after =
		clock_format_span(clock_run_seconds() - l->began);
	cleanup_free char *text = NULL;

	if (a)
		text = xasprintf("#%lld was cut off after %s: going on with "
				 "the run measures it, with more time",
				 (long long)a->number, after);
	else
		text = xasprintf("the last measurement was cut off after %s",
				 after);
	loop_tell(l, EVOLVE_REMARKED, a ? a : &l->p->attempt[l->p->champion],
		  text);
}

struct error *evolve_run(enum ending *ending, struct population *p,
			 struct evolve *e)
{
	CLEANUP(loop)
	struct loop l = {.allowance = loop_allowance(e),
			 .e = e,
			 .p = p,
			 .turns = 1,
			 .began = clock_run_seconds(),
			 .limit = time_limit_of(e->budget.seconds)};
	const char *reason = NULL;
	struct error *err;

	l.until = l.began + l.limit.settle;
	l.dead_ends.operator_ = e->operator_;
	l.dead_ends.archive = e->archive;
	err = run(&l, &reason);
	loop_give_turn(&l);
	/* Interrupted in the middle of a scoring: the attempt stays in flight
	 * and is measured when the run is resumed. */
	if (error_is(err, ERROR_INTERRUPTED)) {
		error_free(err);
		reason = loop_time_is_up(&l) ? "time" : "interrupted";
		err = NULL;
		if (!loop_asked_to_stop(&l))
			say_cut_off(&l);
	}
	if (err) {
		loop_stop_on_error(&l, err);
		return err;
	}
	*ending = loop_asked_to_stop(&l)	       ? ENDING_INTERRUPTED
		  : reason == l.ended && l.ended_badly ? ENDING_FAILED
						       : ENDING_DONE;
	return loop_stop(&l, reason);
}

/* ---- beginning --------------------------------------------------------- */

/* Of the base, on this machine. */
static struct error *identify_base(struct identity *out, struct loop *l)
{
	struct evolve *e = l->e;
	cleanup_candidate struct candidate base = {0};

	TRY(e->archive->load(e->archive, &base, e->base.hex));
	e->evaluator->identify(e->evaluator, out, &base);
	memcpy(l->machine, out->machine, sizeof l->machine);
	return NULL;
}

static struct error *record_run(struct loop *l, const struct identity *identity)
{
	struct evolve *e = l->e;
	cleanup_entry struct entry entry;

	entry_init(&entry, ENTRY_RUN, e->run);
	entry.base = e->base;
	if (*e->from.hex && !str_eq(e->from.hex, e->base.hex)) {
		entry.from = e->from;
		entry.subject = xstrdup_null(e->from_subject);
	}
	if (l->p->has_record) {
		entry.base = l->p->record.base;
		entry.number = population_next_number(l->p);
	}
	/* Keeps both commits reachable: `from` descends from the base. */
	entry.candidate = *entry.from.hex ? e->from : e->base;
	memcpy(entry.task_id, identity->task, sizeof entry.task_id);
	memcpy(entry.machine, identity->machine, sizeof entry.machine);
	entry.machine_name = xstrdup(e->evaluator->machine_name(e->evaluator));
	entry.task_path = xstrdup(e->task->path);
	entry.seed = e->seed ? e->seed : random_seed();
	entry.operator_name = xstrdup(e->operator_->name);
	return loop_record(l, &entry);
}

static struct error *record_start(struct loop *l)
{
	cleanup_entry struct entry entry;

	entry_init(&entry, ENTRY_START, l->e->run);
	entry.operator_name = xstrdup(l->e->operator_->name);
	memcpy(entry.machine, l->machine, sizeof entry.machine);
	entry.max_attempts = l->e->budget.attempts;
	entry.max_seconds = l->e->budget.seconds;
	return loop_record(l, &entry);
}

/* The start failed, and a person mended it. */
static bool begins_with_another(const struct loop *l)
{
	const char *from = l->e->from.hex;

	return *from && population_start_failed(l->p) &&
	       !population_find(l->p, from);
}

/* Reads the run, or begins it. */
static struct error *begin(struct loop *l)
{
	struct evolve *e = l->e;
	struct identity identity;

	TRY(e->archive->read(e->archive, l->p, e->run));
	TRY(identify_base(&identity, l));
	if (!l->p->has_record || begins_with_another(l))
		TRY(record_run(l, &identity));
	TRY(loop_load_step(l));
	TRY(record_start(l));
	l->begun = true;
	l->before = MAX(l->p->spent_seconds, l->saved.seconds);
	/* A resumed run goes on with new draws, not with the first ones. */
	random_init(&l->random, l->p->record.seed + l->p->n - 1);
	loop_tell(l, EVOLVE_STARTED, &l->p->attempt[l->p->champion], NULL);
	return NULL;
}

/* An attempt that a run goes on from must itself pass. `remedy`: how to start
 * again once it is mended. */
static struct error *check_start(const struct attempt *a, const char *remedy)
{
	const struct measurement *m = a ? a->measurement : NULL;

	if (!m || m->verdict == VERDICT_PASS || !attempt_is_measured(a))
		return NULL;
	return error_new(ERROR_REFUSED,
			 "the kernel that the run starts from (%.12s) fails "
			 "its own task (%s: %s): %s",
			 a->id.hex, verdict_name(m->verdict),
			 m->why ? m->why : verdict_line(m->verdict), remedy);
}

/* Measuring gave this attempt no measurement: the journals contradict each
 * other, and another try would write the same entry again. */
static struct error *check_progress(const struct loop *l, const char *id)
{
	const struct attempt *a = population_find(l->p, id);

	if (!a || attempt_is_measured(a))
		return NULL;
	return error_new(ERROR_MALFORMED,
			 "attempt %" PRId64 " (%.12s) of run '%s' was measured "
			 "and is still without a measurement that can be used, "
			 "so the journals of this run contradict themselves: "
			 "begin another with --run",
			 a->number, a->id.hex, l->e->run);
}

/* Other processes may have left more in flight than this call may spend. */
static bool measures_on(const struct loop *l, const struct attempt *a)
{
	return a->number == 0 ? !loop_asked_to_stop(l) : !loop_why_stop(l);
}

static struct error *check_base(const struct loop *l)
{
	return check_start(&l->p->attempt[0],
			   "mend it, or the task, and start again");
}

/* What a person scores by hand may be what mends it. */
struct error *loop_check_start(const struct loop *l)
{
	const struct entry *record = &l->p->record;
	cleanup_free char *remedy = NULL;

	TRY(check_base(l));
	if (*l->e->made_from.hex || !population_start_failed(l->p))
		return NULL;
	remedy = xasprintf("mend it, commit, and start again with --base %.12s",
			   record->base.hex);
	return check_start(population_find(l->p, record->from.hex), remedy);
}

/* What another process has measured elsewhere at this moment is not in need. */
static const struct attempt *left_in_flight(const struct loop *l)
{
	struct archive *archive = l->e->archive;
	size_t after = 0;
	const struct attempt *a;

	while ((a = population_in_flight(l->p, after))) {
		if (!loop_is_shared(l) || !archive->is_held(archive, a->id.hex))
			return a;
		after = (size_t)(a - l->p->attempt) + 1;
	}
	return NULL;
}

/* The base of a new run, and what an earlier process left in flight. */
static struct error *measure_missing(struct loop *l)
{
	const struct attempt *a;

	/* The gain of the base is known before it is measured: the gains of all
	 * other attempts are relative to it. */
	if (l->p->n == 1 && population_in_flight(l->p, 0) &&
	    !loop_asked_to_stop(l))
		loop_look_ahead(l, &l->p->lineage[0]);
	while ((a = left_in_flight(l)) && measures_on(l, a)) {
		struct commit_id id;

		id = a->id;
		TRY(loop_measure(l, id.hex));
		TRY(check_progress(l, id.hex));
		TRY(check_base(l));
	}
	return loop_check_start(l);
}

/* ---- supervising ------------------------------------------------------- */

static struct error *supervise(struct loop *l, struct island at)
{
	cleanup_intervention struct intervention i = {0};
	cleanup_entry struct entry e = {0};
	const struct situation now = {
		.task = l->e->task,
		.population = l->p,
		.archive = l->e->archive,
		.allowance = &l->allowance,
		.dead_ends = &l->dead_ends,
		.spent_seconds = loop_spent(l),
	};
	struct error *err;

	/* Proposals are not measured, so that they cannot stall. */
	if (l->e->proposes)
		return NULL;
	err = supervisor_review(&i, &l->e->supervisor, &now, &l->random);
	/* The run ended before the review did: the next start reviews again. */
	if (error_is(err, ERROR_INTERRUPTED) && loop_why_stop(l)) {
		error_free(err);
		return NULL;
	}
	TRY(err);
	if (i.trigger == TRIGGER_NONE)
		return NULL;
	intervention_entry(&e, &i, l->p);
	e.island = (int64_t)at.number;
	e.spent_seconds = loop_spent(l);
	/* held: an intervention adds a lineage and no attempt */
	TRY(loop_record(l, &e));
	loop_tell(l, EVOLVE_INTERVENED, &l->p->attempt[i.parent], i.reason);
	return NULL;
}

struct error *loop_supervise(struct loop *l, struct island at)
{
	struct error *err;

	agents_review(l->agents, true);
	err = supervise(l, at);
	agents_review(l->agents, false);
	return err;
}

/* ---- islands ------------------------------------------------------------- */

static struct error *record_migration(struct loop *l, struct entry *e)
{
	e->spent_seconds = loop_spent(l);
	TRY(loop_record(l, e));
	loop_tell(l, EVOLVE_MIGRATED, population_find(l->p, e->candidate.hex),
		  e->reason);
	return NULL;
}

struct error *loop_migrate(struct loop *l)
{
	const struct island_rules *rules = &l->e->agents.islands;
	bool due = true;

	while (due) {
		cleanup_entry struct entry e = {.kind = ENTRY_INTERVENTION};

		due = islands_next(&e, l->p, rules);
		if (due)
			TRY(record_migration(l, &e));
	}
	return NULL;
}

/* ---- shared with the parts --------------------------------------------- */

void loop_tell(struct loop *l, enum evolve_event event, const struct attempt *a,
	       const char *text)
{
	if (l->e->listener)
		l->e->listener->on_event(l->e->listener, event, l->p, a, text);
}

void loop_at_rest(struct loop *l, bool begins)
{
	if (l->agents)
		allowance_away(&l->allowance, begins);
	else
		variation_at_rest(l->varying, begins);
}

double loop_spent(const struct loop *l)
{
	return l->before + clock_run_seconds() - l->began;
}

struct error *loop_record(struct loop *l, struct entry *e)
{
	/* The order of entries is their order in time, even if the wall clock
	 * was set back in the meantime. */
	e->time_us = MAX(clock_wall_us(), l->p->time_us + 1);
	e->spend = l->unrecorded;
	l->unrecorded = (struct spend){0};
	population_apply(l->p, e);
	return l->e->archive->append(l->e->archive, e, l->p);
}
