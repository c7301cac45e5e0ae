
#include <stdlib.h>

#include "scorer/runner_gpu/gpu.h"
#include "scorer/runner/roles.h"

#define STEPS	       256 /* at most, between two events each */
#define STEP_SECONDS   5e-3
#define WINDOW_SECONDS 0.1
#define TRY_SECONDS    0.04 /* to find the best of several */
#define MAX_SECONDS    10.0
/* Size of each of the two buffers: many times that of any cache, and a multiple
 * of what a block of the copy processes at a time. */
#define BUFFER_BYTES	 ((size_t)1 << 30)
#define MIN_BUFFER_BYTES ((size_t)128 << 20)

extern const char gpu_ceilings_ptx[];
extern const char gpu_ceilings_sm80_ptx[];
extern const char gpu_ceilings_sm90a_ptx[];

enum text { TEXT_ANY, TEXT_SM80, TEXT_SM90A, TEXT_COUNT };

/* A loop that may reach a ceiling; the .cu says what a round is. */
struct ceiling_loop {
	enum ceiling what;
	enum text text;
	const char *name;  /* NULL: the driver's own copy */
	double work;	   /* of a block in a round; 0: bytes, of a buffer */
	unsigned blocks;   /* per multiprocessor */
	unsigned threads;  /* per block */
	unsigned shared;   /* bytes */
	int first, before; /* compute capability, 10 * major + minor */
};

#define WGMMA_SHARED (2 * (2 * 64 + 256) * 128)
static const struct ceiling_loop loops[] = {
	{CEILING_COPY, TEXT_ANY, "avogit_ceiling_copy", 0, 4, 512, 0, 75, 999},
	{CEILING_COPY, TEXT_ANY, "avogit_ceiling_copy", 0, 16, 512, 0, 75, 999},
	{CEILING_COPY, TEXT_ANY, "avogit_ceiling_copy", 0, 64, 256, 0, 75, 999},
	{CEILING_COPY, TEXT_ANY, NULL, 0, 0, 0, 0, 0, 999},
	{CEILING_READ, TEXT_ANY, "avogit_ceiling_read", 0, 4, 512, 0, 75, 999},
	{CEILING_READ, TEXT_ANY, "avogit_ceiling_read", 0, 16, 512, 0, 75, 999},
	/* From sm_100 on, mma.sync reaches only a fraction of the card's rate;
	 * sm_120 has no other instruction. */
	{CEILING_BF16, TEXT_SM80, "avogit_ceiling_mma_bf16", 8 * 8 * 4096.0, 4,
	 256, 0, 80, 90},
	{CEILING_BF16, TEXT_SM80, "avogit_ceiling_mma_bf16", 8 * 8 * 4096.0, 4,
	 256, 0, 120, 130},
	{CEILING_BF16, TEXT_SM90A, "avogit_ceiling_wgmma_bf16",
	 16 * 64 * 256 * 16 * 2.0, 1, 256, WGMMA_SHARED, 90, 91},
	{CEILING_F8, TEXT_SM90A, "avogit_ceiling_wgmma_f8",
	 16 * 64 * 256 * 32 * 2.0, 1, 256, WGMMA_SHARED, 90, 91},
	{CEILING_I8, TEXT_SM80, "avogit_ceiling_mma_i8", 8 * 8 * 8192.0, 4, 256,
	 0, 80, 90},
	{CEILING_I8, TEXT_SM80, "avogit_ceiling_mma_i8", 8 * 8 * 8192.0, 4, 256,
	 0, 120, 130},
	{CEILING_I8, TEXT_SM90A, "avogit_ceiling_wgmma_i8",
	 16 * 64 * 256 * 32 * 2.0, 1, 256, WGMMA_SHARED, 90, 91},
	{CEILING_F32, TEXT_ANY, "avogit_ceiling_f32", 256 * 16 * 2.0, 4, 256, 0,
	 75, 999},
	{CEILING_F64, TEXT_ANY, "avogit_ceiling_f64", 256 * 16 * 2.0, 4, 256, 0,
	 75, 999},
	{CEILING_F64, TEXT_SM80, "avogit_ceiling_mma_f64", 8 * 8 * 512.0, 4,
	 256, 0, 80, 90},
	{CEILING_F64, TEXT_SM90A, "avogit_ceiling_mma90_f64", 8 * 8 * 4096.0, 2,
	 256, 0, 90, 91},
};

