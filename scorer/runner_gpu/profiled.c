#include "scorer/runner/roles.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "scorer/wire/fence.h"
#include "scorer/runner/fill.h"
#include "scorer/runner_gpu/judge_memory.h"
#include "scorer/runner_gpu/replay.h"

/* Launches before the profiled one: they load the code and fill the page
 * tables. */
#define WARM_UP 2

struct profiled_launch {
	int folder;
	struct replay_order order;
	struct judge_memory memory;
	struct gpu_replay replay;
	CUevent begin;
	struct gpu_memory prepared;
	struct mapping generated; /* inputs that the task's own code made */
	/* Under a sanitizer: one for each tensor, and for an inout's
	 * contents. */
	struct gpu_memory fenced[2 * TASK_MAX_ARGS];
	size_t n_fenced;
};

static int open_file(const struct profiled_launch *r, const char *name)
{
	return openat(r->folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
}

static const char *read_order(struct profiled_launch *r)
{
	struct replay_order *o = &r->order;
	cleanup_fd int fd = open_file(r, REPLAY_ORDER);

	if (fd < 0 || read(fd, o, sizeof *o) != (ssize_t)sizeof *o)
		return "the order cannot be read";
	if (o->call.batch != 1 || o->addresses.images != 1 ||
	    o->addresses.inputs_bytes != entry_call_inputs_bytes(&o->call) ||
	    o->addresses.outputs_bytes != entry_call_outputs_bytes(&o->call) ||
	    o->addresses.prepared_bytes !=
		    o->call.layout.region_bytes[REGION_PREPARED])
		return "an order that no scorer gives";
	return NULL;
}

/* A kernel's prints must not be confused with the profiler's output. */
static const char *be_quiet(void)
{
	cleanup_fd int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null < 0 || dup2(null, STDOUT_FILENO) < 0 ||
	    dup2(null, STDERR_FILENO) < 0)
		return "/dev/null cannot be opened";
	return NULL;
}

/* NULL if it cannot be read. */
static void *read_whole(int fd, size_t *bytes)
{
	cleanup_free char *data = NULL;
	struct stat st;

	if (fstat(fd, &st) < 0 || st.st_size <= 0)
		return NULL;
	*bytes = (size_t)st.st_size;
	data = xcalloc(*bytes, 1);
	for (size_t at = 0; at < *bytes;) {
		ssize_t n = read(fd, data + at, *bytes - at);

		if (n <= 0)
			return NULL;
		at += (size_t)n;
	}
	return steal(&data);
}

static const char *load(struct profiled_launch *r)
{
	cleanup_fd int cubins = open_file(r, REPLAY_CUBINS);
	cleanup_fd int plan = open_file(r, REPLAY_PLAN);
	cleanup_free void *code = NULL, *launch = NULL;
	size_t code_bytes = 0, plan_bytes = 0;
	const char *why;

	if (cubins < 0 || plan < 0)
		return "the plan or its code cannot be opened";
	code = read_whole(cubins, &code_bytes);
	launch = read_whole(plan, &plan_bytes);
	if (!code || !launch ||
	    plan_bytes <
		    (r->order.prepares ? 2 : 1) * sizeof(struct plan_launch))
		return "the plan or its code cannot be read";
	why = replay_open(&r->replay, &r->memory.gpu);
	if (!why)
		why = replay_load(&r->replay, code, code_bytes);
	return why ? why
		   : replay_take(&r->replay, launch, 1, r->order.prepares, 0);
}

static const char *read_generated(struct profiled_launch *r)
{
	cleanup_fd int fd = open_file(r, REPLAY_INPUTS);
	const char *why;

	if (fd < 0)
		return NULL;
	why = mapping_plain(&r->generated, fd,
			    entry_call_inputs_bytes(&r->order.call), PROT_READ);
	r->memory.generated = r->generated.base;
	return why;
}

static const char *map_fenced(struct profiled_launch *r, uint64_t region_at,
			      const struct tensor_layout *t)
{
	return gpu_memory_make(&r->fenced[r->n_fenced++], &r->memory.gpu,
			       t->end - t->begin, region_at + t->begin, NULL);
}

static const char *map_tensor(struct profiled_launch *r,
			      const struct tensor_layout *t)
{
	const struct layout *l = &r->order.call.layout;
	const struct gpu_addresses *p = &r->order.addresses;
	const char *why = NULL;

	if (t->region == REGION_INPUT)
		return map_fenced(r, p->inputs_at, t);
	if (t->region == REGION_PREPARED)
		return map_fenced(r, p->prepared_at, t);
	if (t->region == REGION_WORKSPACE)
		return map_fenced(
			r, p->outputs_at + l->region_bytes[REGION_OUTPUT], t);
	if (t->direction == DIRECTION_INOUT)
		why = map_fenced(
			r, p->inputs_at + l->region_bytes[REGION_INPUT], t);
	return why ? why : map_fenced(r, p->outputs_at, t);
}

static const char *fill_fenced(struct profiled_launch *r)
{
	struct judge_memory *b = &r->memory;
	const struct layout *l = &r->order.call.layout;
	const char *why = NULL;

	if (FENCE_PAGE % b->gpu.granularity)
		return "the driver maps memory in pages of a size that the "
		       "fences are not made for";
	for (size_t i = 0; !why && i < l->n; i++)
		if (l->arg[i].is_tensor)
			why = map_tensor(r, &l->arg[i].tensor);
	b->call = r->order.call;
	b->buffers.slots = 1;
	b->buffers.inputs.at = r->order.addresses.inputs_at;
	if (!why)
		why = judge_memory_fill_tensors(b, &r->order.recipe);
	return why ? why
		   : judge_memory_begin_outputs(
			     b, r->order.addresses.outputs_at, 0);
}

