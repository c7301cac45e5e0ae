#include "scorer/arm.h"

#include <signal.h>
#include <stdarg.h>

#include "core/clock.h"

void outcome_set(struct outcome *o, enum verdict v, const char *fmt, ...)
{
	va_list ap;

	outcome_release(o);
	o->verdict = v;
	va_start(ap, fmt);
	if (vasprintf(&o->why, fmt, ap) < 0)
		o->why = NULL;
	va_end(ap);
}

void outcome_release(struct outcome *o)
{
	free(o->why);
	free(o->log);
	*o = (struct outcome)OUTCOME_INIT;
}

static const char *signal_words(int number)
{
	const char *name = sigabbrev_np(number);

	return name ? name : "?";
}

/* The address is the candidate's own word: worth telling, not believing. */
static char *fault_words(const struct arm *arm, const struct buffers *b)
{
	const struct fault_reply *f = &arm->runner->fault;
	cleanup_free char *where = NULL;

	if (!arm->runner->has_fault || f->signal == SIGABRT)
		return xstrdup("");
	if (b)
		where = buffers_explain(b, arm->task, f->address);
	if (where)
		return xasprintf(", at an address %s", where);
	if (f->stack_bytes)
		return runner_stack_words(arm->runner);
	return xasprintf(", at address 0x%llx", (unsigned long long)f->address);
}

static void tell_end(struct outcome *o, struct arm *arm,
		     const struct buffers *b)
{
	cleanup_free char *where = fault_words(arm, b);
	int code, number;

	runner_end(arm->runner, &code, &number);
	if (number == SIGSYS)
		outcome_set(o, VERDICT_FORBIDDEN,
			    "it made a system call that the sandbox forbids");
	else if (number && runner_aborted(arm->runner))
		outcome_set(o, VERDICT_CRASHED, "it called abort()");
	else if (number)
		outcome_set(o, VERDICT_CRASHED, "it ended by SIG%s (%s)%s",
			    signal_words(number), strsignal(number), where);
	else if (code >= 0)
		outcome_set(o, VERDICT_CRASHED,
			    "it exited with status %d instead of returning",
			    code);
	else
		outcome_set(o, VERDICT_CRASHED,
			    "it closed its control channel");
	o->log = xstrdup(arm->runner->said.data);
}

/* Turns what came back from a wait into an outcome. */
static struct error *tell(struct outcome *o, struct arm *arm,
			  const struct buffers *b, enum runner_state state,
			  const union reply *reply)
{
	switch (state) {
	case RUNNER_ANSWERED:
		break;
	case RUNNER_REFUSED:
		outcome_set(o, VERDICT_CRASHED, "it could not be called: %s",
			    reply->refused.text);
		break;
	case RUNNER_LATE:
		outcome_set(o, VERDICT_TIMED_OUT,
			    "it did not return within %g s",
			    arm->task->timeout_seconds);
		o->log = xstrdup(arm->runner->said.data);
		break;
	case RUNNER_STRANGE:
		outcome_set(o, VERDICT_FORBIDDEN,
			    "it wrote to the scorer's control channel");
		break;
	case RUNNER_INTERRUPTED:
		return error_new(ERROR_INTERRUPTED, "stopped");
	case RUNNER_ENDED:
		tell_end(o, arm, b);
		break;
	}
	return NULL;
}

static double deadline_of(const struct arm *arm)
{
	return clock_seconds() + arm->task->timeout_seconds;
}

static struct error *freeze(struct arm *arm, struct outcome *o,
			    const struct buffers *b)
{
	cleanup_error struct error *err =
		sandboxed_freeze(&arm->runner->process);
	int code, number;

	arm->frozen = true;
	if (!err)
		return NULL;
	if (!sandboxed_ended(&arm->runner->process, &code, &number))
		return steal(&err);
	tell_end(o, arm, b); /* it died just after it said it was done */
	return NULL;
}

static struct error *thaw(struct arm *arm)
{
	if (arm->frozen)
		TRY(sandboxed_thaw(&arm->runner->process));
	arm->frozen = false;
	return NULL;
}

struct error *arm_spawn(struct arm **out, const struct task *task,
			struct entry_points points,
			const struct runner_spec *spec)
{
	cleanup_arm struct arm *arm = xcalloc(1, sizeof *arm);
	struct start_request q = {.head = {MESSAGE_START, 0}};

	arm->task = task;
	arm->trusted = points.trusted;
	TRY(runner_put_name(q.entry, points.entry));
	TRY(runner_put_name(q.prepare, points.prepare));
	TRY(runner_start(&arm->runner, spec));
	runner_send(arm->runner, &q, sizeof q, -1, -1);
	*out = steal(&arm);
	return NULL;
}

