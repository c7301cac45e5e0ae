#include "scorer/gpu_field.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/file.h"

/* Where a case's memory is mapped, everywhere: apart from each other and from
 * where drivers put things. */
#define INPUTS_BASE	((uint64_t)0x6000 << 32)
#define OUTPUTS_BASE	((uint64_t)0x6100 << 32)
#define ADDRESS_STEP	((uint64_t)4 << 30)
#define ADDRESS_CHOICES 128

/* A batch turns over more memory than any cache has, but not all there is. */
#define TURN_BYTES  ((size_t)256 << 20)
#define BATCH_BYTES ((size_t)4 << 30)
#define MIN_IMAGES  4

struct place {
	struct runner *launcher;
	size_t armed_for; /* case + 1; 0: none */
};

struct gpu_field {
	struct contest *contest;
	struct gpu_room room;
	size_t room_for; /* case + 1; 0: none */
	uint64_t inputs_at, outputs_at;
	struct place *place; /* contenders, then the twin */
	size_t n;
	int **plan; /* a contender, a case: memfd or -1 */
};

/* The device code of a build in one file: each behind its length. */
static struct error *cubins_image(int *out, const struct build *b)
{
	cleanup_fd int fd = memfd_create("cubins", MFD_CLOEXEC);

	if (fd < 0)
		return error_errno("memfd");
	for (size_t i = 0; i < b->n_cubins; i++) {
		cleanup_free char *data = NULL;
		struct stat st;
		uint64_t bytes;

		if (fstat(b->cubin_fd[i], &st) < 0)
			return error_errno("cannot read the device code");
		bytes = (uint64_t)st.st_size;
		data = xcalloc(bytes + 1, 1);
		if (pread(b->cubin_fd[i], data, bytes, 0) != st.st_size)
			return error_errno("cannot read the device code");
		TRY(write_all(fd, &bytes, sizeof bytes));
		TRY(write_all(fd, data, bytes));
	}
	*out = steal_fd(&fd);
	return NULL;
}

static struct runner_spec gpu_spec(const struct scoring *sc, const char *role,
				   int object_fd)
{
	return (struct runner_spec){.sandbox = sc->sandbox,
				    .image_fd = sc->image_fd,
				    .role = role,
				    .object_fd = object_fd,
				    .gpu = true,
				    .stop_now = sc->stop_now};
}

/* A driver does not give an address again right after it was freed. */
static uint64_t draw_address(struct random *rng, uint64_t base)
{
	return base + random_below(rng, ADDRESS_CHOICES) * ADDRESS_STEP;
}

struct gpu_field *gpu_field_new(struct contest *c)
{
	struct gpu_field *f = xcalloc(1, sizeof *f);
	size_t n_cases = c->sc->task->n_cases;

