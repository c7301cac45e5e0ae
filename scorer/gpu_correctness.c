#include "scorer/gpu_field.h"
#include "scorer/gpu_setup.h"

#define TRIAL_SLOTS 2 /* the second for what is launched twice */

struct trial {
	struct scoring *sc;
	const struct build *build;
	struct runner *host;	 /* capturer, or resident in class isolated */
	struct runner *launcher; /* class replayed */
	bool all_queues;	 /* it has them */
	struct gpu_room room;
	struct input_set set;
	char plan_id[HASH_HEX_LEN + 1]; /* of the last plan */
	size_t soon; /* blank runners that will be needed after this */
};

static void end_host(struct trial *t)
{
	launchers_end(t->sc, t->host, gpu_place_bytes(&t->room.place));
	t->host = NULL;
}

static void trial_release(struct trial *t)
{
	end_host(t);
	launchers_leave(t->sc, t->launcher);
	gpu_room_release(&t->room);
	set_release(&t->set);
}
DEFINE_RELEASE(trial, struct trial, trial_release)

static bool isolated(const struct trial *t)
{
	return t->sc->isolated[0];
}

/* ---- starting -------------------------------------------------------------- */

static struct error *load(struct trial *t)
{
	cleanup_fd int cubins = -1;

	TRY(gpu_cubins(&cubins, t->build));
	gpu_launcher_load(t->launcher, cubins);
	return NULL;
}

/* What works side by side may wait for each other. */
static struct error *give_queues(struct trial *t, int plan)
{
	if (t->all_queues || gpu_plan_is_chain(plan))
		return NULL;
	launchers_leave(t->sc, t->launcher);
	t->launcher = NULL;
	t->all_queues = true;
	TRY(launchers_take_fresh(&t->launcher, t->sc, false));
	return load(t);
}

static struct error *start(struct outcome *o, struct trial *t)
{
	struct scoring *sc = t->sc;
	struct entry_points points = scoring_points(sc->task);
	int object = t->build->object_fd;

	end_host(t);
	if (isolated(t)) {
		struct runner_spec spec = gpu_spec(sc, "resident", object);

		TRY(gpu_host_start(&t->host, points, &spec));
	} else {
		TRY(launchers_take_capturer(&t->host, sc, points, object));
		TRY(launchers_take(&t->launcher, sc));
		TRY(load(t));
		/* Nothing of this phase is timed. */
		TRY(launchers_expect(sc, t->soon));
	}
	return gpu_host_started(o, t->host, sc->task);
}

/* ---- one launch ------------------------------------------------------------ */

static struct error *make_ready(struct outcome *o, struct readiness *how,
				struct trial *t, uint32_t slot)
{
	struct scoring *sc = t->sc;
	cleanup_fd int plan = -1;

	if (isolated(t))
		return gpu_resident_seat(o, how, t->host, sc->task,
					 &t->set.call, &t->room, slot, 0);
	TRY(gpu_capture(o, how, &plan, t->host, sc->task, &t->set.call,
			&t->room.place));
	if (o->verdict != VERDICT_PASS || how->state != GPU_READY)
		return NULL;
	TRY(give_queues(t, plan));
	TRY(gpu_plan_id(t->plan_id, plan, sc->task->prepare != NULL,
			&t->room.place));
	gpu_launcher_arm(t->launcher, sc->task, &t->room, slot, plan, false);
	return gpu_launcher_armed(o, how, t->launcher, sc->task);
}

/* Too little memory: of whose making? Nobody who fails is needed any more. */
static struct error *acquit(const struct outcome *o, struct trial *t)
{
	if (o->verdict != VERDICT_CRASHED)
		return NULL;
	runner_free(t->host);
	runner_free(t->launcher);
	t->host = t->launcher = NULL;
	return gpu_judge_acquit(o, t->sc->judge, &t->room.place);
}

/* As often as the driver gives other addresses; what cannot be replayed goes
 * on as isolated. */
