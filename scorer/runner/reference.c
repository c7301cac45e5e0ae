#include "scorer/runner/reference.h"

#include <math.h>

#include "scorer/runner/fill.h"
#include "scorer/runner/call.h"
#include "scorer/runner/element_runs.h"
#include "scorer/runner/guards.h"
#include "scorer/runner/wrong_map.h"

void *inputs_tensor(unsigned char *base, const struct entry_call *c, size_t i,
		    uint32_t k)
{
	const struct tensor_layout *t = &c->layout.arg[i].tensor;
	size_t at = k * entry_call_inputs_bytes(c) + t->offset;

	if (t->region == REGION_OUTPUT)
		at += c->layout.region_bytes[REGION_INPUT];
	return base + at;
}

const char reference_at_fault[] = "the reference is at fault";

static bool is_output(const struct entry_call *c, size_t i)
{
	return c->layout.arg[i].is_tensor &&
	       c->layout.arg[i].tensor.region == REGION_OUTPUT;
}

static bool is_inout(const struct entry_call *c, size_t i)
{
	return is_output(c, i) &&
	       c->layout.arg[i].tensor.direction == DIRECTION_INOUT;
}

const char *inputs_fill(const struct reference *r, unsigned char *base,
			const struct entry_call *c, const struct recipe *recipe,
			uint32_t k)
{
	const char *why = NULL;

	if (r->elsewhere && r->elsewhere->fill)
		return r->elsewhere->fill(r->elsewhere, base, c, recipe, k);
	for (size_t i = 0; !why && i < c->layout.n; i++) {
		const struct tensor_layout *t = &c->layout.arg[i].tensor;
		void *data;

		if (!c->layout.arg[i].is_tensor ||
		    t->region == REGION_WORKSPACE ||
		    t->region == REGION_PREPARED ||
		    t->direction == DIRECTION_OUT)
			continue;
		data = inputs_tensor(base, c, i, k);
		if (recipe->fill[i] == FILL_GENERATOR)
			why = call_generator(r->f.generator[i], data,
					     recipe_seed(recipe, i, k),
					     recipe->symbol, recipe->n_symbols);
		else
			fill_tensor(data, t, i, recipe, k);
	}
	for (uint32_t n = 0; !why && n < recipe->n_changes; n++) {
		const struct changed_element *e = &recipe->change[n];

		fill_change(inputs_tensor(base, c, e->argument, k),
			    &c->layout.arg[e->argument].tensor, recipe, k, e);
	}
	return why;
}

const char *reference_inputs(const struct reference *r, struct mapping *m,
			     unsigned char **inputs, size_t bytes)
{
	const char *why;

	if (r->elsewhere)
		return r->elsewhere->allocate(r->elsewhere, inputs, bytes);
	why = mapping_anonymous(m, bytes);
	*inputs = m->base;
	return why;
}

enum dtype side_dtype(const struct tensor_layout *t, enum side side)
{
	return side == SIDE_REFERENCE && dtype_is_float(t->dtype) ? DTYPE_F64
								  : t->dtype;
}

static size_t extent(const struct tensor_layout *t)
{
	return t->n_dims ? t->bytes / dtype_bytes(t->dtype)
			 : (size_t)t->elements;
}

/* Each two bytes are a NaN of 16, 32 or 64 bits. */
#define AROUND UINT64_C(0x7ff47ff47ff47ff4)

static uint64_t around(const struct reference *r)
{
	return r->placement.around ? r->placement.around : AROUND;
}

static const char *make_array(struct mapping *m, const struct reference *r,
			      enum dtype type, size_t alignment, size_t bytes)
{
	const struct placement *p = &r->placement;

	if (bytes == m->bytes)
		return NULL;
	if (r->elsewhere)
		return mapping_anonymous(m, bytes);
	if (p->exactly)
		alignment = 1;
	return mapping_fenced(m, bytes, MAX(alignment, dtype_bytes(type)),
			      p->at_begin, around(r));
}