static const char *fill(struct profiled_launch *r)
{
	struct judge_memory *b = &r->memory;
	const struct gpu_addresses *p = &r->order.addresses;
	const char *why = gpu_memory_make(&b->buffers.inputs, &b->gpu,
					  p->inputs_bytes, p->inputs_at, NULL);

	b->call = r->order.call;
	b->buffers.slots = 1;
	if (!why)
		why = gpu_memory_make(&b->buffers.outputs[0], &b->gpu,
				      p->outputs_bytes, p->outputs_at, NULL);
	if (!why)
		why = gpu_memory_make(&r->prepared, &b->gpu, p->prepared_bytes,
				      p->prepared_at, NULL);
	if (!why)
		why = judge_memory_fill(b, &r->order.recipe);
	if (!why)
		why = judge_memory_poison_outputs(
			b, 0, recipe_gaps(&r->order.recipe));
	return why;
}

typedef const char *(*play_fn)(struct gpu_replay *r, uint32_t image,
			       CUevent begin);

static const char *play_one(struct profiled_launch *r, play_fn queue)
{
	struct cuda *cuda = &r->memory.gpu.cuda;
	const char *why = gpu_check(
		&r->memory.gpu, cuda->event_record(r->begin, r->replay.lane[0]),
		"a launch");

	if (!why)
		why = queue(&r->replay, 0, r->begin);
	if (!why)
		why = gpu_check(&r->memory.gpu, cuda->synchronize(),
				"its kernels");
	return why;
}

static const char *play(struct profiled_launch *r)
{
	return play_one(r, replay_launch);
}

static const char *get_ready(struct profiled_launch *r)
{
	const char *why = gpu_check(&r->memory.gpu,
				    r->memory.gpu.cuda.event_create(
					    &r->begin, CU_EVENT_DISABLE_TIMING),
				    "getting ready");

	r->replay.pristine = r->order.checked;
	if (!why)
		why = load(r);
	if (!why)
		why = read_generated(r);
	if (!why)
		why = r->order.checked ? fill_fenced(r) : fill(r);
	return why ? why : play_one(r, replay_prepare);
}

/* Only steps whose failure is the machine's. */
static const char *open_machine(struct profiled_launch *r)
{
	const char *why = be_quiet();

	if (!why)
		why = gpu_open(&r->memory.gpu, true);
	return why ? why
		   : gpu_refuse_reach(
			     &r->memory.gpu,
			     "one could write into the process that is "
			     "profiled, outside the sandbox");
}

static const char *warm_up(struct profiled_launch *r)
{
	const char *why = get_ready(r);

	for (int i = 0; !why && i < WARM_UP; i++)
		why = play(r);
	return why;
}

static const char *be_profiled(struct profiled_launch *r)
{
	struct cuda *cuda = &r->memory.gpu.cuda;
	const char *why = gpu_check(&r->memory.gpu, cuda->profiler_start(),
				    "calling the profiler");

	if (!why)
		why = play(r);
	if (!why)
		why = gpu_check(&r->memory.gpu, cuda->profiler_stop(),
				"calling the profiler");
	return why;
}

/* ---- the folder --------------------------------------------------------------- */

static void say(const struct profiled_launch *r, const char *name,
		const char *why)
{
	cleanup_fd int fd = openat(
		r->folder, name,
		O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);

	if (fd >= 0 && write(fd, why, strlen(why)) < 0)
		return;
}

static const char *be_checked(struct profiled_launch *r)
{
	const char *why;

	alarm(r->order.seconds);
	why = get_ready(r);
	if (!why)
		why = play(r);
	if (why)
		return why;
	unlinkat(r->folder, REPLAY_SAID, 0);
	say(r, REPLAY_PLAYED, "to the end");
	return NULL;
}

static const char *warm_up_and_be_profiled(struct profiled_launch *r)
{
	const char *why;

	alarm(r->order.warm_up_seconds);
	why = warm_up(r);
	if (why)
		return why;
	unlinkat(r->folder, REPLAY_SAID, 0);
	alarm(r->order.seconds);
	return be_profiled(r);
}

static const char *replay(struct profiled_launch *r)
{
	const char *why = read_order(r);

	if (!why)
		why = open_machine(r);
	if (why) {
		say(r, REPLAY_REFUSED, why);
		return why;
	}
	/* This text stays if a kernel, or the alarm, ends the process. */
	say(r, REPLAY_SAID,
	    "its kernels did not end in time, or ended the process that plays "
	    "them");
	why = r->order.checked ? be_checked(r) : warm_up_and_be_profiled(r);
	if (why)
		say(r, REPLAY_SAID, why);
	if (why && r->memory.gpu.moved)
		say(r, REPLAY_MOVED, why);
	return why;
}

int profiled_run(const char *folder)
{
	struct profiled_launch *r = xcalloc(1, sizeof *r);
	const char *why = "there is no such folder";

	r->memory.elsewhere = judge_memory_elsewhere();
	r->folder = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (r->folder >= 0) {
		why = replay(r);
		close(r->folder);
	}
	replay_release(&r->replay);
	mapping_release(&r->generated);
	free(r);
	return why ? 1 : 0;
}
