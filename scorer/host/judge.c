#include "scorer/host/judge.h"

#include <signal.h>

#include "core/base/clock.h"
#include "scorer/host/reference_words.h"

/* For the scorer's own kernels, copies, and the driver's start. */
#define GPU_SECONDS 120.0

/* Does the last request run only the scorer's code on the GPU, and no function
 * of the task? */
static bool is_gpus_own(const struct judge *j)
{
	bool generated = false;

	for (size_t i = 0; i < j->task->n_arguments; i++)
		generated |= j->task->argument[i].fill == FILL_GENERATOR;
	return j->asked >= GPU_ALLOCATE && j->asked != GPU_REFERENCE &&
	       !(j->asked == GPU_FILL_SET && generated);
}

static struct error *gpu_ended(int code, int number)
{
	if (number)
		return error_new(ERROR_SYSTEM,
				 "the judge on the GPU was ended by signal %d "
				 "(%s) in the driver or the scorer's own "
				 "kernels; nothing was judged: try again, and "
				 "look at `nvidia-smi`",
				 number, strsignal(number));
	return error_new(ERROR_SYSTEM,
			 "the judge on the GPU ended with exit status %d in "
			 "the driver or the scorer's own kernels; nothing was "
			 "judged: try again, and look at `nvidia-smi`",
			 code);
}

/* The pointer in a struct that the task has as 0: the likely cause of a crash. */
static char *null_pointer_words(const struct task *t)
{
	for (size_t i = 0; i < t->n_arguments; i++) {
		const struct argument *a = &t->argument[i];

		for (size_t k = 0; a->by_pointer && k < a->n_members; k++) {
			const struct scalar *m = &a->members[k];
			bool is_zero = !(m->constant < 0) && !(m->constant > 0);

			if (m->dtype == DTYPE_U64 && !m->tensor && !m->value &&
			    is_zero)
				return xasprintf("; is `%s` of `%s` a pointer? "
						 "The task has 0 there",
						 m->name, a->name);
		}
	}
	return xstrdup("");
}

/* What else may be the cause of a crash: init guesses shapes. */
static const char *shape_words(int number)
{
	if (number != SIGSEGV && number != SIGBUS && number != SIGABRT)
		return "";
	return "; is each array as long as what it reads and writes there? "
	       "Look at the shapes, sizes and values that are marked GUESS";
}

static struct error *ended(struct judge *j)
{
	cleanup_free char *stack = runner_stack_words(j->runner);
	cleanup_free char *null = null_pointer_words(j->task);
	const char *shapes = "";
	struct buf said;
	int code, number;

	runner_end(j->runner, &code, &number);
	said = j->runner->said;
	if (is_gpus_own(j))
		return gpu_ended(code, number);
	if (j->runner->has_fault)
		TRY(reference_access_error(j->task, &j->runner->fault.access));
	if (!*stack && !*null)
		shapes = shape_words(number);
	if (number)
		return error_new(ERROR_TASK,
				 "%s: the reference (%s) crashed: %s%s%s%s%s%s",
				 j->task->path, j->task->reference.entry,
				 strsignal(number), stack, null, shapes,
				 said.len ? ". " : "", said.data);
	return error_new(ERROR_TASK,
			 "%s: the reference (%s) ended the judge with exit "
			 "status %d%s%s",
			 j->task->path, j->task->reference.entry, code,
			 said.len ? ". " : "", said.data);
}

static enum runner_state wait_until(struct judge *j, union runner_reply *reply,
				    uint32_t kind, bool own)
{
	const struct awaited on = {.say = j->say,
				   .entry = j->task->reference.entry,
				   .case_name = j->case_name,
				   .task = j->task};

	if (own)
		return runner_wait(j->runner, reply, kind,
				   clock_seconds() + GPU_SECONDS);
	return reference_wait(j->runner, reply, kind, &on);
}

