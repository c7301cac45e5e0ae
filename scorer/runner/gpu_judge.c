#include "scorer/runner/gpu_judge.h"

#include <math.h>
#include <sys/mman.h>
#include <unistd.h>

#include "scorer/runner/call.h"
#include "scorer/runner/fill.h"
#include "scorer/runner/gpu.h"
#include "scorer/runner/gpu_kernels.h"

/* As in reference.c: marks what the reference has to write. */
#define HOLE_BITS 0x7ff4b0a7ed1e55edu

struct gpu_judge {
	struct elsewhere elsewhere; /* first: its callbacks cast back */
	struct gpu gpu;
	struct reference reference;
	struct call call;
	uint32_t slots;
	struct gpu_memory inputs, outputs[GPU_SLOTS];
	struct gpu_memory spare; /* inputs of a launch nobody times */
	struct gpu_memory array[2][TASK_MAX_ARGS];
	struct gpu_memory found;     /* what avogit_look counts */
	struct mapping outputs_copy; /* rows of one image, at their places */
};

struct gpu_tensor gpu_tensor_of(const struct tensor_layout *t)
{
	struct gpu_tensor g = {
		.elements = t->elements,
		.dtype = (int)t->dtype,
		.size = (int)dtype_bytes(t->dtype),
		.n_dims = (int)t->n_dims,
		.floating = dtype_is_float(t->dtype),
	};

	memcpy(g.shape, t->shape, sizeof g.shape);
	memcpy(g.stride, t->stride, sizeof g.stride);
	return g;
}

/* ---- contents ------------------------------------------------------------ */

static const char *poison(struct gpu_judge *j, CUdeviceptr at, size_t bytes,
			  uint64_t seed)
{
	uint64_t words = bytes / sizeof(uint64_t);
	void *p[] = {&at, &words, &seed};

	return gpu_run(&j->gpu, GPU_POISON, words, p);
}

static const char *fill_one(struct gpu_judge *j, CUdeviceptr at,
			    const struct tensor_layout *t,
			    const struct recipe *recipe, size_t i,
			    uint64_t seed)
{
	struct gpu_tensor g = gpu_tensor_of(t);
	double low = recipe->low[i], high = recipe->high[i];
	uint64_t own = fill_seed(seed, 1000 + i);
	int kind = (int)recipe->fill[i];
	void *p[] = {&at, &g, &own, &kind, &low, &high};

	return gpu_run(&j->gpu, GPU_FILL, (uint64_t)t->elements, p);
}

static const char *fill_image(struct elsewhere *self, unsigned char *inputs,
			      const struct call *c, const struct recipe *recipe,
			      uint32_t k)
{
	struct gpu_judge *j = (struct gpu_judge *)self;
	const char *why = NULL;

	for (size_t i = 0; !why && i < c->layout.n; i++) {
		const struct tensor_layout *t = &c->layout.arg[i].tensor;

		if (!c->layout.arg[i].is_tensor || t->region != REGION_INPUT)
			continue;
		why = fill_one(
			j,
			(CUdeviceptr)(uintptr_t)inputs_tensor(inputs, c, i, k),
			t, recipe, i,
			recipe->is_static[i] ? fill_seed(recipe->static_seed, 0)
					     : fill_seed(recipe->seed, k));
	}
	return why;
}

static const char *spare_room(struct elsewhere *self, unsigned char **inputs,
			      size_t bytes)
{
	struct gpu_judge *j = (struct gpu_judge *)self;
	const char *why = NULL;

	if (j->spare.bytes < bytes)
		why = gpu_memory_make(&j->spare, &j->gpu, bytes, 0, NULL);
	*inputs = (unsigned char *)(uintptr_t)j->spare.at;
	return why;
}

/* ---- the reference -------------------------------------------------------- */

static bool is_output(const struct call *c, size_t i)
{
	return c->layout.arg[i].is_tensor &&
	       c->layout.arg[i].tensor.region == REGION_OUTPUT;
}

/* Elements from the first of a tensor to the last, gaps included. */
static size_t extent(const struct tensor_layout *t)
{
	return t->n_dims ? t->bytes / dtype_bytes(t->dtype)
			 : (size_t)t->elements;
}

static size_t side_bytes(const struct tensor_layout *t, enum side side)
{
	return extent(t) * dtype_bytes(side_dtype(t, side));
}

