#include "scorer/gpu_process.h"

#include <math.h>
#include <unistd.h>

#include "core/clock.h"

/* A driver that opens, compiles and maps: not the candidate's time. */
#define START_SECONDS	60.0
#define CONTEXT_SECONDS 5.0

void gpu_room_init(struct gpu_room *r)
{
	*r = (struct gpu_room){.inputs = -1};
	for (size_t i = 0; i < GPU_SLOTS; i++)
		r->outputs[i] = -1;
}

void gpu_room_release(struct gpu_room *r)
{
	cleanup_fd_fn(&r->inputs);
	for (size_t i = 0; i < GPU_SLOTS; i++)
		cleanup_fd_fn(&r->outputs[i]);
}

/* ---- the judge ------------------------------------------------------------ */

struct error *gpu_judge_allocate(struct gpu_room *room, struct judge *j,
				 const struct call *c, uint32_t slots,
				 bool apart)
{
	struct gpu_allocate_request q = {.head = {GPU_ALLOCATE, 0},
					 .call = *c,
					 .slots = slots,
					 .apart = apart};
	struct gpu_place place = room->place;
	union reply reply;

	gpu_room_release(room);
	TRY(judge_request(&reply, j, &q, sizeof q, -1, -1, GPU_ALLOCATED));
	room->place = reply.allocated.place;
	room->place.inputs_at = place.inputs_at;
	room->place.outputs_at = place.outputs_at;
	room->inputs = steal_fd(&j->runner->given[0]);
	for (uint32_t i = 0; i < slots; i++)
		room->outputs[i] = steal_fd(&j->runner->given[1 + i]);
	return NULL;
}

struct error *gpu_judge_fill(struct judge *j, const struct recipe *recipe)
{
	struct gpu_fill_request q = {.head = {GPU_FILL_SET, 0},
				     .recipe = *recipe};
	struct answer a;

	return judge_ask(j, &a, &q, sizeof q, -1, -1);
}

struct error *gpu_judge_poison(struct judge *j, uint32_t slot, uint64_t poison)
{
	struct gpu_poison_request q = {
		.head = {GPU_POISON_SLOT, 0}, .slot = slot, .poison = poison};
	struct answer a;

	return judge_ask(j, &a, &q, sizeof q, -1, -1);
}

struct error *gpu_judge_reference(struct judge *j, const struct input_set *s,
				  const struct selection *what)
{
	struct gpu_reference_request q = {.head = {GPU_REFERENCE, 0},
					  .recipe = s->recipe,
					  .index = what->index,
					  .rows = j->task->reference_rows,
					  .n_segments = what->n_segments,
					  .history = s->history,
					  .tolerance = j->task->tolerance};
	struct answer a;

	memcpy(q.segment, what->segment, sizeof q.segment);
	return judge_ask(j, &a, &q, sizeof q, -1, -1);
}

struct error *gpu_judge_compare(struct answer *out, struct judge *j,
				uint32_t slot, uint32_t index, bool values,
				uint64_t poison)
{
	struct gpu_compare_request q = {.head = {GPU_COMPARE, 0},
					.slot = slot,
					.index = index,
					.values = values,
					.poison = poison};

	return judge_ask(j, out, &q, sizeof q, -1, -1);
}

struct error *gpu_judge_same(int64_t *differ, struct judge *j, uint32_t one,
			     uint32_t other)
{
	struct gpu_same_request q = {.head = {GPU_SAME_OUTPUTS, 0},
				     .slot = {one, other}};
	struct answer a;

	TRY(judge_ask(j, &a, &q, sizeof q, -1, -1));
	*differ = a.wrong;
	return NULL;
}

static struct error *pass(struct judge *j, enum gpu_message_kind kind,
			  uint32_t slot)
{
	struct gpu_pass_request q = {.head = {kind, 0}, .slot = slot};
	struct answer a;

	return judge_ask(j, &a, &q, sizeof q, -1, -1);
}

/* ---- a candidate ---------------------------------------------------------- */

/* What a runner could not do, and why: mostly the driver's word for it. */
static void refused(struct outcome *o, const char *text, const char *doing)
{
	if (strstr(text, "ILLEGAL_ADDRESS") || strstr(text, "MISALIGNED"))
		outcome_set(o, VERDICT_OUT_OF_BOUNDS,
			    "a kernel touched memory that is not its own (%s)",
			    text);
	else
		outcome_set(o, VERDICT_CRASHED, "%s: %s", doing, text);
}