struct climber {
	struct gpu_device gpu;
	struct gpu_card_reply card;
	CUmodule module[TEXT_COUNT];
	struct gpu_memory to, from;
	CUstream stream;
	CUevent event[STEPS + 1];
};

/* ---- getting ready ------------------------------------------------------ */

static int attribute(struct climber *c, int which)
{
	int v = 0;

	c->gpu.cuda.device_attribute(&v, which, c->gpu.device);
	return v;
}

static void look_at_card(struct climber *c)
{
	c->card = (struct gpu_card_reply){
		.head = {GPU_CARD_IS, 0},
		.major = attribute(
			c, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR),
		.minor = attribute(
			c, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR),
		.processors = (int32_t)c->gpu.processors,
		.clock_khz = attribute(c, CU_DEVICE_ATTRIBUTE_CLOCK_RATE),
		.memory_khz =
			attribute(c, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE),
		.memory_bits = attribute(
			c, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH),
		.l2_bytes = (int64_t)c->gpu.l2_bytes,
	};
}

static const char *open_climber(struct climber *c)
{
	const char *why = gpu_open(&c->gpu, false);
	CUresult r = CUDA_SUCCESS;

	if (why)
		return why;
	look_at_card(c);
	r = c->gpu.cuda.stream_create(&c->stream, CU_STREAM_NON_BLOCKING);
	for (size_t i = 0; !r && i < ARRAY_SIZE(c->event); i++)
		r = c->gpu.cuda.event_create(&c->event[i], 0);
	return gpu_check(&c->gpu, r, "getting ready");
}

static bool fits(const struct climber *c, const struct ceiling_loop *l)
{
	int arch = 10 * c->card.major + c->card.minor;

	return arch >= l->first && arch < l->before;
}

static CUresult function_of(CUfunction *out, struct climber *c, enum text text,
			    const char *name)
{
	static const char *const texts[TEXT_COUNT] = {gpu_ceilings_ptx,
						      gpu_ceilings_sm80_ptx,
						      gpu_ceilings_sm90a_ptx};
	CUresult r = CUDA_SUCCESS;

	if (!c->module[text])
		r = c->gpu.cuda.module_load(&c->module[text], texts[text]);
	return r ? r : c->gpu.cuda.module_function(out, c->module[text], name);
}

/* ---- one step ----------------------------------------------------------- */

/* A run of a loop: `rounds` of it in a launch, `repeat` launches in a step. */
struct ceiling_run {
	const struct ceiling_loop *loop;
	CUfunction function;
	uint64_t rounds, repeat;
};

static double step_work(const struct climber *c, const struct ceiling_run *r)
{
	const struct ceiling_loop *l = r->loop;
	double bytes = (double)c->from.bytes * (double)r->repeat;

	if (l->what == CEILING_COPY)
		return 2 * bytes;
	if (l->what == CEILING_READ)
		return bytes;
	return l->work * l->blocks * c->gpu.processors * (double)r->rounds *
	       (double)r->repeat;
}