/* The bytes from the first element of a segment to its last, in an array of
 * such elements. */
static void span(size_t *at, size_t *bytes, const struct tensor_layout *t,
		 size_t size, const struct segment *s)
{
	size_t row = t->n_dims ? (size_t)t->stride[0] : 1;

	*at = 0;
	*bytes = extent(t) * size;
	if (!s)
		return;
	*at = (size_t)s->begin * row * size;
	*bytes = MIN(*bytes - *at, (size_t)(s->end - s->begin) * row * size);
}

static const char *make_array(struct gpu_judge *j, enum side side, size_t i,
			      const struct call *c, const struct segment *s)
{
	const struct tensor_layout *t = &c->layout.arg[i].tensor;
	struct gpu_memory *m = &j->array[side][i];
	size_t bytes = t->region == REGION_OUTPUT ? side_bytes(t, side)
						  : t->bytes;
	size_t at, n;
	uint64_t hole = HOLE_BITS, words;
	CUdeviceptr where;
	void *p[] = {&where, &words, &hole};
	const char *why = NULL;

	if (m->bytes < bytes)
		why = gpu_memory_make(m, &j->gpu, bytes, 0, NULL);
	if (why || side_dtype(t, side) != DTYPE_F64)
		return why;
	span(&at, &n, t, sizeof(double), s);
	where = m->at + at;
	words = n / sizeof(uint64_t);
	return gpu_run(&j->gpu, GPU_SPREAD, words, p);
}

static const char *bring(struct gpu_judge *j, struct reference *r,
			 enum side side, size_t i, const struct segment *s)
{
	const struct tensor_layout *t = &r->call.layout.arg[i].tensor;
	size_t at, n;

	span(&at, &n, t, dtype_bytes(side_dtype(t, side)), s);
	return gpu_check(&j->gpu,
			 j->gpu.cuda.to_host(r->array[side][i].base + at,
					     j->array[side][i].at + at, n),
			 "reading what the reference wrote");
}

static const char *call_there(struct elsewhere *self, struct reference *r,
			      enum side side, unsigned char *inputs,
			      uint32_t index, const struct segment *s)
{
	struct gpu_judge *j = (struct gpu_judge *)self;
	const struct call *c = &r->call;
	unsigned extra = 0;
	const char *why;
	cleanup_invocation struct invocation *v =
		invocation_new(&why, c, r->rows ? 3 : 1);

	for (size_t i = 0; !why && i < c->layout.n; i++) {
		if (!c->layout.arg[i].is_tensor)
			continue;
		if (c->layout.arg[i].tensor.region == REGION_INPUT) {
			invocation_set_tensor(
				v, i, inputs_tensor(inputs, c, i, index));
			continue;
		}
		why = make_array(j, side, i, c, s);
		invocation_set_tensor(v, i,
				      (void *)(uintptr_t)j->array[side][i].at);
	}
	if (why)
		return why;
	if (r->rows) {
		invocation_set_extra(v, extra++, s ? s->begin : 0);
		invocation_set_extra(v, extra++,
				     s ? s->end : MAX(c->layout.rows, 1));
	}
	invocation_set_extra(v, extra, 0); /* the default stream */
	invocation_run(v, side == SIDE_REFERENCE ? r->f.entry : r->f.plain);
	why = gpu_check(&j->gpu, j->gpu.cuda.synchronize(), "the reference");
	for (size_t i = 0; !why && i < c->layout.n; i++)
		if (is_output(c, i))
			why = bring(j, r, side, i, s);
	return why;
}

/* ---- requests ------------------------------------------------------------- */

static const char *allocate(struct gpu_allocated_reply *out,
			    int fd[GPU_SLOTS + 1], struct gpu_judge *j,
			    const struct gpu_allocate_request *q)
{
	uint32_t images = q->call.batch;
	size_t in = call_inputs_bytes(&q->call);
	size_t o = call_outputs_bytes(&q->call);
	const char *why;

	if (q->slots < 1 || q->slots > GPU_SLOTS || images > GPU_IMAGES)
		return "a count that no scorer asks for";
	j->call = q->call;
	j->slots = q->slots;
	out->place = (struct gpu_place){
		.inputs_bytes = in, .outputs_bytes = o, .images = images};
	why = gpu_memory_make(&j->inputs, &j->gpu, images * in, 0, &fd[0]);
	for (uint32_t s = 0; s < GPU_SLOTS; s++)
		if (s >= q->slots)
			gpu_memory_release(&j->outputs[s], &j->gpu);
		else if (!why)
			why = gpu_memory_make(&j->outputs[s], &j->gpu,
					      images * o, 0, &fd[1 + s]);
	return why;
}