struct error *arm_ready(struct outcome *o, struct arm *arm)
{
	union reply reply;
	enum runner_state state = runner_wait(
		arm->runner, &reply, MESSAGE_STARTED, deadline_of(arm));

	if (state == RUNNER_REFUSED)
		outcome_set(o, VERDICT_BUILD_FAILED, "it does not load: %s",
			    reply.refused.text);
	else
		TRY(tell(o, arm, NULL, state, &reply));
	return o->verdict == VERDICT_PASS ? freeze(arm, o, NULL) : NULL;
}

struct error *arm_settle(struct outcome *o, struct arm *arm,
			 const struct input_set *s,
			 struct layout_random *layout)
{
	struct settle_request q = {.head = {MESSAGE_SETTLE, 0},
				   .call = s->call,
				   .inputs_at = buffers_inputs_at(layout),
				   .prepared_at = buffers_prepared_at(layout)};
	enum runner_state state;
	union reply reply;

	memcpy(q.is_static, s->recipe.is_static, sizeof q.is_static);
	TRY(thaw(arm));
	runner_send(arm->runner, &q, sizeof q, s->fd, -1);
	state = runner_wait(arm->runner, &reply, MESSAGE_SETTLED,
			    deadline_of(arm));
	TRY(tell(o, arm, NULL, state, &reply));
	if (o->verdict == VERDICT_PASS)
		return freeze(arm, o, NULL);
	if (o->why) {
		cleanup_free char *why = steal(&o->why);

		o->why = xasprintf("in its prepare function: %s", why);
	}
	return NULL;
}

static struct error *make_ready(struct outcome *o, struct arm *arm,
				const struct buffers *b, bool empty)
{
	struct ready_request q = {.head = {MESSAGE_READY, 0},
				  .call = b->call,
				  .empty = empty,
				  .outputs_at = b->outputs_at};
	enum runner_state state;
	union reply reply;

	runner_send(arm->runner, &q, sizeof q, b->outputs, -1);
	state = runner_wait(arm->runner, &reply, MESSAGE_IS_READY,
			    deadline_of(arm));
	return tell(o, arm, b, state, &reply);
}

/* A thread that keeps a CPU busy between launches changes where the others
 * run, for itself and for its rivals. One that is on its way to sleep may be
 * met now and then. */
#define WENT_ON_LEAST 6
#define WENT_ON_SHARE 4 /* one launch in so many */

static void look_for_threads(struct outcome *o, struct arm *arm)
{
	if (arm->task->threads < 2 || arm->trusted)
		return;
	arm->launches++;
	if (sandboxed_others_running(&arm->runner->process))
		arm->went_on++;
	if (arm->went_on >= WENT_ON_LEAST &&
	    arm->went_on * WENT_ON_SHARE >= arm->launches)
		outcome_set(o, VERDICT_FORBIDDEN,
			    "a thread of it goes on running after it returned");
}

struct error *arm_launch(double *seconds, struct outcome *o, struct arm *arm,
			 const struct input_set *s, struct buffers *b,
			 bool empty)
{
	struct go_request q = {.head = {MESSAGE_GO, 0},
			       .inputs_at = b->inputs_at};
	enum runner_state state;
	union reply reply;
	double start;

	TRY(thaw(arm));
	TRY(make_ready(o, arm, b, empty));
	if (o->verdict != VERDICT_PASS)
		return NULL;
	if (arm->task->cache == CACHE_COLD)
		TRY(buffers_chill(b, s));
	start = clock_seconds();
	runner_send(arm->runner, &q, sizeof q, s->fd, -1);
	state = runner_wait(arm->runner, &reply, MESSAGE_DONE,
			    start + arm->task->timeout_seconds * b->call.batch);
	buffers_capture(b);
	*seconds = clock_seconds() - start;
	TRY(tell(o, arm, b, state, &reply));
	if (o->verdict == VERDICT_PASS)
		look_for_threads(o, arm);
	if (o->verdict != VERDICT_PASS)
		return NULL;
	return freeze(arm, o, b);
}

struct cpu_time arm_cpu_time(const struct arm *arm)
{
	return cpu_time_of(arm->runner->process.inner);
}

void arm_free(struct arm *arm)
{
	if (!arm)
		return;
	runner_free(arm->runner);
	free(arm);
}
