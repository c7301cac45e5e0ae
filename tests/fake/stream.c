/* Launches, streams, graphs, events. */
#include "tests/fake/cuda.h"

#include <time.h>

#define PARAMETERS 16
#define NODES	   32
#define HELD	   512

struct CUgraphNode_st {
	struct CUfunc_st *function; /* NULL: a memset */
	CUlaunchConfig config;
	unsigned char bytes[1024]; /* of the parameters */
	void *parameter[PARAMETERS];
	CUDA_MEMSET_NODE_PARAMS set;
};
/* What a stream has to do. */
struct work {
	struct CUgraphNode_st node;
	CUevent event;		 /* not NULL: mark the time, and no node */
	volatile uint32_t *word; /* not NULL: write this, and no node */
	uint32_t value;
};
struct CUgraph_st {
	struct CUgraphNode_st *node[NODES];
	size_t n;
};
struct CUstream_st {
	struct CUgraph_st *captured; /* NULL: what comes is done at once */
	/* Set: what comes is kept until a caller waits for it. */
	const volatile uint32_t *gate;
	uint32_t key;
	struct work *held[HELD];
	size_t n_held;
};
struct CUevent_st {
	double seconds;
	bool held; /* queued after a gate */
};

/* ---- launches ------------------------------------------------------------- */

static void run_node(void *arg)
{
	struct CUgraphNode_st *n = arg;

	fault(card_in_use ? "run_1" : "run_0");
	if (n->function)
		n->function->run(n->parameter);
	else
		memset((void *)(uintptr_t)n->set.dst, (int)n->set.value,
		       n->set.width);
}

static void mark(CUevent e)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	e->seconds = (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
	e->held = false;
}

static struct work *copy_of(const struct CUgraphNode_st *n)
{
	struct work *w = take(sizeof *w);

	w->node = *n;
	for (size_t i = 0; n->function && n->function->sizes[i]; i++)
		w->node.parameter[i] =
			w->node.bytes + offset_of(n->function, i);
	return w;
}

static CUresult hold(CUstream s, struct work *w)
{
	if (s->n_held == HELD)
		return OUT_OF_MEMORY;
	s->held[s->n_held++] = w;
	return CUDA_SUCCESS;
}

/* All of it, now that a caller waits; for ever if the gate was not opened. */
static CUresult let_go(CUstream s)
{
	CUresult result = CUDA_SUCCESS;

	while (s->gate && *s->gate != s->key)
		nanosleep(&(struct timespec){0, 1000000}, NULL);
	s->gate = NULL;
	for (size_t i = 0; i < s->n_held; i++) {
		struct work *w = s->held[i];

		if (w->event)
			mark(w->event);
		else if (w->word)
			*w->word = w->value;
		else if (!result)
			result = guarded(run_node, &w->node);
		free(w);
	}
	s->n_held = 0;
	return result;
}

/* Now, or after a gate, or as part of what is captured. */
static CUresult queue(const struct CUgraphNode_st *n, CUstream s)
{
	struct CUgraphNode_st *kept;

	if (s && s->gate)
		return hold(s, copy_of(n));
	if (!s || !s->captured)
		return guarded(run_node, (void *)(uintptr_t)n);
	if (s->captured->n == NODES)
		return INVALID_VALUE;
	kept = take(sizeof *kept);
	*kept = *n;
	for (size_t i = 0; n->function && n->function->sizes[i]; i++)
		kept->parameter[i] = kept->bytes + offset_of(n->function, i);
	s->captured->node[s->captured->n++] = kept;
	return CUDA_SUCCESS;
}

CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction f,
			  void **parameters, void **extra)
{
	struct CUgraphNode_st n = {.function = f, .config = *config};

	ENTER("launch");
	if (odd == FULL && config->hStream)
		let_go(config->hStream);
	if (fault(f->name))
		return CUDA_SUCCESS;
	for (size_t i = 0; i < PARAMETERS && f->sizes[i]; i++) {
		size_t at = offset_of(f, i);

		n.parameter[i] = n.bytes + at;
		memcpy(n.parameter[i],
		       extra ? (unsigned char *)extra[1] + at : parameters[i],
		       f->sizes[i]);
	}
	return queue(&n, config->hStream);
}

