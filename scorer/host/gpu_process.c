#include "scorer/host/gpu_process.h"

#include <sys/stat.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/file.h"
#include "scorer/host/runner_json.h"
#include "scorer/wire/gpu_reach.h"

/* For the driver to open, compile and map: not part of the task's timeout. */
#define START_SECONDS	60.0
#define CONTEXT_SECONDS 5.0
/* An idle launcher answers at once or never. */
#define REST_SECONDS 2.0

static int inputs_of(const struct gpu_buffers *r, uint32_t slot)
{
	return r->inputs[r->apart ? slot : 0];
}

/* ---- a candidate --------------------------------------------------------- */

/* `text`: what a runner could not do, mostly with the driver's error name. */
static void refused(struct score_outcome *o, const char *text,
		    const char *doing)
{
	if (strstr(text, "ILLEGAL_ADDRESS") || strstr(text, "MISALIGNED"))
		score_outcome_set(
			o, VERDICT_OUT_OF_BOUNDS,
			"a kernel touched memory that is not its own (%s)",
			text);
	else
		score_outcome_set(o, VERDICT_CRASHED, "%s: %s", doing, text);
}

struct error *gpu_tell(struct score_outcome *o, struct runner *r,
		       const struct task *task, enum runner_state state,
		       const union runner_reply *reply, const char *doing)
{
	int code = 0, number = 0;

	switch (state) {
	case RUNNER_ANSWERED:
		return NULL;
	case RUNNER_REFUSED:
		if (r->told_forbidden)
			score_outcome_set(o, VERDICT_FORBIDDEN, "%s",
					  reply->refused.text);
		else
			refused(o, reply->refused.text, doing);
		if (r->packet)
			o->log = xstrdup(r->said.data);
		return NULL;
	case RUNNER_LATE:
		score_outcome_set(o, VERDICT_TIMED_OUT,
				  "its kernels did not end within %g s",
				  task->timeout_seconds);
		return NULL;
	case RUNNER_STRANGE:
		score_outcome_set(o, VERDICT_FORBIDDEN,
				  "it wrote to the scorer's control channel");
		return NULL;
	case RUNNER_INTERRUPTED:
		return error_new(ERROR_INTERRUPTED, "stopped");
	case RUNNER_ENDED:
		break;
	}
	runner_end(r, &code, &number);
	if (number && runner_aborted(r))
		score_outcome_set(o, VERDICT_CRASHED, "%s: it called abort()",
				  doing);
	else
		score_outcome_set(o, VERDICT_CRASHED,
				  number ? "%s: it ended by signal %d"
					 : "%s: it exited with status %d",
				  doing, number ? number : code);
	o->log = xstrdup(r->said.data);
	return NULL;
}

struct error *gpu_host_start(struct runner **out, const struct task *task,
			     struct entry_points points,
			     const struct runner_spec *spec)
{
	cleanup_runner struct runner *r = NULL;
	struct start_request q = {.head = {MESSAGE_START, 0}};

	if (spec->build && spec->build->runner) {
		TRY(runner_start(&r, spec));
		runner_json_start(r, task, spec->build, points.entry, NULL,
				  false);
		*out = steal(&r);
		return NULL;
	}
	TRY(runner_put_name(q.entry, points.entry));
	TRY(runner_put_name(q.prepare, points.prepare));
	TRY(runner_start(&r, spec));
	runner_send(r, &q, sizeof q, -1, -1);
	*out = steal(&r);
	return NULL;
}

/* A shared file's time stamp and inode would reveal which contender it is. */
static struct error *own_object(int *out, int object_fd)
{
	cleanup_free char *data = NULL;
	struct stat st;

	if (fstat(object_fd, &st) < 0)
		return error_errno("cannot read the object");
	data = xcalloc((size_t)st.st_size + 1, 1);
	if (pread(object_fd, data, (size_t)st.st_size, 0) != st.st_size)
		return error_errno("cannot read the object");
	return memfd_with(out, "object", data, (size_t)st.st_size, true);
}

struct error *gpu_capturer_begin(struct runner *spare,
				 struct entry_points points, int object_fd)
{
	struct start_request q = {.head = {MESSAGE_START, 0}};
	cleanup_fd int object = -1;

	TRY(runner_put_name(q.entry, points.entry));
	TRY(runner_put_name(q.prepare, points.prepare));
	TRY(own_object(&object, object_fd));
	spare->spare = spare->gated = false;
	runner_send(spare, &q, sizeof q, object, -1);
	return NULL;
}

