#include "scorer/runner/gpu_batch.h"

#include <sys/random.h>
#include <time.h>

#include "scorer/runner/channel.h"

/* What a cache holds when a batch begins must not hang on who was filled or
 * poisoned last: the arm whose outputs were was told one percent faster. */
#define FLUSH_CACHES 4
/* So many launches, events and waits can be queued behind a gate: the queue of
 * a driver holds about a thousand, and who fills it waits for the card. */
#define GATE_STEPS 400
#define GATE_BYTES 4096
#define GATE_TRIES 3

const char *batch_open(struct batch *b, struct gpu *g, CUstream stream,
		       bool gated)
{
	const char *why = gpu_memory_make(&b->flush, g,
					  FLUSH_CACHES * g->l2_bytes, 0, NULL);
	CUresult r = CUDA_SUCCESS;

	b->gpu = g;
	b->stream = stream;
	for (size_t i = 0; !why && !r && i < ARRAY_SIZE(b->event); i++)
		r = g->cuda.event_create(&b->event[i], 0);
	if (!why && !r && gated)
		r = g->cuda.event_create(&b->flushed, CU_EVENT_DISABLE_TIMING);
	if (!why && !r && gated)
		r = g->cuda.host_memory((void **)&b->gate, GATE_BYTES, 0);
	return why ? why : gpu_check(g, r, "getting ready");
}

const char *batch_place(struct batch *b, const struct gpu_place *p, bool warm)
{
	b->place = *p;
	b->warm = warm;
	if (warm)
		b->latency = 0;
	return warm ? gpu_load_kernels(b->gpu) : NULL;
}