static struct error *wait_for(struct judge *j, union runner_reply *reply,
			      uint32_t kind)
{
	bool own = is_gpus_own(j);

	switch (wait_until(j, reply, kind, own)) {
	case RUNNER_ANSWERED:
		return NULL;
	case RUNNER_REFUSED:
		if (j->asked == GPU_SELF_TEST)
			return error_new(ERROR_SYSTEM,
					 "the GPU does not answer: %s",
					 reply->refused.text);
		return error_new(ERROR_TASK, "%s: the judge cannot go on: %s",
				 j->task->path, reply->refused.text);
	case RUNNER_LATE:
		if (own)
			return error_new(ERROR_SYSTEM,
					 "the GPU does not answer any more: "
					 "the scorer's own kernels did not "
					 "end within %.0f s; look at "
					 "`nvidia-smi`",
					 GPU_SECONDS);
		return error_new(ERROR_TASK,
				 "%s: the reference (%s) did not return within "
				 "%.0f s: does a loop of it never end at these "
				 "sizes? Where it is slow let it compute rows "
				 "(`rows: true`)",
				 j->task->path, j->task->reference.entry,
				 REFERENCE_SECONDS);
	case RUNNER_INTERRUPTED:
		return error_new(ERROR_INTERRUPTED, "stopped");
	case RUNNER_STRANGE:
		return error_new(ERROR_TASK,
				 "%s: the reference disturbed the judge",
				 j->task->path);
	case RUNNER_ENDED:
		break;
	}
	return ended(j);
}

static bool is_work(const struct judge *j)
{
	return j->asked != MESSAGE_START && j->asked != GPU_SELF_TEST &&
	       j->asked != GPU_ALLOCATE;
}

/* While it serves a request, the judge wants values of a reference that is in
 * another process. Where there are none it cannot go on. */
static struct error *have_called(struct judge *j, const struct call_reply *q)
{
	struct called_request called = {{MESSAGE_CALLED, 0}};
	struct error *err =
		reference_runners_call(j->reference, q->side, j->case_name);

	if (err)
		runner_send_kill(j->runner);
	else
		runner_send(j->runner, &called, sizeof called, -1, -1);
	return err;
}

struct error *judge_request(union runner_reply *reply, struct judge *j,
			    void *request, size_t bytes, int fd0, int fd1,
			    uint32_t kind)
{
	double start = clock_seconds();

	j->asked = ((const struct message_head *)request)->kind;
	runner_send(j->runner, request, bytes, fd0, fd1);
	TRY(wait_for(j, reply, kind));
	while (reply->head.kind == MESSAGE_CALL) {
		TRY(have_called(j, &reply->call));
		TRY(wait_for(j, reply, kind));
	}
	if (is_work(j))
		j->seconds += clock_seconds() - start;
	return NULL;
}

struct error *judge_ask(struct judge *j, struct judge_answer *out,
			void *request, size_t bytes, int fd0, int fd1)
{
	union runner_reply reply;

	TRY(judge_request(&reply, j, request, bytes, fd0, fd1, MESSAGE_ANSWER));
	*out = reply.answer;
	if (reply.answer.finding >= FINDING_COUNT ||
	    reply.answer.argument >= j->task->n_arguments)
		return error_new(ERROR_TASK,
				 "%s: the reference disturbed the judge",
				 j->task->path);
	TRY(reference_finding_error(j->task, &reply.answer));
	/* Of an element that is known the caller says in which case it is so. */
	if (reply.answer.finding == FINDING_REFERENCE_HOLE &&
	    !reply.answer.access.array)
		return error_new(
			ERROR_TASK,
			"%s: the reference (%s) leaves elements of `%s` "
			"unwritten; it must write all of them, as double",
			j->task->path, j->task->reference.entry,
			j->task->argument[reply.answer.argument].name);
	return NULL;
}

/* The same of a set, whose case is named where it takes long. */
static struct error *ask_of_case(struct judge *j, struct judge_answer *out,
				 void *request, size_t bytes,
				 const struct input_set *s, int fd0, int fd1)
{
	struct error *err;

	j->case_name = s->case_name;
	err = judge_ask(j, out, request, bytes, fd0, fd1);
	j->case_name = NULL;
	return err;
}

