#include "scorer/runner/roles.h"

#include <sys/mman.h>
#include <unistd.h>

#include "scorer/runner_gpu/gpu.h"
#include "scorer/runner_gpu/call.h"

/* ---- a captured graph becomes one launch of a plan ----------------------- */

#define MAX_EDGES (PLAN_NODES * PLAN_NODES)

struct graph_reader {
	struct gpu_device *gpu;
	struct plan_launch *out;
	const struct gpu_addresses *addresses;
	CUgraphNode node[PLAN_NODES]; /* each after all that it waits for */
	size_t n;
	CUgraphNode from[MAX_EDGES], to[MAX_EDGES];
	bool early[MAX_EDGES];
	size_t n_edges;
};

/* ---- the order ------------------------------------------------------------ */

static const char *read_edges(struct graph_reader *r, CUgraph graph)
{
	struct cuda *cuda = &r->gpu->cuda;
	CUgraphEdgeData data[MAX_EDGES];
	CUresult result;

	r->n_edges = MAX_EDGES;
	memset(data, 0, sizeof data);
	result =
		cuda->graph_edges_data
			? cuda->graph_edges_data(graph, r->from, r->to, data,
						 &r->n_edges)
			: cuda->graph_edges(graph, r->from, r->to, &r->n_edges);
	for (size_t i = 0; !result && i < MIN(r->n_edges, MAX_EDGES); i++)
		r->early[i] = data[i].type ==
			      CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC;
	if (!result && r->n_edges > MAX_EDGES)
		return "it has more than 1024 edges";
	return gpu_check(r->gpu, result, "reading the captured order");
}

/* Does it wait for a node that is not placed yet? */
static bool waits(const struct graph_reader *r, CUgraphNode node, size_t done)
{
	for (size_t e = 0; e < r->n_edges; e++)
		for (size_t i = done; i < r->n; i++)
			if (r->to[e] == node && r->from[e] == r->node[i])
				return true;
	return false;
}

static const char *sort(struct graph_reader *r)
{
	for (size_t done = 0; done < r->n; done++) {
		size_t next = done;
		CUgraphNode chosen;

		while (next < r->n && waits(r, r->node[next], done))
			next++;
		if (next == r->n)
			return "the captured order goes round in a circle";
		chosen = r->node[next];
		r->node[next] = r->node[done];
		r->node[done] = chosen;
	}
	return NULL;
}

static void take_edges(struct graph_reader *r, size_t i)
{
	struct plan_node *to = &r->out->node[i];

	for (size_t e = 0; e < r->n_edges; e++)
		for (size_t k = 0; k < i; k++) {
			if (r->to[e] != r->node[i] || r->from[e] != r->node[k])
				continue;
			to->after |= 1U << k;
			if (r->early[e])
				to->early |= 1U << k;
		}
}

/* ---- memory --------------------------------------------------------------- */

static bool within(uint64_t at, uint64_t bytes, uint64_t from, uint64_t size)
{
	return at >= from && bytes <= size && at - from <= size - bytes;
}

/* Will a launcher have this memory? */
static bool is_ours(const struct graph_reader *r, uint64_t at, uint64_t bytes)
{
	const struct gpu_addresses *p = r->addresses;

	if (within(at, bytes, p->inputs_at, p->images * p->inputs_bytes) ||
	    within(at, bytes, p->outputs_at, p->images * p->outputs_bytes) ||
	    within(at, bytes, p->prepared_at, p->images * p->prepared_bytes))
		return true;
	for (size_t i = 0; i < r->n; i++)
		if (r->out->node[i].kind == PLAN_ALLOCATION &&
		    within(at, bytes, r->out->node[i].at,
			   r->out->node[i].width))
			return true;
	return false;
}

/* Is this word of a kernel's parameters the address of memory that the
 * candidate allocated itself? A launcher would have nothing there. */
static bool is_foreign(const struct graph_reader *r, uint64_t word)
{
	unsigned type = 0;

	return !r->gpu->cuda.pointer_get(
		       &type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, word) &&
	       type != 0 && !is_ours(r, word, 1);
}

/* ---- nodes ---------------------------------------------------------------- */

