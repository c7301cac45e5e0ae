#include "scorer/runner/roles.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "scorer/runner_gpu/batch.h"
#include "scorer/runner_gpu/replay.h"
#include "scorer/runner_gpu/mapped_buffers.h"

struct launcher {
	struct gpu_device gpu;
	char *unopened; /* why it cannot launch any code; owned */
	char *unloaded; /* why it cannot launch this code; owned */
	struct gpu_replay replay;
	struct batch batch;
	struct mapped_buffers memory;
};

static const char *open_launcher(struct launcher *l)
{
	/* The scorer has asked before, in another process; the answer of this
	 * process decides. */
	const char *why = gpu_refuse_reach(&l->gpu, GPU_REACHES_LAUNCHER);

	if (!why)
		why = replay_open(&l->replay, &l->gpu);
	return why ? why
		   : batch_open(&l->batch, &l->gpu, l->replay.lane[0], true);
}

/* The cubins of the candidate's own compile; none where its plans hold them. */
static const char *load(struct launcher *l, int fd)
{
	const char *why;
	struct stat st;
	void *file;

	if (fd < 0 || fstat(fd, &st) < 0)
		return "there is no object";
	if (!st.st_size)
		return NULL;
	file = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (file == MAP_FAILED)
		return "the object cannot be mapped";
	why = replay_load(&l->replay, file, (size_t)st.st_size);
	munmap(file, (size_t)st.st_size);
	return why;
}

static const char *take_plan(struct launcher *l,
			     const struct gpu_arm_request *q, int fd)
{
	size_t bytes = (q->prepares ? 2 : 1) * q->addresses.images *
		       sizeof(struct plan_launch);
	const char *why;
	void *shared;

	if (q->addresses.images > GPU_IMAGES || q->plan_bytes < bytes ||
	    q->plan_bytes - bytes > PLAN_CODE_BYTES)
		return "a count that no scorer asks for";
	shared = mmap(NULL, q->plan_bytes, PROT_READ, MAP_SHARED, fd, 0);
	if (shared == MAP_FAILED)
		return "the plan cannot be mapped";
	why = replay_take(&l->replay, shared, q->addresses.images, q->prepares,
			  q->plan_bytes - bytes);
	munmap(shared, q->plan_bytes);
	return why;
}

static const char *rest(struct launcher *l)
{
	mapped_buffers_release(&l->memory, &l->gpu);
	l->batch.addresses.images = 0;
	replay_release(&l->replay);
	return gpu_check(&l->gpu, l->gpu.cuda.synchronize(), "resting");
}

/* A plan with its own memory must start with memory that no kernel wrote, so it
 * is loaded again. */
static bool only_turns(const struct launcher *l,
		       const struct gpu_arm_request *q)
{
	return q->only_slot && l->replay.plan && !l->replay.allocation.bytes;
}

/* *machine: the failure is not the candidate's. */
static const char *take_all(bool *machine, struct launcher *l,
			    const struct gpu_arm_request *q,
			    const int fd[CHANNEL_MAX_FDS])
{
	const char *why =
		mapped_buffers_take(&l->memory, &l->gpu, &q->addresses, fd);

	if (!why)
		why = batch_place(&l->batch, &q->addresses, q->warm);
	*machine = why;
	if (!why)
		why = take_plan(l, q, fd[2]);
	if (!why)
		l->batch.steps = BATCH_STEPS + replay_steps(&l->replay);
	return why;
}

static const char *arm(struct gpu_ready_reply *out, struct launcher *l,
		       const struct gpu_arm_request *q,
		       const int fd[CHANNEL_MAX_FDS])
{
	bool machine = true;
	const char *why;

	if (!q->addresses.images)
		return rest(l);
	if (l->unloaded)
		return l->unloaded;
	why = l->unopened;
	if (!why && only_turns(l, q)) {
		/* The latency to subtract is measured again for every half, so
		 * that an error in it does not affect all of them. */
		l->batch.latency = 0;
		why = mapped_buffers_turn(&l->memory, &l->gpu, &q->addresses,
					  fd[1]);
	} else if (!why) {
		why = take_all(&machine, l, q, fd);
	}
	if (!why || !(l->gpu.moved || l->replay.foreign || machine))
		return why;
	out->state = l->gpu.moved ? GPU_MOVED
		     : machine	  ? GPU_BROKEN
				  : GPU_UNREPLAYABLE;
	snprintf(out->why, sizeof out->why, "%s", why);
	return NULL;
}

/* Prepares every image, in memory in which nothing was prepared before. */
static const char *prepare(struct launcher *l)
{
	struct cuda *cuda = &l->gpu.cuda;
	CUstream stream = l->replay.lane[0];
	CUevent begin = l->batch.event[0];
	CUresult r = CUDA_SUCCESS;
	const char *why = NULL;

	if (l->memory.prepared.bytes)
		r = cuda->set_bytes_async(l->memory.prepared.at, GPU_UNPREPARED,
					  l->memory.prepared.bytes, stream);
	for (uint32_t k = 0; !r && !why && k < l->replay.images; k++) {
		r = cuda->event_record(begin, stream);
		if (!r)
			why = replay_prepare(&l->replay, k, begin);
	}
	if (!r && !why)
		r = cuda->synchronize();
	return why ? why : gpu_check(&l->gpu, r, "its kernels");
}

static const char *launch(void *arg, uint32_t image, CUevent begin)
{
	return replay_launch(arg, image, begin);
}

static void answer(const union runner_request *r, struct launcher *l,
		   const int fd[CHANNEL_MAX_FDS])
{
	struct gpu_ran_reply ran = {.head = {GPU_RAN, r->head.sequence}};
	struct gpu_ready_reply ready = {.head = {GPU_ARMED, r->head.sequence}};
	const char *why = "not a request for a launcher";

	if (r->head.kind == GPU_ARM)
		why = arm(&ready, l, &r->gpu_arm, fd);
	else if (r->head.kind == GPU_RUN)
		why = batch_run(&ran, &l->batch, &r->gpu_run, launch,
				&l->replay);
	else if (r->head.kind == GPU_PREPARE)
		why = prepare(l);
	if (why)
		channel_refuse(r, why);
	else if (r->head.kind == GPU_RUN)
		channel_send(&ran, sizeof ran);
	else
		channel_send(&ready, sizeof ready);
}

void launch_serve(union runner_request *r, const struct gpu_device *gpu,
		  int cubins)
{
	struct launcher *l = xcalloc(1, sizeof *l);
	int fd[CHANNEL_MAX_FDS];

	l->gpu = *gpu;
	l->unopened = xstrdup_null(open_launcher(l));
	if (!l->unopened)
		l->unloaded = xstrdup_null(load(l, cubins));
	cleanup_fd_fn(&cubins);
	while (channel_receive(r, fd)) {
		answer(r, l, fd);
		for (size_t i = 0; i < CHANNEL_MAX_FDS; i++)
			cleanup_fd_fn(&fd[i]);
	}
	replay_release(&l->replay);
	free(l->unopened);
	free(l->unloaded);
	free(l);
}