static const char *make_arrays(struct reference *r, enum side side)
{
	const struct entry_call *c = &r->call;
	const char *why = NULL;

	for (size_t i = 0; !why && i < c->layout.n; i++) {
		const struct tensor_layout *t = &c->layout.arg[i].tensor;
		enum dtype type = side_dtype(t, side);
		size_t bytes = 0;

		if (is_output(c, i))
			bytes = extent(t) * dtype_bytes(type);
		else if (c->layout.arg[i].is_tensor &&
			 t->region == REGION_WORKSPACE)
			bytes = t->bytes;
		why = make_array(&r->array[side][i], r, type, t->alignment,
				 bytes);
	}
	return why;
}

/* The inputs of image `index`, each in an array of its own that cannot be written. */
static const char *copy_inputs(struct reference *r, unsigned char *inputs,
			       uint32_t index)
{
	const struct entry_call *c = &r->call;
	const char *why = NULL;

	for (size_t i = 0; !why && i < c->layout.n; i++) {
		const struct tensor_layout *t = &c->layout.arg[i].tensor;
		struct mapping *m = &r->input[i];

		if (!c->layout.arg[i].is_tensor || t->region != REGION_INPUT)
			continue;
		mapping_release(m);
		why = make_array(m, r, t->dtype, t->alignment, t->bytes);
		if (why)
			return why;
		memcpy(m->base, inputs_tensor(inputs, c, i, index), t->bytes);
		mapping_fence_close(m);
	}
	return why;
}

void reference_drop_arrays(struct reference *r)
{
	for (size_t i = 0; i < TASK_MAX_ARGS; i++) {
		mapping_release(&r->array[SIDE_REFERENCE][i]);
		mapping_release(&r->array[SIDE_PLAIN][i]);
		mapping_release(&r->input[i]);
	}
	guards_clear();
}

/* Sets rows [begin, end) of an output before a call: to inout contents, or to
 * holes. */
static void reset_rows(struct reference *r, enum side side, size_t i,
		       const void *initial, int64_t begin, int64_t end)
{
	const struct tensor_layout *t = &r->call.layout.arg[i].tensor;
	enum dtype to = side_dtype(t, side);
	void *array = r->array[side][i].base;
	uint64_t hole = HOLE_BITS;
	struct element_runs w;
	struct element_run run;

	element_runs_start(&w, t, begin, end);
	while (element_runs_next(&w, &run))
		for (int64_t k = 0; k < run.n; k++) {
			size_t at = (size_t)(run.at + k * run.step);

			if (initial)
				dtype_store(to, array, at,
					    dtype_load(t->dtype, initial, at));
			else if (to == DTYPE_F64)
				memcpy((uint64_t *)array + at, &hole,
				       sizeof hole);
			else if (r->before)
				memcpy((unsigned char *)array +
					       at * dtype_bytes(to),
				       &r->before, dtype_bytes(to));
		}
}

void reference_reset(struct reference *r, enum side side, unsigned char *inputs,
		     uint32_t index, const struct segment *s)
{
	const struct entry_call *c = &r->call;

	for (size_t i = 0; i < c->layout.n; i++) {
		const struct tensor_layout *t = &c->layout.arg[i].tensor;
		struct segment part = s ? *s : (struct segment){0, 0};

		if (!s && c->layout.arg[i].is_tensor)
			part.end = tensor_rows(t);
		if (is_inout(c, i))
			reset_rows(r, side, i,
				   inputs_tensor(inputs, c, i, index),
				   part.begin, part.end);
		else if (is_output(c, i) && side == SIDE_REFERENCE)
			reset_rows(r, side, i, NULL, part.begin, part.end);
		else if (c->layout.arg[i].is_tensor &&
			 t->region == REGION_WORKSPACE &&
			 (t->zeroed || r->before))
			memset(r->array[side][i].base,
			       t->zeroed ? 0 : (int)(r->before & 0xff),
			       r->array[side][i].bytes);
	}
}

