#include "scorer/host/reference_runners.h"

#include <signal.h>

#include "core/base/clock.h"
#include "scorer/host/runner_json.h"

/* From then on a person is told what is waited for. */
#define PATIENCE_SECONDS 10.0

struct reference_runners {
	const struct task *task;
	void (*say)(const char *sentence);
	struct runner *runner[2]; /* [1]: NULL if no output needs it */
	struct reference_memory memory;
};

/* Contents that a template guessed: what follows links or walks along offsets may
 * never come to an end. */
static const char *likely_cause(const struct task *t)
{
	for (size_t i = 0; t && i < t->n_arguments; i++) {
		const struct argument *a = &t->argument[i];

		if (a->kind == ARGUMENT_TENSOR &&
		    a->direction != DIRECTION_OUT &&
		    !dtype_is_float(a->dtype) && a->fill != FILL_GENERATOR)
			return ". Where integers of the inputs are indexes, "
			       "links or offsets, it may go in circles: say "
			       "their range with `fill`, or make them with a "
			       "generator; else choose smaller sizes";
	}
	return "";
}

static void say_waiting(const struct awaited *on)
{
	cleanup_free char *text = xasprintf(
		"the reference (%s) has not returned for %.0f s%s%s; after "
		"%.0f s this ends with an error%s",
		on->entry, PATIENCE_SECONDS, on->case_name ? " in case " : "",
		on->case_name ? on->case_name : "", REFERENCE_SECONDS,
		likely_cause(on->task));

	on->say(text);
}

enum runner_state reference_wait(struct runner *r, union runner_reply *reply,
				 uint32_t kind, const struct awaited *on)
{
	double start = clock_seconds();
	enum runner_state state;

	if (on->say) {
		state = runner_wait(r, reply, kind, start + PATIENCE_SECONDS);
		if (state != RUNNER_LATE)
			return state;
		say_waiting(on);
	}
	return runner_wait(r, reply, kind, start + REFERENCE_SECONDS);
}

static const char *entry_of(const struct reference_runners *r, uint32_t side)
{
	return side ? r->task->plain : r->task->reference.entry;
}

/* Nothing tells the address: the program may be another than ours. */
static const char *input_words(int number)
{
	if (number != SIGSEGV && number != SIGBUS)
		return "";
	return "; does it change an input (`x.add_(1)`, `out=x`)? Inputs "
	       "cannot be written: let it work on a copy, or say `direction: "
	       "inout`";
}

static struct error *ended(struct reference_runners *r, uint32_t side,
			   const char *doing)
{
	struct runner *one = r->runner[side];
	int code, number;

	runner_end(one, &code, &number);
	if (number)
		return error_new(ERROR_TASK,
				 "%s: the reference (%s) crashed %s: %s%s. %s",
				 r->task->path, entry_of(r, side), doing,
				 strsignal(number), input_words(number),
				 one->said.data);
	return error_new(ERROR_TASK,
			 "%s: the reference (%s) ended with exit status %d "
			 "%s. %s",
			 r->task->path, entry_of(r, side), code, doing,
			 one->said.data);
}

/* Waits for the answer to the last request; `doing` is for messages. */
static struct error *wait_on(struct reference_runners *r, uint32_t side,
			     uint32_t kind, const char *doing,
			     const struct awaited *on)
{
	union runner_reply reply;

	switch (reference_wait(r->runner[side], &reply, kind, on)) {
	case RUNNER_ANSWERED:
		return NULL;
	case RUNNER_REFUSED:
		return error_new(ERROR_TASK,
				 "%s: the reference (%s) failed %s: %s",
				 r->task->path, entry_of(r, side), doing,
				 reply.refused.text);
	case RUNNER_LATE:
		return error_new(ERROR_TASK,
				 "%s: the reference (%s) was not done %s "
				 "within %.0f s: give the cases smaller shapes",
				 r->task->path, entry_of(r, side), doing,
				 REFERENCE_SECONDS);
	case RUNNER_INTERRUPTED:
		return error_new(ERROR_INTERRUPTED, "stopped");
	case RUNNER_STRANGE:
		return error_new(ERROR_TASK,
				 "%s: the reference (%s) disturbed its runner "
				 "%s",
				 r->task->path, entry_of(r, side), doing);
	case RUNNER_ENDED:
		break;
	}
	return ended(r, side, doing);
}

/* What is not the function's own takes as long as it takes. */
static struct error *wait_for(struct reference_runners *r, uint32_t side,
			      uint32_t kind, const char *doing)
{
	const struct awaited on = {.entry = entry_of(r, side)};

	return wait_on(r, side, kind, doing, &on);
}

/* Both at the same time: to import PyTorch takes seconds. */
static struct error *start(struct reference_runners *r,
			   const struct runner_spec *spec, bool alone)
{
	uint32_t n = task_needs_plain(r->task) && !alone ? 2 : 1;

	for (uint32_t side = 0; side < n; side++) {
		TRY(runner_start(&r->runner[side], spec));
		runner_json_start(r->runner[side], r->task, spec->build,
				  entry_of(r, side), NULL, side == 0);
	}
	for (uint32_t side = 0; side < n; side++)
		TRY(wait_for(r, side, MESSAGE_STARTED, "when it started"));
	return NULL;
}

struct error *reference_runners_start(struct reference_runners **out,
				      const struct task *t,
				      const struct runner_spec *spec,
				      bool alone)
{
	cleanup_reference_runners struct reference_runners *r =
		xcalloc(1, sizeof *r);

	r->task = t;
	r->say = spec->say;
	r->memory = (struct reference_memory)REFERENCE_MEMORY_INIT;
	TRY(start(r, spec, alone));
	*out = steal(&r);
	return NULL;
}

struct error *reference_runners_share(struct reference_memory **out,
				      struct reference_runners *r,
				      const struct entry_call *c)
{
	struct reference_memory *m = &r->memory;

	TRY(reference_memory_open(m, c, r->runner[1] != NULL));
	for (uint32_t side = 0; side < 2 && r->runner[side]; side++) {
		runner_json_ready(r->runner[side], r->task,
				  &m->request.call[side], m->fd[0],
				  m->fd[1 + side], -1);
		TRY(wait_for(r, side, MESSAGE_IS_READY,
			     "when it got its arguments"));
	}
	*out = m;
	return NULL;
}

struct error *reference_runners_call(struct reference_runners *r, uint32_t side,
				     const char *case_name)
{
	const struct series all = {.n = 0};
	struct awaited on = {.say = r->say, .case_name = case_name};

	if (side > 1 || !r->runner[side])
		return error_new(ERROR_INTERNAL,
				 "%s: the judge asked for a reference that "
				 "there is not",
				 r->task->path);
	on.entry = entry_of(r, side);
	runner_json_go(r->runner[side], &all, 1);
	return wait_on(r, side, MESSAGE_DONE, "when it was called", &on);
}

void reference_runners_free(struct reference_runners *r)
{
	if (!r)
		return;
	for (size_t k = 0; k < 2; k++)
		runner_send_kill(r->runner[k]);
	for (size_t k = 0; k < 2; k++)
		runner_free(r->runner[k]);
	reference_memory_release(&r->memory);
	free(r);
}
