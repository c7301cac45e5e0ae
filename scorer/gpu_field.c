#include "scorer/gpu_field.h"

#include <math.h>

#include "scorer/gpu_setup.h"
#include "scorer/gpu_watch.h"

#define OVERHEAD_LAUNCHES 5
/* How often a half is made while somebody in it is late. */
#define HALF_TRIES 4

struct place {
	struct runner *runner; /* a launcher or a resident */
	size_t armed_for;      /* case + 1; 0: none */
	uint32_t slot;	       /* whose outputs it writes, of the room's */
};

struct gpu_field {
	struct contest *contest;
	struct gpu_room room;
	size_t room_for;     /* case + 1; 0: none */
	struct gpu_place at; /* the addresses */
	unsigned moves;	     /* how often they were drawn anew */
	struct gpu_watch watch;
	struct place *place; /* contenders, then the twin */
	size_t n;
	int **plan; /* a contender, a case: memfd or -1 */
};

static bool isolated(const struct gpu_field *f)
{
	return f->contest->sc->isolated[0];
}

/* Called as a user would, in a process of its own: what is isolated, and the
 * task's own code, which is believed, and may call libraries that no launcher
 * has. */
static bool is_resident(const struct gpu_field *f, size_t contender)
{
	return isolated(f) || f->contest->contender[contender].points.trusted;
}

struct gpu_field *gpu_field_new(struct contest *c)
{
	struct gpu_field *f = xcalloc(1, sizeof *f);
	size_t n_cases = c->sc->task->n_cases;

	f->contest = c;
	gpu_watch_start(&f->watch, c->sc->gpu_uuid);
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
		runner_free(f->place[i].runner);
		f->place[i] = (struct place){0};
	}
}

static void drop_plans(struct gpu_field *f)
{
	for (size_t i = 0; i < f->contest->n; i++)
		for (size_t k = 0; k < f->contest->sc->task->n_cases; k++)
			cleanup_fd_fn(&f->plan[i][k]);
}

void gpu_field_free(struct gpu_field *f)
{
	if (!f)
		return;
	gpu_field_stop(f);
	drop_plans(f);
	for (size_t i = 0; i < f->contest->n; i++)
		free(f->plan[i]);
	gpu_watch_stop(&f->watch);
	free(f->plan);
	free(f->place);
	gpu_room_release(&f->room);
	free(f);
}

/* Too little memory: of whose making? Who failed is needed no more. */
static struct error *acquit(const struct outcome *o, struct gpu_field *f,
			    struct runner **failed,
			    const struct gpu_place *place)
{
	if (o->verdict != VERDICT_CRASHED)
		return NULL;
	runner_free(*failed);
	*failed = NULL;
	return gpu_judge_acquit(o, f->contest->sc->judge, place);
}

/* ---- plans ------------------------------------------------------------------ */

static struct error *capture_case(struct outcome *o, struct readiness *how,
				  struct gpu_field *f, struct runner **capturer,
				  size_t contender, size_t which)
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
	TRY(gpu_capture(o, how, &f->plan[contender][which], *capturer, sc->task,
			&s.call, &place));
	return acquit(o, f, capturer, &place);
}

static struct error *capture_cases(struct outcome *o, struct readiness *how,
				   struct gpu_field *f, size_t contender)
{
	struct scoring *sc = f->contest->sc;
	const struct contender *who = &f->contest->contender[contender];
	cleanup_outcome struct outcome one = OUTCOME_INIT;
	cleanup_runner struct runner *capturer = NULL;
	struct runner_spec spec = gpu_spec(sc, "capturer", who->object_fd);

	TRY(gpu_host_start(&one, &capturer, sc->task, who->points, &spec));
	for (size_t k = 0; one.verdict == VERDICT_PASS &&
			   how->state == GPU_READY && k < sc->task->n_cases;
	     k++)
		TRY(capture_case(&one, how, f, &capturer, contender, k));
	return contest_settle(o, &one, f->contest, contender, NULL);
}

