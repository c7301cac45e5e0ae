#include "scorer/correctness.h"

#include "core/clock.h"

#define LAUNCH_BUDGET 0.03 /* seconds of reference a launch */
#define EXTRA_SECONDS 1.0  /* for more kinds of contents than cases */

/* One launch of one case, checked. */
static struct error *try_case(struct outcome *o, double *worst,
			      struct reference_cost *cost, struct scoring *sc,
			      struct arm *arm, const struct task_case *c,
			      enum fill mixed)
{
	cleanup_input_set struct input_set set = INPUT_SET_INIT;
	cleanup_buffers struct buffers b = {.outputs = -1, .capture = -1};
	double seconds = 0;
	bool done;

	TRY(set_init(&set, sc->task, c, mixed, 1, &sc->rng));
	TRY(judge_fill(sc->judge, &set));
	TRY(buffers_open(&b, &set.call, &sc->rng));
	TRY(judge_poison(sc->judge, &set, &b));
	TRY(buffers_map(&b));
	TRY(arm_launch(&seconds, o, arm, &set, &b, false));
	sc->seconds_timed += seconds;
	if (o->verdict != VERDICT_PASS) {
		cleanup_free char *why = steal(&o->why);

		o->why = xasprintf("%s, in case %s", why, c->name);
		return NULL;
	}
	TRY(check_reference(&done, sc, &set, cost, 0, LAUNCH_BUDGET, true));
	return check_outputs(o, worst, sc, &set, &b, 0, true, c->name);
}

static struct error *try_hidden(struct outcome *o, struct scoring *sc,
				struct arm *arm, size_t fill)
{
	struct reference_cost cost = {0};
	struct task_case c = {0};
	struct error *err;
	double worst = 0;

	task_draw_hidden(&c, sc->task, &sc->rng);
	err = try_case(o, &worst, &cost, sc, arm, &c, mixed_fill(fill));
	task_case_release(&c);
	return err;
}

struct error *correctness_check(struct outcome *o, double *case_error,
				struct reference_cost *cost, struct scoring *sc,
				int object_fd, const char *entry)
{
	const struct task *t = sc->task;
	cleanup_arm struct arm *arm = NULL;
	struct runner_spec spec;
	size_t fill = (size_t)random_below(&sc->rng, MIXED_FILLS);
	size_t tried = 0;
	double start;

	TRY(scoring_arm_spec(&spec, sc, object_fd));
	start = clock_seconds();
	TRY(arm_spawn(&arm, t, entry, &spec));
	TRY(arm_ready(o, arm));
	sc->seconds_starting += clock_seconds() - start;
	start = clock_seconds();
	for (size_t i = 0; !o->why && i < t->n_cases; i++, tried++)
		TRY(try_case(o, &case_error[i], &cost[i], sc, arm, &t->cases[i],
			     mixed_fill(fill++)));
	for (size_t i = 0; t->hidden && !o->why && i < t->hidden_count;
	     i++, tried++)
		TRY(try_hidden(o, sc, arm, fill++));
	for (size_t i = 0; !o->why && tried < MIXED_FILLS &&
			   clock_seconds() - start < EXTRA_SECONDS;
	     i++, tried++) {
		size_t k = i % MAX(t->n_cases, 1);

		if (t->hidden)
			TRY(try_hidden(o, sc, arm, fill++));
		else
			TRY(try_case(o, &case_error[k], &cost[k], sc, arm,
				     &t->cases[k], mixed_fill(fill++)));
	}
	return NULL;
}