struct error *gpu_host_started(struct score_outcome *o, struct runner *r,
			       const struct task *task)
{
	enum runner_state state;
	union runner_reply reply;

	if (r->loaded)
		return NULL;
	state = runner_wait(r, &reply, MESSAGE_STARTED,
			    clock_seconds() +
				    MAX(START_SECONDS,
					r->packet ? task->build_seconds : 0));
	r->loaded = state == RUNNER_ANSWERED;
	if (state == RUNNER_REFUSED && !r->told_forbidden) {
		score_outcome_set(o, VERDICT_BUILD_FAILED,
				  "it does not load: %s", reply.refused.text);
		if (r->packet)
			o->log = xstrdup(r->said.data);
	} else {
		TRY(gpu_tell(o, r, task, state, &reply, "loading"));
	}
	return NULL;
}

static void take_readiness(struct readiness *how,
			   const struct gpu_ready_reply *r)
{
	how->state = r->state <= GPU_BROKEN ? (enum gpu_state)r->state
					    : GPU_UNREPLAYABLE;
	snprintf(how->why, sizeof how->why, "%.*s", (int)sizeof r->why - 1,
		 r->why);
}

/* A first call that fails is the candidate's failure. A candidate that fails
 * only while it is captured is run in class isolated. */
static struct error *record(struct score_outcome *o, struct readiness *how,
			    struct runner *capturer, const struct task *task,
			    struct gpu_capture_request *q, int fd)
{
	enum runner_state state;
	union runner_reply reply;

	q->head.kind = GPU_CAPTURE;
	if (capturer->packet)
		runner_json_capture(capturer, task, &q->call, &q->addresses,
				    fd);
	else
		runner_send(capturer, q, sizeof *q, fd, -1);
	state = runner_wait(capturer, &reply, GPU_CAPTURED,
			    clock_seconds() + CONTEXT_SECONDS +
				    task->timeout_seconds);
	if (state == RUNNER_ANSWERED) {
		take_readiness(how, &reply.ready);
		if (how->state == GPU_BROKEN)
			refused(o, how->why, "captured");
		return NULL;
	}
	if (state != RUNNER_ENDED && state != RUNNER_REFUSED &&
	    state != RUNNER_LATE)
		return gpu_tell(o, capturer, task, state, &reply, "captured");
	how->state = GPU_UNREPLAYABLE;
	snprintf(how->why, sizeof how->why, "it %s while it was captured",
		 state == RUNNER_LATE ? "hangs" : "ends");
	return NULL;
}

static void tell_static(bool is_static[TASK_MAX_ARGS], const struct task *t)
{
	for (size_t i = 0; i < t->n_arguments; i++)
		is_static[i] = t->argument[i].is_static;
}

/* Launches of the entry, then, if the task has a prepare, as many of that; in
 * Python also the code that was loaded. */
static size_t plan_bytes(const struct task *t, const struct gpu_addresses *p)
{
	return (t->prepare ? 2 : 1) * p->images * sizeof(struct plan_launch) +
	       (t->python ? PLAN_CODE_BYTES : 0);
}

/* What is in Python compiles in its first call. */
static double first_call_seconds(const struct runner *r,
				 const struct task *task)
{
	return CONTEXT_SECONDS + task->timeout_seconds +
	       (r->packet ? task->build_seconds : 0);
}

static struct gpu_capture_request capture_request(
	const struct task *task, const struct entry_call *c,
	const struct gpu_addresses *addresses)
{
	struct gpu_capture_request q = {
		.head = {GPU_TRY, 0}, .call = *c, .addresses = *addresses};

	tell_static(q.is_static, task);
	return q;
}

void gpu_capture_ask(struct runner *capturer, const struct task *task,
		     const struct entry_call *c,
		     const struct gpu_addresses *addresses)
{
	struct gpu_capture_request q = capture_request(task, c, addresses);

	if (capturer->packet)
		runner_json_capture(capturer, task, c, addresses, -1);
	else
		runner_send(capturer, &q, sizeof q, -1, -1);
}

struct error *gpu_capture_take(struct score_outcome *o, struct readiness *how,
			       int *plan, struct runner *capturer,
			       const struct task *task,
			       const struct entry_call *c,
			       const struct gpu_addresses *addresses)
{
	struct gpu_capture_request q = capture_request(task, c, addresses);
	cleanup_fd int fd = -1;
	union runner_reply reply;
	enum runner_state state = runner_wait(
		capturer, &reply, GPU_CAPTURED,
		clock_seconds() + first_call_seconds(capturer, task));

	if (state != RUNNER_ANSWERED)
		return gpu_tell(o, capturer, task, state, &reply,
				"in its first call");
	take_readiness(how, &reply.ready);
	if (how->state == GPU_BROKEN)
		refused(o, how->why, "in its first call");
	if (how->state != GPU_READY)
		return NULL;
	TRY(sized_memfd(&fd, "plan", plan_bytes(task, addresses)));
	TRY(record(o, how, capturer, task, &q, fd));
	if (o->verdict == VERDICT_PASS && how->state == GPU_READY) {
		cleanup_fd_fn(plan);
		*plan = steal_fd(&fd);
	}
	return NULL;
}

