#include "scorer/runner_gpu/judge_memory.h"

#include "scorer/runner/call.h"
#include "scorer/runner/fill.h"

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

const char *judge_memory_poison(struct judge_memory *j, CUdeviceptr at,
				size_t bytes, uint64_t seed)
{
	uint64_t words = bytes / sizeof(uint64_t);
	void *p[] = {&at, &words, &seed};

	return gpu_run(&j->gpu, GPU_POISON, words, p);
}

const char *judge_memory_fill_one(struct judge_memory *j, CUdeviceptr at,
				  const struct tensor_layout *t,
				  const struct recipe *recipe, size_t i,
				  uint32_t k)
{
	uint64_t groups =
		((uint64_t)t->elements + CONTENTS_GROUP - 1) / CONTENTS_GROUP;
	struct gpu_tensor g = gpu_tensor_of(t);
	struct contents c;
	void *p[] = {&at, &g, &c};

	contents_init(&c, recipe, t, i, k);
	return gpu_queue(&j->gpu, GPU_FILL, groups * CONTENTS_LANES, p, NULL);
}

static const char *hand_over(struct judge_memory *j, CUdeviceptr to,
			     const void *data, size_t bytes)
{
	return gpu_check(&j->gpu, j->gpu.cuda.to_device(to, data, bytes),
			 "filling an input");
}

/* The task's own function writes into host memory. */
static const char *generate_one(struct judge_memory *j, CUdeviceptr at,
				const struct tensor_layout *t,
				const struct recipe *recipe, size_t i,
				uint32_t k)
{
	cleanup_free unsigned char *data = xcalloc(MAX(t->bytes, 1), 1);
	const char *why = call_generator(j->reference.f.generator[i], data,
					 recipe_seed(recipe, i, k),
					 recipe->symbol, recipe->n_symbols);

	return why ? why : hand_over(j, at, data, t->bytes);
}

static bool has_contents(const struct entry_call *c, size_t i)
{
	const struct tensor_layout *t = &c->layout.arg[i].tensor;

	return c->layout.arg[i].is_tensor &&
	       (t->region == REGION_INPUT || (t->region == REGION_OUTPUT &&
					      t->direction == DIRECTION_INOUT));
}

/* Of what was filled: after the kernels that do it, since all is in one stream. */
static const char *change_one(struct judge_memory *j, unsigned char *inputs,
			      const struct entry_call *c,
			      const struct recipe *recipe, uint32_t k,
			      const struct changed_element *e)
{
	const struct tensor_layout *t = &c->layout.arg[e->argument].tensor;
	size_t bytes = dtype_bytes(t->dtype);
	unsigned char one[sizeof(double)];
	CUdeviceptr at;
	const char *why;

	at = (CUdeviceptr)(uintptr_t)inputs_tensor(inputs, c, e->argument, k) +
	     (size_t)fill_place(t, e->element) * bytes;
	why = gpu_check(&j->gpu, j->gpu.cuda.to_host(one, at, bytes),
			"changing an input");
	if (why)
		return why;
	fill_changed(one, t, recipe, k, e);
	return hand_over(j, at, one, bytes);
}

static const char *queue_image(struct judge_memory *j, unsigned char *inputs,
			       const struct entry_call *c,
			       const struct recipe *recipe, uint32_t k)
{
	const char *why = NULL;

	for (size_t i = 0; !why && i < c->layout.n; i++) {
		const struct tensor_layout *t = &c->layout.arg[i].tensor;
		CUdeviceptr at;

		if (!has_contents(c, i))
			continue;
		at = (CUdeviceptr)(uintptr_t)inputs_tensor(inputs, c, i, k);
		if (recipe->fill[i] != FILL_GENERATOR)
			why = judge_memory_fill_one(j, at, t, recipe, i, k);
		else if (j->generated)
			why = hand_over(j, at,
					inputs_tensor(j->generated, c, i, k),
					t->bytes);
		else
			why = generate_one(j, at, t, recipe, i, k);
	}
	for (uint32_t n = 0; !why && n < recipe->n_changes; n++)
		why = change_one(j, inputs, c, recipe, k, &recipe->change[n]);
	return why;
}