static struct error *tell(struct outcome *o, struct runner *r,
			  const struct task *task, enum runner_state state,
			  const union reply *reply, const char *doing)
{
	int code = 0, number = 0;

	switch (state) {
	case RUNNER_ANSWERED:
		return NULL;
	case RUNNER_REFUSED:
		refused(o, reply->refused.text, doing);
		return NULL;
	case RUNNER_LATE:
		outcome_set(o, VERDICT_TIMED_OUT,
			    "its kernels did not end within %g s",
			    task->timeout_seconds);
		return NULL;
	case RUNNER_STRANGE:
		outcome_set(o, VERDICT_FORBIDDEN,
			    "it wrote to the scorer's control channel");
		return NULL;
	case RUNNER_INTERRUPTED:
		return error_new(ERROR_INTERRUPTED, "stopped");
	case RUNNER_ENDED:
		break;
	}
	runner_end(r, &code, &number);
	outcome_set(o, VERDICT_CRASHED,
		    number ? "%s: it ended by signal %d"
			   : "%s: it exited with status %d",
		    doing, number ? number : code);
	o->log = xstrdup(r->said.data);
	return NULL;
}

struct error *gpu_host_start(struct outcome *o, struct runner **out,
			     const struct task *task,
			     struct entry_points points,
			     const struct runner_spec *spec)
{
	cleanup_runner struct runner *r = NULL;
	struct start_request q = {.head = {MESSAGE_START, 0}};
	enum runner_state state;
	union reply reply;

	TRY(runner_put_name(q.entry, points.entry));
	TRY(runner_start(&r, spec));
	runner_send(r, &q, sizeof q, -1, -1);
	state = runner_wait(r, &reply, MESSAGE_STARTED,
			    clock_seconds() + START_SECONDS);
	if (state == RUNNER_REFUSED)
		outcome_set(o, VERDICT_BUILD_FAILED, "it does not load: %s",
			    reply.refused.text);
	else
		TRY(tell(o, r, task, state, &reply, "loading"));
	*out = steal(&r);
	return NULL;
}

static void take_readiness(struct readiness *how,
			   const struct gpu_ready_reply *r)
{
	how->state = r->state <= GPU_UNREPLAYABLE ? (enum gpu_state)r->state
						  : GPU_UNREPLAYABLE;
	snprintf(how->why, sizeof how->why, "%.*s", (int)sizeof r->why - 1,
		 r->why);
}

/* A first call that goes wrong is the candidate's failure. One that only goes
 * wrong while it is captured is a candidate to be run as a whole. */
static struct error *record(struct outcome *o, struct readiness *how,
			    struct runner *capturer, const struct task *task,
			    struct gpu_capture_request *q, int fd)
{
	enum runner_state state;
	union reply reply;

	q->head.kind = GPU_CAPTURE;
	runner_send(capturer, q, sizeof *q, fd, -1);
	state = runner_wait(capturer, &reply, GPU_CAPTURED,
			    clock_seconds() + CONTEXT_SECONDS +
				    task->timeout_seconds);
	if (state == RUNNER_ANSWERED) {
		take_readiness(how, &reply.ready);
		return NULL;
	}
	if (state != RUNNER_ENDED && state != RUNNER_REFUSED &&
	    state != RUNNER_LATE)
		return tell(o, capturer, task, state, &reply, "captured");
	how->state = GPU_UNREPLAYABLE;
	snprintf(how->why, sizeof how->why, "it %s while it was captured",
		 state == RUNNER_LATE ? "hangs" : "ends");
	return NULL;
}

struct error *gpu_capture(struct outcome *o, struct readiness *how, int *plan,
			  struct runner *capturer, const struct task *task,
			  const struct call *c, const struct gpu_place *place)
{
	struct gpu_capture_request q = {
		.head = {GPU_TRY, 0}, .call = *c, .place = *place};
	cleanup_fd int fd = -1;
	enum runner_state state;
	union reply reply;

	runner_send(capturer, &q, sizeof q, -1, -1);
	state = runner_wait(capturer, &reply, GPU_CAPTURED,
			    clock_seconds() + CONTEXT_SECONDS +
				    task->timeout_seconds);
	if (state != RUNNER_ANSWERED)
		return tell(o, capturer, task, state, &reply,
			    "in its first call");
	take_readiness(how, &reply.ready);
	if (how->state != GPU_READY)
		return NULL;
	TRY(sized_memfd(&fd, "plan",
			place->images * sizeof(struct plan_launch)));
	TRY(record(o, how, capturer, task, &q, fd));
	if (o->verdict == VERDICT_PASS && how->state == GPU_READY) {
		cleanup_fd_fn(plan);
		*plan = steal_fd(&fd);
	}
	return NULL;
}

struct error *gpu_launcher_start(struct outcome *o, struct runner **out,
				 const struct task *task,
				 const struct runner_spec *spec)
{
	cleanup_runner struct runner *r = NULL;
	struct start_request q = {.head = {MESSAGE_START, 0}};
	enum runner_state state;
	union reply reply;

	TRY(runner_start(&r, spec));
	runner_send(r, &q, sizeof q, -1, -1);
	state = runner_wait(r, &reply, MESSAGE_STARTED,
			    clock_seconds() + START_SECONDS);
	TRY(tell(o, r, task, state, &reply, "starting a launcher"));
	*out = steal(&r);
	return NULL;
}

