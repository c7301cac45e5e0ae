#include "scorer/host/arm.h"

#include <signal.h>
#include <stdarg.h>
#include <time.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/file.h"
#include "scorer/host/runner_json.h"
#include "scorer/wire/set.h"

void score_outcome_set(struct score_outcome *o, enum verdict v, const char *fmt,
		       ...)
{
	va_list ap;

	score_outcome_release(o);
	o->verdict = v;
	va_start(ap, fmt);
	if (vasprintf(&o->why, fmt, ap) < 0)
		o->why = NULL;
	va_end(ap);
}

void score_outcome_release(struct score_outcome *o)
{
	free(o->why);
	free(o->log);
	*o = (struct score_outcome)SCORE_OUTCOME_INIT;
}

/* ---- prepared buffers ---------------------------------------------------- */

/* A NaN in every floating type, like all poison (runner/poison.c). */
#define GUARD_BITS 0x7ff07ff07ff07ff0u
#define GUARD_FREE 0x800e800e800e800eu

static bool is_prepared(const struct layout *l, size_t i)
{
	return l->arg[i].is_tensor &&
	       l->arg[i].tensor.region == REGION_PREPARED;
}

static void draw_page(struct prepared *p)
{
	struct secret_random random;

	secret_random_init(&random);
	for (size_t i = 0; i < ARRAY_SIZE(p->page); i++)
		p->page[i] = GUARD_BITS ^ (secret_u64(&random) & GUARD_FREE);
}

/* The slots are whole pages, so each begins with the page. */
static void guard(const struct prepared *p, size_t begin, size_t end)
{
	const unsigned char *page = (const unsigned char *)p->page;

	for (size_t n; begin < end; begin += n) {
		n = MIN(end - begin, LAYOUT_PAGE - begin % LAYOUT_PAGE);
		memcpy(p->memory + begin, page + begin % LAYOUT_PAGE, n);
	}
}

static bool intact(const struct prepared *p, size_t begin, size_t end)
{
	const unsigned char *page = (const unsigned char *)p->page;

	for (size_t n; begin < end; begin += n) {
		n = MIN(end - begin, LAYOUT_PAGE - begin % LAYOUT_PAGE);
		if (memcmp(p->memory + begin, page + begin % LAYOUT_PAGE, n) !=
		    0)
			return false;
	}
	return true;
}

static void prepared_release(struct prepared *p)
{
	if (p->memory)
		munmap(p->memory, p->layout.region_bytes[REGION_PREPARED]);
	if (p->fd >= 0)
		close(p->fd);
	p->memory = NULL;
	p->fd = -1;
}

/* Puts zeros into new buffers and guard bytes around them; releases the old
 * ones of *p. */
static struct error *prepared_open(struct prepared *p,
				   const struct layout *layout)
{
	size_t bytes = layout->region_bytes[REGION_PREPARED];
	void *memory;

	prepared_release(p);
	p->layout = *layout;
	TRY(sized_memfd(&p->fd, "prepared", bytes));
	if (!bytes)
		return NULL;
	memory =
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, p->fd, 0);
	if (memory == MAP_FAILED)
		return error_errno("cannot map the prepared buffers");
	p->memory = memory;
	draw_page(p);
	for (size_t i = 0; i < layout->n; i++) {
		const struct tensor_layout *t = &layout->arg[i].tensor;

		if (!is_prepared(layout, i))
			continue;
		guard(p, t->begin, t->offset);
		guard(p, t->offset + t->bytes, t->end);
	}
	return NULL;
}

/* Copies the buffers without the guard bytes around them. Both have the same
 * layout. */
static void prepared_take(struct prepared *p, const struct prepared *from)
{
	for (size_t i = 0; p->memory && i < p->layout.n; i++) {
		const struct tensor_layout *t = &p->layout.arg[i].tensor;

		if (is_prepared(&p->layout, i))
			memcpy(p->memory + t->offset, from->memory + t->offset,
			       t->bytes);
	}
}

/* An argument whose buffer has a changed guard byte around it; -1: none. The
 * process must be frozen. */
static int prepared_overrun(const struct prepared *p)
{
	for (size_t i = 0; p->memory && i < p->layout.n; i++) {
		const struct tensor_layout *t = &p->layout.arg[i].tensor;

		if (is_prepared(&p->layout, i) &&
		    (!intact(p, t->begin, t->offset) ||
		     !intact(p, t->offset + t->bytes, t->end)))
			return (int)i;
	}
	return -1;
}