static CUresult launch(struct climber *c, const struct ceiling_run *r)
{
	const struct ceiling_loop *l = r->loop;
	CUlaunchConfig config = {.gridDimX = c->gpu.processors * l->blocks,
				 .gridDimY = 1,
				 .gridDimZ = 1,
				 .blockDimX = l->threads,
				 .blockDimY = 1,
				 .blockDimZ = 1,
				 .sharedMemBytes = l->shared,
				 .hStream = c->stream};
	CUdeviceptr to = l->what == CEILING_COPY ? c->to.at : 0;
	CUdeviceptr from = c->from.at;
	uint64_t n = c->from.bytes / 16, rounds = r->rounds;
	void *move[] = {&to, &from, &n};
	void *count[] = {&to, &rounds};

	if (!l->name)
		return c->gpu.cuda.copy_line(to, from, c->from.bytes,
					     c->stream);
	return c->gpu.cuda.launch(&config, r->function,
				  l->work > 0 ? count : move, NULL);
}

/* Runs n steps and measures the seconds of each. */
static CUresult run_steps(double *seconds, struct climber *c,
			  const struct ceiling_run *r, size_t n)
{
	struct cuda *cuda = &c->gpu.cuda;
	CUresult e = cuda->event_record(c->event[0], c->stream);

	for (size_t i = 0; !e && i < n; i++) {
		for (uint64_t k = 0; !e && k < r->repeat; k++)
			e = launch(c, r);
		if (!e)
			e = cuda->event_record(c->event[i + 1], c->stream);
	}
	if (!e)
		e = cuda->stream_wait(c->stream);
	for (size_t i = 0; !e && i < n; i++) {
		float ms = 0;

		e = cuda->event_elapsed(&ms, c->event[i], c->event[i + 1]);
		seconds[i] = 1e-3 * (double)ms;
	}
	return e;
}

/* ---- a ceiling ---------------------------------------------------------- */

/* Sets how often, so that a step takes about `seconds`. */
static CUresult calibrate(struct climber *c, struct ceiling_run *r,
			  double seconds)
{
	CUresult e = CUDA_SUCCESS;
	double took = 0;

	r->rounds = 64;
	r->repeat = 1;
	for (int i = 0; !e && i < 4; i++) {
		uint64_t *n = r->loop->work > 0 ? &r->rounds : &r->repeat;
		double more;

		e = run_steps(&took, c, r, 1);
		more = took > 0 ? MIN(seconds / took, 64) : 64;
		*n = MAX((uint64_t)((double)*n * more), 1);
	}
	return e;
}

