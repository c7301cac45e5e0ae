/* Times launches: by their events if our own clock agrees with them, or by that
 * clock alone. */
#include "core/base/clock.h"

#include <math.h>

#include "scorer/host/gpu_process.h"
#include "scorer/host/runner_json.h"
#include "scorer/device/steadiness.h"

/* ---- do the clocks of a batch agree? ------------------------------------- */

/* Time that our clock may count for a batch besides that of its events. */
#define SLACK_SECONDS	0.02
#define SLACK_A_LAUNCH	100e-6
#define SLACK_OF_EVENTS 1.5
/* The same if the launches were queued before the clock began. */
#define GATED_SECONDS	200e-6
#define GATED_LATENCIES 2
#define GATED_A_LAUNCH	5e-6
#define GATED_OF_EVENTS 1.05
/* A launcher that waited so long for a CPU may have seen the end late. */
#define WAITED_SECONDS 500e-6
/* Host and card each have their own clock, and the host's is adjusted. */
#define CLOCKS_DIFFER 1.002

/* Did the launcher's clock count more than the events? A launcher that waits
 * for a CPU sees the end of a batch late. */
static bool is_long(const struct gpu_ran *ran)
{
	return ran->span - ran->waited >
	       GATED_OF_EVENTS * ran->events + GATED_A_LAUNCH * ran->n +
		       GATED_LATENCIES * ran->latency + GATED_SECONDS;
}

static bool is_late(const struct gpu_ran *ran)
{
	return is_long(ran) || ran->wall > SLACK_OF_EVENTS * ran->events +
						   SLACK_A_LAUNCH * ran->n +
						   SLACK_SECONDS;
}

void gpu_tell_disagreement(struct score_outcome *o, const struct gpu_ran *ran)
{
	bool by_span = ran->span > 0 &&
		       (ran->events > ran->span || is_long(ran));

	score_outcome_set(o, VERDICT_FORBIDDEN,
			  "its events say %.3g s and the scorer's clock %.3g s",
			  ran->events, by_span ? ran->span : ran->wall);
}

/* A delay of the host can never make the events longer than the clock. */
static bool is_possible(const struct gpu_ran *ran, bool launcher)
{
	if (!(ran->events > 0) || ran->events > CLOCKS_DIFFER * ran->wall)
		return false;
	return !launcher || (ran->span > 0 && ran->span <= ran->wall &&
			     ran->events <= CLOCKS_DIFFER * ran->span);
}

void gpu_ran_take(struct score_outcome *o, struct gpu_ran *ran,
		  const struct gpu_ran_reply *reply, uint32_t n, bool launcher)
{
	/* The host may have taken any time before it opened the gate. */
	bool hidden = !launcher && reply->span > 0;

	for (size_t i = 0; i < n; i++)
		ran->events += 1e-3 * (double)reply->milliseconds[i];
	ran->n = n;
	ran->first = n > 1 ? 1e-3 * (double)reply->milliseconds[0] : 0;
	ran->seconds = ran->events / n;
	ran->span = launcher ? reply->span : 0;
	ran->latency = reply->latency;
	ran->stuck = reply->stuck;
	ran->gate_steps = reply->gate_steps;
	ran->left_out = NAN;
	if (ran->span > 0 && !ran->stuck && ran->waited < WAITED_SECONDS)
		ran->left_out = (ran->span - ran->latency - ran->events) / n;
	ran->late = !hidden && is_late(ran);
	if (!is_possible(ran, launcher))
		gpu_tell_disagreement(o, ran);
}

/* A driver needs milliseconds to unmap a gigabyte. */
#define LET_GO_SECONDS 5.0

static void draw_order(struct gpu_run_request *q, uint32_t images,
		       uint32_t idle, struct layout_random *layout)
{
	size_t order[GPU_IMAGES];

	for (size_t i = 0; i < images; i++)
		order[i] = i;
	layout_shuffle(layout, order, images);
	for (size_t i = 0; i < images; i++)
		if (order[i] != idle)
			q->order[q->n++] = (uint32_t)order[i];
}

/* The deadline is that of one launch: in a batch that takes long the runner
 * reports each launch that ended. */
static enum runner_state wait_ran(struct runner *r, union runner_reply *reply,
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

struct error *gpu_run_timed(struct score_outcome *o, struct gpu_ran *out,
			    struct runner *r, const struct task *task,
			    uint32_t images, uint32_t idle,
			    struct layout_random *layout)
{
	struct gpu_run_request q = {.head = {GPU_RUN, 0}, .timed = true};
	struct gpu_ran ran = {0};
	double start, waited = cpu_time_of(r->process.inner).waited;
	enum runner_state state;
	union runner_reply reply;

	draw_order(&q, images, idle, layout);
	r->spare = false;
	start = clock_seconds();
	if (r->packet)
		runner_json_time(r, task, &q);
	else
		runner_send(r, &q, sizeof q, -1, -1);
	state = wait_ran(r, &reply, task, q.n);
	ran.wall = clock_seconds() - start;
	TRY(gpu_tell(o, r, task, state, &reply, "its kernels"));
	if (o->verdict != VERDICT_PASS)
		return NULL;
	ran.waited = MAX(cpu_time_of(r->process.inner).waited - waited, 0);
	gpu_ran_take(o, &ran, &reply.ran, q.n, r->gated);
	*out = ran;
	return NULL;
}

/* Makes the resident unmap its memory, since it may have none of a launch
 * before the clock runs. */
static struct error *let_go(struct score_outcome *o, struct runner *resident,
			    const struct task *task)
{
	struct gpu_pass_request q = {.head = {GPU_LET_GO, 0}};
	enum runner_state state;
	union runner_reply reply;

	if (resident->packet)
		runner_json_let_go(resident);
	else
		runner_send(resident, &q, sizeof q, -1, -1);
	state = runner_wait(resident, &reply, GPU_ARMED,
			    clock_seconds() + LET_GO_SECONDS +
				    task->timeout_seconds);
	return gpu_tell(o, resident, task, state, &reply,
			"between its launches");
}

struct error *gpu_run_isolated(struct score_outcome *o, double *seconds,
			       struct runner *resident, struct judge *j,
			       struct gpu_buffers *buffers, uint32_t slot,
			       uint64_t poison, uint32_t images, bool empty,
			       struct layout_random *layout)
{
	struct gpu_run_request q = {.head = {GPU_RUN, 0}, .empty = empty};
	const struct task *task = j->task;
	enum runner_state state;
	union runner_reply reply;
	double start;

	draw_order(&q, images, GPU_NO_IMAGE, layout);
	TRY(let_go(o, resident, task));
	if (o->verdict != VERDICT_PASS)
		return NULL;
	TRY(gpu_judge_release(buffers, j, slot, poison));
	start = clock_seconds();
	if (resident->packet)
		runner_json_run(resident, &q, buffers->inputs[slot],
				buffers->outputs[slot]);
	else
		runner_send(resident, &q, sizeof q, buffers->inputs[slot],
			    buffers->outputs[slot]);
	state = runner_wait(resident, &reply, GPU_RAN,
			    start + task->timeout_seconds * images);
	if (state == RUNNER_ANSWERED)
		TRY(gpu_judge_keep(j, slot));
	*seconds = (clock_seconds() - start) / images;
	return gpu_tell(o, resident, task, state, &reply, "its kernels");
}
