#include "scorer/runner/roles.h"

#include <time.h>
#include <unistd.h>

#include "scorer/runner_gpu/judge_memory.h"
#include "scorer/runner/element_runs.h"
#include "scorer/runner/parts.h"

/* ---- requests ------------------------------------------------------------- */

/* Clears memory that may have held another candidate's data. */
static const char *blot_out(struct judge_memory *j)
{
	const char *why = NULL;

	for (uint32_t s = 0; !why && s < j->buffers.slots; s++)
		why = judge_memory_poison(j, j->buffers.outputs[s].at,
					  j->buffers.outputs[s].bytes, 0);
	return why;
}

/* Buffers that are kept may leave too little memory for the needed ones. */
static const char *make_buffers(struct judge_memory *j, size_t inputs,
				size_t outputs,
				const struct gpu_allocate_request *q)
{
	const char *why = judge_buffers_make(&j->buffers, &j->gpu, inputs,
					     outputs, q->slots, q->apart);

	if (why && j->pool.n) {
		buffer_pool_clear(&j->pool, &j->gpu);
		why = judge_buffers_make(&j->buffers, &j->gpu, inputs, outputs,
					 q->slots, q->apart);
	}
	if (why)
		judge_buffers_release(&j->buffers, &j->gpu);
	return why;
}

static const char *take_buffers(struct judge_memory *j, size_t inputs,
				size_t outputs,
				const struct gpu_allocate_request *q)
{
	if (q->apart)
		buffer_pool_clear(&j->pool, &j->gpu);
	if (!buffer_pool_take(&j->buffers, &j->pool, &j->gpu, inputs, outputs,
			      q->slots))
		return make_buffers(j, inputs, outputs, q);
	return q->prepares ? blot_out(j) : NULL;
}

static const char *allocate(struct judge_memory *j,
			    const struct gpu_allocate_request *q)
{
	uint32_t images = q->call.batch;
	const char *why;

	if (q->slots < 1 || q->slots > GPU_SLOTS || images > GPU_IMAGES)
		return "a count that no scorer asks for";
	buffer_pool_put(&j->pool, &j->buffers, &j->gpu);
	j->call = q->call;
	why = take_buffers(j, images * entry_call_inputs_bytes(&q->call),
			   images * entry_call_outputs_bytes(&q->call), q);
	buffer_pool_trim(&j->pool, &j->gpu);
	return why;
}

/* Makes what a resident gets once its clock runs, and not before. */
static const char *release(struct judge_memory *j,
			   const struct gpu_pass_request *q)
{
	const char *why;
	CUresult r;

	if (q->slot >= j->buffers.slots || !j->buffers.apart)
		return "an arm that is not there";
	why = judge_buffers_show(&j->buffers, &j->gpu, q->slot);
	if (why)
		return why;
	r = j->gpu.cuda.copy_within(j->buffers.shown_inputs[q->slot].at,
				    j->buffers.inputs.at,
				    j->buffers.inputs.bytes);
	if (!r)
		why = judge_memory_poison_outputs(j, q->slot, q->poison);
	/* Another process's work is not ordered after this. */
	if (!r && !why)
		r = j->gpu.cuda.synchronize();
	return why ? why : gpu_check(&j->gpu, r, "handing the inputs over");
}

static const char *serve_release(struct judge_memory *j,
				 const union runner_request *r)
{
	struct gpu_allocated_reply reply = {
		.head = {GPU_ALLOCATED, r->head.sequence}};
	const char *why = release(j, &r->gpu_pass);

	if (!why)
		channel_send_with(&reply, sizeof reply, j->buffers.shown,
				  ARRAY_SIZE(j->buffers.shown));
	return why;
}

/* Copies the outputs that a resident has made, as they are at this moment. */
static const char *serve_take(struct judge_memory *j,
			      const struct gpu_pass_request *q)
{
	CUresult r;

	if (q->slot >= j->buffers.slots ||
	    !j->buffers.shown_outputs[q->slot].bytes)
		return "an arm that is not there";
	r = j->gpu.cuda.copy_within(j->buffers.outputs[q->slot].at,
				    j->buffers.shown_outputs[q->slot].at,
				    j->buffers.outputs[q->slot].bytes);
	if (!r)
		r = j->gpu.cuda.synchronize();
	return gpu_check(&j->gpu, r, "taking the outputs");
}