/* ---- the process --------------------------------------------------------- */

static const char *signal_words(int number)
{
	const char *name = sigabbrev_np(number);

	return name ? name : "?";
}

/* The address comes from the candidate: it is shown but not trusted. */
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

static void tell_end(struct score_outcome *o, struct arm *arm,
		     const struct buffers *b)
{
	cleanup_free char *where = fault_words(arm, b);
	int code, number;

	runner_end(arm->runner, &code, &number);
	if (arm->runner->too_large)
		score_outcome_set(
			o, VERDICT_CRASHED,
			"it took more memory than `limits.memory` allows "
			"(%.4g MiB), and was ended",
			(double)arm->task->memory_bytes / (1 << 20));
	else if (number == SIGSYS)
		score_outcome_set(
			o, VERDICT_FORBIDDEN,
			"it made a system call that the sandbox forbids");
	else if (number && runner_aborted(arm->runner))
		score_outcome_set(
			o, VERDICT_CRASHED, "it called abort()%s",
			arm->task->language == LANGUAGE_CXX
				? ", as a C++ program does for an exception "
				  "that it does not catch"
				: "");
	else if (number)
		score_outcome_set(o, VERDICT_CRASHED,
				  "it ended by SIG%s (%s)%s",
				  signal_words(number), strsignal(number),
				  where);
	else if (code >= 0)
		score_outcome_set(
			o, VERDICT_CRASHED,
			"it exited with status %d instead of returning", code);
	else
		score_outcome_set(o, VERDICT_CRASHED,
				  "it closed its control channel");
	o->log = xstrdup(arm->runner->said.data);
}

/* What the task forbids is so wherever it is met; else `verdict`. */
static void tell_refused(struct score_outcome *o, const struct arm *arm,
			 const union runner_reply *reply, enum verdict verdict,
			 const char *doing)
{
	bool told = arm->runner->told_forbidden;

	score_outcome_set(o, told ? VERDICT_FORBIDDEN : verdict, "%s%s",
			  told ? "" : doing, reply->refused.text);
}