static CUresult set(CUdeviceptr at, unsigned value, size_t bytes, CUstream s)
{
	const struct CUgraphNode_st n = {
		.set = {at, 0, value & 0xff, 1, bytes, 1}};

	return queue(&n, s);
}

CUresult cuMemsetD8Async(CUdeviceptr at, unsigned char value, size_t n,
			 CUstream s)
{
	ENTER("set_bytes_async");
	return set(at, value, n, s);
}

CUresult cuMemsetD16Async(CUdeviceptr at, unsigned short value, size_t n,
			  CUstream s)
{
	ENTER("set_halves_async");
	return set(at, value, 2 * n, s);
}

CUresult cuMemsetD32Async(CUdeviceptr at, unsigned value, size_t n, CUstream s)
{
	ENTER("set_words_async");
	return set(at, value, 4 * n, s);
}

CUresult cuMemsetD32_v2(CUdeviceptr at, unsigned value, size_t n)
{
	ENTER("set_words");
	return set(at, value, 4 * n, NULL);
}

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to UNUSED, CUdeviceptr from UNUSED,
			      size_t bytes UNUSED, CUstream s UNUSED)
{
	return INVALID_VALUE;
}

CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D *p UNUSED, CUstream s UNUSED)
{
	return INVALID_VALUE;
}

/* ---- streams and graphs --------------------------------------------------- */

CUresult cuStreamCreate(CUstream *out, unsigned flags UNUSED)
{
	ENTER("stream_create");
	*out = take(sizeof **out);
	return CUDA_SUCCESS;
}

/* The stream that last had a gate: an event does not know of which it is. */
static CUstream gated;

CUresult cuStreamSynchronize(CUstream s)
{
	ENTER("stream_wait");
	return s && odd != ODD ? let_go(s) : CUDA_SUCCESS;
}

CUresult cuStreamQuery(CUstream s)
{
	ENTER("stream_query");
	return s ? let_go(s) : CUDA_SUCCESS;
}

CUresult cuStreamWaitValue32_v2(CUstream s, CUdeviceptr at, uint32_t key,
				unsigned flags)
{
	ENTER("stream_wait_value");
	if (flags != CU_STREAM_WAIT_VALUE_EQ || s->captured)
		return INVALID_VALUE;
	s->gate = (const volatile uint32_t *)(uintptr_t)at;
	s->key = key;
	gated = s;
	return CUDA_SUCCESS;
}

CUresult cuStreamWriteValue32_v2(CUstream s, CUdeviceptr at, uint32_t value,
				 unsigned flags UNUSED)
{
	volatile uint32_t *word = (volatile uint32_t *)(uintptr_t)at;

	ENTER("stream_write_value");
	if (s->gate) {
		struct work *w = take(sizeof *w);

		w->word = word;
		w->value = value;
		return hold(s, w);
	}
	*word = value;
	return CUDA_SUCCESS;
}

CUresult cuMemHostAlloc(void **out, size_t bytes, unsigned flags UNUSED)
{
	ENTER("host_memory");
	*out = take(bytes);
	return CUDA_SUCCESS;
}

CUresult cuStreamWaitEvent(CUstream s UNUSED, CUevent e UNUSED,
			   unsigned flags UNUSED)
{
	ENTER("stream_after");
	return CUDA_SUCCESS;
}

CUresult cuStreamBeginCapture_v2(CUstream s, int mode UNUSED)
{
	ENTER("capture_begin");
	s->captured = take(sizeof *s->captured);
	return CUDA_SUCCESS;
}

CUresult cuStreamEndCapture(CUstream s, CUgraph *out)
{
	ENTER("capture_end");
	*out = s->captured;
	s->captured = NULL;
	return *out ? CUDA_SUCCESS : INVALID_VALUE;
}