static const char *serve_reference(struct judge_answer *a,
				   struct judge_memory *j,
				   const struct gpu_reference_request *q)
{
	struct reference_request local = {
		.head = q->head,
		.call = j->call,
		.recipe = q->recipe,
		.index = q->index,
		.rows = q->rows,
		.n_segments = q->n_segments,
		.history = q->history,
		.tolerance = q->tolerance,
	};

	memcpy(local.segment, q->segment, sizeof local.segment);
	return reference_compute(
		a, &j->reference, &local,
		(unsigned char *)(uintptr_t)j->buffers.inputs.at);
}

/* Copies the rows to check to their places in an image. */
static const char *bring_outputs(struct judge_memory *j, CUdeviceptr image)
{
	const struct entry_call *c = &j->call;
	const struct reference *r = &j->reference;
	uint32_t n = MAX(r->n_segments, 1);
	const char *why = NULL;

	if (j->outputs_copy.bytes != c->layout.region_bytes[REGION_OUTPUT])
		why = mapping_anonymous(&j->outputs_copy,
					c->layout.region_bytes[REGION_OUTPUT]);
	for (size_t i = 0; !why && i < c->layout.n; i++)
		for (uint32_t k = 0;
		     !why && entry_call_is_output(c, i) && k < n; k++) {
			const struct tensor_layout *t =
				&c->layout.arg[i].tensor;
			size_t at, bytes;

			tensor_span(&at, &bytes, t, dtype_bytes(t->dtype),
				    r->n_segments ? &r->segment[k] : NULL);
			at += t->offset;
			why = gpu_check(
				&j->gpu,
				j->gpu.cuda.to_host(j->outputs_copy.base + at,
						    image + at, bytes),
				"reading outputs");
		}
	return why;
}

static const char *serve_compare(struct judge_answer *a, struct judge_memory *j,
				 const struct gpu_compare_request *q)
{
	CUdeviceptr image;
	const char *why;

	if (q->slot >= j->buffers.slots || q->index >= j->call.batch)
		return "an arm that is not there";
	image = j->buffers.outputs[q->slot].at;
	why = gpu_poison_check_images(a, j, image, q->idle, q->poison);
	if (why || a->finding)
		return why;
	image += q->index * entry_call_outputs_bytes(&j->call);
	why = bring_outputs(j, image);
	if (why)
		return why;
	return reference_compare(a, &j->reference, j->outputs_copy.base);
}

/* Do the outputs of two arms for an image have the same bits? a->wrong counts
 * the elements that differ. */
static const char *serve_same(struct judge_answer *a, struct judge_memory *j,
			      const struct gpu_same_request *q)
{
	const struct entry_call *c = &j->call;
	const char *why = NULL;

	if (q->slot[0] >= j->buffers.slots || q->slot[1] >= j->buffers.slots)
		return "an arm that is not there";
	for (size_t i = 0; !why && i < c->layout.n; i++) {
		const struct tensor_layout *t = &c->layout.arg[i].tensor;
		struct gpu_tensor g = gpu_tensor_of(t);
		CUdeviceptr one = j->buffers.outputs[q->slot[0]].at + t->offset;
		CUdeviceptr two = j->buffers.outputs[q->slot[1]].at + t->offset;
		uint64_t found[3] = {0};
		void *p[] = {&one, &two, &g, &j->found.at};

		if (!entry_call_is_output(c, i))
			continue;
		why = gpu_poison_count_begin(j);
		if (!why)
			why = gpu_run(&j->gpu, GPU_SAME, (uint64_t)t->elements,
				      p);
		if (!why)
			why = gpu_poison_count_end(found, j);
		a->wrong += (int64_t)found[0];
	}
	return why;
}

/* A warp compares so many elements at a time; see avogit_unlike. */
#define UNLIKE_PART	 8192
#define UNLIKE_TILE_BITS 26
#define UNLIKE_TILES	 ((UINT64_C(1) << UNLIKE_TILE_BITS) - 1)