static const char *take_parameters(struct plan_node *n, struct graph_reader *r,
				   CUfunction f, void **values)
{
	size_t offset, size;

	for (size_t i = 0;
	     r->gpu->cuda.function_param(f, i, &offset, &size) == CUDA_SUCCESS;
	     i++) {
		if (offset + size > sizeof n->parameter || !values)
			return "a kernel's parameters are over 4096 bytes";
		memcpy(n->parameter + offset, values[i], size);
		n->parameter_bytes =
			MAX(n->parameter_bytes, (uint32_t)(offset + size));
	}
	for (size_t i = 0; i + 8 <= n->parameter_bytes; i += 8) {
		uint64_t word;

		memcpy(&word, n->parameter + i, sizeof word);
		if (is_foreign(r, word))
			return "a kernel is given memory that it took itself "
			       "(a workspace argument, or cudaMallocAsync on "
			       "its stream, could be replayed)";
	}
	return NULL;
}

static CUresult read_function(struct plan_node *n, const char **name,
			      struct cuda *cuda, CUfunction f)
{
	CUresult r = cuda->function_name(name, f);

	if (!r)
		r = cuda->function_get(
			&n->max_shared_bytes,
			CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, f);
	if (!r)
		r = cuda->function_get(
			&n->carveout,
			CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, f);
	return r;
}

static const char *take_kernel(struct plan_node *n, struct graph_reader *r,
			       CUgraphNode node)
{
	struct cuda *cuda = &r->gpu->cuda;
	CUDA_KERNEL_NODE_PARAMS p = {0};
	CUlaunchAttributeValue v = {{0}};
	const char *name = NULL;
	CUresult result = cuda->node_kernel(node, &p);

	n->kind = PLAN_KERNEL;
	if (!result && !p.func && p.kern)
		result = cuda->kernel_function(&p.func, p.kern);
	if (!result)
		result = read_function(n, &name, cuda, p.func);
	if (result)
		return gpu_check(r->gpu, result, "reading a captured kernel");
	if (strlen(name) >= sizeof n->name)
		return "the name of a kernel is over 511 bytes";
	memcpy(n->name, name, strlen(name) + 1);
	memcpy(n->grid, &p.gridDimX, sizeof n->grid);
	memcpy(n->block, &p.blockDimX, sizeof n->block);
	n->shared_bytes = p.sharedMemBytes;
	if (!cuda->node_attribute(node, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
				  &v))
		memcpy(n->cluster, &v.clusterDim, sizeof n->cluster);
	if (!cuda->node_attribute(node, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &v))
		n->cooperative = v.cooperative != 0;
	return take_parameters(n, r, p.func, p.kernelParams);
}

static const char *take_fill(struct plan_node *n, struct graph_reader *r,
			     CUgraphNode node)
{
	CUDA_MEMSET_NODE_PARAMS p = {0};
	CUresult result = r->gpu->cuda.node_memset(node, &p);

	if (result)
		return gpu_check(r->gpu, result, "reading a captured memset");
	if (p.height > 1 && p.pitch != p.width * p.elementSize)
		return "it fills memory with gaps";
	n->kind = PLAN_FILL;
	n->at = p.dst;
	n->width = p.width * p.elementSize * MAX(p.height, 1);
	n->value = p.value;
	n->element_bytes = p.elementSize;
	return is_ours(r, n->at, n->width)
		       ? NULL
		       : "it fills memory that it took itself";
}

static bool is_device(struct graph_reader *r, int type, CUdeviceptr at)
{
	unsigned found = 0;

	if (type == CU_MEMORYTYPE_DEVICE)
		return true;
	return type == CU_MEMORYTYPE_UNIFIED &&
	       !r->gpu->cuda.pointer_get(
		       &found, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, at) &&
	       found == CU_MEMORYTYPE_DEVICE;
}

static const char *take_copy(struct plan_node *n, struct graph_reader *r,
			     CUgraphNode node)
{
	CUDA_MEMCPY3D p = {0};
	CUresult result = r->gpu->cuda.node_copy(node, &p);

	if (result)
		return gpu_check(r->gpu, result, "reading a captured copy");
	if (!is_device(r, p.srcMemoryType, p.srcDevice) ||
	    !is_device(r, p.dstMemoryType, p.dstDevice))
		return "it copies from or to the host";
	if (p.Depth > 1)
		return "it copies in three dimensions";
	n->kind = PLAN_COPY;
	n->width = p.WidthInBytes;
	n->height = MAX(p.Height, 1);
	n->pitch = n->height > 1 ? p.dstPitch : n->width;
	n->from_pitch = n->height > 1 ? p.srcPitch : n->width;
	n->at = p.dstDevice + p.dstXInBytes + p.dstY * p.dstPitch;
	n->from = p.srcDevice + p.srcXInBytes + p.srcY * p.srcPitch;
	if (!is_ours(r, n->at, (n->height - 1) * n->pitch + n->width) ||
	    !is_ours(r, n->from, (n->height - 1) * n->from_pitch + n->width))
		return "it copies memory that it took itself";
	return NULL;
}