struct error *judge_plain_is_off(const struct task *t,
				 const struct judge_answer *a,
				 const char *case_name)
{
	return error_new(ERROR_TASK,
			 "%s: the plain version differs from the reference in "
			 "`%s` by %.3g where values are about %.3g, in case "
			 "%s: one of the two is wrong, and what is right "
			 "cannot be told from what is not",
			 t->path, t->argument[a->argument].name, a->got,
			 a->expected, case_name);
}

struct error *judge_reference_fault(const struct judge *j,
				    const struct judge_answer *a,
				    const struct input_set *s)
{
	return a->finding == FINDING_PLAIN_OFF
		       ? judge_plain_is_off(j->task, a, s->case_name)
		       : NULL;
}

/* The functions that it finds in the object. */
static struct error *name_functions(struct start_request *start,
				    const struct task *task,
				    const struct runner_spec *spec)
{
	TRY(runner_put_function(start->entry, task, spec->object_fd,
				task->reference.entry));
	if (!task->tolerance.absolute)
		TRY(runner_put_function(start->plain, task, spec->object_fd,
					task->plain));
	for (size_t i = 0; i < task->n_arguments; i++)
		if (task->argument[i].fill == FILL_GENERATOR)
			TRY(runner_put_function(start->generator[i], task,
						spec->object_fd,
						task->argument[i].generator));
	return runner_put_function(start->setup, task, spec->object_fd,
				   task->reference.setup);
}

/* Starts what has them instead; then the judge has no object, and gets some
 * file in place of it. */
static struct error *start_runners(struct judge *j, struct start_request *start,
				   struct runner_spec *own,
				   const struct runner_spec *spec, bool alone)
{
	start->by_runners = true;
	own->build = NULL;
	own->object_fd = spec->program_fd;
	if (task_needs_plain(j->task))
		TRY(runner_put_name(start->plain, j->task->plain));
	return reference_runners_start(&j->reference, j->task, spec, alone);
}

/* `alone`: without the plain version. */
static struct error *start_one(struct judge **out, const struct task *task,
			       const struct runner_spec *spec, bool alone)
{
	cleanup_judge struct judge *j = xcalloc(1, sizeof *j);
	struct start_request start = {.head = {MESSAGE_START, 0}};
	struct runner_spec own = *spec;
	union runner_reply reply;
	cpu_set_t cpus;

	j->task = task;
	j->spec = *spec;
	j->say = spec->say;
	start.threads = MAX(spec->judge_threads, 1U);
	/* A reference may have as many of its own, as OpenMP has where it finds
	 * as many CPUs. */
	own.threads = start.threads > 1 ? 2 * start.threads : 1;
	if (!own.cpus) {
		TRY(sandbox_last_cpus(&cpus, start.threads));
		own.cpus = &cpus;
	}
	if (spec->build && spec->build->runner)
		TRY(start_runners(j, &start, &own, spec, alone));
	else
		TRY(name_functions(&start, task, spec));
	if (alone)
		start.plain[0] = '\0';
	TRY(runner_start(&j->runner, &own));
	j->runner->calls = j->reference != NULL;
	TRY(error_wrap(judge_request(&reply, j, &start, sizeof start, -1, -1,
				     MESSAGE_STARTED),
		       "loading the reference"));
	*out = steal(&j);
	return NULL;
}

struct error *judge_start(struct judge **out, const struct task *task,
			  const struct runner_spec *spec)
{
	return start_one(out, task, spec, false);
}

struct error *judge_fill(struct judge *j, struct input_set *s)
{
	struct fill_request q = {.head = {MESSAGE_FILL, 0},
				 .call = s->call,
				 .recipe = s->recipe};
	struct judge_answer a;

	TRY(set_open(s));
	TRY(judge_ask(j, &a, &q, sizeof q, s->fd, -1));
	return set_seal(s);
}

struct error *judge_poison(struct judge *j, const struct input_set *s,
			   const struct buffers *b)
{
	struct poison_request q = {.head = {MESSAGE_POISON, 0},
				   .call = s->call,
				   .poison = b->poison};
	struct judge_answer a;

	return judge_ask(j, &a, &q, sizeof q, b->outputs, s->fd);
}