	f->contest = c;
	gpu_room_init(&f->room);
	f->inputs_at = draw_address(&c->sc->rng, INPUTS_BASE);
	f->outputs_at = draw_address(&c->sc->rng, OUTPUTS_BASE);
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

/* A failure of the candidate is a verdict; of anybody else, an error. */
static struct error *settle(struct outcome *o, struct outcome *one,
			    const struct gpu_field *f, size_t contender)
{
	if (one->verdict == VERDICT_PASS)
		return NULL;
	if (contender != 0)
		return error_new(ERROR_TASK,
				 "%s is no rival to compare with: %s",
				 f->contest->contender[contender].name,
				 one->why);
	outcome_release(o);
	*o = *one;
	*one = (struct outcome)OUTCOME_INIT;
	return NULL;
}

/* A set whose tensors lie where the plans think. */
static struct error *make_set(struct input_set *s, struct scoring *sc,
			      const struct task_case *c, enum fill mixed,
			      int64_t images)
{
	TRY(set_init(s, sc->task, c, mixed, images, &sc->rng));
	return layout_make(&s->call.layout, sc->task, c, false);
}

static struct error *count_images(int64_t *out, struct scoring *sc,
				  const struct task_case *c)
{
	cleanup_input_set struct input_set s = INPUT_SET_INIT;
	size_t bytes;

	TRY(make_set(&s, sc, c, FILL_NORMAL, 1));
	bytes = MAX(call_inputs_bytes(&s.call) + call_outputs_bytes(&s.call),
		    1);
	*out = (int64_t)MAX(TURN_BYTES / bytes + 1, MIN_IMAGES);
	*out = MIN(*out, GPU_IMAGES);
	*out = MIN(*out, (int64_t)MAX(BATCH_BYTES / bytes, 1));
	return NULL;
}

/* ---- plans and launchers --------------------------------------------------- */

static struct error *capture_case(struct outcome *o, struct gpu_field *f,
				  struct runner *capturer, size_t contender,
				  size_t which)
{
	struct scoring *sc = f->contest->sc;
	cleanup_input_set struct input_set s = INPUT_SET_INIT;
	struct gpu_place place = {.inputs_at = f->inputs_at,
				  .outputs_at = f->outputs_at};
	int64_t images;

	TRY(count_images(&images, sc, &sc->task->cases[which]));
	TRY(make_set(&s, sc, &sc->task->cases[which], FILL_NORMAL, images));
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
	return settle(o, &one, f, contender);
}

static struct error *start_launcher(struct outcome *o, struct gpu_field *f,
				    size_t at, size_t contender)
{
	struct scoring *sc = f->contest->sc;
	cleanup_outcome struct outcome one = OUTCOME_INIT;
	cleanup_fd int cubins = -1;
	struct runner_spec spec;

	TRY(cubins_image(&cubins, f->contest->contender[contender].build));
	spec = gpu_spec(sc, "launcher", cubins);
	TRY(gpu_launcher_start(&one, &f->place[at].launcher, sc->task, &spec));
	return settle(o, &one, f, contender);
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

static size_t contender_of(const struct gpu_field *f, const struct block *b,
			   size_t slot)
{
	return b->slot[slot] == SLOT_TWIN ? f->contest->twin_of : b->slot[slot];
}

static size_t place_of(const struct gpu_field *f, const struct block *b,
		       size_t slot)
{
	return b->slot[slot] == SLOT_TWIN ? f->contest->n : b->slot[slot];
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
		f->room.place.inputs_at = f->inputs_at;
		f->room.place.outputs_at = f->outputs_at;
		TRY(gpu_judge_allocate(&f->room, sc->judge, c, (uint32_t)f->n));
		f->room_for = b->which + 1;
		for (size_t i = 0; i < f->n; i++)
			f->place[i].armed_for = 0;
	}
	for (size_t i = 0; i < b->n && o->verdict == VERDICT_PASS; i++) {
		cleanup_outcome struct outcome one = OUTCOME_INIT;
		size_t who = contender_of(f, b, i), at = place_of(f, b, i);

		if (f->place[at].armed_for == f->room_for)
			continue;
		TRY(gpu_launcher_arm(&one, f->place[at].launcher, sc->task,
				     &f->room, (uint32_t)at,
				     f->plan[who][b->which]));
		f->place[at].armed_for = f->room_for;
		TRY(settle(o, &one, f, who));
	}
	return NULL;
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
		TRY(settle(o, &one, f, contender_of(f, b, slot)));
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

		TRY(gpu_judge_compare(&a, sc->judge, (uint32_t)at, k,
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
		TRY(settle(o, &one, f, contender_of(f, b, i)));
	}
	return NULL;
}

struct error *gpu_field_half(struct outcome *o, struct gpu_field *f,
			     struct block *b, const size_t *order)
{
	cleanup_input_set struct input_set s = INPUT_SET_INIT;
	struct scoring *sc = f->contest->sc;
	const struct task_case *tc = &sc->task->cases[b->which];
	uint64_t poison[BLOCK_MAX_SLOTS];
	int64_t images;

	TRY(count_images(&images, sc, tc));
	TRY(make_set(&s, sc, tc, FILL_NORMAL, images));
	TRY(enter(o, f, b, &s.call));
	if (o->verdict != VERDICT_PASS)
		return NULL;
	TRY(gpu_judge_fill(sc->judge, &s.recipe));
	for (size_t i = 0; i < b->n; i++) {
		poison[i] = random_u64(&sc->rng);
		TRY(gpu_judge_poison(sc->judge, (uint32_t)place_of(f, b, i),
				     poison[i]));
	}
	TRY(run_all(o, f, b, order));
	if (o->verdict != VERDICT_PASS)
		return NULL;
	return check_all(o, f, b, &s, poison);
}

/* ---- the first phase -------------------------------------------------------- */

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

	TRY(make_set(&s, sc, c, mixed, 1));
	t->room.place.inputs_at = draw_address(&sc->rng, INPUTS_BASE);
	t->room.place.outputs_at = draw_address(&sc->rng, OUTPUTS_BASE);
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
	TRY(cubins_image(&cubins, build));
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
