#include "scorer/runner/gpu_capture.h"

#include <sys/mman.h>
#include <unistd.h>

#include "scorer/runner/call.h"
#include "scorer/runner/gpu.h"

struct capture {
	struct gpu gpu;
	CUstream stream;
	struct gpu_memory inputs, outputs;
	function entry;
};

static const char *open_gpu(struct capture *c)
{
	const char *why = gpu_open(&c->gpu, false);

	if (!why)
		why = gpu_check(&c->gpu,
				c->gpu.cuda.stream_create(
					&c->stream, CU_STREAM_NON_BLOCKING),
				"making a stream");
	return why;
}

/* Element 0 of argument i in image k. */
static void *address_of(const struct call *c, const struct gpu_place *p,
			size_t i, uint32_t k)
{
	const struct tensor_layout *t = &c->layout.arg[i].tensor;
	uint64_t at;

	if (t->region == REGION_INPUT)
		at = p->inputs_at + k * p->inputs_bytes + t->offset;
	else
		at = p->outputs_at + k * p->outputs_bytes + t->offset +
		     (t->region == REGION_WORKSPACE
			      ? c->layout.region_bytes[REGION_OUTPUT]
			      : 0);
	return (void *)(uintptr_t)at;
}

static const char *call_entry(struct capture *c,
			      const struct gpu_capture_request *q, uint32_t k)
{
	const char *why;
	cleanup_invocation struct invocation *v =
		invocation_new(&why, &q->call, 1);

	if (why)
		return why;
	for (size_t i = 0; i < q->call.layout.n; i++)
		if (q->call.layout.arg[i].is_tensor)
			invocation_set_tensor(
				v, i, address_of(&q->call, &q->place, i, k));
	invocation_set_extra(v, 0, (int64_t)(intptr_t)c->stream);
	invocation_run(v, c->entry);
	return NULL;
}

static const char *take_parameters(struct plan_node *n, struct capture *c,
				   CUfunction f, void **values)
{
	size_t offset, size;

	for (size_t i = 0;
	     c->gpu.cuda.function_param(f, i, &offset, &size) == CUDA_SUCCESS;
	     i++) {
		if (offset + size > sizeof n->parameter || !values)
			return "a kernel's parameters are over 4096 bytes";
		memcpy(n->parameter + offset, values[i], size);
		n->parameter_bytes =
			MAX(n->parameter_bytes, (uint32_t)(offset + size));
	}
	return NULL;
}

static const char *take_kernel(struct plan_node *n, struct capture *c,
			       CUgraphNode node)
{
	struct cuda *cuda = &c->gpu.cuda;
	CUDA_KERNEL_NODE_PARAMS p = {0};
	CUlaunchAttributeValue v = {{0}};
	const char *name = NULL;
	CUresult r = cuda->node_kernel(node, &p);

	n->kind = PLAN_KERNEL;
	if (!r && !p.func && p.kern)
		r = cuda->kernel_function(&p.func, p.kern);
	if (!r)
		r = cuda->function_name(&name, p.func);
	if (!r)
		r = cuda->function_get(
			&n->max_shared_bytes,
			CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
			p.func);
	if (r)
		return gpu_check(&c->gpu, r, "reading a captured kernel");
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
	return take_parameters(n, c, p.func, p.kernelParams);
}

static const char *take_memset(struct plan_node *n, struct capture *c,
			       CUgraphNode node)
{
	CUDA_MEMSET_NODE_PARAMS p = {0};
	CUresult r = c->gpu.cuda.node_memset(node, &p);

	if (r)
		return gpu_check(&c->gpu, r, "reading a captured memset");
	if (p.height > 1 && p.pitch != p.width * p.elementSize)
		return "it fills memory with gaps, which cannot be replayed";
	n->kind = PLAN_MEMSET;
	n->at = p.dst;
	n->elements = p.width * MAX(p.height, 1);
	n->value = p.value;
	n->element_bytes = p.elementSize;
	return NULL;
}