static const char *take_allocation(struct plan_node *n, struct graph_reader *r,
				   CUgraphNode node)
{
	CUDA_MEM_ALLOC_NODE_PARAMS p = {{0}, NULL, 0, 0, 0};
	CUresult result = r->gpu->cuda.node_alloc(node, &p);

	n->kind = PLAN_ALLOCATION;
	n->at = p.dptr;
	n->width = p.bytesize;
	return gpu_check(r->gpu, result, "reading a captured allocation");
}

static const char *take_node(struct graph_reader *r, size_t i)
{
	struct plan_node *n = &r->out->node[i];
	int type = -1;

	r->gpu->cuda.node_type(r->node[i], &type);
	take_edges(r, i);
	switch (type) {
	case CU_GRAPH_NODE_TYPE_EMPTY:
	case CU_GRAPH_NODE_TYPE_MEM_FREE:
		return NULL; /* PLAN_NOTHING */
	case CU_GRAPH_NODE_TYPE_KERNEL:
		return take_kernel(n, r, r->node[i]);
	case CU_GRAPH_NODE_TYPE_MEMSET:
		return take_fill(n, r, r->node[i]);
	case CU_GRAPH_NODE_TYPE_MEMCPY:
		return take_copy(n, r, r->node[i]);
	case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
		return take_allocation(n, r, r->node[i]);
	default:
		return "it does something else than launch kernels, and copy "
		       "and fill memory";
	}
}

static const char *graph_take(struct plan_launch *out, struct gpu_device *g,
			      CUgraph graph,
			      const struct gpu_addresses *addresses)
{
	cleanup_free struct graph_reader *r = xcalloc(1, sizeof *r);
	const char *why;

	r->gpu = g;
	r->out = out;
	r->addresses = addresses;
	why = gpu_check(g, g->cuda.graph_nodes(graph, NULL, &r->n),
			"reading the captured graph");
	if (why)
		return why;
	out->n_nodes = 0;
	if (r->n == 0)
		return NULL;
	if (r->n > PLAN_NODES)
		return "it has more than 32 kernels and other steps";
	why = gpu_check(g, g->cuda.graph_nodes(graph, r->node, &r->n),
			"reading the captured graph");
	if (!why)
		why = read_edges(r, graph);
	if (!why)
		why = sort(r);
	for (size_t i = 0; !why && i < r->n; i++)
		why = take_node(r, i);
	out->n_nodes = (uint32_t)r->n;
	return why;
}

/* ---- the capturer -------------------------------------------------------- */

struct gpu_capture {
	struct gpu_device gpu;
	CUstream stream;
	struct gpu_memory inputs, outputs, prepared;
	function entry, prepare; /* prepare: may be NULL */
};

static const char *make_stream(struct gpu_capture *c)
{
	return gpu_check(&c->gpu,
			 c->gpu.cuda.stream_create(&c->stream,
						   CU_STREAM_NON_BLOCKING),
			 "making a stream");
}

static const char *call_one(struct gpu_capture *c,
			    const struct gpu_capture_request *q, uint32_t k,
			    bool prepares)
{
	return prepares ? gpu_call_prepare(&q->call, &q->addresses, k,
					   q->is_static, c->prepare, c->stream)
			: gpu_call(&q->call, &q->addresses, k, c->entry,
				   c->stream);
}

static const char *capture_image(struct plan_launch *out, struct gpu_capture *c,
				 const struct gpu_capture_request *q,
				 uint32_t k, bool prepares)
{
	struct cuda *cuda = &c->gpu.cuda;
	CUgraph graph = NULL;
	const char *why = gpu_check(
		&c->gpu,
		cuda->capture_begin(c->stream, CU_STREAM_CAPTURE_MODE_RELAXED),
		"beginning the capture");
	const char *called;

	if (why)
		return why;
	called = call_one(c, q, k, prepares);
	why = gpu_check(&c->gpu, cuda->capture_end(c->stream, &graph),
			"it cannot be captured on a stream");
	if (!why)
		why = called;
	if (!why)
		why = graph_take(out, &c->gpu, graph, &q->addresses);
	if (!why && !out->n_nodes && !prepares)
		why = "it launches nothing on its stream";
	if (graph)
		cuda->graph_destroy(graph);
	return why;
}