static struct error *copy(struct judge *j, const struct input_set *s,
			  enum message_kind kind, int fd)
{
	struct copy_request q = {
		.head = {kind, 0},
		.bytes = s->call.batch * entry_call_inputs_bytes(&s->call),
		.image_bytes = entry_call_inputs_bytes(&s->call),
		.series = s->series};
	struct judge_answer a;

	return judge_ask(j, &a, &q, sizeof q, fd, -1);
}

struct error *judge_take(struct judge *j, const struct input_set *s,
			 struct buffers *b)
{
	TRY(set_copy_open(&b->inputs, s));
	TRY(copy(j, s, MESSAGE_TAKE, b->inputs));
	return set_copy_seal(b->inputs);
}

struct error *judge_hand_out(struct judge *j, const struct input_set *s)
{
	return copy(j, s, MESSAGE_COPY, s->fd);
}

struct error *judge_share_memory(struct judge *j, const struct input_set *s)
{
	struct reference_memory *m;
	union runner_reply reply;

	if (!j->reference)
		return NULL;
	TRY(reference_runners_share(&m, j->reference, &s->call));
	j->asked = MESSAGE_VALUES;
	runner_send3(j->runner, &m->request, sizeof m->request, m->fd);
	return wait_for(j, &reply, MESSAGE_ANSWER);
}

static struct error *unwritten(const struct judge_answer *out,
			       const struct judge *j)
{
	if (out->finding != FINDING_REFERENCE_HOLE)
		return NULL;
	return error_new(
		ERROR_TASK,
		"%s: the reference (%s) does not write `%s`[%lld], so nothing "
		"is right there: say which sizes go together "
		"(`hidden: {require: ...}`), or make `%s` `inout`, which "
		"keeps what it was",
		j->task->path, j->task->reference.entry,
		j->task->argument[out->argument].name, (long long)out->element,
		j->task->argument[out->argument].name);
}

static struct reference_request request_of(const struct judge *j,
					   const struct input_set *s,
					   const struct selection *what,
					   enum message_kind kind)
{
	struct reference_request q = {.head = {kind, 0},
				      .call = s->call,
				      .recipe = s->recipe,
				      .index = what->index,
				      .rows = j->task->reference_rows,
				      .again = what->again,
				      .n_segments = what->n_segments,
				      .history = s->history,
				      .tolerance = j->task->tolerance};

	memcpy(q.segment, what->segment, sizeof q.segment);
	return q;
}

struct error *judge_reference(struct judge *j, const struct input_set *s,
			      const struct selection *what)
{
	struct reference_request q = request_of(j, s, what, MESSAGE_REFERENCE);
	struct judge_answer a;

	j->last = *what;
	TRY(judge_share_memory(j, s));
	TRY(ask_of_case(j, &a, &q, sizeof q, s, s->fd, -1));
	TRY(judge_reference_fault(j, &a, s));
	TRY(unwritten(&a, j));
	memcpy(j->uniform, a.uniform, sizeof j->uniform);
	memcpy(j->value, a.value, sizeof j->value);
	return NULL;
}

/* Room for what WRITE_DOWN writes of these rows. */
static size_t answer_bytes(const struct layout *l, const struct selection *what)
{
	int64_t rows = 0, elements = 0;

	for (uint32_t k = 0; k < what->n_segments; k++)
		rows += what->segment[k].end - what->segment[k].begin;
	for (size_t i = 0; i < l->n; i++) {
		const struct tensor_layout *t = &l->arg[i].tensor;

		if (!l->arg[i].is_tensor || t->region != REGION_OUTPUT)
			continue;
		elements += what->n_segments
				    ? t->elements / MAX(l->rows, 1) * rows
				    : t->elements;
	}
	return (size_t)elements * sizeof(double);
}