static int by_size(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

void ceilings_sum_up(struct gpu_ceiling_reply *out, double *seconds, size_t n,
		     double work)
{
	double total = 0, best = 0;

	for (size_t i = 0; i < n; i++)
		total += seconds[i];
	if (!(total > 0))
		return;
	for (size_t i = 0; i < n; i++) {
		double window = 0;
		size_t k = i;

		while (k < n && window < WINDOW_SECONDS)
			window += seconds[k++];
		/* A window that was cut short counts if there is no other. */
		if (window > 0 && (window >= WINDOW_SECONDS || i == 0))
			best = MAX(best, work * (double)(k - i) / window);
	}
	qsort(seconds, n, sizeof *seconds, by_size);
	out->peak = best;
	out->sustained = work / seconds[n / 2];
}

static CUresult measure(struct gpu_ceiling_reply *out, struct climber *c,
			struct ceiling_run *r, double seconds)
{
	double step = MAX(STEP_SECONDS, seconds / STEPS), took[STEPS] = {0};
	size_t n = (size_t)MIN(MAX(seconds / step, 2), STEPS);
	CUresult e = calibrate(c, r, step);

	/* The first part only lets the clocks become steady. */
	if (!e)
		e = run_steps(took, c, r, MAX(n / 4, 1));
	if (!e)
		e = run_steps(took, c, r, n);
	if (!e)
		ceilings_sum_up(out, took, n, step_work(c, r));
	return e;
}

static CUresult prepare(struct ceiling_run *out, struct climber *c,
			const struct ceiling_loop *l)
{
	CUresult r = CUDA_SUCCESS;

	*out = (struct ceiling_run){.loop = l};
	if (l->name)
		r = function_of(&out->function, c, l->text, l->name);
	if (!r && l->shared)
		r = c->gpu.cuda.function_set(
			out->function,
			CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
			(int)l->shared);
	return r;
}

static const char *fill_buffer(struct climber *c)
{
	CUlaunchConfig config = {.gridDimX = c->gpu.processors * 8,
				 .gridDimY = 1,
				 .gridDimZ = 1,
				 .blockDimX = 256,
				 .blockDimY = 1,
				 .blockDimZ = 1};
	uint64_t words = c->from.bytes / sizeof(uint64_t);
	void *p[] = {&c->from.at, &words};
	CUfunction fill;
	CUresult r = function_of(&fill, c, TEXT_ANY, "avogit_ceiling_fill");

	if (!r)
		r = c->gpu.cuda.launch(&config, fill, p, NULL);
	if (!r)
		r = c->gpu.cuda.synchronize();
	return gpu_check(&c->gpu, r, "filling memory to copy");
}

/* As large as the free memory allows. */
static const char *need_buffers(struct climber *c)
{
	const char *why = "no room";

	if (c->from.bytes)
		return NULL;
	for (size_t n = BUFFER_BYTES; why && n >= MIN_BUFFER_BYTES; n /= 2) {
		why = gpu_memory_make(&c->to, &c->gpu, n, 0, NULL);
		if (!why)
			why = gpu_memory_make(&c->from, &c->gpu, n, 0, NULL);
	}
	return why ? why : fill_buffer(c);
}

/* Tries each loop that this card can run for a short time, then measures the
 * best. Skips a loop that does not load or run: the driver may be older. */
static const char *find_ceiling(struct gpu_ceiling_reply *out,
				struct climber *c, enum ceiling what,
				double seconds)
{
	struct ceiling_run best = {0};
	double rate = 0;
	const char *why = what <= CEILING_READ ? need_buffers(c) : NULL;

	for (size_t i = 0; !why && i < ARRAY_SIZE(loops); i++) {
		struct gpu_ceiling_reply tried = {0};
		struct ceiling_run r;

		if (loops[i].what != what || !fits(c, &loops[i]) ||
		    prepare(&r, c, &loops[i]) ||
		    measure(&tried, c, &r, MIN(TRY_SECONDS, seconds)))
			continue;
		if (tried.sustained > rate) {
			rate = tried.sustained;
			best = r;
		}
	}
	if (why || !best.loop)
		return why;
	return gpu_check(&c->gpu, measure(out, c, &best, seconds),
			 "measuring what the card can do");
}

static const char *answer(struct climber *c, const union runner_request *r)
{
	struct gpu_ceiling_reply found = {
		.head = {GPU_CEILING_IS, r->head.sequence}};
	const struct gpu_ceiling_request *q = &r->gpu_ceiling;
	const char *why;

	if (r->head.kind == GPU_CARD) {
		c->card.head.sequence = r->head.sequence;
		channel_send(&c->card, sizeof c->card);
		return NULL;
	}
	if (r->head.kind != GPU_CEILING || q->what >= CEILING_COUNT ||
	    !(q->seconds > 0 && q->seconds <= MAX_SECONDS))
		return "not a request for ceilings";
	why = find_ceiling(&found, c, (enum ceiling)q->what, q->seconds);
	if (!why)
		channel_send(&found, sizeof found);
	return why;
}

void ceilings_serve(union runner_request *r)
{
	struct climber *c = xcalloc(1, sizeof *c);
	const char *broken = open_climber(c);
	int fd[CHANNEL_MAX_FDS];

	while (channel_receive(r, fd)) {
		const char *why = broken ? broken : answer(c, r);

		for (size_t i = 0; i < CHANNEL_MAX_FDS; i++)
			cleanup_fd_fn(&fd[i]);
		if (why)
			channel_refuse(r, why);
	}
	free(c);
}