/* The nodes in an order in which each comes after all it waits for. */
static const char *sort(struct capture *c, CUgraph graph,
			CUgraphNode node[PLAN_NODES], size_t n)
{
	CUgraphNode from[PLAN_NODES * PLAN_NODES], to[PLAN_NODES * PLAN_NODES];
	size_t edges = ARRAY_SIZE(from), done = 0;
	CUresult r = c->gpu.cuda.graph_edges(graph, from, to, &edges);

	if (r)
		return gpu_check(&c->gpu, r, "reading the captured order");
	while (done < n) {
		size_t next = done;

		for (; next < n; next++) {
			bool waits = false;

			for (size_t e = 0; e < edges; e++)
				for (size_t i = done; i < n; i++)
					waits |= to[e] == node[next] &&
						 from[e] == node[i];
			if (!waits)
				break;
		}
		if (next == n)
			return "the captured order goes round in a circle";
		CUgraphNode chosen = node[next];

		node[next] = node[done];
		node[done++] = chosen;
	}
	return NULL;
}

static const char *take_graph(struct plan_launch *out, struct capture *c,
			      CUgraph graph)
{
	CUgraphNode node[PLAN_NODES];
	size_t n = 0;
	const char *why = gpu_check(&c->gpu,
				    c->gpu.cuda.graph_nodes(graph, NULL, &n),
				    "reading the captured graph");

	if (!why && n == 0)
		why = "it launches nothing";
	if (!why && n > PLAN_NODES)
		return "it launches more than 32 kernels";
	if (!why)
		why = gpu_check(&c->gpu,
				c->gpu.cuda.graph_nodes(graph, node, &n),
				"reading the captured graph");
	if (!why)
		why = sort(c, graph, node, n);
	for (size_t i = 0; !why && i < n; i++) {
		struct plan_node *to = &out->node[out->n_nodes];
		int type = -1;

		c->gpu.cuda.node_type(node[i], &type);
		if (type == CU_GRAPH_NODE_TYPE_EMPTY)
			continue;
		out->n_nodes++;
		if (type == CU_GRAPH_NODE_TYPE_KERNEL)
			why = take_kernel(to, c, node[i]);
		else if (type == CU_GRAPH_NODE_TYPE_MEMSET)
			why = take_memset(to, c, node[i]);
		else
			why = "it does something else than launch kernels and "
			      "fill memory";
	}
	return why;
}

static const char *capture_image(struct plan_launch *out, struct capture *c,
				 const struct gpu_capture_request *q,
				 uint32_t k)
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
	called = call_entry(c, q, k);
	why = gpu_check(&c->gpu, cuda->capture_end(c->stream, &graph),
			"it cannot be captured on a stream");
	if (!why)
		why = called;
	if (!why)
		why = take_graph(out, c, graph);
	if (graph)
		cuda->graph_destroy(graph);
	return why;
}

/* Once for real first: what it sets up when it is first called is not part
 * of a launch. */
static const char *capture(struct capture *c,
			   const struct gpu_capture_request *q, int plan_fd)
{
	size_t bytes = q->place.images * sizeof(struct plan_launch);
	struct plan_launch *plan;
	const char *why;

	if (q->place.images < 1 || q->place.images > GPU_IMAGES)
		return "a count that no scorer asks for";
	why = gpu_memory_make(&c->inputs, &c->gpu,
			      q->place.images * q->place.inputs_bytes,
			      q->place.inputs_at, NULL);
	if (!why)
		why = gpu_memory_make(&c->outputs, &c->gpu,
				      q->place.images * q->place.outputs_bytes,
				      q->place.outputs_at, NULL);
	if (!why)
		why = call_entry(c, q, 0);
	if (!why)
		why = gpu_check(&c->gpu, c->gpu.cuda.synchronize(),
				"in its first call");
	if (why)
		return why;
	plan = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, plan_fd,
		    0);
	if (plan == MAP_FAILED)
		return "the plan cannot be mapped";
	for (uint32_t k = 0; !why && k < q->place.images; k++)
		why = capture_image(&plan[k], c, q, k);
	munmap(plan, bytes);
	return why;
}

void capture_serve(union request *r, function entry)
{
	struct capture c = {.entry = entry};
	const char *broken = open_gpu(&c);
	int fd[CHANNEL_MAX_FDS];

	while (channel_receive(r, fd)) {
		cleanup_fd int first = fd[0], second UNUSED = fd[1],
			       third UNUSED = fd[2];
		const char *why = broken;

		if (!why)
			why = r->head.kind == GPU_CAPTURE
				      ? capture(&c, &r->gpu_capture, first)
				      : "not a request for a capturer";
		if (why)
			channel_refuse(r, why);
		else
			channel_reply(r, (enum message_kind)GPU_CAPTURED);
	}
}