/* A judge as j, which writes down what j computed last. */
static struct error *write_down(int file, double *seconds,
				const struct judge *j,
				const struct input_set *s)
{
	cleanup_judge struct judge *alone = NULL;
	struct reference_request q =
		request_of(j, s, &j->last, MESSAGE_WRITE_DOWN);
	struct judge_answer a;

	TRY(start_one(&alone, j->task, &j->spec, true));
	TRY(judge_share_memory(alone, s));
	TRY(ask_of_case(alone, &a, &q, sizeof q, s, s->fd, file));
	*seconds = alone->seconds;
	return NULL;
}

struct error *judge_hold_alone(struct judge *j, const struct input_set *s)
{
	cleanup_fd int file = -1;
	struct hold_request q = {.head = {MESSAGE_HOLD, 0}};
	struct judge_answer a;
	double seconds = 0;

	TRY(sized_memfd(&file, "answer",
			answer_bytes(&s->call.layout, &j->last)));
	TRY(error_wrap(write_down(file, &seconds, j, s),
		       "in a process of its own"));
	j->seconds += seconds;
	return judge_ask(j, &a, &q, sizeof q, file, -1);
}

struct error *judge_compare(struct judge_answer *out, struct judge *j,
			    const struct input_set *s, const struct buffers *b,
			    uint32_t index, bool values)
{
	struct compare_request q = {.head = {MESSAGE_COMPARE, 0},
				    .call = s->call,
				    .index = index,
				    .guards = true,
				    .values = values,
				    .blames = values,
				    .poison = b->poison,
				    .series = s->series};

	TRY(ask_of_case(j, out, &q, sizeof q, s, b->capture, b->outputs));
	return unwritten(out, j);
}

static struct error *compare_copy(struct judge_answer *out, struct judge *j,
				  const struct input_set *s, int capture,
				  uint32_t index, bool blames)
{
	struct compare_request q = {.head = {MESSAGE_COMPARE, 0},
				    .call = s->call,
				    .index = index,
				    .values = true,
				    .blames = blames};

	TRY(ask_of_case(j, out, &q, sizeof q, s, capture, -1));
	return unwritten(out, j);
}

struct error *judge_compare_kept(struct judge_answer *out, struct judge *j,
				 const struct input_set *s, int capture,
				 uint32_t index)
{
	return compare_copy(out, j, s, capture, index, true);
}

struct error *judge_is_unlike(bool *out, struct judge *j,
			      const struct input_set *s, int capture)
{
	struct judge_answer a;

	TRY(compare_copy(&a, j, s, capture, 0, false));
	*out = a.finding != FINDING_NONE;
	return NULL;
}

struct error *judge_unlike(struct likeness_reply *out, struct judge *j,
			   const struct input_set *s, int one, int other,
			   uint32_t index, int64_t tile_rows)
{
	struct unlike_request q = {.head = {MESSAGE_UNLIKE, 0},
				   .call = s->call,
				   .index = index,
				   .tile_rows = tile_rows};
	union runner_reply reply;

	TRY(judge_request(&reply, j, &q, sizeof q, one, other,
			  MESSAGE_LIKENESS));
	*out = reply.likeness;
	return NULL;
}

struct error *judge_lint(struct judge_answer *out, struct judge *j,
			 const struct input_set *s,
			 const struct selection *what,
			 const struct lint_scope *scope)
{
	struct lint_request q = {.head = {MESSAGE_LINT, 0},
				 .call = s->call,
				 .recipe = s->recipe,
				 .rows = j->task->reference_rows,
				 .n_segments = what->n_segments,
				 .tolerance = j->task->tolerance,
				 .varied = scope->varied,
				 .draws = scope->draws};

	memcpy(q.segment, what->segment, sizeof q.segment);
	memcpy(q.settled, scope->settled, sizeof q.settled);
	TRY(judge_share_memory(j, s));
	TRY(ask_of_case(j, out, &q, sizeof q, s, -1, -1));
	return unwritten(out, j);
}

void judge_free(struct judge *j)
{
	if (!j)
		return;
	runner_free(j->runner);
	reference_runners_free(j->reference);
	free(j);
}
