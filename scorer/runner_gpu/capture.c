#include "scorer/runner/roles.h"

#include <sys/mman.h>
#include <unistd.h>

#include "scorer/runner_gpu/gpu.h"
#include "scorer/runner_gpu/call.h"
#include "scorer/runner_gpu/graph.h"

struct gpu_capture {
	struct gpu_device gpu;
	CUstream stream;
	struct gpu_memory inputs, outputs, prepared;
	function entry, prepare; /* no prepare: NULL */
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

/* Once for real first: what it sets up when it is first called is not part
 * of a launch. */
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