/* Queues the comparison for all output tensors of an image. */
static const char *queue_unlike(struct judge_memory *j,
				const struct gpu_unlike_request *q,
				uint64_t image)
{
	const struct entry_call *c = &j->call;
	CUdeviceptr begin = image * entry_call_outputs_bytes(c);
	const char *why = NULL;

	for (size_t i = 0; !why && i < c->layout.n; i++) {
		const struct tensor_layout *t = &c->layout.arg[i].tensor;
		struct gpu_tensor g = gpu_tensor_of(t);
		CUdeviceptr one, other;
		uint64_t tile, part = UNLIKE_PART;
		void *p[] = {&one,  &other, &g,		 &tile,
			     &part, &image, &j->found.at};

		if (!entry_call_is_output(c, i))
			continue;
		one = j->buffers.outputs[q->slot[0]].at + begin + t->offset;
		other = j->buffers.outputs[q->slot[1]].at + begin + t->offset;
		tile = (uint64_t)(q->tile_rows * tensor_row_elements(t));
		tile = MAX(tile, 1);
		why = gpu_queue(&j->gpu, GPU_UNLIKE_OUTPUTS,
				(uint64_t)t->elements, p, NULL);
	}
	return why;
}

static const char *serve_unlike(struct judge_memory *j,
				const struct gpu_unlike_request *q)
{
	struct likeness_reply reply = {
		.head = {MESSAGE_LIKENESS, q->head.sequence}};
	int64_t rows = MAX(j->call.layout.rows, 1), tile = q->tile_rows;
	uint64_t found[3] = {0};
	const char *why = gpu_poison_count_begin(j);
	uint32_t bits;
	float most;

	if (q->slot[0] >= j->buffers.slots || q->slot[1] >= j->buffers.slots ||
	    tile < 1)
		return "an arm that is not there";
	for (uint32_t k = 0; !why && k < j->call.batch; k++)
		if (k != q->idle)
			why = queue_unlike(j, q, k);
	if (!why)
		why = gpu_poison_count_end(found, j);
	if (why)
		return why;
	bits = (uint32_t)(found[0] >> 32);
	memcpy(&most, &bits, sizeof most);
	reply.most = (double)most;
	reply.index = (uint32_t)found[0] >> UNLIKE_TILE_BITS;
	reply.rows.begin = (int64_t)(found[0] & UNLIKE_TILES) * tile;
	reply.rows.end = MIN(reply.rows.begin + tile, rows);
	channel_send(&reply, sizeof reply);
	return NULL;
}

/* Poison, half of it overwritten, so that the result is known. Not at a
 * multiple of eight bytes, so that both ends of a range are tested too. */
#define TESTED 4096
#define ASKEW  sizeof(float)

static const char *serve_self_test(struct judge_answer *a,
				   struct judge_memory *j)
{
	const struct recipe recipe = {.fill = {FILL_NORMAL}};
	struct tensor_layout t = {.dtype = DTYPE_F32,
				  .region = REGION_OUTPUT,
				  .direction = DIRECTION_OUT,
				  .n_dims = 1,
				  .shape = {TESTED / 2},
				  .stride = {1},
				  .elements = TESTED / 2,
				  .offset = ASKEW,
				  .bytes = TESTED * sizeof(float),
				  .end = TESTED * sizeof(float) + 2 * ASKEW};
	struct gpu_memory m = {0};
	struct judge_answer seen = {0};
	const char *why = gpu_memory_make(&m, &j->gpu, t.end, 0, NULL);

	if (!why)
		why = judge_memory_poison(j, m.at, t.end, TESTED);
	if (!why)
		why = judge_memory_fill_one(j, m.at + ASKEW, &t, &recipe, 0, 0);
	t.elements = t.shape[0] = TESTED;
	if (!why)
		why = gpu_poison_check_tensor(&seen, j, m.at, &t, TESTED);
	a->wrong = seen.finding != FINDING_UNWRITTEN ||
		   seen.wrong != TESTED / 2 || seen.element != TESTED / 2;
	gpu_memory_release(&m, &j->gpu);
	return why;
}

/* a->wrong: free bytes on the card. */
static const char *serve_free(struct judge_answer *a, struct judge_memory *j)
{
	size_t free_bytes = 0, all;
	CUresult r = j->gpu.cuda.memory_info(&free_bytes, &all);

	a->wrong = (int64_t)free_bytes;
	return gpu_check(&j->gpu, r, "asking for free memory");
}

/* a->wrong: nanoseconds of the slowest of a few launches that read a word. Between
 * them the card may turn to another process that has work for it. */