static const char *serve_fill(struct gpu_judge *j,
			      const struct gpu_fill_request *q)
{
	const char *why =
		poison(j, j->inputs.at, j->inputs.bytes, ~q->recipe.seed);

	for (uint32_t k = 0; !why && k < j->call.batch; k++)
		why = fill_image(&j->elsewhere,
				 (unsigned char *)(uintptr_t)j->inputs.at,
				 &j->call, &q->recipe, k);
	return why;
}

static const char *serve_poison(struct gpu_judge *j,
				const struct gpu_poison_request *q)
{
	size_t bytes = call_outputs_bytes(&j->call);
	size_t workspace = j->call.layout.region_bytes[REGION_OUTPUT];
	const char *why;

	if (q->slot >= j->slots)
		return "an arm that is not there";
	why = poison(j, j->outputs[q->slot].at, j->call.batch * bytes,
		     q->poison);
	for (uint32_t k = 0; !why && k < j->call.batch; k++)
		for (size_t i = 0; !why && i < j->call.layout.n; i++) {
			const struct tensor_layout *t =
				&j->call.layout.arg[i].tensor;

			if (j->call.layout.arg[i].is_tensor &&
			    t->region == REGION_WORKSPACE && t->zeroed)
				why = gpu_check(&j->gpu,
						j->gpu.cuda.set_bytes(
							j->outputs[q->slot].at +
								k * bytes +
								workspace +
								t->offset,
							0, t->bytes),
						"clearing a workspace");
		}
	return why;
}

static const char *serve_reference(struct answer *a, struct gpu_judge *j,
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
	int hole = -1;
	const char *why;

	memcpy(local.segment, q->segment, sizeof local.segment);
	why = reference_compute(&j->reference, &local,
				(unsigned char *)(uintptr_t)j->inputs.at,
				&hole);
	if (!why && hole >= 0) {
		a->finding = FINDING_REFERENCE_HOLE;
		a->argument = (uint32_t)hole;
	}
	return why;
}

/* Guards and poison of one tensor. */
static const char *look(struct answer *a, struct gpu_judge *j, CUdeviceptr at,
			const struct tensor_layout *t, uint64_t seed)
{
	uint64_t found[3] = {0, 0, UINT64_MAX};
	uint64_t begin = t->begin, offset = t->offset, bytes = t->bytes,
		 end = t->end;
	struct gpu_tensor g = gpu_tensor_of(t);
	int elements = t->region == REGION_OUTPUT &&
		       t->direction == DIRECTION_OUT;
	void *p[] = {&at,  &g,	  &begin,    &offset,	  &bytes,
		     &end, &seed, &elements, &j->found.at};
	const char *why = NULL;

	if (!j->found.bytes)
		why = gpu_memory_make(&j->found, &j->gpu, sizeof found, 0,
				      NULL);
	if (!why)
		why = gpu_check(&j->gpu,
				j->gpu.cuda.to_device(j->found.at, found,
						      sizeof found),
				"looking round a tensor");
	if (!why)
		why = gpu_run(&j->gpu, GPU_LOOK,
			      MAX(end - begin, (uint64_t)t->elements), p);
	if (!why)
		why = gpu_check(&j->gpu,
				j->gpu.cuda.to_host(found, j->found.at,
						    sizeof found),
				"looking round a tensor");
	if (why || (!found[0] && !found[1]))
		return why;
	a->finding = found[0] ? FINDING_GUARD : FINDING_UNWRITTEN;
	a->wrong = (int64_t)found[1];
	a->element = found[0] ? 0 : (int64_t)found[2];
	a->worst = HUGE_VAL;
	return NULL;
}

