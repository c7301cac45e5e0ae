#include "scorer/contest/suite.h"

#include "scorer/contest/check.h"
#include "scorer/host/launch.h"

#define TOLERANCE     1e-2
#define LAUNCH_BUDGET 0.03 /* seconds of the reference, if it can do rows */

static struct error *try_launch(struct score_outcome *o,
				struct reference_cost *cost, struct scoring *sc,
				struct arm *arm)
{
	const struct task_case *c = &sc->task->cases[0];
	cleanup_input_set struct input_set set = INPUT_SET_INIT;
	cleanup_buffers struct buffers b = {
		.inputs = -1, .outputs = -1, .capture = -1};
	double seconds = 0, worst = 0;
	struct judge_answer a;

	TRY(set_init(&set, sc->task, c, FILL_NORMAL, 1, &sc->secret,
		     &sc->layout));
	TRY(judge_fill(sc->judge, &set));
	TRY(scoring_prepare(o, sc, &set, &arm, 1));
	if (o->verdict != VERDICT_PASS)
		return NULL;
	TRY(buffers_open(&b, &set, &sc->secret, &sc->layout));
	TRY(launch_timed(&seconds, o, arm, sc->judge, &set, &b));
	sc->seconds_timed += seconds;
	if (o->verdict != VERDICT_PASS)
		return NULL;
	TRY(check_reference_first(sc, &set, cost, LAUNCH_BUDGET));
	/* Nobody is called wrong for it. */
	TRY(check_tell_failure(judge_compare(&a, sc->judge, &set, &b, 0, true),
			       &set, sc->task));
	check_tell(o, &worst, sc->task, &set, &a, c->name);
	return NULL;
}

/* A process that ended, or is still at work, passes no further trial. */
static bool goes_on(const struct score_outcome *o)
{
	return o->verdict == VERDICT_PASS || o->verdict == VERDICT_WRONG;
}

static struct error *try_all(size_t *passed, struct scoring *sc,
			     const struct build *build)
{
	cleanup_score_outcome struct score_outcome start = SCORE_OUTCOME_INIT;
	cleanup_arm struct arm *arm = NULL;
	struct reference_cost cost = {0};
	struct runner_spec spec;
	bool alive;

	TRY(scoring_arm_spec(&spec, sc, build));
	TRY(arm_spawn(&arm, sc->task, scoring_points(sc->task), &spec));
	TRY(arm_ready(&start, arm));
	alive = start.verdict == VERDICT_PASS;
	for (size_t i = 0; alive && i < SUITE_TRIALS; i++) {
		cleanup_score_outcome struct score_outcome o =
			SCORE_OUTCOME_INIT;

		TRY(try_launch(&o, &cost, sc, arm));
		*passed += o.verdict == VERDICT_PASS;
		alive = goes_on(&o);
	}
	return NULL;
}

struct error *suite_check(size_t *passed, struct scoring *sc,
			  const struct build *build)
{
	const struct task *own = sc->task, *judged = sc->judge->task;
	struct task suite = *own;
	struct error *err;

	suite.tolerance = (struct tolerance){
		.rtol = TOLERANCE, .atol = TOLERANCE, .absolute = true};
	*passed = 0;
	sc->task = sc->judge->task = &suite;
	err = try_all(passed, sc, build);
	sc->task = own;
	sc->judge->task = judged;
	return err;
}