/* Waits for ARMED. */
static struct error *await_armed(struct outcome *o, struct readiness *how,
				 struct runner *r, const struct task *task,
				 double seconds, const char *doing)
{
	union reply reply;
	enum runner_state state =
		runner_wait(r, &reply, GPU_ARMED, clock_seconds() + seconds);

	if (state != RUNNER_ANSWERED)
		return tell(o, r, task, state, &reply, doing);
	take_readiness(how, &reply.ready);
	return NULL;
}

struct error *gpu_launcher_arm(struct outcome *o, struct readiness *how,
			       struct runner *launcher, const struct task *task,
			       const struct gpu_room *room, uint32_t slot,
			       int plan)
{
	struct gpu_arm_request q = {.head = {GPU_ARM, 0},
				    .place = room->place,
				    .plan_bytes = room->place.images *
						  sizeof(struct plan_launch)};
	const int fd[3] = {room->inputs, room->outputs[slot], plan};

	runner_send3(launcher, &q, sizeof q, fd);
	return await_armed(o, how, launcher, task, START_SECONDS,
			   "it cannot be replayed");
}

struct error *gpu_resident_seat(struct outcome *o, struct readiness *how,
				struct runner *resident,
				const struct task *task, const struct call *c,
				const struct gpu_room *room, uint32_t slot)
{
	struct gpu_seat_request q = {
		.head = {GPU_SEAT, 0}, .call = *c, .place = room->place};
	const int fd[3] = {room->inputs, room->outputs[slot], -1};

	runner_send3(resident, &q, sizeof q, fd);
	return await_armed(o, how, resident, task,
			   CONTEXT_SECONDS + task->timeout_seconds,
			   "in its first call");
}

/* ---- launches -------------------------------------------------------------- */

/* What a launch may cost our clock besides what its events say. */
#define SLACK_SECONDS	0.02
#define SLACK_A_LAUNCH	100e-6
#define SLACK_OF_EVENTS 1.5

static void draw_order(struct gpu_run_request *q, uint32_t images,
		       struct random *rng)
{
	size_t order[GPU_IMAGES];

	for (size_t i = 0; i < images; i++)
		order[i] = i;
	random_shuffle(rng, order, images);
	for (size_t i = 0; i < images; i++)
		q->order[i] = (uint32_t)order[i];
	q->n = images;
}

struct error *gpu_run(struct outcome *o, double *seconds, struct runner *r,
		      const struct task *task, uint32_t images,
		      struct random *rng)
{
	struct gpu_run_request q = {.head = {GPU_RUN, 0}, .timed = true};
	double start, wall, sum = 0;
	enum runner_state state;
	union reply reply;

	draw_order(&q, images, rng);
	start = clock_seconds();
	runner_send(r, &q, sizeof q, -1, -1);
	state = runner_wait(r, &reply, GPU_RAN,
			    start + task->timeout_seconds * images);
	wall = clock_seconds() - start;
	TRY(tell(o, r, task, state, &reply, "its kernels"));
	if (o->verdict != VERDICT_PASS)
		return NULL;
	for (size_t i = 0; i < images; i++)
		sum += 1e-3 * (double)reply.ran.milliseconds[i];
	if (!(sum > 0) || sum > wall ||
	    wall > SLACK_OF_EVENTS * sum + SLACK_A_LAUNCH * images +
			    SLACK_SECONDS)
		outcome_set(o, VERDICT_FORBIDDEN,
			    "its events say %.3g s and the scorer's clock "
			    "%.3g s",
			    sum, wall);
	*seconds = sum / images;
	return NULL;
}

struct error *gpu_run_isolated(struct outcome *o, double *seconds,
			       struct runner *resident, struct judge *j,
			       uint32_t slot, uint32_t images, bool empty,
			       struct random *rng)
{
	struct gpu_run_request q = {.head = {GPU_RUN, 0}, .empty = empty};
	const struct task *task = j->task;
	enum runner_state state;
	union reply reply;
	double start;

	draw_order(&q, images, rng);
	start = clock_seconds();
	TRY(pass(j, GPU_RELEASE, slot));
	runner_send(resident, &q, sizeof q, -1, -1);
	state = runner_wait(resident, &reply, GPU_RAN,
			    start + task->timeout_seconds * images);
	if (state == RUNNER_ANSWERED)
		TRY(pass(j, GPU_TAKE, slot));
	*seconds = (clock_seconds() - start) / images;
	return tell(o, resident, task, state, &reply, "its kernels");
}