static void *array_of(const struct reference *r, enum side side, size_t i,
		      unsigned char *inputs, uint32_t index)
{
	const struct tensor_layout *t = &r->call.layout.arg[i].tensor;

	if (t->region != REGION_INPUT)
		return r->array[side][i].base;
	return r->placement.copies ? r->input[i].base
				   : inputs_tensor(inputs, &r->call, i, index);
}

/* So that a fault near this array is told by its name. */
static void guard(const struct reference *r, enum side side, size_t i,
		  const unsigned char *data)
{
	const struct tensor_layout *t = &r->call.layout.arg[i].tensor;
	bool is_input = t->region == REGION_INPUT;
	const struct mapping *m = is_input ? &r->input[i] : &r->array[side][i];
	struct guard g = {.data = data,
			  .bytes = t->bytes,
			  .argument = (uint32_t)i,
			  .side = (uint32_t)side,
			  .element = (uint32_t)dtype_bytes(
				  is_input ? t->dtype : side_dtype(t, side))};

	if (!data)
		return;
	if (m->room) {
		g.bytes = m->bytes;
		g.begin = m->room;
		g.end = m->room + m->room_bytes;
	} else {
		g.begin = data - (t->offset - t->begin) - LAYOUT_PAGE;
		g.end = data + (t->end - t->offset) + LAYOUT_PAGE;
	}
	guards_add(&g);
}

/* Did the call write beside an array? */
static const char *look_around(struct reference *r, enum side side)
{
	const struct entry_call *c = &r->call;

	for (size_t i = 0; i < c->layout.n; i++) {
		struct mapping *m = &r->array[side][i];
		const struct tensor_layout *t = &c->layout.arg[i].tensor;
		int64_t at = 0;

		if (!mapping_fence_touched(m, around(r), &at))
			continue;
		r->fault = (struct judge_answer){
			.finding = FINDING_REFERENCE_OUTSIDE,
			.argument = (uint32_t)i,
			.access = {.array = (uint32_t)i + 1,
				   .side = (uint32_t)side,
				   .doing = ACCESS_WRITE,
				   .at = at,
				   .bytes = m->bytes,
				   .element = (uint32_t)dtype_bytes(
					   side_dtype(t, side))}};
		return reference_at_fault;
	}
	return NULL;
}

/* Calls one side for a segment (NULL: everything). */
static const char *call_side(struct reference *r, enum side side,
			     unsigned char *inputs, uint32_t index,
			     const struct segment *s)
{
	const struct entry_call *c = &r->call;
	int64_t rows = MAX(c->layout.rows, 1);
	const char *why;
	cleanup_invocation struct invocation *v = NULL;

	if (r->elsewhere)
		return r->elsewhere->call(r->elsewhere, r, side, inputs, index,
					  s);
	v = invocation_new(&why, c, r->rows ? 2 : 0, side == SIDE_REFERENCE);
	if (why)
		return why;
	reference_reset(r, side, inputs, index, s);
	guards_clear();
	for (size_t i = 0; i < c->layout.n; i++) {
		void *data;

		if (!c->layout.arg[i].is_tensor)
			continue;
		data = array_of(r, side, i, inputs, index);
		invocation_set_tensor(v, i, data);
		guard(r, side, i, data);
	}
	invocation_set_extra(v, 0, s ? s->begin : 0);
	invocation_set_extra(v, 1, s ? s->end : rows);
	invocation_run(v, side == SIDE_REFERENCE ? r->f.entry : r->f.plain);
	return look_around(r, side);
}

