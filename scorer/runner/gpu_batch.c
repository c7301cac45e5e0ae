#include "scorer/runner/gpu_batch.h"

#include <time.h>

#include "scorer/runner/channel.h"

/* What a cache holds when a batch begins must not hang on who was filled or
 * poisoned last: the arm whose outputs were was told one percent faster. */
#define FLUSH_CACHES 4

const char *batch_open(struct batch *b, struct gpu *g, CUstream stream)
{
	const char *why = gpu_memory_make(&b->flush, g,
					  FLUSH_CACHES * g->l2_bytes, 0, NULL);
	CUresult r = CUDA_SUCCESS;

	b->gpu = g;
	b->stream = stream;
	for (size_t i = 0; !why && !r && i < ARRAY_SIZE(b->event); i++)
		r = g->cuda.event_create(&b->event[i], 0);
	return why ? why : gpu_check(g, r, "getting ready");
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

/* While the card is busy with this, the launches queue up behind it. */
static CUresult flush(struct batch *b, uint32_t value)
{
	struct cuda *cuda = &b->gpu->cuda;

	cuda->reset_l2();
	return cuda->set_words_async(b->flush.at, value,
				     b->flush.bytes / sizeof(uint32_t),
				     b->stream);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
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

static CUresult wait_for_all(struct batch *b, const struct gpu_run_request *q)
{
	double last = now();
	CUresult r = CUDA_SUCCESS;

	for (uint32_t i = 0; !r && i + 1 < q->n; i++) {
		r = b->gpu->cuda.event_wait(b->event[2 * i + 1]);
		if (!r)
			beat(q, &last);
	}
	return r ? r : b->gpu->cuda.stream_wait(b->stream);
}

const char *batch_run(struct gpu_ran_reply *out, struct batch *b,
		      const struct gpu_run_request *q, uint32_t images,
		      launch_fn launch, void *arg)
{
	struct cuda *cuda = &b->gpu->cuda;
	const char *why = check_order(q, images);
	CUresult r = CUDA_SUCCESS;

	if (!why)
		r = flush(b, q->order[0]);
	for (uint32_t i = 0; !r && !why && i < q->n; i++) {
		r = cuda->event_record(b->event[2 * i], b->stream);
		if (!r && !q->empty)
			why = launch(arg, q->order[i], b->event[2 * i]);
		if (!r && !why)
			r = cuda->event_record(b->event[2 * i + 1], b->stream);
	}
	if (!r && !why)
		r = wait_for_all(b, q);
	for (uint32_t i = 0; !r && !why && i < q->n; i++)
		r = cuda->event_elapsed(&out->milliseconds[i], b->event[2 * i],
					b->event[2 * i + 1]);
	return why ? why : gpu_check(b->gpu, r, "while it was timed");
}
