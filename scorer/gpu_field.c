#include "scorer/gpu_field.h"

#include "scorer/gpu_setup.h"

struct place {
	struct runner *launcher;
	size_t armed_for; /* case + 1; 0: none */
	uint32_t slot;	  /* whose outputs it writes, of the room's */
};

struct gpu_field {
	struct contest *contest;
	struct gpu_room room;
	size_t room_for;     /* case + 1; 0: none */
	struct gpu_place at; /* the addresses */
	struct place *place; /* contenders, then the twin */
	size_t n;
	int **plan; /* a contender, a case: memfd or -1 */
};

struct gpu_field *gpu_field_new(struct contest *c)
{
	struct gpu_field *f = xcalloc(1, sizeof *f);
	size_t n_cases = c->sc->task->n_cases;

	f->contest = c;
	gpu_room_init(&f->room);
	gpu_place_draw(&f->at, &c->sc->rng);
	f->n = c->n + 1;
	f->place = xcalloc(f->n, sizeof *f->place);
	f->plan = xcalloc(c->n, sizeof *f->plan);
	for (size_t i = 0; i < c->n; i++) {
		f->plan[i] = xcalloc(n_cases, sizeof **f->plan);
		for (size_t k = 0; k < n_cases; k++)
			f->plan[i][k] = -1;
	}
	return f;
}

void gpu_field_stop(struct gpu_field *f)
{
	for (size_t i = 0; i < f->n; i++) {
		runner_free(f->place[i].launcher);
		f->place[i] = (struct place){0};
	}
}

void gpu_field_free(struct gpu_field *f)
{
	if (!f)
		return;
	gpu_field_stop(f);
	for (size_t i = 0; i < f->contest->n; i++) {
		for (size_t k = 0; k < f->contest->sc->task->n_cases; k++)
			cleanup_fd_fn(&f->plan[i][k]);
		free(f->plan[i]);
	}
	free(f->plan);
	free(f->place);
	gpu_room_release(&f->room);
	free(f);
}

/* ---- plans and launchers --------------------------------------------------- */

static struct error *capture_case(struct outcome *o, struct gpu_field *f,
				  struct runner *capturer, size_t contender,
				  size_t which)
{
	struct scoring *sc = f->contest->sc;
	cleanup_input_set struct input_set s = INPUT_SET_INIT;
	struct gpu_place place = {.inputs_at = f->at.inputs_at,
				  .outputs_at = f->at.outputs_at};
	int64_t images;

	TRY(gpu_count_images(&images, sc, &sc->task->cases[which]));
	TRY(gpu_set(&s, sc, &sc->task->cases[which], FILL_NORMAL, images));
	place.images = (uint32_t)images;
	place.inputs_bytes = call_inputs_bytes(&s.call);
	place.outputs_bytes = call_outputs_bytes(&s.call);
	return gpu_capture(o, &f->plan[contender][which], capturer, sc->task,
			   &s.call, &place);
}

static struct error *capture_all(struct outcome *o, struct gpu_field *f,
				 size_t contender)
{
	struct scoring *sc = f->contest->sc;
	const struct contender *who = &f->contest->contender[contender];
	cleanup_outcome struct outcome one = OUTCOME_INIT;
	cleanup_runner struct runner *capturer = NULL;
	struct runner_spec spec = gpu_spec(sc, "capturer", who->object_fd);

	if (f->plan[contender][0] >= 0)
		return NULL;
	TRY(gpu_capturer_start(&one, &capturer, sc->task, who->points, &spec));
	for (size_t k = 0; one.verdict == VERDICT_PASS && k < sc->task->n_cases;
	     k++)
		TRY(capture_case(&one, f, capturer, contender, k));
	return contest_settle(o, &one, f->contest, contender, NULL);
}

static struct error *start_launcher(struct outcome *o, struct gpu_field *f,
				    size_t at, size_t contender)
{
	struct scoring *sc = f->contest->sc;
	cleanup_outcome struct outcome one = OUTCOME_INIT;
	cleanup_fd int cubins = -1;
	struct runner_spec spec;

	TRY(gpu_cubins(&cubins, f->contest->contender[contender].build));
	spec = gpu_spec(sc, "launcher", cubins);
	TRY(gpu_launcher_start(&one, &f->place[at].launcher, sc->task, &spec));
	return contest_settle(o, &one, f->contest, contender, NULL);
}

struct error *gpu_field_start(struct outcome *o, struct gpu_field *f)
{
	struct contest *c = f->contest;

	gpu_field_stop(f);
	for (size_t i = 0; i < c->n && o->verdict == VERDICT_PASS; i++) {
		if (i > 0 && !c->contender[i].active)
			continue;
		TRY(capture_all(o, f, i));
		if (o->verdict == VERDICT_PASS)
			TRY(start_launcher(o, f, i, i));
	}
	if (!c->twinless && o->verdict == VERDICT_PASS)
		TRY(start_launcher(o, f, c->n, c->twin_of));
	return NULL;
}

/* ---- a half of a block ------------------------------------------------------ */

static size_t place_of(const struct gpu_field *f, const struct block *b,
		       size_t slot)
{
	return b->slot[slot] == SLOT_TWIN ? f->contest->n : b->slot[slot];
}

/* Every arm gets outputs of its own, others for every half: where memory lies
 * on the card is worth up to a percent. */
static struct error *take_slots(struct outcome *o, struct gpu_field *f,
				struct block *b)
{
	struct scoring *sc = f->contest->sc;
	size_t slot[GPU_SLOTS];

