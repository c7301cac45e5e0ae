/* Launches, timed: by their events where our own clock bears them out, or by
 * that clock alone. */
#include "core/base/clock.h"
#include "scorer/host/gpu_process.h"
#include "scorer/device/steadiness.h"

/* Memory costs a driver milliseconds a gigabyte. */
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

/* Patience is for one launch: of a batch that takes long the runner tells each
 * that ended. */
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

/* It has no memory of a launch before the clock runs. */
static struct error *let_go(struct score_outcome *o, struct runner *resident,
			    const struct task *task)
{
	struct gpu_pass_request q = {.head = {GPU_LET_GO, 0}};
	enum runner_state state;
	union runner_reply reply;

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
	runner_send(resident, &q, sizeof q, buffers->inputs[slot],
		    buffers->outputs[slot]);
	state = runner_wait(resident, &reply, GPU_RAN,
			    start + task->timeout_seconds * images);
	if (state == RUNNER_ANSWERED)
		TRY(gpu_judge_keep(j, slot));
	*seconds = (clock_seconds() - start) / images;
	return gpu_tell(o, resident, task, state, &reply, "its kernels");
}
