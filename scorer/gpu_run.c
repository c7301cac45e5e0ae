/* Launches, timed: by their events where our own clock bears them out, or by
 * that clock alone. */
#include <math.h>

#include "core/clock.h"
#include "scorer/gpu_process.h"

/* What a launch may cost our clock besides what its events say. */
#define SLACK_SECONDS	0.02
#define SLACK_A_LAUNCH	100e-6
#define SLACK_OF_EVENTS 1.5
/* What launches that were queued before the clock began may cost it. */
#define GATED_SECONDS	200e-6
#define GATED_LATENCIES 2
#define GATED_A_LAUNCH	5e-6
#define GATED_OF_EVENTS 1.05

static void draw_order(struct gpu_run_request *q, uint32_t images,
		       uint32_t idle, struct random *rng)
{
	size_t order[GPU_IMAGES];

	for (size_t i = 0; i < images; i++)
		order[i] = i;
	random_shuffle(rng, order, images);
	for (size_t i = 0; i < images; i++)
		if (order[i] != idle)
			q->order[q->n++] = (uint32_t)order[i];
}

/* Patience is for one launch: of a batch that takes long the runner tells each
 * that ended. */
static enum runner_state wait_ran(struct runner *r, union reply *reply,
				  const struct task *task, uint32_t images)
{
	enum runner_state state;
	uint32_t beats = 0;

	do {
		state = runner_wait(r, reply, GPU_RAN,
				    clock_seconds() + task->timeout_seconds +
					    2 * GPU_BEAT_SECONDS);
		if (state != RUNNER_ANSWERED || reply->head.kind == GPU_RAN)
			return state;
	} while (++beats < images);
	return RUNNER_STRANGE;
}

void gpu_tell_disagreement(struct outcome *o, const struct gpu_ran *ran)
{
	outcome_set(o, VERDICT_FORBIDDEN,
		    "its events say %.3g s and the scorer's clock %.3g s",
		    ran->events, ran->span > 0 ? ran->span : ran->wall);
}

/* Did the clocks see much more than the events? */
static bool is_late(const struct gpu_ran *ran, uint32_t n)
{
	if (ran->wall >
	    SLACK_OF_EVENTS * ran->events + SLACK_A_LAUNCH * n + SLACK_SECONDS)
		return true;
	return ran->span > GATED_OF_EVENTS * ran->events + GATED_A_LAUNCH * n +
				   GATED_LATENCIES * ran->latency +
				   GATED_SECONDS;
}

struct error *gpu_run_timed(struct outcome *o, struct gpu_ran *out,
			    struct runner *r, const struct task *task,
			    uint32_t images, uint32_t idle, struct random *rng)
{
	struct gpu_run_request q = {.head = {GPU_RUN, 0}, .timed = true};
	struct gpu_ran ran = {0};
	double start;
	enum runner_state state;
	union reply reply;

	draw_order(&q, images, idle, rng);
	r->blank = false;
	start = clock_seconds();
	runner_send(r, &q, sizeof q, -1, -1);
	state = wait_ran(r, &reply, task, q.n);
	ran.wall = clock_seconds() - start;
	TRY(gpu_tell(o, r, task, state, &reply, "its kernels"));
	if (o->verdict != VERDICT_PASS)
		return NULL;
	for (size_t i = 0; i < q.n; i++)
		ran.events += 1e-3 * (double)reply.ran.milliseconds[i];
	ran.span = reply.ran.span;
	ran.latency = reply.ran.latency;
	ran.left_out = ran.span > 0 ? (ran.span - ran.events) / q.n : NAN;
	/* No host that is held up makes events say more than there was. */
	if (!(ran.events > 0) || ran.events > ran.wall ||
	    (r->gated &&
	     !(ran.span > 0 && ran.span <= ran.wall && ran.events <= ran.span)))
		gpu_tell_disagreement(o, &ran);
	ran.late = is_late(&ran, q.n);
	ran.seconds = ran.events / q.n;
	*out = ran;
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

	draw_order(&q, images, GPU_NO_IMAGE, rng);
	start = clock_seconds();
	TRY(gpu_judge_pass(j, GPU_RELEASE, slot));
	runner_send(resident, &q, sizeof q, -1, -1);
	state = runner_wait(resident, &reply, GPU_RAN,
			    start + task->timeout_seconds * images);
	if (state == RUNNER_ANSWERED)
		TRY(gpu_judge_pass(j, GPU_TAKE, slot));
	*seconds = (clock_seconds() - start) / images;
	return gpu_tell(o, resident, task, state, &reply, "its kernels");
}