static const char *fill_image(struct elsewhere *self, unsigned char *inputs,
			      const struct entry_call *c,
			      const struct recipe *recipe, uint32_t k)
{
	struct judge_memory *j = (struct judge_memory *)self;
	const char *why = queue_image(j, inputs, c, recipe, k);

	return why ? why : gpu_wait(&j->gpu);
}

static const char *copy_tensor(struct judge_memory *j, CUdeviceptr to,
			       CUdeviceptr from, const struct tensor_layout *t,
			       bool widened)
{
	struct gpu_tensor g = gpu_tensor_of(t);
	int wide = widened;
	void *p[] = {&to, &from, &g, &wide};

	return gpu_run(&j->gpu, GPU_START, (uint64_t)t->elements, p);
}

/* Writes the initial contents of inout arguments to image k of the outputs,
 * which must exist. */
static const char *start_inout(struct judge_memory *j, CUdeviceptr image,
			       uint32_t k)
{
	const struct entry_call *c = &j->call;
	unsigned char *inputs =
		(unsigned char *)(uintptr_t)j->buffers.inputs.at;
	const char *why = NULL;

	for (size_t i = 0; !why && i < c->layout.n; i++) {
		const struct tensor_layout *t = &c->layout.arg[i].tensor;

		if (!entry_call_is_output(c, i) ||
		    t->direction != DIRECTION_INOUT)
			continue;
		why = copy_tensor(
			j, image + t->offset,
			(CUdeviceptr)(uintptr_t)inputs_tensor(inputs, c, i, k),
			t, false);
	}
	return why;
}

const char *judge_memory_fill_tensors(struct judge_memory *j,
				      const struct recipe *recipe)
{
	const char *why = NULL;

	for (uint32_t k = 0; !why && k < j->call.batch; k++)
		why = queue_image(
			j, (unsigned char *)(uintptr_t)j->buffers.inputs.at,
			&j->call, recipe, k);
	return why ? why : gpu_wait(&j->gpu);
}

const char *judge_memory_fill(struct judge_memory *j,
			      const struct recipe *recipe)
{
	const char *why = judge_memory_poison(j, j->buffers.inputs.at,
					      j->buffers.inputs.bytes,
					      recipe_gaps(recipe));

	return why ? why : judge_memory_fill_tensors(j, recipe);
}

static const char *clear_one(struct judge_memory *j, CUdeviceptr image,
			     size_t i)
{
	const struct layout *l = &j->call.layout;
	const struct tensor_layout *t = &l->arg[i].tensor;

	if (!l->arg[i].is_tensor || t->region != REGION_WORKSPACE || !t->zeroed)
		return NULL;
	return gpu_check(
		&j->gpu,
		j->gpu.cuda.set_bytes(image + l->region_bytes[REGION_OUTPUT] +
					      t->offset,
				      0, t->bytes),
		"clearing a workspace");
}

static const char *clear_workspaces(struct judge_memory *j, CUdeviceptr image)
{
	const char *why = NULL;

	for (size_t i = 0; !why && i < j->call.layout.n; i++)
		why = clear_one(j, image, i);
	return why;
}

const char *judge_memory_begin_outputs(struct judge_memory *j,
				       CUdeviceptr image, uint32_t k)
{
	const char *why = start_inout(j, image, k);

	return why ? why : clear_workspaces(j, image);
}

const char *judge_memory_poison_outputs(struct judge_memory *j, uint32_t slot,
					uint64_t seed)
{
	const struct judge_buffers *r = &j->buffers;
	struct gpu_memory m;
	const char *why;

	if (slot >= r->slots)
		return "an arm that is not there";
	m = r->apart ? r->shown_outputs[slot] : r->outputs[slot];
	why = judge_memory_poison(j, m.at, m.bytes, seed);
	for (uint32_t k = 0; !why && k < j->call.batch; k++) {
		why = judge_memory_begin_outputs(j, m.at, k);
		m.at += entry_call_outputs_bytes(&j->call);
	}
	return why;
}