static const char *look_round(struct answer *a, struct gpu_judge *j,
			      CUdeviceptr image, uint64_t seed)
{
	const struct call *c = &j->call;
	const char *why = NULL;

	for (size_t i = 0; !why && !a->finding && i < c->layout.n; i++) {
		const struct tensor_layout *t = &c->layout.arg[i].tensor;
		CUdeviceptr at = image;

		if (!c->layout.arg[i].is_tensor ||
		    (t->region != REGION_OUTPUT &&
		     t->region != REGION_WORKSPACE))
			continue;
		if (t->region == REGION_WORKSPACE)
			at += c->layout.region_bytes[REGION_OUTPUT];
		a->argument = (uint32_t)i;
		why = look(a, j, at, t, seed);
	}
	return why;
}

/* Brings the rows that are looked at, to where they lie in an image. */
static const char *bring_outputs(struct gpu_judge *j, CUdeviceptr image)
{
	const struct call *c = &j->call;
	const struct reference *r = &j->reference;
	uint32_t n = MAX(r->n_segments, 1);
	const char *why = NULL;

	if (j->outputs_copy.bytes != c->layout.region_bytes[REGION_OUTPUT])
		why = mapping_anonymous(&j->outputs_copy,
					c->layout.region_bytes[REGION_OUTPUT]);
	for (size_t i = 0; !why && i < c->layout.n; i++)
		for (uint32_t k = 0; !why && is_output(c, i) && k < n; k++) {
			const struct tensor_layout *t =
				&c->layout.arg[i].tensor;
			size_t at, bytes;

			span(&at, &bytes, t, dtype_bytes(t->dtype),
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

static const char *serve_compare(struct answer *a, struct gpu_judge *j,
				 const struct gpu_compare_request *q)
{
	CUdeviceptr image;
	const char *why;

	if (q->slot >= j->slots || q->index >= j->call.batch)
		return "an arm that is not there";
	image = j->outputs[q->slot].at +
		q->index * call_outputs_bytes(&j->call);
	why = look_round(a, j, image, q->poison);
	if (why || a->finding || !q->values)
		return why;
	a->argument = 0;
	why = bring_outputs(j, image);
	if (!why)
		reference_compare(a, &j->reference, j->outputs_copy.base);
	return why;
}

static const char *serve(struct answer *a, struct gpu_judge *j,
			 const union request *r)
{
	switch (r->head.kind) {
	case GPU_FILL_SET:
		return serve_fill(j, &r->gpu_fill);
	case GPU_POISON_SLOT:
		return serve_poison(j, &r->gpu_poison);
	case GPU_REFERENCE:
		return serve_reference(a, j, &r->gpu_reference);
	case GPU_COMPARE:
		return serve_compare(a, j, &r->gpu_compare);
	default:
		return "not a request for a judge";
	}
}

static const char *serve_allocate(struct gpu_judge *j, const union request *r)
{
	struct gpu_allocated_reply reply = {
		.head = {GPU_ALLOCATED, r->head.sequence}};
	int fd[GPU_SLOTS + 1];
	const char *why;

	for (size_t i = 0; i < ARRAY_SIZE(fd); i++)
		fd[i] = -1;
	why = allocate(&reply, fd, j, &r->gpu_allocate);
	if (!why)
		channel_send_with(&reply, sizeof reply, fd, 1 + j->slots);
	for (size_t i = 0; i < ARRAY_SIZE(fd); i++)
		cleanup_fd_fn(&fd[i]);
	return why;
}

void gpu_judge_serve(union request *r, const struct functions *f)
{
	struct gpu_judge *j = xcalloc(1, sizeof *j);
	int fd[CHANNEL_MAX_FDS];
	const char *broken;

	j->elsewhere = (struct elsewhere){spare_room, fill_image, call_there};
	j->reference.f = *f;
	j->reference.elsewhere = &j->elsewhere;
	broken = gpu_open(&j->gpu, true);
	while (channel_receive(r, fd)) {
		struct answer a = {.head = {MESSAGE_ANSWER, r->head.sequence}};
		const char *why = broken;

		for (size_t i = 0; i < CHANNEL_MAX_FDS; i++)
			cleanup_fd_fn(&fd[i]);
		if (!why && r->head.kind == GPU_ALLOCATE) {
			why = serve_allocate(j, r);
			if (!why)
				continue;
		}
		if (!why)
			why = serve(&a, j, r);
		if (why)
			channel_refuse(r, why);
		else
			channel_send(&a, sizeof a);
	}
	mapping_release(&j->outputs_copy);
	free(j);
}