static const char *check_order(const struct gpu_run_request *q, uint32_t images)
{
	if (q->n > images || images > GPU_IMAGES)
		return "a count that no scorer asks for";
	for (uint32_t i = 0; i < q->n; i++)
		if (q->order[i] >= images)
			return "an image that is not there";
	return NULL;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* While the card is busy with this, the launches queue up behind it. */
static CUresult flush(struct batch *b, uint32_t value)
{
	struct cuda *cuda = &b->gpu->cuda;

	cuda->reset_l2();
	return cuda->set_words_async(b->flush.at, value,
				     b->flush.bytes / sizeof(uint32_t),
				     b->stream);
}

/* Nobody can write ahead of time what the card waits for. */
static CUresult close_gate(struct batch *b, uint32_t *key)
{
	CUresult r = b->gpu->cuda.event_record(b->flushed, b->stream);

	if (r)
		return r;
	if (getrandom(key, sizeof *key, 0) != sizeof *key || *key == *b->gate)
		*key = *b->gate + 1;
	return b->gpu->cuda.stream_wait_value(b->stream,
					      (CUdeviceptr)(uintptr_t)b->gate,
					      *key, CU_STREAM_WAIT_VALUE_EQ);
}

/* Once the flush is over: it is no part of what is timed. */
static CUresult open_gate(double *start, struct batch *b, uint32_t key)
{
	CUresult r = b->gpu->cuda.event_wait(b->flushed);

	*start = now();
	__atomic_store_n(b->gate, key, __ATOMIC_SEQ_CST);
	return r;
}

/* As much of it as there is room for, in words. */
static uint64_t take_room(uint64_t *room, uint64_t bytes)
{
	uint64_t taken = MIN(bytes, *room);

	*room -= taken;
	return taken / sizeof(uint64_t);
}

/* Where not all fits, inputs are what is there. */
static const char *touch(struct batch *b, uint32_t image)
{
	const struct gpu_place *p = &b->place;
	uint64_t room = b->gpu->l2_bytes;
	uint64_t n_in = take_room(&room, p->inputs_bytes);
	uint64_t n_prepared = take_room(&room, p->prepared_bytes);
	uint64_t n_out = take_room(&room, p->outputs_bytes);
	CUdeviceptr in = p->inputs_at + image * p->inputs_bytes;
	CUdeviceptr prepared = p->prepared_at + image * p->prepared_bytes;
	CUdeviceptr out = p->outputs_at + image * p->outputs_bytes;
	void *arguments[] = {&out,	&n_out,	     &in,	  &n_in,
			     &prepared, &n_prepared, &b->flush.at};

	return gpu_queue(b->gpu, GPU_TOUCH, MAX(MAX(n_in, n_prepared), n_out),
			 arguments, b->stream);
}

/* A launch has ended: where they take long the scorer is told, since its
 * patience is for one. */
static void beat(const struct gpu_run_request *q, double *last)
{
	struct gpu_beat beat = {{GPU_BEAT, q->head.sequence}};

	if (now() - *last < GPU_BEAT_SECONDS)
		return;
	channel_send(&beat, sizeof beat);
	*last = now();
}

/* Launches of a run that are queued together: from, up to but not `to`. */
struct part {
	uint32_t from, to;
};

static CUresult wait_for(struct batch *b, const struct gpu_run_request *q,
			 struct part p)
{
	double last = now();
	CUresult r = CUDA_SUCCESS;

	for (uint32_t i = p.from; !r && i + 1 < p.to; i++) {
		r = b->gpu->cuda.event_wait(b->event[2 * i + 1]);
		if (!r)
			beat(q, &last);
	}
	return r ? r : b->gpu->cuda.stream_wait(b->stream);
}

static const char *run_one(struct batch *b, const struct gpu_run_request *q,
			   uint32_t i, launch_fn launch, void *arg)
{
	struct cuda *cuda = &b->gpu->cuda;
	CUevent begin = b->event[2 * i], end = b->event[2 * i + 1];
	const char *why = b->warm ? touch(b, q->order[i]) : NULL;

	if (!why)
		why = gpu_check(b->gpu, cuda->event_record(begin, b->stream),
				"while it was timed");
	if (!why && !q->empty)
		why = launch(arg, q->order[i], begin);
	return why ? why
		   : gpu_check(b->gpu, cuda->event_record(end, b->stream),
			       "while it was timed");
}

/* What is queued behind a gate is let go in any case: the card would wait for
 * ever. */
static const char *run_part(double *span, struct batch *b,
			    const struct gpu_run_request *q, struct part p,
			    launch_fn launch, void *arg)
{
	uint32_t key = 0;
	const char *why = NULL;
	CUresult r = flush(b, q->order[p.from]);
	double start = 0;
	bool gated = !r && b->gate;

	if (gated)
		r = close_gate(b, &key);
	for (uint32_t i = p.from; !r && !why && i < p.to; i++)
		why = run_one(b, q, i, launch, arg);
	if (gated) {
		CUresult opened = open_gate(&start, b, key);

		r = r ? r : opened;
	}
	if (!r && !why)
		r = wait_for(b, q, p);
	*span += gated ? now() - start : 0;
	return why ? why : gpu_check(b->gpu, r, "while it was timed");
}

/* How long is a batch of nothing? The longest of a few. What is done before
 * each launch, so that its cache is warm, is part of it. */
static const char *calibrate(struct batch *b, const struct gpu_run_request *q)
{
	struct gpu_run_request nothing = *q;
	const char *why = NULL;

	nothing.empty = true;

	for (int i = 0; !why && i < GATE_TRIES; i++) {
		double span = 0;

		why = run_part(&span, b, &nothing,
			       (struct part){0, b->warm ? q->n : 1}, NULL,
			       NULL);
		b->latency = MAX(b->latency, span);
	}
	return why;
}

const char *batch_run(struct gpu_ran_reply *out, struct batch *b,
		      const struct gpu_run_request *q, launch_fn launch,
		      void *arg)
{
	const char *why = check_order(q, b->place.images);
	uint32_t most = b->gate ? MAX(GATE_STEPS / MAX(b->steps, 1), 1) : q->n;
	CUresult r = CUDA_SUCCESS;

	if (!why && b->gate && b->latency <= 0)
		why = calibrate(b, q);
	out->latency = b->latency;
	for (struct part p = {0, 0}; !why && p.to < q->n; p.from = p.to) {
		p.to = MIN(p.from + most, q->n);
		why = run_part(&out->span, b, q, p, launch, arg);
	}
	for (uint32_t i = 0; !r && !why && i < q->n; i++)
		r = b->gpu->cuda.event_elapsed(&out->milliseconds[i],
					       b->event[2 * i],
					       b->event[2 * i + 1]);
	return why ? why : gpu_check(b->gpu, r, "while it was timed");
}
