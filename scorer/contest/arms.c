#include "scorer/contest/arms.h"

#include "core/base/clock.h"
#include "scorer/host/arm.h"
#include "scorer/contest/half.h"
#include "scorer/contest/gpu_contest.h"
#include "scorer/wire/set.h"

bool contest_still_needs(const struct contest *c, size_t i)
{
	return i == 0 || c->contender[i].active;
}

static void stop_arm(struct contest *c, struct arm **arm)
{
	if (*arm && (*arm)->watched) {
		struct cpu_time now = arm_cpu_time(*arm);

		steadiness_arm(&c->steady, &(*arm)->began, &now);
	}
	arm_free(*arm);
	*arm = NULL;
}

void contest_stop_arms(struct contest *c)
{
	for (size_t i = 0; i < c->n; i++)
		stop_arm(c, &c->contender[i].arm);
	stop_arm(c, &c->twin);
	stop_arm(c, &c->blank);
	stop_arm(c, &c->other_blank);
	if (c->gpu)
		gpu_contest_stop(c->gpu);
}

/* From now on only other programs can make the arm wait for a CPU. */
static void watch_arm(struct arm *arm)
{
	if (!arm)
		return;
	arm->began = arm_cpu_time(arm);
	arm->watched = true;
}

static void watch_arms(struct contest *c)
{
	for (size_t i = 0; i < c->n; i++)
		watch_arm(c->contender[i].arm);
	watch_arm(c->twin);
}

static struct error *spawn_arm(struct arm **out, struct contest *c, size_t i)
{
	const struct contender *who = &c->contender[i];
	struct runner_spec spec;

	TRY(scoring_arm_spec(&spec, c->sc, who->build));
	return arm_spawn(out, c->sc->task, who->points, &spec);
}

/* No code of a contender runs in it, so it cannot make this seem long. */
static struct error *start_blank(struct arm **out, struct contest *c,
				 const struct build *build)
{
	const struct entry_points nothing = {.trusted = true};
	cleanup_score_outcome struct score_outcome o = SCORE_OUTCOME_INIT;
	struct runner_spec spec;

	TRY(scoring_arm_spec(&spec, c->sc, build));
	TRY(arm_spawn(out, c->sc->task, nothing, &spec));
	TRY(arm_ready(&o, *out));
	if (o.verdict != VERDICT_PASS)
		return error_new(ERROR_SYSTEM,
				 "a process that calls nothing did not start: "
				 "%s",
				 o.why);
	return NULL;
}

/* One for each runner that there is. */
static struct error *start_blanks(struct contest *c)
{
	TRY(start_blank(&c->blank, c, c->contender[0].build));
	if (!c->versions && c->blank->runner->versions)
		c->versions = xstrdup(c->blank->runner->versions);
	for (size_t i = 1; i < c->n && !c->other_blank; i++)
		if (contest_is_other(c, i))
			TRY(start_blank(&c->other_blank, c,
					c->contender[i].build));
	return NULL;
}

static struct error *await_arm(struct score_outcome *o, struct contest *c,
			       struct arm *arm, size_t i)
{
	cleanup_score_outcome struct score_outcome one = SCORE_OUTCOME_INIT;

	if (!arm || o->verdict != VERDICT_PASS)
		return NULL;
	TRY(arm_ready(&one, arm));
	return contest_attribute(o, &one, c, i, NULL);
}

/* Adds slots for all contenders that have a process. */
static void add_slots(struct half *b, struct contest *c)
{
	for (size_t i = 0; i < c->n; i++)
		if (contest_still_needs(c, i))
			b->slot[b->n++] = i;
	if (!c->twinless)
		b->slot[b->n++] = SLOT_TWIN;
}

/* The arm of contender i; the last is the twin's. */
static struct arm **arm_of(struct contest *c, size_t i)
{
	return i < c->n ? &c->contender[i].arm : &c->twin;
}

static bool takes_part(const struct contest *c, size_t i)
{
	return i < c->n ? contest_still_needs(c, i) : !c->twinless;
}

/* All of them are started before the first is waited for. */
static struct error *start_arms(struct score_outcome *o, struct contest *c)
{
	size_t order[HALF_MAX_SLOTS];

	if (c->sc->task->language == LANGUAGE_CUDA) {
		if (!c->gpu)
			c->gpu = gpu_contest_new(c);
		return gpu_contest_start(o, c->gpu);
	}
	contest_order(order, c, c->n + 1);
	for (size_t k = 0; k <= c->n; k++) {
		size_t i = order[k];

		if (takes_part(c, i))
			TRY(spawn_arm(arm_of(c, i), c,
				      i < c->n ? i : c->twin_of));
	}
	for (size_t k = 0; k <= c->n; k++) {
		size_t i = order[k];

		TRY(await_arm(o, c, *arm_of(c, i), i < c->n ? i : c->twin_of));
	}
	return start_blanks(c);
}

struct error *contest_fresh_arms(struct score_outcome *o, struct contest *c)
{
	double start = clock_seconds();
	struct half b = {.contest = c, .untimed = true};
	size_t order[HALF_MAX_SLOTS];

	contest_stop_arms(c);
	c->in_process = 0;
	if (!contest_still_needs(c, c->twin_of))
		c->twin_of = 0;
	TRY(start_arms(o, c));
	c->sc->seconds_starting += clock_seconds() - start;
	add_slots(&b, c);
	for (size_t i = 0; i < c->sc->task->n_cases && c->blank; i++)
		if (o->verdict == VERDICT_PASS && !c->fixed[i].n)
			TRY(contest_sample_fixed(c, i));
	/* One launch of the first case, not counted, brings code and libraries
	 * into memory. */
	contest_order(order, c, b.n);
	if (o->verdict == VERDICT_PASS)
		TRY(half_run(o, &b, order));
	watch_arms(c);
	return NULL;
}
