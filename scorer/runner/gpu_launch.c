#include "scorer/runner/gpu_launch.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "scorer/runner/gpu_batch.h"
#include "scorer/runner/gpu_replay.h"

struct launcher {
	struct gpu gpu;
	struct replay replay;
	struct batch batch;
	struct gpu_memory inputs, outputs;
	bool machine; /* what failed is not of the candidate's making */
};

/* The cubins of the candidate's own compile. */
static const char *open_replay(struct launcher *l)
{
	const char *why;
	struct stat st;
	void *file;

	if (fstat(RUNNER_OBJECT_FD, &st) < 0 || st.st_size <= 0)
		return "there is no object";
	file = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE,
		    RUNNER_OBJECT_FD, 0);
	if (file == MAP_FAILED)
		return "the object cannot be mapped";
	why = replay_open(&l->replay, &l->gpu, file, (size_t)st.st_size);
	munmap(file, (size_t)st.st_size);
	return why;
}

static const char *open_launcher(struct launcher *l)
{
	const char *why = gpu_open(&l->gpu, false);

	l->machine = why;
	if (!why)
		why = open_replay(l);
	if (why)
		return why;
	why = batch_open(&l->batch, &l->gpu, l->replay.lane[0]);
	l->machine = why;
	return why;
}

/* A copy of the plan: what its maker can still write is not read twice. */
static const char *take_plan(struct launcher *l,
			     const struct gpu_arm_request *q, int fd)
{
	size_t bytes = q->place.images * sizeof(struct plan_launch);
	const char *why;
	void *shared;

	if (q->place.images < 1 || q->place.images > GPU_IMAGES ||
	    q->plan_bytes < bytes)
		return "a count that no scorer asks for";
	shared = mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, 0);
	if (shared == MAP_FAILED)
		return "the plan cannot be mapped";
	why = replay_take(&l->replay, shared, q->place.images);
	munmap(shared, bytes);
	return why;
}

static const char *arm(struct gpu_ready_reply *out, struct launcher *l,
		       const struct gpu_arm_request *q,
		       const int fd[CHANNEL_MAX_FDS])
{
	const struct gpu_place *p = &q->place;
	const char *why = NULL;

	why = gpu_memory_import(&l->inputs, &l->gpu, fd[0],
				p->images * p->inputs_bytes, p->inputs_at,
				false);
	if (!why)
		why = gpu_memory_import(&l->outputs, &l->gpu, fd[1],
					p->images * p->outputs_bytes,
					p->outputs_at, true);
	l->machine = why;
	if (!why)
		why = take_plan(l, q, fd[2]);
	if (!why || !(l->gpu.moved || l->replay.foreign || l->machine))
		return why;
	out->state = l->gpu.moved ? GPU_MOVED
		     : l->machine ? GPU_BROKEN
				  : GPU_UNREPLAYABLE;
	snprintf(out->why, sizeof out->why, "%s", why);
	return NULL;
}

/* What opening it came to, as far as a candidate is not to blame. */
static bool is_machines(struct gpu_ready_reply *out, const struct launcher *l,
			const char *broken)
{
	if (!broken || !l->machine)
		return false;
	out->state = GPU_BROKEN;
	snprintf(out->why, sizeof out->why, "%s", broken);
	return true;
}

static const char *launch(void *arg, uint32_t image, CUevent begin)
{
	return replay_launch(arg, image, begin);
}

void launch_serve(union request *r)
{
	struct launcher *l = xcalloc(1, sizeof *l);
	cleanup_free char *broken = xstrdup_null(open_launcher(l));
	int fd[CHANNEL_MAX_FDS];

	while (channel_receive(r, fd)) {
		struct gpu_ran_reply ran = {{GPU_RAN, r->head.sequence}, {0}};
		struct gpu_ready_reply ready = {
			.head = {GPU_ARMED, r->head.sequence}};
		const char *why = broken;

		if (r->head.kind == GPU_ARM && is_machines(&ready, l, broken))
			why = NULL;
		else if (!why && r->head.kind == GPU_ARM)
			why = arm(&ready, l, &r->gpu_arm, fd);
		else if (!why && r->head.kind == GPU_RUN)
			why = batch_run(&ran, &l->batch, &r->gpu_run,
					l->replay.images, launch, &l->replay);
		else if (!why)
			why = "not a request for a launcher";
		for (size_t i = 0; i < CHANNEL_MAX_FDS; i++)
			cleanup_fd_fn(&fd[i]);
		if (why)
			channel_refuse(r, why);
		else if (r->head.kind == GPU_RUN)
			channel_send(&ran, sizeof ran);
		else
			channel_send(&ready, sizeof ready);
	}
	replay_release(&l->replay);
	free(l);
}