static struct error *get_ready(struct outcome *o, struct trial *t,
			       uint32_t slot)
{
	for (unsigned i = 0; i < GPU_MOVES && o->verdict == VERDICT_PASS; i++) {
		struct readiness how = {0};

		TRY(make_ready(o, &how, t, slot));
		TRY(acquit(o, t));
		if (o->verdict != VERDICT_PASS || how.state == GPU_READY)
			return NULL;
		if (how.state == GPU_UNREPLAYABLE) {
			gpu_isolate(o, t->sc, how.why);
			return NULL;
		}
		gpu_place_draw(&t->room.place, &t->sc->rng);
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

/* Armed or seated, prepared, and with the inputs of this set; where it becomes
 * one of class isolated it is not yet. */
static struct error *set_up(struct outcome *o, struct trial *t, uint32_t slot)
{
	struct scoring *sc = t->sc;
	bool was_isolated = isolated(t);

	TRY(gpu_settle(sc, &t->room, &t->set));
	TRY(get_ready(o, t, slot));
	if (o->verdict != VERDICT_PASS || isolated(t) != was_isolated)
		return NULL;
	if (sc->task->prepare)
		TRY(gpu_prepare(o, was_isolated ? t->host : t->launcher,
				sc->task, 1));
	TRY(acquit(o, t));
	if (!gpu_settles(sc))
		return NULL;
	return gpu_judge_fill(sc->judge, &t->set.recipe);
}

static struct error *launch(struct outcome *o, struct trial *t, uint32_t slot,
			    uint64_t poison)
{
	struct scoring *sc = t->sc;
	struct gpu_ran ran = {0};

	TRY(gpu_judge_poison(sc->judge, slot, poison));
	if (isolated(t))
		TRY(gpu_run_isolated(o, &ran.seconds, t->host, sc->judge, slot,
				     1, false, &sc->rng));
	else
		/* Late or not: no figure comes of it. */
		TRY(gpu_run_timed(o, &ran, t->launcher, sc->task, 1,
				  GPU_NO_IMAGE, &sc->rng));
	sc->seconds_timed += ran.seconds;
	return NULL;
}

static struct error *check(struct outcome *o, double *worst, struct trial *t,
			   uint32_t slot, uint64_t poison,
			   const char *case_name)
{
	struct answer a;

	TRY(gpu_judge_compare(&a, t->sc->judge, slot, 0, GPU_NO_IMAGE, poison));
	check_tell(o, worst, t->sc->task, &t->set, &a, case_name);
	return NULL;
}

static struct error *try_case(struct outcome *o, double *worst, struct trial *t,
			      const struct task_case *c, enum fill mixed)
{
	struct scoring *sc = t->sc;
	bool was_isolated = isolated(t);
	uint64_t poison = random_u64(&sc->rng);
	struct selection what = {.index = 0};

	set_release(&t->set);
	TRY(gpu_set(&t->set, sc, c, mixed, 1));
	gpu_place_shift(&t->room.place, &sc->rng);
	TRY(gpu_judge_allocate(&t->room, sc->judge, &t->set.call, TRIAL_SLOTS,
			       isolated(t)));
	TRY(set_up(o, t, 0));
	if (o->verdict != VERDICT_PASS || isolated(t) != was_isolated)
		return NULL;
	TRY(launch(o, t, 0, poison));
	if (o->verdict != VERDICT_PASS)
		return NULL;
	check_select(&what, sc, &t->set.call.layout, 64);
	TRY(gpu_judge_reference(sc->judge, &t->set, &what));
	return check(o, worst, t, 0, poison, c->name);
}

/* Once more with the inputs that were right just now, into other memory. */
static struct error *try_again(struct outcome *o, struct correctness *found,
			       struct trial *t, const struct task_case *c)
{
	struct scoring *sc = t->sc;
	uint64_t poison = random_u64(&sc->rng);
	bool was_isolated = isolated(t);
	int64_t differ = 0;

	TRY(set_up(o, t, 1));
	if (o->verdict != VERDICT_PASS || isolated(t) != was_isolated)
		return NULL;
	TRY(launch(o, t, 1, poison));
	if (o->verdict == VERDICT_PASS)
		TRY(check(o, &found->case_error[0], t, 1, poison, c->name));
	if (o->verdict != VERDICT_PASS)
		return NULL;
	TRY(gpu_judge_same(&differ, sc->judge, 0, 1));
	found->repeated = true;
	found->repeats = differ == 0;
	if (differ && sc->task->deterministic)
		outcome_set(o, VERDICT_WRONG,
			    "two launches with the same inputs gave different "
			    "bits in %lld elements, and the task asks for the "
			    "same, in case %s",
			    (long long)differ, c->name);
	return NULL;
}

/* ---- all of them ----------------------------------------------------------- */

/* A candidate that turns out to be isolated is tried as such from here on. */
static struct error *try_either(struct outcome *o, double *worst,
				struct trial *t, const struct task_case *c,
				enum fill mixed)
{
	bool before = isolated(t);

	TRY(try_case(o, worst, t, c, mixed));
	if (o->verdict != VERDICT_PASS || isolated(t) == before)
		return NULL;
	TRY(start(o, t));
	return o->verdict == VERDICT_PASS ? try_case(o, worst, t, c, mixed)
					  : NULL;
}

static struct error *try_hidden(struct outcome *o, struct trial *t,
				enum fill mixed)
{
	struct task_case c = {0};
	struct error *err;
	double worst = 0;

	task_draw_hidden(&c, t->sc->task, &t->sc->rng);
	err = try_either(o, &worst, t, &c, mixed);
	task_case_release(&c);
	return err;
}

/* The machine code, and what is launched of it in each case so far. */
static void add_code(struct correctness *found, const struct trial *t)
{
	struct hash *h = hash_new();

	hash_adds(h, found->code[0] ? found->code : t->build->cubins_id);
	hash_adds(h, t->plan_id);
	hash_finish(found->code, h);
	if (isolated(t))
		found->code[0] = '\0';
}

void gpu_tried_end(struct tried *t, struct scoring *sc)
{
	launchers_end(sc, t->capturer, gpu_place_bytes(&t->at));
	*t = (struct tried){0};
}

struct error *gpu_correctness(struct outcome *o, struct correctness *found,
			      struct scoring *sc, const struct build *build,
			      size_t soon)
{
	const struct task *t = sc->task;
	CLEANUP(trial)
	struct trial trial = {
		.sc = sc, .build = build, .set = INPUT_SET_INIT, .soon = soon};
	size_t fill = (size_t)random_below(&sc->rng, MIXED_FILLS);

	gpu_room_init(&trial.room);
	gpu_place_draw(&trial.room.place, &sc->rng);
	TRY(start(o, &trial));
	for (size_t i = 0; o->verdict == VERDICT_PASS && i < t->n_cases; i++) {
		TRY(try_either(o, &found->case_error[i], &trial, &t->cases[i],
			       mixed_fill(fill++)));
		add_code(found, &trial);
		if (i == 0 && o->verdict == VERDICT_PASS)
			TRY(try_again(o, found, &trial, &t->cases[i]));
	}
	for (size_t i = 0; t->hidden && o->verdict == VERDICT_PASS &&
			   i < MAX(t->hidden_count, MIXED_FILLS);
	     i++)
		TRY(try_hidden(o, &trial, mixed_fill(fill++)));
	if (o->verdict == VERDICT_PASS && !isolated(&trial))
		found->tried =
			(struct tried){steal(&trial.host), trial.room.place};
	return NULL;
}