static void move(struct gpu_field *f)
{
	drop_plans(f);
	f->moves++;
	gpu_place_draw(&f->at, &f->contest->sc->rng);
	for (size_t i = 0; i < f->n; i++)
		f->place[i].armed_for = 0;
}

/* Plans of everybody that is replayed. One who cannot be makes the comparison
 * one of class isolated. */
static struct error *capture_all(struct outcome *o, struct gpu_field *f)
{
	struct contest *c = f->contest;

	for (size_t i = 0; i < c->n && o->verdict == VERDICT_PASS; i++) {
		struct readiness how = {0};

		if (is_resident(f, i) || f->plan[i][0] >= 0 ||
		    (i > 0 && !c->contender[i].active))
			continue;
		TRY(capture_cases(o, &how, f, i));
		if (o->verdict != VERDICT_PASS || how.state == GPU_READY)
			continue;
		if (how.state == GPU_MOVED && f->moves < GPU_MOVES) {
			move(f);
			i = SIZE_MAX; /* everybody once more */
			continue;
		}
		gpu_isolate(o, c->sc,
			    how.state == GPU_UNREPLAYABLE
				    ? how.why
				    : "the driver does not give the addresses "
				      "that it was captured with");
	}
	return NULL;
}

/* ---- processes --------------------------------------------------------------- */

static struct error *start_runner(struct outcome *o, struct gpu_field *f,
				  size_t at, size_t contender)
{
	struct scoring *sc = f->contest->sc;
	const struct contender *who = &f->contest->contender[contender];
	cleanup_outcome struct outcome one = OUTCOME_INIT;
	cleanup_fd int cubins = -1;
	struct runner_spec spec;

	if (is_resident(f, contender)) {
		spec = gpu_spec(sc, "resident", who->object_fd);
		TRY(gpu_host_start(&one, &f->place[at].runner, sc->task,
				   who->points, &spec));
	} else {
		TRY(gpu_cubins(&cubins, who->build));
		spec = gpu_spec(sc, "launcher", cubins);
		TRY(gpu_launcher_start(&one, &f->place[at].runner, sc->task,
				       &spec));
	}
	return contest_settle(o, &one, f->contest, contender, NULL);
}

struct error *gpu_field_start(struct outcome *o, struct gpu_field *f)
{
	struct contest *c = f->contest;

	gpu_field_stop(f);
	TRY(capture_all(o, f));
	for (size_t i = 0; i < c->n && o->verdict == VERDICT_PASS; i++)
		if (i == 0 || c->contender[i].active)
			TRY(start_runner(o, f, i, i));
	if (!c->twinless && o->verdict == VERDICT_PASS)
		TRY(start_runner(o, f, c->n, c->twin_of));
	return NULL;
}

/* ---- a half of a block ------------------------------------------------------ */

static size_t place_of(const struct gpu_field *f, const struct block *b,
		       size_t slot)
{
	return b->slot[slot] == SLOT_TWIN ? f->contest->n : b->slot[slot];
}

static struct error *take_slot(struct outcome *o, struct readiness *how,
			       struct gpu_field *f, struct block *b,
			       const struct call *c, size_t i)
{
	struct scoring *sc = f->contest->sc;
	cleanup_outcome struct outcome one = OUTCOME_INIT;
	size_t who = block_contender(b, i);
	struct place *p = &f->place[place_of(f, b, i)];

	if (is_resident(f, who))
		TRY(gpu_resident_seat(&one, how, p->runner, sc->task, c,
				      &f->room, p->slot));
	else
		TRY(gpu_launcher_arm(&one, how, p->runner, sc->task, &f->room,
				     p->slot, f->plan[who][b->which]));
	p->armed_for = f->room_for;
	TRY(acquit(&one, f, &p->runner, &f->room.place));
	return contest_settle(o, &one, f->contest, who, NULL);
}

