#include "scorer/runner/roles.h"

#include <unistd.h>

#include "scorer/runner_gpu/batch.h"
#include "scorer/runner_gpu/call.h"
#include "scorer/runner_gpu/mapped_buffers.h"

/* The queue entries that a call of the task's own code is expected to need: few
 * enough that a batch is one piece, as a launcher's is. A queue holds several
 * times as many. */
#define CALL_STEPS 3

struct resident {
	struct gpu_device gpu;
	CUstream stream;
	struct batch batch;
	struct mapped_buffers memory;
	struct entry_call call;
	struct gpu_addresses addresses;
	bool is_static[TASK_MAX_ARGS];
	function entry, prepare; /* prepare: may be NULL */
};

static const char *open_resident(struct resident *t)
{
	const char *why = gpu_open(&t->gpu, false);

	if (!why)
		why = gpu_check(&t->gpu,
				t->gpu.cuda.stream_create(
					&t->stream, CU_STREAM_NON_BLOCKING),
				"making a stream");
	if (!why)
		why = batch_open(&t->batch, &t->gpu, t->stream, false);
	return why;
}

/* Prepares the images below `images`, in memory not prepared before. */
static const char *prepare_images(struct resident *t, uint32_t images)
{
	struct cuda *cuda = &t->gpu.cuda;
	const char *why = NULL;
	CUresult r = CUDA_SUCCESS;

	if (!t->prepare && !t->memory.prepared.bytes)
		return NULL;
	if (t->memory.prepared.bytes)
		r = cuda->set_bytes_async(t->memory.prepared.at, GPU_UNPREPARED,
					  t->memory.prepared.bytes, t->stream);
	for (uint32_t k = 0; !r && !why && t->prepare && k < images; k++)
		why = gpu_call_prepare(&t->call, &t->addresses, k, t->is_static,
				       t->prepare, t->stream);
	if (!r && !why)
		r = cuda->synchronize();
	return why ? why : gpu_check(&t->gpu, r, "in its prepare function");
}

/* What the first call sets up is not part of a launch. */
static const char *first_call(struct resident *t)
{
	const char *why = prepare_images(t, 1);

	if (!why)
		why = gpu_call(&t->call, &t->addresses, 0, t->entry, t->stream);
	return why ? why
		   : gpu_check(&t->gpu, t->gpu.cuda.synchronize(),
			       "in its first call");
}

static const char *launch(void *arg, uint32_t image, CUevent begin UNUSED)
{
	struct resident *t = arg;

	return gpu_call(&t->call, &t->addresses, image, t->entry, t->stream);
}

/* Called after the first call, so that what that sets up is there. */
static const char *close_gate(struct resident *t, uint32_t gate_steps)
{
	return batch_gate(&t->batch, gate_steps, BATCH_STEPS + CALL_STEPS,
			  launch, t);
}

static const char *arm(struct gpu_ready_reply *out, struct resident *t,
		       const struct gpu_resident_request *q,
		       const int fd[CHANNEL_MAX_FDS])
{
	const char *why;

	if (q->addresses.images < 1 || q->addresses.images > GPU_IMAGES)
		return "a count that no scorer asks for";
	t->call = q->call;
	t->addresses = q->addresses;
	memcpy(t->is_static, q->is_static, sizeof t->is_static);
	why = mapped_buffers_take(&t->memory, &t->gpu, &t->addresses, fd);
	if (why && t->gpu.moved) {
		out->state = GPU_MOVED;
		return NULL;
	}
	if (!why)
		why = batch_place(&t->batch, &t->addresses, q->warm);
	if (!why)
		why = first_call(t);
	return why ? why : close_gate(t, q->gate_steps);
}

/* Timed from outside, from before inputs and outputs are handed over: without
 * events or flush; at the end no stream has work left. */
static const char *run_plainly(struct resident *t,
			       const struct gpu_run_request *q,
			       const int fd[CHANNEL_MAX_FDS])
{
	const char *why =
		mapped_buffers_remap(&t->memory, &t->gpu, &t->addresses, fd);

	/* So that the card turns to this process, as for a launch. */
	if (!why && q->empty)
		why = gpu_check(&t->gpu,
				t->gpu.cuda.set_words_async(t->batch.flush.at,
							    0, 1, t->stream),
				"launching nothing");
	for (uint32_t i = 0; !why && !q->empty && i < q->n; i++)
		why = q->order[i] < t->addresses.images
			      ? launch(t, q->order[i], NULL)
			      : "an image that is not there";
	return why ? why
		   : gpu_check(&t->gpu, t->gpu.cuda.synchronize(),
			       "its kernels");
}

static const char *serve(struct gpu_ready_reply *ready,
			 struct gpu_ran_reply *ran, struct resident *t,
			 union runner_request *r, const int fd[CHANNEL_MAX_FDS])
{
	switch (r->head.kind) {
	case GPU_ARM_RESIDENT:
		return arm(ready, t, &r->gpu_arm_resident, fd);
	case GPU_RUN:
		return r->gpu_run.timed ? batch_run(ran, &t->batch, &r->gpu_run,
						    launch, t)
					: run_plainly(t, &r->gpu_run, fd);
	case GPU_PREPARE:
		return prepare_images(t, t->addresses.images);
	case GPU_LET_GO:
		mapped_buffers_unmap(&t->memory, &t->gpu);
		return NULL;
	default:
		return "not a request for a resident";
	}
}

void resident_serve(union runner_request *r, function entry, function prepare)
{
	struct resident *t = xcalloc(1, sizeof *t);
	const char *broken;
	int fd[CHANNEL_MAX_FDS];

	t->entry = entry;
	t->prepare = prepare;
	broken = open_resident(t);
	while (channel_receive(r, fd)) {
		struct gpu_ran_reply ran = {
			.head = {GPU_RAN, r->head.sequence}};
		struct gpu_ready_reply ready = {
			.head = {GPU_ARMED, r->head.sequence}};
		const char *why = broken;

		if (!why)
			why = serve(&ready, &ran, t, r, fd);
		for (size_t i = 0; i < CHANNEL_MAX_FDS; i++)
			cleanup_fd_fn(&fd[i]);
		if (why)
			channel_refuse(r, why);
		else if (r->head.kind == GPU_RUN)
			channel_send(&ran, sizeof ran);
		else
			channel_send(&ready, sizeof ready);
	}
	free(t);
}