CUresult cuGraphGetNodes(CUgraph g, CUgraphNode *out, size_t *n)
{
	ENTER("graph_nodes");
	if (out && !g->n) /* CUDA 13 refuses the question */
		return INVALID_VALUE;
	for (size_t i = 0; out && i < MIN(*n, g->n); i++)
		out[i] = g->node[i];
	*n = g->n;
	return CUDA_SUCCESS;
}

/* Odd: each waits for all before it. */
CUresult cuGraphGetEdges(CUgraph g, CUgraphNode *from, CUgraphNode *to,
			 size_t *n)
{
	size_t found = 0;

	ENTER("graph_edges");
	if (from && !g->n)
		return INVALID_VALUE;
	for (size_t i = 1; i < g->n; i++)
		for (size_t k = odd == ODD ? 0 : i - 1; k < i; k++) {
			if (from && found < *n) {
				from[found] = g->node[k];
				to[found] = g->node[i];
			}
			found++;
		}
	*n = found;
	return CUDA_SUCCESS;
}

CUresult cuGraphDestroy(CUgraph g)
{
	ENTER("graph_destroy");
	for (size_t i = 0; i < g->n; i++)
		free(g->node[i]);
	free(g);
	return CUDA_SUCCESS;
}

CUresult cuGraphNodeGetType(CUgraphNode n, int *out)
{
	ENTER("node_type");
	*out = n->function ? CU_GRAPH_NODE_TYPE_KERNEL
			   : CU_GRAPH_NODE_TYPE_MEMSET;
	return CUDA_SUCCESS;
}

CUresult cuGraphKernelNodeGetParams_v2(CUgraphNode n,
				       CUDA_KERNEL_NODE_PARAMS *out)
{
	ENTER("node_kernel");
	*out = (CUDA_KERNEL_NODE_PARAMS){.func = n->function,
					 .gridDimX = n->config.gridDimX,
					 .gridDimY = n->config.gridDimY,
					 .gridDimZ = n->config.gridDimZ,
					 .blockDimX = n->config.blockDimX,
					 .blockDimY = n->config.blockDimY,
					 .blockDimZ = n->config.blockDimZ,
					 .kernelParams = n->parameter};
	return CUDA_SUCCESS;
}

CUresult cuGraphKernelNodeGetAttribute(CUgraphNode n UNUSED, int which UNUSED,
				       CUlaunchAttributeValue *out)
{
	ENTER("node_attribute");
	*out = (CUlaunchAttributeValue){{0}};
	return CUDA_SUCCESS;
}

CUresult cuGraphMemsetNodeGetParams(CUgraphNode n, CUDA_MEMSET_NODE_PARAMS *out)
{
	ENTER("node_memset");
	*out = n->set;
	return CUDA_SUCCESS;
}

CUresult cuGraphMemcpyNodeGetParams(CUgraphNode n UNUSED,
				    CUDA_MEMCPY3D *out UNUSED)
{
	return INVALID_VALUE;
}

CUresult cuGraphMemAllocNodeGetParams(CUgraphNode n UNUSED,
				      CUDA_MEM_ALLOC_NODE_PARAMS *out UNUSED)
{
	return INVALID_VALUE;
}

/* ---- events --------------------------------------------------------------- */

CUresult cuEventCreate(CUevent *out, unsigned flags UNUSED)
{
	ENTER("event_create");
	*out = take(sizeof **out);
	return CUDA_SUCCESS;
}

CUresult cuEventRecord(CUevent e, CUstream s)
{
	ENTER("event_record");
	if (s && s->gate) {
		struct work *w = take(sizeof *w);

		w->event = e;
		e->held = true;
		return hold(s, w);
	}
	mark(e);
	return CUDA_SUCCESS;
}

CUresult cuEventSynchronize(CUevent e)
{
	ENTER("event_wait");
	return e->held ? let_go(gated) : CUDA_SUCCESS;
}

/* Odd: a day. */
CUresult cuEventElapsedTime(float *out, CUevent from, CUevent to)
{
	ENTER("event_elapsed");
	*out = odd == ODD     ? 864e5F
	       : odd == SHORT ? 0
			      : (float)(1e3 * (to->seconds - from->seconds));
	return CUDA_SUCCESS;
}