#define QUIET_LAUNCHES 3
#define QUIET_NANOS    300000

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static const char *serve_quiet(struct judge_answer *a, struct judge_memory *j)
{
	const struct timespec pause = {0, QUIET_NANOS};
	const char *why = gpu_poison_count_begin(j);
	uint64_t words = 1, none = 0;
	void *p[] = {&j->found.at, &words, &j->found.at, &none,
		     &j->found.at, &none,  &j->found.at};

	for (int i = 0; !why && i < QUIET_LAUNCHES; i++) {
		int64_t begin;

		nanosleep(&pause, NULL);
		begin = now_ns();
		why = gpu_run(&j->gpu, GPU_TOUCH, words, p);
		a->wrong = MAX(a->wrong, now_ns() - begin);
	}
	return why;
}

static const char *serve(struct judge_answer *a, struct judge_memory *j,
			 const union runner_request *r,
			 const int fd[CHANNEL_MAX_FDS])
{
	switch (r->head.kind) {
	case MESSAGE_VALUES:
		return value_memory_map(&j->values, &r->values, fd);
	case GPU_FILL_SET:
		return judge_memory_fill(j, &r->gpu_fill.recipe);
	case GPU_POISON_SLOT:
		return judge_memory_poison_outputs(j, r->gpu_poison.slot,
						   r->gpu_poison.poison);
	case GPU_REFERENCE:
		return serve_reference(a, j, &r->gpu_reference);
	case GPU_COMPARE:
		return serve_compare(a, j, &r->gpu_compare);
	case GPU_SAME_OUTPUTS:
		return serve_same(a, j, &r->gpu_same);
	case GPU_TAKE:
		return serve_take(j, &r->gpu_pass);
	case GPU_SELF_TEST:
		return serve_self_test(a, j);
	case GPU_FREE:
		return serve_free(a, j);
	case GPU_QUIET:
		return serve_quiet(a, j);
	default:
		return "not a request for a judge";
	}
}

static const char *serve_allocate(struct judge_memory *j,
				  const union runner_request *r)
{
	struct gpu_allocated_reply reply = {
		.head = {GPU_ALLOCATED, r->head.sequence}};
	const char *why = allocate(j, &r->gpu_allocate);

	if (!why && j->buffers.n_given)
		channel_send_with(&reply, sizeof reply, j->buffers.given,
				  j->buffers.n_given);
	else if (!why)
		channel_send(&reply, sizeof reply);
	return why;
}

/* Is it answered with descriptors? */
static bool gives(const union runner_request *r)
{
	return r->head.kind == GPU_ALLOCATE || r->head.kind == GPU_RELEASE;
}

static struct judge_memory *judge_memory_new(union runner_request *start,
					     const struct functions *f)
{
	struct judge_memory *j = xcalloc(1, sizeof *j);
	bool away = start->start.by_runners;

	parts_threads(start->start.threads);
	j->elsewhere = away ? judge_memory_by_runners()
			    : judge_memory_elsewhere();
	j->reference.f = *f;
	j->reference.has_plain = away ? start->start.plain[0] != '\0'
				      : f->plain != NULL;
	j->reference.elsewhere = &j->elsewhere;
	value_memory_init(&j->values, start);
	return j;
}

void gpu_judge_serve(union runner_request *r, const struct functions *f)
{
	struct judge_memory *j = judge_memory_new(r, f);
	int fd[CHANNEL_MAX_FDS];
	const char *broken = gpu_open(&j->gpu, true);

	while (channel_receive(r, fd)) {
		struct judge_answer a = {
			.head = {MESSAGE_ANSWER, r->head.sequence}};
		const char *why = broken;

		if (!why && gives(r)) {
			why = r->head.kind == GPU_RELEASE
				      ? serve_release(j, r)
				      : serve_allocate(j, r);
			if (!why)
				continue;
		}
		if (!why && r->head.kind == GPU_UNLIKE) {
			why = serve_unlike(j, &r->gpu_unlike);
			if (!why)
				continue;
		}
		if (!why)
			why = serve(&a, j, r, fd);
		for (size_t i = 0; i < CHANNEL_MAX_FDS; i++)
			cleanup_fd_fn(&fd[i]);
		a.head.sequence = r->head.sequence;
		if (why)
			channel_refuse(r, why);
		else
			channel_send(&a, sizeof a);
	}
	mapping_release(&j->outputs_copy);
	value_memory_release(&j->values);
	free(j);
}