/* Every arm gets outputs of its own, others for every half: where memory lies
 * on the card is worth up to a percent. */
static struct error *take_slots(struct outcome *o, struct readiness *how,
				struct gpu_field *f, struct block *b,
				const struct call *c)
{
	size_t slot[GPU_SLOTS];

	for (size_t i = 0; i < f->n; i++)
		slot[i] = i;
	random_shuffle(&f->contest->sc->rng, slot, f->n);
	for (size_t i = 0;
	     i < b->n && o->verdict == VERDICT_PASS && how->state == GPU_READY;
	     i++) {
		struct place *p = &f->place[place_of(f, b, i)];

		if (p->armed_for == f->room_for && p->slot == slot[i])
			continue;
		p->slot = (uint32_t)slot[i];
		TRY(take_slot(o, how, f, b, c, i));
	}
	return NULL;
}

/* The room holds one case at a time; each place has outputs of its own. */
static struct error *make_room(struct gpu_field *f, const struct block *b,
			       const struct input_set *s)
{
	struct scoring *sc = f->contest->sc;

	if (f->n > GPU_SLOTS)
		return error_new(ERROR_TASK,
				 "%s: over %d rivals and baselines at once",
				 sc->task->path, GPU_SLOTS - 2);
	if (f->room_for != b->which + 1) {
		TRY(gpu_judge_allocate(&f->room, sc->judge, &s->call,
				       (uint32_t)f->n, isolated(f)));
		f->room_for = b->which + 1;
		for (size_t i = 0; i < f->n; i++)
			f->place[i].armed_for = 0;
	}
	f->room.place.inputs_at = f->at.inputs_at;
	f->room.place.outputs_at = f->at.outputs_at;
	return gpu_judge_fill(sc->judge, &s->recipe);
}

static struct error *enter(struct outcome *o, struct gpu_field *f,
			   struct block *b, const struct input_set *s)
{
	for (;;) {
		struct readiness how = {0};

		TRY(make_room(f, b, s));
		TRY(take_slots(o, &how, f, b, &s->call));
		if (o->verdict != VERDICT_PASS || how.state == GPU_READY)
			return NULL;
		if (how.state == GPU_MOVED && f->moves < GPU_MOVES) {
			move(f);
			TRY(capture_all(o, f));
		} else if (isolated(f)) {
			return error_new(ERROR_SYSTEM,
					 "the driver gives no address that is "
					 "asked for: try again");
		} else {
			gpu_isolate(o, f->contest->sc, how.why);
			TRY(gpu_field_start(o, f));
			f->room_for = 0;
		}
		if (o->verdict != VERDICT_PASS)
			return NULL;
	}
}

static struct error *run_one(struct outcome *o, struct gpu_ran *out,
			     struct gpu_field *f, size_t place, bool empty)
{
	struct scoring *sc = f->contest->sc;
	struct place *p = &f->place[place];
	uint32_t images = f->room.place.images;

	if (isolated(f))
		return gpu_run_isolated(o, &out->seconds, p->runner, sc->judge,
					p->slot, images, empty, &sc->rng);
	return gpu_run(o, out, p->runner, sc->task, images, &sc->rng);
}

/* What the way there and back costs, once a case of a contest of class
 * isolated. */
static struct error *measure_overhead(struct outcome *o, struct gpu_field *f,
				      size_t which)
{
	struct contest *c = f->contest;
	double x[OVERHEAD_LAUNCHES] = {0};

	if (!isolated(f) || c->case_overhead[which] > 0)
		return NULL;
	for (size_t i = 0; i < OVERHEAD_LAUNCHES; i++) {
		struct gpu_ran ran = {0};

		if (o->verdict == VERDICT_PASS)
			TRY(run_one(o, &ran, f, 0, true));
		x[i] = ran.seconds;
	}
	c->case_overhead[which] = stats_median(x, OVERHEAD_LAUNCHES);
	return NULL;
}