static void gather_exact(unsigned char *out, const struct tensor_layout *t,
			 const void *array, int64_t begin, int64_t end)
{
	size_t size = dtype_bytes(t->dtype);
	struct element_runs w;
	struct element_run run;

	element_runs_start(&w, t, begin, end);
	while (element_runs_next(&w, &run))
		for (int64_t k = 0; k < run.n; k++, out += size)
			memcpy(out,
			       (const unsigned char *)array +
				       (size_t)(run.at + k * run.step) * size,
			       size);
}

/* Copies the rows of a segment from the arrays of one side to r->expected,
 * which has `at` elements already. */
static void collect(struct reference *r, enum side side, size_t o, int64_t at,
		    int64_t begin, int64_t end)
{
	struct expected *e = &r->expected[o];
	const struct tensor_layout *t = &r->call.layout.arg[e->argument].tensor;
	const void *array = r->array[side][e->argument].base;

	if (e->exact) {
		if (side == SIDE_REFERENCE)
			gather_exact(e->exact +
					     (size_t)at * dtype_bytes(e->dtype),
				     t, array, begin, end);
		return;
	}
	if (side == SIDE_PLAIN && !e->plain)
		return;
	tensor_gather((side == SIDE_REFERENCE ? e->reference : e->plain) + at,
		      t, side_dtype(t, side), array, begin, end);
}

static int64_t segment_elements(const struct tensor_layout *t,
				const struct segment *s)
{
	return (s->end - s->begin) * tensor_row_elements(t);
}

static struct segment whole(const struct tensor_layout *t)
{
	return (struct segment){0, tensor_rows(t)};
}

const char *reference_side(struct reference *r, enum side side,
			   unsigned char *inputs, uint32_t index)
{
	int64_t at[TASK_MAX_ARGS] = {0};
	uint32_t n = MAX(r->n_segments, 1);
	const char *why = make_arrays(r, side);

	if (!why && r->placement.copies && !r->elsewhere)
		why = copy_inputs(r, inputs, index);
	for (uint32_t k = 0; !why && k < n; k++) {
		const struct segment *s = r->n_segments ? &r->segment[k] : NULL;

		why = call_side(r, side, inputs, index, s);
		for (size_t o = 0; !why && o < r->n_expected; o++) {
			const struct tensor_layout *t =
				&r->call.layout.arg[r->expected[o].argument]
					 .tensor;
			struct segment part = s ? *s : whole(t);

			collect(r, side, o, at[o], part.begin, part.end);
			at[o] += segment_elements(t, &part);
		}
	}
	return why;
}

void reference_plan(struct reference *r)
{
	const struct entry_call *c = &r->call;

	for (size_t o = 0; o < r->n_expected; o++)
		expected_release(&r->expected[o]);
	r->n_expected = 0;
	for (size_t i = 0; i < c->layout.n; i++) {
		const struct tensor_layout *t = &c->layout.arg[i].tensor;
		struct expected *e = &r->expected[r->n_expected];
		struct segment all = whole(t);

		if (!is_output(c, i))
			continue;
		e->argument = (uint32_t)i;
		e->dtype = t->dtype;
		e->row = tensor_row_elements(t);
		e->tolerance = r->tolerance;
		if (t->has_tolerance)
			e->tolerance = (struct tolerance){.rtol = t->rtol,
							  .atol = t->atol,
							  .absolute = true};
		else if (!dtype_is_float(t->dtype))
			e->tolerance.absolute = false;
		for (uint32_t k = 0; k < r->n_segments; k++)
			e->n += segment_elements(t, &r->segment[k]);
		if (!r->n_segments)
			e->n = segment_elements(t, &all);
		if (!dtype_is_float(t->dtype)) {
			e->exact = xcalloc((size_t)e->n, dtype_bytes(t->dtype));
		} else {
			e->reference = xcalloc((size_t)e->n, sizeof(double));
			if (r->has_plain && !e->tolerance.absolute)
				e->plain =
					xcalloc((size_t)e->n, sizeof(double));
		}
		r->n_expected++;
	}
}

