#include "scorer/runner_gpu/batch.h"

#include <math.h>
#include <signal.h>
#include <sys/random.h>
#include <sys/time.h>
#include <time.h>

#include "scorer/runner/channel.h"

/* ---- the gate ------------------------------------------------------------ */

#define GATE_BYTES   4096
#define END_AT	     64 /* words: not in the same cache line */
#define STUCK_MICROS 250000

/* The gate that the signal opens; NULL: none. */
static struct gate *volatile closed;

static double gate_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void let_go(struct gate *g)
{
	g->start = gate_now();
	__atomic_store_n(g->word, g->key, __ATOMIC_SEQ_CST);
}

static void open_by_itself(int number UNUSED)
{
	struct gate *g = closed;

	if (!g)
		return;
	g->own = true;
	let_go(g);
}

static void set_alarm(suseconds_t micros)
{
	const struct itimerval t = {.it_value = {0, micros}};

	setitimer(ITIMER_REAL, &t, NULL);
}

/* At most one in a process. */
static const char *gate_make(struct gate *g, struct gpu_device *gpu,
			     CUstream stream)
{
	const struct sigaction action = {.sa_handler = open_by_itself,
					 .sa_flags = SA_RESTART};
	void *page = NULL;
	CUresult r =
		gpu->cuda.event_create(&g->before, CU_EVENT_DISABLE_TIMING);

	g->gpu = gpu;
	g->stream = stream;
	if (!r)
		r = gpu->cuda.host_memory(&page, GATE_BYTES, 0);
	if (!r) {
		g->word = page;
		g->end = g->word + END_AT;
		sigaction(SIGALRM, &action, NULL);
	}
	return gpu_check(gpu, r, "getting ready");
}

/* Draws a value that differs from the one already there. */
static void draw(uint32_t *key, volatile uint32_t *there)
{
	if (getrandom(key, sizeof *key, 0) != sizeof *key || *key == *there)
		*key = *there + 1;
}

static CUresult gate_close(struct gate *g)
{
	CUresult r = CUDA_SUCCESS;

	g->own = false;
	if (!g->word)
		return r;
	draw(&g->key, g->word);
	for (size_t i = 0; i < ARRAY_SIZE(g->end_key); i++)
		draw(&g->end_key[i], &g->end[i]);
	r = g->gpu->cuda.event_record(g->before, g->stream);
	if (!r)
		r = g->gpu->cuda.stream_wait_value(
			g->stream, (CUdeviceptr)(uintptr_t)g->word, g->key,
			CU_STREAM_WAIT_VALUE_EQ);
	closed = g;
	set_alarm(STUCK_MICROS);
	return r;
}

/* Queues the marks of the end: the last entries after the gate. */
static CUresult gate_queue_end(struct gate *g)
{
	CUresult r = CUDA_SUCCESS;

	for (size_t i = 0; g->word && !r && i < ARRAY_SIZE(g->end_key); i++)
		r = g->gpu->cuda.stream_write_value(
			g->stream, (CUdeviceptr)(uintptr_t)&g->end[i],
			g->end_key[i], 0);
	return r;
}

/* Always called, or the card would wait for ever; opens only after the work
 * queued before the gate is over. */
static CUresult gate_open(struct gate *g)
{
	CUresult r;

	if (!g->word)
		return CUDA_SUCCESS;
	set_alarm(0);
	closed = NULL;
	if (g->own)
		return CUDA_SUCCESS;
	r = g->gpu->cuda.event_wait(g->before);
	let_go(g);
	return r;
}

static bool is_over(const struct gate *g)
{
	for (size_t i = 0; i < ARRAY_SIZE(g->end_key); i++)
		if (g->end[i] != g->end_key[i])
			return false;
	return true;
}

/* Waits until the marks show the end, even if the driver reports it earlier. */
static CUresult gate_await_end(struct gate *g)
{
	CUresult r = CUDA_SUCCESS;

	while (g->word && (!r || r == CUDA_ERROR_NOT_READY) && !is_over(g))
		r = g->gpu->cuda.stream_query(g->stream);
	return r == CUDA_ERROR_NOT_READY ? CUDA_SUCCESS : r;
}

/* The contents of a cache at the start of a batch must not depend on whose
 * buffers were filled or poisoned last: the arm whose outputs were was measured
 * as one percent faster. */
#define FLUSH_CACHES 4
#define GATE_TRIES   3
/* For a gate that yields: a second try distinguishes calls that wait from a
 * host that was held up once. */
#define YIELD_TRIES 2
/* A batch that did not fit into the queue may still fit in so many parts. */
#define YIELD_PARTS 4