	for (size_t i = 0; i < f->n; i++)
		slot[i] = i;
	random_shuffle(&sc->rng, slot, f->n);
	for (size_t i = 0; i < b->n && o->verdict == VERDICT_PASS; i++) {
		cleanup_outcome struct outcome one = OUTCOME_INIT;
		size_t who = block_contender(b, i);
		struct place *p = &f->place[place_of(f, b, i)];

		if (p->armed_for == f->room_for && p->slot == slot[i])
			continue;
		p->slot = (uint32_t)slot[i];
		TRY(gpu_launcher_arm(&one, p->launcher, sc->task, &f->room,
				     p->slot, f->plan[who][b->which]));
		p->armed_for = f->room_for;
		TRY(contest_settle(o, &one, f->contest, who, NULL));
	}
	return NULL;
}

/* The room holds one case at a time; each place has outputs of its own. */
static struct error *enter(struct outcome *o, struct gpu_field *f,
			   struct block *b, const struct call *c)
{
	struct scoring *sc = f->contest->sc;

	if (f->n > GPU_SLOTS)
		return error_new(ERROR_TASK,
				 "%s: over %d rivals and baselines at once",
				 sc->task->path, GPU_SLOTS - 2);
	if (f->room_for != b->which + 1) {
		f->room.place.inputs_at = f->at.inputs_at;
		f->room.place.outputs_at = f->at.outputs_at;
		TRY(gpu_judge_allocate(&f->room, sc->judge, c, (uint32_t)f->n));
		f->room_for = b->which + 1;
		for (size_t i = 0; i < f->n; i++)
			f->place[i].armed_for = 0;
	}
	return take_slots(o, f, b);
}

static struct error *run_all(struct outcome *o, struct gpu_field *f,
			     struct block *b, const size_t *order)
{
	struct contest *c = f->contest;

	for (size_t i = 0; i < b->n && o->verdict == VERDICT_PASS; i++) {
		size_t slot = order[i];
		cleanup_outcome struct outcome one = OUTCOME_INIT;

		TRY(gpu_launcher_run(&one, &b->seconds[slot],
				     f->place[place_of(f, b, slot)].launcher,
				     c->sc->task, f->room.place.images,
				     &c->sc->rng));
		c->timed += b->seconds[slot] * f->room.place.images;
		c->sc->seconds_timed += b->seconds[slot] * f->room.place.images;
		TRY(contest_settle(o, &one, f->contest,
				   block_contender(b, slot), NULL));
	}
	return NULL;
}

/* Guards and poison of every image, values of one. */
static struct error *check_place(struct outcome *o, double *worst,
				 struct gpu_field *f, const struct input_set *s,
				 size_t at, uint32_t index, bool values,
				 uint64_t poison, const char *case_name)
{
	struct scoring *sc = f->contest->sc;

	for (uint32_t k = 0;
	     k < f->room.place.images && o->verdict == VERDICT_PASS; k++) {
		struct answer a;

		TRY(gpu_judge_compare(&a, sc->judge, f->place[at].slot, k,
				      values && k == index, poison));
		check_tell(o, worst, sc->task, s, &a, case_name);
	}
	return NULL;
}

static struct error *check_all(struct outcome *o, struct gpu_field *f,
			       struct block *b, const struct input_set *s,
			       const uint64_t *poison)
{
	struct contest *c = f->contest;
	const struct task_case *tc = &c->sc->task->cases[b->which];
	uint32_t index =
		(uint32_t)random_below(&c->sc->rng, f->room.place.images);
	struct selection what = {.index = index};

	check_select(&what, c->sc, &s->call.layout, 4);
	TRY(gpu_judge_reference(c->sc->judge, s, &what));
	for (size_t i = 0; i < b->n && o->verdict == VERDICT_PASS; i++) {
		cleanup_outcome struct outcome one = OUTCOME_INIT;
		double worst = 0;

		TRY(check_place(&one, &worst, f, s, place_of(f, b, i), index,
				true, poison[i], tc->name));
		if (b->slot[i] == 0)
			c->case_error[b->which] =
				MAX(c->case_error[b->which], worst);
		TRY(contest_settle(o, &one, f->contest, block_contender(b, i),
				   NULL));
	}
	return NULL;
}

struct error *gpu_field_half(struct outcome *o, struct gpu_field *f,
			     struct block *b, const size_t *order)
{
	cleanup_input_set struct input_set s = INPUT_SET_INIT;
	struct scoring *sc = f->contest->sc;
	const struct task_case *tc = &sc->task->cases[b->which];
	uint64_t poison[BLOCK_MAX_SLOTS] = {0};
	int64_t images;

	TRY(gpu_count_images(&images, sc, tc));
	TRY(gpu_set(&s, sc, tc, FILL_NORMAL, images));
	TRY(enter(o, f, b, &s.call));
	if (o->verdict != VERDICT_PASS)
		return NULL;
	TRY(gpu_judge_fill(sc->judge, &s.recipe));
	for (size_t i = 0; i < b->n; i++) {
		poison[i] = random_u64(&sc->rng);
		TRY(gpu_judge_poison(sc->judge,
				     f->place[place_of(f, b, i)].slot,
				     poison[i]));
	}
	TRY(run_all(o, f, b, order));
	if (o->verdict != VERDICT_PASS)
		return NULL;
	return check_all(o, f, b, &s, poison);
}