struct error *gpu_capture(struct score_outcome *o, struct readiness *how,
			  int *plan, struct runner *capturer,
			  const struct task *task, const struct entry_call *c,
			  const struct gpu_addresses *addresses)
{
	gpu_capture_ask(capturer, task, c, addresses);
	return gpu_capture_take(o, how, plan, capturer, task, c, addresses);
}

void gpu_launcher_load(struct runner *launcher, int cubins)
{
	struct message_head q = {GPU_LOAD, 0};

	runner_send(launcher, &q, sizeof q, cubins, -1);
}

/* The words of a launcher are trusted only as long as it is a spare. */
static struct error *tell_broken(struct score_outcome *o,
				 const struct readiness *how,
				 const struct runner *r, const char *doing)
{
	if (!r->spare) {
		refused(o, how->why, doing);
		return NULL;
	}
	return gpu_refused(how->why);
}

struct error *gpu_refused(const char *why)
{
	if (starts_with(why, GPU_REACHES_ALL))
		return error_new(ERROR_SYSTEM, "%s", why);
	return error_new(ERROR_SYSTEM,
			 "a second process cannot use the GPU: %s; does "
			 "another program use it, or is it in exclusive mode?",
			 why);
}

/* Waits for ARMED. */
static struct error *await_armed(struct score_outcome *o, struct readiness *how,
				 struct runner *r, const struct task *task,
				 double seconds, const char *doing)
{
	union runner_reply reply;
	enum runner_state state =
		runner_wait(r, &reply, GPU_ARMED, clock_seconds() + seconds);

	if (state != RUNNER_ANSWERED)
		return gpu_tell(o, r, task, state, &reply, doing);
	take_readiness(how, &reply.ready);
	return how->state == GPU_BROKEN ? tell_broken(o, how, r, doing) : NULL;
}

void gpu_launcher_arm(struct runner *launcher, const struct task *task,
		      const struct gpu_buffers *buffers, uint32_t slot,
		      int plan, bool only_slot)
{
	struct gpu_arm_request q = {
		.head = {GPU_ARM, 0},
		.addresses = buffers->addresses,
		.plan_bytes = plan_bytes(task, &buffers->addresses),
		.prepares = task->prepare != NULL,
		.only_slot = only_slot,
		.warm = task->cache == CACHE_WARM};
	const int fd[3] = {inputs_of(buffers, slot), buffers->outputs[slot],
			   plan};

	runner_send3(launcher, &q, sizeof q, fd);
}

struct error *gpu_launcher_armed(struct score_outcome *o, struct readiness *how,
				 struct runner *launcher,
				 const struct task *task)
{
	return await_armed(o, how, launcher, task, START_SECONDS,
			   "it cannot be replayed");
}

void gpu_launcher_rest(struct runner *launcher)
{
	struct gpu_arm_request q = {.head = {GPU_ARM, 0}};

	runner_send(launcher, &q, sizeof q, -1, -1);
}

bool gpu_launcher_rests(struct runner *launcher)
{
	union runner_reply reply;

	return runner_wait(launcher, &reply, GPU_ARMED,
			   clock_seconds() + REST_SECONDS) == RUNNER_ANSWERED &&
	       reply.ready.state == GPU_READY;
}

struct error *gpu_resident_arm(struct score_outcome *o, struct readiness *how,
			       struct runner *resident, const struct task *task,
			       const struct entry_call *c,
			       const struct gpu_buffers *buffers, uint32_t slot,
			       uint32_t gate_steps)
{
	struct gpu_resident_request q = {.head = {GPU_ARM_RESIDENT, 0},
					 .call = *c,
					 .addresses = buffers->addresses,
					 .warm = task->cache == CACHE_WARM,
					 .gate_steps = gate_steps};
	const int fd[3] = {inputs_of(buffers, slot), buffers->outputs[slot],
			   -1};

	tell_static(q.is_static, task);
	if (resident->packet)
		runner_json_arm(resident, task, c, &buffers->addresses, fd[0],
				fd[1]);
	else
		runner_send3(resident, &q, sizeof q, fd);
	return await_armed(o, how, resident, task,
			   first_call_seconds(resident, task),
			   "in its first call");
}

struct error *gpu_prepare(struct score_outcome *o, struct runner *r,
			  const struct task *task, uint32_t images)
{
	struct gpu_pass_request q = {.head = {GPU_PREPARE, 0}};
	struct readiness how = {0};

	r->spare = false;
	runner_send(r, &q, sizeof q, -1, -1);
	return await_armed(o, &how, r, task,
			   CONTEXT_SECONDS + images * task->timeout_seconds,
			   "in its prepare function");
}