static bool wants_plain(const struct reference *r)
{
	for (size_t o = 0; o < r->n_expected; o++)
		if (r->expected[o].plain)
			return true;
	return false;
}

static bool is_hole(const double *v)
{
	uint64_t bits;

	memcpy(&bits, v, sizeof bits);
	/* A wider type that it was copied through makes it a quiet one. */
	return (bits | HOLE_QUIET) == (HOLE_BITS | HOLE_QUIET);
}

static int find_hole(const struct reference *r)
{
	for (size_t o = 0; o < r->n_expected; o++) {
		const struct expected *e = &r->expected[o];

		for (int64_t i = 0; e->reference && i < e->n; i++)
			if (is_hole(&e->reference[i]))
				return (int)e->argument;
	}
	return -1;
}

const char *reference_run(struct reference *r, unsigned char *inputs,
			  uint32_t index, int *hole)
{
	const char *why;

	reference_plan(r);
	why = reference_side(r, SIDE_REFERENCE, inputs, index);
	*hole = why ? -1 : find_hole(r);
	if (!why && wants_plain(r))
		why = reference_side(r, SIDE_PLAIN, inputs, index);
	return why;
}

void reference_locate(struct judge_answer *a, const struct reference *r)
{
	const struct tensor_layout *t = &r->call.layout.arg[a->argument].tensor;

	if (a->finding == FINDING_NONE)
		return;
	for (uint32_t k = 0; k < r->n_segments; k++) {
		int64_t n = segment_elements(t, &r->segment[k]);

		if (a->element < n) {
			a->element +=
				r->segment[k].begin * tensor_row_elements(t);
			return;
		}
		a->element -= n;
	}
}

/* Of the first output that is wrong it says where, of others how many. */
static void map_wrong(struct judge_answer *a, const struct reference *r,
		      const struct expected *e, const void *got)
{
	cleanup_free unsigned char *mark = xcalloc((size_t)e->n, 1);
	int64_t n = expected_mark(mark, e, got, &e->tolerance);

	if (a->argument == e->argument)
		wrong_map_make(&a->map, &r->call.layout.arg[e->argument].tensor,
			       mark, r->segment, r->n_segments);
	else
		a->also_wrong[e->argument] = n;
}

/* Where the reference is infinite or no number and the plain version another, a kernel that
 * is right may be another, too. */
static void note_endless(struct judge_answer *a, const struct expected *e)
{
	if (a->finding != FINDING_NAN || a->argument != e->argument ||
	    !expected_plain_differs(e, a->element))
		return;
	a->looked_at = e->n;
	a->endless = 0;
	for (int64_t i = 0; i < e->n; i++)
		a->endless += !isfinite((float)e->reference[i]);
}

void reference_look(struct judge_answer *a, const struct reference *r,
		    const unsigned char *outputs)
{
	for (size_t o = 0; o < r->n_expected; o++) {
		const struct expected *e = &r->expected[o];
		const struct tensor_layout *t =
			&r->call.layout.arg[e->argument].tensor;
		const unsigned char *data = outputs + t->offset;
		size_t size = e->exact ? dtype_bytes(e->dtype) : sizeof(double);
		cleanup_free unsigned char *got = xcalloc((size_t)e->n, size);
		uint32_t n = MAX(r->n_segments, 1);
		int64_t at = 0, was_wrong;

		for (uint32_t k = 0; k < n; k++) {
			struct segment part = r->n_segments ? r->segment[k]
							    : whole(t);
			void *to = got + (size_t)at * size;

			if (e->exact)
				gather_exact(to, t, data, part.begin, part.end);
			else
				tensor_gather(to, t, t->dtype, data, part.begin,
					      part.end);
			at += segment_elements(t, &part);
		}
		was_wrong = a->wrong;
		expected_compare(a, e, got, &e->tolerance);
		note_endless(a, e);
		if (a->wrong > was_wrong)
			map_wrong(a, r, e, got);
	}
	reference_locate(a, r);
}