static const char *spare_inputs(struct elsewhere *self, unsigned char **inputs,
				size_t bytes)
{
	struct judge_memory *j = (struct judge_memory *)self;
	const char *why = NULL;

	if (j->spare.bytes < bytes)
		why = gpu_memory_make(&j->spare, &j->gpu, bytes, 0, NULL);
	*inputs = (unsigned char *)(uintptr_t)j->spare.at;
	return why;
}

/* ---- the reference -------------------------------------------------------- */

bool entry_call_is_output(const struct entry_call *c, size_t i)
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
void tensor_span(size_t *at, size_t *bytes, const struct tensor_layout *t,
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

/* `initial`: the initial contents of an inout argument, else 0. */
static const char *make_array(struct judge_memory *j, enum side side, size_t i,
			      const struct entry_call *c,
			      const struct segment *s, CUdeviceptr initial)
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
	if (!why && initial)
		return copy_tensor(j, m->at, initial, t,
				   side_dtype(t, side) != t->dtype);
	if (!why && t->zeroed)
		why = gpu_check(&j->gpu, j->gpu.cuda.set_bytes(m->at, 0, bytes),
				"clearing a workspace");
	if (why || t->region != REGION_OUTPUT ||
	    side_dtype(t, side) != DTYPE_F64)
		return why;
	tensor_span(&at, &n, t, sizeof(double), s);
	where = m->at + at;
	words = n / sizeof(uint64_t);
	return gpu_run(&j->gpu, GPU_SPREAD, words, p);
}

static const char *bring(struct judge_memory *j, struct reference *r,
			 enum side side, size_t i, const struct segment *s)
{
	const struct tensor_layout *t = &r->call.layout.arg[i].tensor;
	size_t at, n;

	tensor_span(&at, &n, t, dtype_bytes(side_dtype(t, side)), s);
	return gpu_check(&j->gpu,
			 j->gpu.cuda.to_host(r->array[side][i].base + at,
					     j->array[side][i].at + at, n),
			 "reading what the reference wrote");
}

static const char *call_there(struct elsewhere *self, struct reference *r,
			      enum side side, unsigned char *inputs,
			      uint32_t index, const struct segment *s)
{
	struct judge_memory *j = (struct judge_memory *)self;
	const struct entry_call *c = &r->call;
	unsigned extra = 0;
	const char *why;
	cleanup_invocation struct invocation *v =
		invocation_new(&why, c, r->rows ? 3 : 1, false);

	for (size_t i = 0; !why && i < c->layout.n; i++) {
		void *contents = NULL;

		if (!c->layout.arg[i].is_tensor)
			continue;
		if (has_contents(c, i))
			contents = inputs_tensor(inputs, c, i, index);
		if (c->layout.arg[i].tensor.region == REGION_INPUT ||
		    c->layout.arg[i].tensor.region == REGION_PREPARED) {
			invocation_set_tensor(v, i, contents);
			continue;
		}
		why = make_array(j, side, i, c, s,
				 (CUdeviceptr)(uintptr_t)contents);
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
		if (entry_call_is_output(c, i))
			why = bring(j, r, side, i, s);
	return why;
}

static const char *call_runner(struct elsewhere *self, struct reference *r,
			       enum side side, unsigned char *inputs,
			       uint32_t index, const struct segment *s)
{
	struct judge_memory *j = (struct judge_memory *)self;
	struct elsewhere *shared = &j->values.elsewhere;
	size_t bytes = entry_call_inputs_bytes(&r->call);
	CUdeviceptr from = (CUdeviceptr)(uintptr_t)inputs + index * bytes;
	unsigned char *mine;
	const char *why = shared->allocate(shared, &mine, bytes);

	if (!why && bytes)
		why = gpu_check(&j->gpu, j->gpu.cuda.to_host(mine, from, bytes),
				"reading inputs for the reference");
	return why ? why : shared->call(shared, r, side, mine, 0, s);
}

struct elsewhere judge_memory_by_runners(void)
{
	return (struct elsewhere){spare_inputs, fill_image, call_runner};
}

struct elsewhere judge_memory_elsewhere(void)
{
	return (struct elsewhere){spare_inputs, fill_image, call_there};
}
