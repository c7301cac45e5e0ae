#include "scorer/runner/reference.h"

#include <math.h>

#include "scorer/runner/fill.h"
#include "scorer/runner/call.h"
#include "scorer/runner/element_runs.h"
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

/* Before a call that is to show what it does not write; and then its opposite. */
#define BEFORE UINT64_C(0x6b8e1f35a94dc271)

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

static const char *make_arrays(struct reference *r, enum side side)
{
	const struct entry_call *c = &r->call;

	for (size_t i = 0; i < c->layout.n; i++) {
		const struct tensor_layout *t = &c->layout.arg[i].tensor;
		struct mapping *m = &r->array[side][i];
		size_t bytes = 0;
		const char *why;

		if (is_output(c, i))
			bytes = extent(t) * dtype_bytes(side_dtype(t, side));
		else if (c->layout.arg[i].is_tensor &&
			 t->region == REGION_WORKSPACE)
			bytes = t->bytes;
		if (bytes == m->bytes)
			continue;
		why = mapping_anonymous(m, bytes);
		if (why)
			return why;
	}
	return NULL;
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
		else if (c->layout.arg[i].is_tensor && t->zeroed)
			memset(r->array[side][i].base, 0,
			       r->array[side][i].bytes);
	}
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
	for (size_t i = 0; i < c->layout.n; i++) {
		if (!c->layout.arg[i].is_tensor)
			continue;
		if (c->layout.arg[i].tensor.region == REGION_INPUT)
			invocation_set_tensor(
				v, i, inputs_tensor(inputs, c, i, index));
		else
			invocation_set_tensor(v, i, r->array[side][i].base);
	}
	invocation_set_extra(v, 0, s ? s->begin : 0);
	invocation_set_extra(v, 1, s ? s->end : rows);
	invocation_run(v, side == SIDE_REFERENCE ? r->f.entry : r->f.plain);
	return NULL;
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

/* Computes every segment on one side into r->expected. */
static const char *compute_side(struct reference *r, enum side side,
				unsigned char *inputs, uint32_t index)
{
	int64_t at[TASK_MAX_ARGS] = {0};
	uint32_t n = MAX(r->n_segments, 1);
	const char *why = make_arrays(r, side);

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

static void plan(struct reference *r)
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

	plan(r);
	why = compute_side(r, SIDE_REFERENCE, inputs, index);
	*hole = why ? -1 : find_hole(r);
	if (!why && wants_plain(r))
		why = compute_side(r, SIDE_PLAIN, inputs, index);
	return why;
}

/* Turns an index of the checked elements into one of the tensor. */
static void locate(struct judge_answer *a, const struct reference *r)
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

/* The element of the tensor as one of those that were computed; -1: it is not among
 * them. */
static int64_t computed_number(const struct reference *r, size_t argument,
			       int64_t element)
{
	const struct tensor_layout *t = &r->call.layout.arg[argument].tensor;
	int64_t row = tensor_row_elements(t), at = 0;

	for (uint32_t k = 0; k < r->n_segments; k++) {
		const struct segment *s = &r->segment[k];

		if (element >= s->begin * row && element < s->end * row)
			return at + element - s->begin * row;
		at += segment_elements(t, s);
	}
	return r->n_segments ? -1 : element;
}

/* What the reference leaves in that element, where `before` was there. */
static const char *left_in(uint64_t *out, struct reference *r, size_t argument,
			   int64_t number, uint64_t before)
{
	cleanup_mapping struct mapping m = {0};
	unsigned char *inputs;
	const char *why = reference_inputs(
		r, &m, &inputs,
		(r->index + 1) * entry_call_inputs_bytes(&r->call));

	r->before = before;
	plan(r);
	if (!why)
		why = inputs_fill(r, inputs, &r->call, &r->recipe, r->index);
	if (!why)
		why = compute_side(r, SIDE_REFERENCE, inputs, r->index);
	r->before = 0;
	for (size_t o = 0; !why && o < r->n_expected; o++) {
		const struct expected *e = &r->expected[o];
		size_t size = dtype_bytes(e->dtype);

		if (e->argument == argument && e->exact && number < e->n)
			memcpy(out, e->exact + (size_t)number * size, size);
	}
	return why;
}

const char *reference_blame(struct judge_answer *a, struct reference *r)
{
	struct expected expected[TASK_MAX_ARGS];
	const struct tensor_layout *t = &r->call.layout.arg[a->argument].tensor;
	uint64_t first = 0, second = 0;
	size_t n_expected = r->n_expected;
	int64_t number;
	const char *why;

	if ((a->finding != FINDING_VALUE && a->finding != FINDING_UNWRITTEN) ||
	    r->elsewhere || !is_output(&r->call, a->argument) ||
	    is_inout(&r->call, a->argument) || dtype_is_float(t->dtype))
		return NULL;
	number = computed_number(r, a->argument, a->element);
	if (number < 0)
		return NULL;
	memcpy(expected, r->expected, sizeof expected);
	memset(r->expected, 0, sizeof r->expected);
	r->n_expected = 0;
	why = left_in(&first, r, a->argument, number, BEFORE);
	if (!why)
		why = left_in(&second, r, a->argument, number, ~BEFORE);
	for (size_t o = 0; o < r->n_expected; o++)
		expected_release(&r->expected[o]);
	memcpy(r->expected, expected, sizeof expected);
	r->n_expected = n_expected;
	if (!why && first != second)
		a->finding = FINDING_REFERENCE_HOLE;
	return why;
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
		if (a->wrong > was_wrong)
			map_wrong(a, r, e, got);
	}
	locate(a, r);
}