static const char *take_memory(struct gpu_capture *c,
			       const struct gpu_addresses *p)
{
	const char *why = gpu_memory_make(&c->inputs, &c->gpu,
					  p->images * p->inputs_bytes,
					  p->inputs_at, NULL);

	if (!why)
		why = gpu_memory_make(&c->outputs, &c->gpu,
				      p->images * p->outputs_bytes,
				      p->outputs_at, NULL);
	if (!why)
		why = gpu_memory_make(&c->prepared, &c->gpu,
				      p->images * p->prepared_bytes,
				      p->prepared_at, NULL);
	return why;
}

static const char *call_for_real(struct gpu_capture *c,
				 const struct gpu_capture_request *q,
				 bool prepares)
{
	const char *why = call_one(c, q, 0, prepares);

	return why ? why
		   : gpu_check(&c->gpu, c->gpu.cuda.synchronize(),
			       prepares ? "in its prepare function"
					: "in its first call");
}

/* Calls it once without a capture, because what it sets up in its first call is
 * not part of a launch. */
static const char *try_it(struct gpu_ready_reply *out, struct gpu_capture *c,
			  const struct gpu_capture_request *q)
{
	const char *why;

	if (q->addresses.images < 1 || q->addresses.images > GPU_IMAGES)
		return "a count that no scorer asks for";
	why = take_memory(c, &q->addresses);
	if (why && c->gpu.moved) {
		out->state = GPU_MOVED;
		return NULL;
	}
	if (!why && c->prepare)
		why = call_for_real(c, q, true);
	return why ? why : call_for_real(c, q, false);
}

static const char *capture_images(struct plan_launch *plan,
				  struct gpu_capture *c,
				  const struct gpu_capture_request *q)
{
	static char text[PROTOCOL_TEXT];
	uint32_t images = q->addresses.images;
	const char *why = NULL;

	for (uint32_t k = 0; !why && k < images; k++)
		why = capture_image(&plan[k], c, q, k, false);
	if (why || !c->prepare)
		return why;
	for (uint32_t k = 0; !why && k < images; k++)
		why = capture_image(&plan[images + k], c, q, k, true);
	if (!why)
		return NULL;
	snprintf(text, sizeof text, "its prepare function: %s", why);
	return text;
}

static const char *capture(struct gpu_ready_reply *out, struct gpu_capture *c,
			   const struct gpu_capture_request *q, int plan_fd)
{
	const char *unreplayable;
	struct plan_launch *plan;
	size_t bytes;

	if (q->addresses.images < 1 || q->addresses.images > GPU_IMAGES)
		return "a count that no scorer asks for";
	bytes = (c->prepare ? 2 : 1) * q->addresses.images *
		sizeof(struct plan_launch);
	plan = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, plan_fd,
		    0);
	if (plan == MAP_FAILED)
		return "the plan cannot be mapped";
	unreplayable = capture_images(plan, c, q);
	munmap(plan, bytes);
	if (!unreplayable)
		return NULL;
	out->state = GPU_UNREPLAYABLE;
	snprintf(out->why, sizeof out->why, "%s", unreplayable);
	return NULL;
}

void capture_serve(union runner_request *r, const struct gpu_device *gpu,
		   function entry, function prepare)
{
	struct gpu_capture c = {
		.gpu = *gpu, .entry = entry, .prepare = prepare};
	const char *broken = make_stream(&c);
	int fd[CHANNEL_MAX_FDS];

	while (channel_receive(r, fd)) {
		cleanup_fd int first = fd[0], second UNUSED = fd[1],
			       third UNUSED = fd[2];
		struct gpu_ready_reply ready = {
			.head = {GPU_CAPTURED, r->head.sequence}};
		const char *why = broken;

		if (!why && r->head.kind == GPU_TRY)
			why = try_it(&ready, &c, &r->gpu_capture);
		else if (!why && r->head.kind == GPU_CAPTURE)
			why = capture(&ready, &c, &r->gpu_capture, first);
		else if (!why)
			why = "not a request for a capturer";
		if (why)
			channel_refuse(r, why);
		else
			channel_send(&ready, sizeof ready);
	}
}