/* Ends where somebody is late, unless it is the last try: then that is a
 * verdict. */
static struct error *run_all(struct outcome *o, bool *late, struct gpu_field *f,
			     struct block *b, const size_t *order, bool last)
{
	struct contest *c = f->contest;

	for (size_t i = 0; i < b->n && o->verdict == VERDICT_PASS && !*late;
	     i++) {
		size_t slot = order[i];
		cleanup_outcome struct outcome one = OUTCOME_INIT;
		struct gpu_ran ran = {0};

		/* So that it is of a moment at work. */
		if (i == b->n / 2)
			gpu_watch_ask(&f->watch);
		TRY(run_one(&one, &ran, f, place_of(f, b, slot), false));
		b->seconds[slot] = ran.seconds;
		c->timed += ran.seconds * f->room.place.images;
		c->sc->seconds_timed += ran.seconds * f->room.place.images;
		*late = ran.late && !last;
		if (ran.late && last)
			gpu_tell_disagreement(&one, &ran);
		TRY(contest_settle(o, &one, f->contest,
				   block_contender(b, slot), NULL));
	}
	return NULL;
}

void gpu_field_record(struct measurement *m, const struct gpu_field *f)
{
	gpu_watch_record(m, &f->watch);
}

/* Class isolated: the way there and back is part of the time, and some of it
 * is spent in a process that the candidate shares. Replacing the wait there
 * by nothing was told faster; no more than half could be gained so. */
#define SHAVED 0.5

static double shaving(char **why, const struct gpu_field *f)
{
	const struct contest *c = f->contest;
	double worst = 0;

	for (size_t i = 0; isolated(f) && i < c->sc->task->n_cases; i++) {
		double seconds =
			stats_median(c->seconds[i].value, c->seconds[i].n);

		if (seconds > 0)
			worst = MAX(worst, c->case_overhead[i] / seconds);
	}
	if (worst <= 0)
		return 0;
	*why = xasprintf("%.0f %% of a launch are handing inputs over and "
			 "taking outputs (class isolated)",
			 100 * worst);
	return -log1p(-MIN(SHAVED * worst, 0.9));
}

double gpu_field_bias(char **why, const struct gpu_field *f)
{
	double bias = gpu_watch_bias(why, &f->watch);

	return bias > 0 ? bias : shaving(why, f);
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

/* From new inputs on, so that nothing of an earlier try is of use. */
static struct error *try_half(struct outcome *o, bool *late,
			      struct gpu_field *f, struct block *b,
			      const size_t *order, bool last)
{
	cleanup_input_set struct input_set s = INPUT_SET_INIT;
	struct scoring *sc = f->contest->sc;
	const struct task_case *tc = &sc->task->cases[b->which];
	uint64_t poison[BLOCK_MAX_SLOTS] = {0};
	int64_t images;

	TRY(gpu_count_images(&images, sc, tc));
	TRY(gpu_set(&s, sc, tc, FILL_NORMAL, images));
	TRY(enter(o, f, b, &s));
	if (o->verdict != VERDICT_PASS)
		return NULL;
	TRY(measure_overhead(o, f, b->which));
	for (size_t i = 0; i < b->n; i++) {
		poison[i] = random_u64(&sc->rng);
		TRY(gpu_judge_poison(sc->judge,
				     f->place[place_of(f, b, i)].slot,
				     poison[i]));
	}
	TRY(run_all(o, late, f, b, order, last));
	gpu_watch_take(&f->watch);
	if (o->verdict != VERDICT_PASS || *late)
		return NULL;
	return check_all(o, f, b, &s, poison);
}

struct error *gpu_field_half(struct outcome *o, struct gpu_field *f,
			     struct block *b, const size_t *order)
{
	bool late = true;

	for (size_t i = 1; late && o->verdict == VERDICT_PASS; i++) {
		late = false;
		TRY(try_half(o, &late, f, b, order, i == HALF_TRIES));
	}
	return NULL;
}
