#include "scorer/gpu_field.h"
#include "scorer/gpu_setup.h"

struct trial {
	struct runner *capturer, *launcher;
	struct gpu_room room;
};

static void trial_release(struct trial *t)
{
	runner_free(t->capturer);
	runner_free(t->launcher);
	gpu_room_release(&t->room);
}
DEFINE_RELEASE(trial, struct trial, trial_release)

static struct error *try_case(struct outcome *o, double *worst, struct trial *t,
			      struct scoring *sc, const struct task_case *c,
			      enum fill mixed)
{
	cleanup_input_set struct input_set s = INPUT_SET_INIT;
	cleanup_fd int plan = -1;
	struct selection what = {.index = 0};
	uint64_t poison = random_u64(&sc->rng);
	double seconds = 0;
	struct answer a;

	TRY(gpu_set(&s, sc, c, mixed, 1));
	gpu_place_draw(&t->room.place, &sc->rng);
	TRY(gpu_judge_allocate(&t->room, sc->judge, &s.call, 1));
	TRY(gpu_capture(o, &plan, t->capturer, sc->task, &s.call,
			&t->room.place));
	if (o->verdict == VERDICT_PASS)
		TRY(gpu_launcher_arm(o, t->launcher, sc->task, &t->room, 0,
				     plan));
	if (o->verdict != VERDICT_PASS)
		return NULL;
	TRY(gpu_judge_fill(sc->judge, &s.recipe));
	TRY(gpu_judge_poison(sc->judge, 0, poison));
	TRY(gpu_launcher_run(o, &seconds, t->launcher, sc->task, 1, &sc->rng));
	if (o->verdict != VERDICT_PASS)
		return NULL;
	check_select(&what, sc, &s.call.layout, 64);
	TRY(gpu_judge_reference(sc->judge, &s, &what));
	TRY(gpu_judge_compare(&a, sc->judge, 0, 0, true, poison));
	check_tell(o, worst, sc->task, &s, &a, c->name);
	return NULL;
}

static struct error *try_hidden(struct outcome *o, struct trial *t,
				struct scoring *sc, enum fill mixed)
{
	struct task_case c = {0};
	struct error *err;
	double worst = 0;

	task_draw_hidden(&c, sc->task, &sc->rng);
	err = try_case(o, &worst, t, sc, &c, mixed);
	task_case_release(&c);
	return err;
}

static struct error *begin(struct outcome *o, struct trial *t,
			   struct scoring *sc, const struct build *build)
{
	struct runner_spec spec = gpu_spec(sc, "capturer", build->object_fd);
	cleanup_fd int cubins = -1;

	gpu_room_init(&t->room);
	TRY(gpu_capturer_start(o, &t->capturer, sc->task,
			       scoring_points(sc->task), &spec));
	if (o->verdict != VERDICT_PASS)
		return NULL;
	TRY(gpu_cubins(&cubins, build));
	spec = gpu_spec(sc, "launcher", cubins);
	return gpu_launcher_start(o, &t->launcher, sc->task, &spec);
}

struct error *gpu_correctness(struct outcome *o, struct correctness *found,
			      struct scoring *sc, const struct build *build)
{
	const struct task *t = sc->task;
	CLEANUP(trial) struct trial trial = {0};
	size_t fill = (size_t)random_below(&sc->rng, MIXED_FILLS);

	TRY(begin(o, &trial, sc, build));
	for (size_t i = 0; o->verdict == VERDICT_PASS && i < t->n_cases; i++)
		TRY(try_case(o, &found->case_error[i], &trial, sc, &t->cases[i],
			     mixed_fill(fill++)));
	for (size_t i = 0; t->hidden && o->verdict == VERDICT_PASS &&
			   i < MAX(t->hidden_count, MIXED_FILLS);
	     i++)
		TRY(try_hidden(o, &trial, sc, mixed_fill(fill++)));
	return NULL;
}

struct error *gpu_check_task(const struct task *t)
{
	const char *missing = t->prepare ? "prepare and static inputs" : NULL;

	for (size_t i = 0; i < t->n_arguments; i++) {
		const struct argument *a = &t->argument[i];

		if (a->kind == ARGUMENT_TENSOR &&
		    a->direction == DIRECTION_INOUT)
			missing = "inout arguments";
		if (a->kind == ARGUMENT_TENSOR && a->fill == FILL_GENERATOR)
			missing = "generators";
	}
	if (t->metric != METRIC_LATENCY)
		missing = "metric: throughput";
	if (!missing)
		return NULL;
	return error_new(ERROR_TASK,
			 "%s: language: cuda does not go with %s in this "
			 "version of avogit",
			 t->path, missing);
}