/* Turns the result of a wait into an outcome. */
static struct error *tell(struct score_outcome *o, struct arm *arm,
			  const struct buffers *b, enum runner_state state,
			  const union runner_reply *reply)
{
	switch (state) {
	case RUNNER_ANSWERED:
		break;
	case RUNNER_REFUSED:
		tell_refused(o, arm, reply, VERDICT_CRASHED,
			     "it could not be called: ");
		break;
	case RUNNER_LATE:
		score_outcome_set(o, VERDICT_TIMED_OUT,
				  "it did not return within %g s",
				  arm->task->timeout_seconds);
		o->log = xstrdup(arm->runner->said.data);
		break;
	case RUNNER_STRANGE:
		score_outcome_set(o, VERDICT_FORBIDDEN,
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

static struct error *freeze(struct arm *arm, struct score_outcome *o,
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
	tell_end(o, arm, b); /* it ended just after it said it was done */
	return NULL;
}

static struct error *thaw(struct arm *arm)
{
	if (arm->frozen)
		TRY(sandboxed_thaw(&arm->runner->process));
	arm->frozen = false;
	return NULL;
}

static bool speaks_json(const struct arm *arm)
{
	return arm->runner->packet != NULL;
}

static struct error *spawn(struct arm **out, const struct task *task,
			   struct entry_points points,
			   const struct runner_spec *spec)
{
	cleanup_arm struct arm *arm = xcalloc(1, sizeof *arm);
	struct start_request q = {.head = {MESSAGE_START, 0}};

	arm->prepared = (struct prepared)PREPARED_INIT;
	arm->task = task;
	arm->trusted = points.trusted;
	arm->sandbox = spec->sandbox;
	if (spec->build->runner) {
		arm->program = spec->build->runner->argv.v[0];
		TRY(runner_start(&arm->runner, spec));
		runner_json_start(arm->runner, task, spec->build, points.entry,
				  points.prepare, false);
		*out = steal(&arm);
		return NULL;
	}
	TRY(runner_put_function(q.entry, task, spec->object_fd, points.entry));
	TRY(runner_put_function(q.prepare, task, spec->object_fd,
				points.prepare));
	TRY(runner_put_function(q.setup, task, spec->object_fd, points.setup));
	TRY(runner_start(&arm->runner, spec));
	runner_send(arm->runner, &q, sizeof q, -1, -1);
	*out = steal(&arm);
	return NULL;
}

struct error *arm_spawn(struct arm **out, const struct task *task,
			struct entry_points points,
			const struct runner_spec *spec)
{
	cleanup_arm struct arm *arm = NULL;

	TRY(spawn(&arm, task, points, spec));
	if (points.prepare)
		TRY(spawn(&arm->preparer, task, points, spec));
	*out = steal(&arm);
	return NULL;
}

static void say_where(struct score_outcome *o, const char *where)
{
	cleanup_free char *why = steal(&o->why);

	o->why = xasprintf("%s: %s", where, why);
}

/* What the program built is loaded under the strict filter, and in the one
 * process that is timed and stopped: a fault of the program, not of what it was
 * given. */
static struct error *is_confined(const struct arm *arm)
{
	const struct sandboxed *p = &arm->runner->process;
	const char *why = NULL;

	if (!sandboxed_is_strict(p, arm->sandbox))
		why = "it did not load the filter of system calls in all its "
		      "threads";
	else if (!sandboxed_is_alone(p))
		why = "it left another process running";
	return why ? error_new(ERROR_TASK,
			       "%s: language.runner: when the program %s said "
			       "that it had started, %s (docs/"
			       "runner-protocol.md)",
			       arm->task->path, arm->program, why)
		   : NULL;
}

/* Another program builds what it was given first. */
static struct error *is_built(struct score_outcome *o, struct arm *arm)
{
	double seconds = arm->task->build_seconds;
	union runner_reply reply;
	enum runner_state state = runner_wait(arm->runner, &reply,
					      MESSAGE_STARTED,
					      clock_seconds() + seconds);

	if (state == RUNNER_REFUSED) {
		tell_refused(o, arm, &reply, VERDICT_BUILD_FAILED, "");
		o->log = xstrdup(arm->runner->said.data);
	} else if (state == RUNNER_LATE) {
		score_outcome_set(o, VERDICT_BUILD_FAILED,
				  "the runner was still starting after %g s",
				  seconds);
		o->log = xstrdup(arm->runner->said.data);
	} else {
		TRY(tell(o, arm, NULL, state, &reply));
	}
	if (o->verdict != VERDICT_PASS)
		return NULL;
	TRY(freeze(arm, o, NULL));
	return o->verdict == VERDICT_PASS ? is_confined(arm) : NULL;
}

static struct error *is_loaded(struct score_outcome *o, struct arm *arm)
{
	union runner_reply reply;
	enum runner_state state;

	if (speaks_json(arm))
		return is_built(o, arm);
	state = runner_wait(arm->runner, &reply, MESSAGE_STARTED,
			    deadline_of(arm));
	if (state == RUNNER_REFUSED)
		score_outcome_set(o, VERDICT_BUILD_FAILED,
				  "it does not load: %s", reply.refused.text);
	else
		TRY(tell(o, arm, NULL, state, &reply));
	if (o->why && arm->task->setup && state != RUNNER_REFUSED)
		say_where(o, "when it was loaded, or in its setup function");
	return o->verdict == VERDICT_PASS ? freeze(arm, o, NULL) : NULL;
}

struct error *arm_ready(struct score_outcome *o, struct arm *arm)
{
	TRY(is_loaded(o, arm));
	if (arm->preparer && o->verdict == VERDICT_PASS)
		TRY(is_loaded(o, arm->preparer));
	return NULL;
}

/* Only after the process is frozen: no thread of it may still write. */
static void look_round_prepared(struct score_outcome *o, const struct arm *arm)
{
	int i = prepared_overrun(&arm->prepared);

	if (i >= 0 && o->verdict == VERDICT_PASS)
		score_outcome_set(o, VERDICT_OUT_OF_BOUNDS,
				  "it wrote outside `%s`",
				  arm->task->argument[i].name);
}

/* Lets the preparer fill the prepared buffers. */
static struct error *prepare(struct score_outcome *o, struct arm *arm,
			     const struct input_set *s,
			     struct layout_random *layout)
{
	struct prepare_request q = {.head = {MESSAGE_PREPARE, 0},
				    .call = s->call,
				    .inputs_at = buffers_inputs_at(layout),
				    .prepared_at = buffers_prepared_at(layout)};
	cleanup_set_copy int inputs = -1;
	enum runner_state state;
	union runner_reply reply;

	memcpy(q.is_static, s->recipe.is_static, sizeof q.is_static);
	TRY(memfd_copy(&inputs, "inputs", s->fd,
		       entry_call_inputs_bytes(&s->call)));
	TRY(set_copy_seal(inputs));
	TRY(prepared_open(&arm->prepared, &s->call.layout));
	TRY(thaw(arm));
	if (speaks_json(arm))
		runner_json_prepare(arm->runner, arm->task, &s->call,
				    q.is_static, inputs, arm->prepared.fd);
	else
		runner_send(arm->runner, &q, sizeof q, inputs,
			    arm->prepared.fd);
	state = runner_wait(arm->runner, &reply, MESSAGE_PREPARED,
			    deadline_of(arm));
	TRY(tell(o, arm, NULL, state, &reply));
	if (o->verdict == VERDICT_PASS)
		TRY(freeze(arm, o, NULL));
	look_round_prepared(o, arm);
	if (o->why)
		say_where(o, "in its prepare function");
	return NULL;
}

static struct error *give_prepared(struct score_outcome *o, struct arm *arm,
				   const struct input_set *s,
				   struct layout_random *layout)
{
	struct give_prepared_request q = {.head = {MESSAGE_GIVE_PREPARED, 0},
					  .call = s->call,
					  .prepared_at =
						  buffers_prepared_at(layout)};
	enum runner_state state;
	union runner_reply reply;

	TRY(thaw(arm));
	runner_send(arm->runner, &q, sizeof q, arm->prepared.fd, -1);
	state = runner_wait(arm->runner, &reply, MESSAGE_GIVEN_PREPARED,
			    deadline_of(arm));
	TRY(tell(o, arm, NULL, state, &reply));
	return o->verdict == VERDICT_PASS ? freeze(arm, o, NULL) : NULL;
}

struct error *arm_prepare(struct score_outcome *o, struct arm *arm,
			  const struct input_set *s,
			  struct layout_random *layout)
{
	if (arm->preparer)
		TRY(prepare(o, arm->preparer, s, layout));
	if (o->verdict != VERDICT_PASS)
		return NULL;
	TRY(prepared_open(&arm->prepared, &s->call.layout));
	if (arm->preparer) {
		prepared_take(&arm->prepared, &arm->preparer->prepared);
		prepared_release(&arm->preparer->prepared);
	}
	/* Another program gets them with every launch. */
	return speaks_json(arm) ? NULL : give_prepared(o, arm, s, layout);
}

/* In this time an arm only gives the last launch's memory back and maps that of
 * the next one. CPU time decides, since the program may have to wait for a CPU.
 */
#define READY_SECONDS	     2.0
#define READY_SECONDS_A_BYTE 2e-9
#define READY_CPU	     0.05
#define READY_CPU_A_BYTE     2e-10
#define OFF_CPU_SECONDS	     0.005

static void look_at_ready(struct score_outcome *o, double cpu, double bytes)
{
	if (cpu > READY_CPU + READY_CPU_A_BYTE * bytes)
		score_outcome_set(
			o, VERDICT_FORBIDDEN,
			"it works before a launch is there: %.3g ms of "
			"CPU time",
			1e3 * cpu);
}

static struct error *await_ready(struct score_outcome *o, struct arm *arm,
				 const struct buffers *b, double seconds)
{
	struct ready_request q = {.head = {MESSAGE_READY, 0},
				  .call = b->call,
				  .inputs_at = b->inputs_at,
				  .outputs_at = b->outputs_at};
	enum runner_state state;
	union runner_reply reply;

	TRY(thaw(arm));
	if (speaks_json(arm))
		runner_json_ready(arm->runner, arm->task, &b->call, b->inputs,
				  b->outputs, arm->prepared.fd);
	else
		runner_send(arm->runner, &q, sizeof q, b->inputs, b->outputs);
	state = runner_wait(arm->runner, &reply, MESSAGE_IS_READY,
			    clock_seconds() + seconds);
	if (state != RUNNER_LATE)
		return tell(o, arm, b, state, &reply);
	score_outcome_set(o, VERDICT_TIMED_OUT,
			  "it was not ready for a launch within %.3g s",
			  seconds);
	return NULL;
}

/* The CPU time of the stopped process. A thread that is seen as stopped may still
 * be on its way off the CPU: until then two readings differ. */
static double cpu_once_off(const struct arm *arm)
{
	double deadline = clock_seconds() + OFF_CPU_SECONDS;
	double last, now = sandboxed_cpu_seconds(&arm->runner->process);

	do {
		last = now;
		now = sandboxed_cpu_seconds(&arm->runner->process);
	} while (now > last && clock_seconds() < deadline);
	return now;
}

struct error *arm_make_ready(struct score_outcome *o, struct arm *arm,
			     const struct buffers *b)
{
	double before = sandboxed_cpu_seconds(&arm->runner->process);
	uint64_t now = b->shared_bytes + b->captured_bytes +
		       b->call.layout.region_bytes[REGION_PREPARED] +
		       b->call.batch * entry_call_inputs_bytes(&b->call);
	double bytes = (double)(arm->handed_bytes + now);

	TRY(await_ready(o, arm, b,
			READY_SECONDS + READY_SECONDS_A_BYTE * bytes));
	if (o->verdict == VERDICT_PASS)
		TRY(freeze(arm, o, b));
	if (o->verdict != VERDICT_PASS)
		return NULL;
	arm->cpu_when_stopped = cpu_once_off(arm);
	if (!arm->trusted)
		look_at_ready(o, arm->cpu_when_stopped - before, bytes);
	arm->handed_bytes = now;
	return NULL;
}

bool arm_may_stay(const struct arm *arm)
{
	return !speaks_json(arm) || arm->runner->again;
}

void arm_stay_ready(struct arm *arm)
{
	arm->cpu_when_stopped = cpu_once_off(arm);
}

/* A thread that keeps a CPU busy between launches changes where other threads
 * run, those of its rivals too. The state of a thread at one instant shows
 * nothing: on a busy machine it may just be going to sleep. So after some
 * launches, which the candidate cannot distinguish from others, its process
 * runs for a moment between two stops: CPU time in it belongs to no launch.
 * Threads that wake for each stop and sleep again need some microseconds.
 *
 * What the kernel does in an interrupt is counted for the thread that it met: of
 * honest ones, where others wrote to the disk, up to 2.5 ms in one of a few dozen
 * moments. So the greatest is left out. */
#define PAUSE_SECONDS 0.002
#define PAUSES_FIRST  4 /* after each of so many launches, */
#define PAUSES_EVERY  8 /* then after one in so many */
#define PAUSES_LEAST  3
#define LIE_DOWN      0.00005 /* of CPU time, for each thread */
#define WENT_ON_SHARE 0.1     /* of a CPU */

static bool pause_wanted(struct arm *arm)
{
	struct secret_random random;

	if (arm->task->threads < 2 || arm->trusted)
		return false;
	if (arm->launches <= PAUSES_FIRST)
		return true;
	secret_random_init(&random);
	return secret_below(&random, PAUSES_EVERY) == 0;
}

/* In the mean of all pauses but the greatest. */
static bool goes_on(const struct arm *arm)
{
	double n = (double)arm->pauses;

	return arm->pauses >= PAUSES_LEAST &&
	       arm->pause_cpu - arm->pause_most >=
		       WENT_ON_SHARE * arm->pause_wall * (n - 1) / n;
}

static struct error *pause_arm(struct score_outcome *o, struct arm *arm,
			       const struct buffers *b)
{
	const struct timespec moment = {0, (long)(PAUSE_SECONDS * 1e9)};
	double lie_down = LIE_DOWN * (arm->task->threads + 1);
	double cpu = sandboxed_cpu_seconds(&arm->runner->process);
	double start = clock_seconds();

	TRY(thaw(arm));
	nanosleep(&moment, NULL);
	TRY(freeze(arm, o, b));
	if (o->verdict != VERDICT_PASS)
		return NULL;
	arm->pauses++;
	arm->pause_wall += clock_seconds() - start;
	cpu = sandboxed_cpu_seconds(&arm->runner->process) - cpu - lie_down;
	arm->pause_cpu += MAX(0, cpu);
	arm->pause_most = MAX(arm->pause_most, cpu);
	if (goes_on(arm))
		score_outcome_set(
			o, VERDICT_FORBIDDEN,
			"a thread of it goes on running after it returned: "
			"%.3g ms of CPU time in %.3g ms between launches",
			1e3 * arm->pause_cpu, 1e3 * arm->pause_wall);
	return NULL;
}

/* One thread has all CPU time of its process: nothing that it does is left out,
 * whenever it says that it is done, and what other programs do is not in it, nor
 * how long the two of us take to wake up. Several threads are timed by the clock.
 */
static bool is_timed_by_cpu(const struct arm *arm)
{
	return arm->task->threads == 1;
}

#define JOLT_SECONDS 2e-4
#define JOLTS	     3

static void sleep_seconds(double seconds)
{
	const struct timespec t = {0, (long)(MIN(seconds, 0.5) * 1e9)};

	nanosleep(&t, NULL);
}

/* Where all threads go on at once, none of them is ahead because another had to
 * wait for a CPU when it was woken: on a busy machine they hardly ever meet else. */
static void jolt(const struct arm *arm)
{
	for (unsigned i = 0; i < JOLTS; i++) {
		sleep_seconds(arm->jolt_after);
		sandboxed_send_stop(&arm->runner->process);
		sleep_seconds(JOLT_SECONDS);
		error_free(sandboxed_thaw(&arm->runner->process));
	}
}

/* The request waits for the process, which goes on when the clock starts. */
static struct error *timed(double *seconds, union runner_reply *reply,
			   enum runner_state *state, struct arm *arm,
			   struct buffers *b)
{
	struct go_request q = {.head = {MESSAGE_GO, 0}, .series = b->series};
	double start;

	if (speaks_json(arm))
		runner_json_go(arm->runner, &b->series, b->call.batch);
	else
		runner_send(arm->runner, &q, sizeof q, -1, -1);
	start = clock_seconds();
	TRY(thaw(arm));
	if (arm->jolt_after > 0)
		jolt(arm);
	*state =
		runner_wait(arm->runner, reply, MESSAGE_DONE,
			    start + arm->task->timeout_seconds * b->call.batch);
	if (!is_timed_by_cpu(arm))
		buffers_capture(b);
	*seconds = clock_seconds() - start;
	return NULL;
}

/* Stops the arm; the copy is taken afterwards where that is not timed. */
static struct error *stop_and_copy(double *seconds, struct score_outcome *o,
				   struct arm *arm, struct buffers *b)
{
	double used;

	TRY(freeze(arm, o, b));
	if (o->verdict != VERDICT_PASS || !is_timed_by_cpu(arm))
		return NULL;
	used = sandboxed_cpu_seconds(&arm->runner->process) -
	       arm->cpu_when_stopped;
	if (used > 0)
		*seconds = used;
	buffers_capture(b);
	return NULL;
}

/* Of a process whose threads are all seen as stopped: interrupts, and what a
 * hypervisor takes meanwhile, are counted for it later. 12 to 341 us were seen of
 * honest ones where others had the CPU. More can be counted once; a candidate that
 * gains by it does it at every launch, and where a task has one thread the time is
 * in that of the launch in any case. */
#define STOPPED_SECONDS 2e-3
#define STOPPED_RUNS	3
#define STOPPED_SHARE	8 /* of the launches: one in so many */

/* It saw its inputs before the clock started if it ran since it was stopped. */
static void look_whether_it_ran(struct score_outcome *o, struct arm *arm)
{
	double ran = sandboxed_cpu_seconds(&arm->runner->process) -
		     arm->cpu_when_stopped;

	arm->launches++;
	if (ran <= STOPPED_SECONDS)
		return;
	arm->stopped_runs++;
	if (arm->stopped_runs >= STOPPED_RUNS &&
	    arm->stopped_runs * STOPPED_SHARE >= arm->launches)
		score_outcome_set(o, VERDICT_FORBIDDEN,
				  "it ran while it was stopped, %u times: "
				  "%.3g us of CPU time",
				  arm->stopped_runs, 1e6 * ran);
}

struct error *arm_launch(double *seconds, struct score_outcome *o,
			 struct arm *arm, struct buffers *b)
{
	enum runner_state state;
	union runner_reply reply;

	if (arm->task->cache == CACHE_COLD)
		TRY(buffers_chill(b));
	look_whether_it_ran(o, arm);
	if (o->verdict != VERDICT_PASS)
		return NULL;
	TRY(timed(seconds, &reply, &state, arm, b));
	if (state == RUNNER_ANSWERED)
		TRY(stop_and_copy(seconds, o, arm, b));
	else
		TRY(tell(o, arm, b, state, &reply));
	if (o->verdict == VERDICT_PASS && pause_wanted(arm))
		TRY(pause_arm(o, arm, b));
	look_round_prepared(o, arm);
	return NULL;
}

struct cpu_time arm_cpu_time(const struct arm *arm)
{
	return cpu_time_of(arm->runner->process.inner);
}

void arm_free(struct arm *arm)
{
	if (!arm)
		return;
	arm_free(arm->preparer);
	runner_free(arm->runner);
	prepared_release(&arm->prepared);
	free(arm);
}