const char *batch_open(struct batch *b, struct gpu_device *g, CUstream stream,
		       bool gated)
{
	const char *why = gpu_memory_make(&b->flush, g,
					  FLUSH_CACHES * g->l2_bytes, 0, NULL);
	CUresult r = CUDA_SUCCESS;

	b->gpu = g;
	b->stream = stream;
	for (size_t i = 0; !why && !r && i < ARRAY_SIZE(b->event); i++)
		r = g->cuda.event_create(&b->event[i], 0);
	b->gate_steps = gated ? GPU_GATE_STEPS : 0;
	if (!why && !r && gated)
		why = gate_make(&b->gate, g, stream);
	return why ? why : gpu_check(g, r, "getting ready");
}

const char *batch_place(struct batch *b, const struct gpu_addresses *p,
			bool warm)
{
	b->addresses = *p;
	b->warm = warm;
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

/* Keeps the card busy while the launches are queued after it. */
static CUresult flush(struct batch *b, uint32_t value)
{
	struct cuda *cuda = &b->gpu->cuda;

	cuda->reset_l2();
	return cuda->set_words_async(b->flush.at, value,
				     b->flush.bytes / sizeof(uint32_t),
				     b->stream);
}

/* The part of `bytes` that still fits into the cache, in words. */
static uint64_t take_bytes(uint64_t *left, uint64_t bytes)
{
	uint64_t taken = MIN(bytes, *left);

	*left -= taken;
	return taken / sizeof(uint64_t);
}

/* If not all of it fits, the inputs have priority. */
static const char *touch(struct batch *b, uint32_t image)
{
	const struct gpu_addresses *p = &b->addresses;
	uint64_t left = b->gpu->l2_bytes;
	uint64_t n_in = take_bytes(&left, p->inputs_bytes);
	uint64_t n_prepared = take_bytes(&left, p->prepared_bytes);
	uint64_t n_out = take_bytes(&left, p->outputs_bytes);
	CUdeviceptr in = p->inputs_at + image * p->inputs_bytes;
	CUdeviceptr prepared = p->prepared_at + image * p->prepared_bytes;
	CUdeviceptr out = p->outputs_at + image * p->outputs_bytes;
	void *arguments[] = {&out,	&n_out,	     &in,	  &n_in,
			     &prepared, &n_prepared, &b->flush.at};

	return gpu_queue(b->gpu, GPU_TOUCH, MAX(MAX(n_in, n_prepared), n_out),
			 arguments, b->stream);
}

/* Launches of a run that are queued together: from `from` up to but not
 * including `to`. */
struct launch_range {
	uint32_t from, to;
};

/* The beats that are sent during a run, and the time of the last one. */
struct pulse {
	struct message_head head;
	uint32_t n; /* launches of the run */
	double last;
};

/* Launch i has ended. If launches take long, the scorer is sent a beat, because
 * its time limit is for one launch. The answer reports the end of the last. */
static void beat(struct pulse *p, uint32_t i)
{
	struct gpu_beat beat = {{GPU_BEAT, p->head.sequence}};

	if (i + 1 == p->n || gate_now() - p->last < GPU_BEAT_SECONDS)
		return;
	channel_send(&beat, sizeof beat);
	p->last = gate_now();
}

static CUresult wait_for(struct batch *b, struct pulse *pulse,
			 struct launch_range p)
{
	CUresult r = CUDA_SUCCESS;

	for (uint32_t i = p.from; !r && i + 1 < p.to; i++) {
		r = b->gpu->cuda.event_wait(b->event[2 * i + 1]);
		if (!r)
			beat(pulse, i);
	}
	if (!r)
		r = b->gpu->cuda.stream_wait(b->stream);
	if (!r)
		r = gate_await_end(&b->gate);
	if (!r)
		beat(pulse, p.to - 1);
	return r;
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

/* Queues what comes after the gate, and the marks of its end. */
static const char *queue_part(struct batch *b, const struct gpu_run_request *q,
			      struct launch_range p, launch_fn launch,
			      void *arg)
{
	const char *why = NULL;

	for (uint32_t i = p.from; !why && i < p.to; i++)
		why = run_one(b, q, i, launch, arg);
	return why ? why
		   : gpu_check(b->gpu, gate_queue_end(&b->gate),
			       "while it was timed");
}

static const char *run_part(double *span, struct pulse *pulse, struct batch *b,
			    const struct gpu_run_request *q,
			    struct launch_range p, launch_fn launch, void *arg)
{
	const char *why = NULL;
	CUresult opened, r = flush(b, q->order[p.from]);

	if (r)
		return gpu_check(b->gpu, r, "while it was timed");
	r = gate_close(&b->gate);
	if (!r)
		why = queue_part(b, q, p, launch, arg);
	opened = gate_open(&b->gate);
	if (!r)
		r = opened;
	if (!r && !why)
		r = wait_for(b, pulse, p);
	if (b->gate.word)
		*span += gate_now() - b->gate.start;
	return why ? why : gpu_check(b->gpu, r, "while it was timed");
}

static uint32_t launches_a_part(const struct batch *b, uint32_t n)
{
	uint32_t left = b->gate_steps - MIN(GATE_OWN_STEPS, b->gate_steps);

	return b->gate.word ? MAX(left / MAX(b->steps, 1), 1) : n;
}

static const char *run_parts(double *span, uint32_t *stuck, struct batch *b,
			     struct pulse *pulse,
			     const struct gpu_run_request *q, launch_fn launch,
			     void *arg)
{
	uint32_t most = launches_a_part(b, q->n);
	const char *why = NULL;

	for (struct launch_range p = {0, 0}; !why && p.to < q->n;
	     p.from = p.to) {
		p.to = MIN(p.from + most, q->n);
		why = run_part(span, pulse, b, q, p, launch, arg);
		*stuck += b->gate.own;
	}
	return why;
}

static double middle(const double x[GATE_TRIES])
{
	double low = MIN(x[0], x[1]), high = MAX(x[0], x[1]);

	return MAX(low, MIN(high, x[2]));
}

/* Measures an empty batch in the same parts, so that a contender with more
 * parts does not look as if it hid time. Includes what is done before each
 * launch to warm its cache. */
static const char *calibrate(struct batch *b, const struct gpu_run_request *q)
{
	struct gpu_run_request nothing = *q;
	struct pulse silent = {.last = HUGE_VAL};
	double span[GATE_TRIES] = {0};
	const char *why = NULL;
	uint32_t stuck = 0;

	if (!b->gate.word || b->yields ||
	    (b->latency > 0 && b->latency_of == q->n))
		return NULL;
	nothing.empty = true;
	for (int i = 0; !why && i < GATE_TRIES; i++)
		why = run_parts(&span[i], &stuck, b, &silent, &nothing, NULL,
				NULL);
	b->latency = middle(span);
	b->latency_of = q->n;
	return why;
}

static void drop_gate(struct batch *b)
{
	b->gate.word = NULL;
	b->gate_steps = 0;
}

/* A call takes more of the queue than expected, or sometimes waits. Shortens
 * the parts once, then drops the gate: the scorer has few tries left. */
static void yield(struct batch *b)
{
	if (b->gate_steps < GPU_GATE_STEPS)
		drop_gate(b);
	else
		b->gate_steps /= YIELD_PARTS;
}

/* For a launcher, a single time may be a kernel for which the driver had to
 * allocate memory; if it comes again, the queue is shorter than expected. */
static void note_stuck(struct batch *b)
{
	if (b->yields) {
		yield(b);
		return;
	}
	if (b->stuck++ == 0)
		return;
	b->gate_steps = MAX(b->gate_steps / 2, 1);
	b->latency = 0;
}

const char *batch_gate(struct batch *b, uint32_t gate_steps, uint32_t steps,
		       launch_fn launch, void *arg)
{
	const struct gpu_run_request one = {.n = 1};
	struct pulse silent = {.last = HUGE_VAL};
	bool tried = b->gate.word;
	const char *why = NULL;
	uint32_t stuck = 0;
	double span = 0;

	b->yields = true;
	b->steps = steps;
	b->gate_steps = MIN(gate_steps, GPU_GATE_STEPS);
	if (!b->gate_steps)
		drop_gate(b);
	else if (!b->gate.word)
		why = gate_make(&b->gate, b->gpu, b->stream);
	for (uint32_t i = 0; !why && !tried && b->gate.word && stuck == i;
	     i++) {
		why = run_parts(&span, &stuck, b, &silent, &one, launch, arg);
		if (stuck == YIELD_TRIES)
			drop_gate(b);
	}
	return why;
}

const char *batch_run(struct gpu_ran_reply *out, struct batch *b,
		      const struct gpu_run_request *q, launch_fn launch,
		      void *arg)
{
	struct pulse pulse = {q->head, q->n, 0};
	const char *why = check_order(q, b->addresses.images);
	CUresult r = CUDA_SUCCESS;

	if (!why)
		why = calibrate(b, q);
	out->latency = b->latency;
	pulse.last = gate_now();
	if (!why)
		why = run_parts(&out->span, &out->stuck, b, &pulse, q, launch,
				arg);
	if (out->stuck)
		note_stuck(b);
	out->gate_steps = b->gate_steps;
	for (uint32_t i = 0; !r && !why && i < q->n; i++)
		r = b->gpu->cuda.event_elapsed(&out->milliseconds[i],
					       b->event[2 * i],
					       b->event[2 * i + 1]);
	return why ? why : gpu_check(b->gpu, r, "while it was timed");
}
