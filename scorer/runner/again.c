/* Does the reference answer the same when it is asked again? */
#include <math.h>

#include "scorer/runner/element_runs.h"
#include "scorer/runner/heap.h"
#include "scorer/runner/reference.h"

/* What outputs of integers hold before the first call, and inverted before the
 * second: where both stay, nothing was written. */
#define BEFORE UINT64_C(0x6b8e1f35a94dc271)

/* What no order of sums in double explains, of a value and of all values' rms. */
#define LOOSE 1e-3

/* No NaN lies around the arrays: it is what was there the first time. */
static const struct placement placements[] = {
	{.copies = true, .around = UINT64_C(0x4545454545454545)},
	{.copies = true,
	 .at_begin = true,
	 .around = UINT64_C(0xc3c3c3c3c3c3c3c3)},
};
/* Where the answers differ, so that a read outside an array is found by its fault. */
static const struct placement exact[] = {
	{.copies = true, .exactly = true},
	{.copies = true, .exactly = true, .at_begin = true},
};

/* What was answered first, and is put back. */
struct first_answer {
	struct expected expected[TASK_MAX_ARGS];
	size_t n;
};

static void take_answer(struct first_answer *out, struct reference *r)
{
	memcpy(out->expected, r->expected, sizeof out->expected);
	out->n = r->n_expected;
	memset(r->expected, 0, sizeof r->expected);
	r->n_expected = 0;
}

static void put_back(struct reference *r, const struct first_answer *first)
{
	for (size_t o = 0; o < r->n_expected; o++)
		expected_release(&r->expected[o]);
	memcpy(r->expected, first->expected, sizeof r->expected);
	r->n_expected = first->n;
}

/* One call, with garbage wherever it may find any. */
static const char *ask(struct reference *r, const struct placement *where,
		       unsigned char *inputs, uint32_t index, bool second)
{
	const char *why;

	reference_drop_arrays(r);
	r->placement = *where;
	r->before = second ? ~BEFORE : BEFORE;
	reference_plan(r);
	if (!r->elsewhere) {
		heap_garbage(second);
		stack_garbage(second);
	}
	why = reference_side(r, SIDE_REFERENCE, inputs, index);
	if (!r->elsewhere)
		heap_clean();
	return why;
}

static bool is_alike(double a, double b, double rms)
{
	if (isfinite(a) && isfinite(b))
		return fabs(a - b) <= LOOSE * (fabs(a) + rms);
	return isnan(a) ? isnan(b) : a == b;
}

static void compare_loosely(struct judge_answer *a, const struct expected *e,
			    const double *again)
{
	double squares = 0, rms;

	for (int64_t i = 0; i < e->n; i++)
		squares += isfinite(e->reference[i])
				   ? e->reference[i] * e->reference[i]
				   : 0;
	rms = e->n ? sqrt(squares / (double)e->n) : 0;
	for (int64_t i = 0; i < e->n; i++) {
		if (is_alike(e->reference[i], again[i], rms))
			continue;
		a->finding = FINDING_VALUE;
		a->argument = e->argument;
		a->element = i;
		a->expected = e->reference[i];
		a->got = again[i];
		return;
	}
}

/* As a kernel's output would hold it. */
static void round_to_type(const struct expected *e, double *v)
{
	uint64_t stored = 0;

	for (int64_t i = 0; i < e->n; i++) {
		dtype_store(e->dtype, &stored, 0, v[i]);
		v[i] = dtype_load(e->dtype, &stored, 0);
	}
}

static void compare_one(struct judge_answer *a, const struct expected *e,
			struct expected *again, bool judged)
{
	if (e->exact) {
		expected_compare(a, e, again->exact, &e->tolerance);
	} else if (judged || e->tolerance.absolute) {
		round_to_type(e, again->reference);
		expected_compare(a, e, again->reference, &e->tolerance);
	} else {
		compare_loosely(a, e, again->reference);
	}
}

/* Did the call leave there what was there before? */
static bool was_left(const struct reference *r, const struct expected *again,
		     int64_t element)
{
	const struct tensor_layout *t =
		&r->call.layout.arg[again->argument].tensor;
	size_t size = dtype_bytes(again->dtype);

	return again->exact && t->direction == DIRECTION_OUT && !r->elsewhere &&
	       memcmp(again->exact + (size_t)element * size, &r->before,
		      size) == 0;
}

/* Sets the finding of the first output that differs to `as`. */
static void compare(struct judge_answer *a, const struct reference *r,
		    const struct first_answer *first, bool judged,
		    enum finding as)
{
	for (size_t o = 0; o < first->n; o++) {
		struct expected again = r->expected[o];

		compare_one(a, &first->expected[o], &again, judged);
		if (!a->finding)
			continue;
		a->finding = r->before && was_left(r, &again, a->element)
				     ? FINDING_REFERENCE_HOLE
				     : as;
		reference_locate(a, r);
		a->access.array = a->argument + 1;
		return;
	}
}

static const char *ask_all(struct judge_answer *found, struct reference *r,
			   const struct first_answer *first,
			   unsigned char *inputs, uint32_t index, bool judged)
{
	size_t n = r->elsewhere ? 1 : ARRAY_SIZE(placements);
	const char *why = NULL;

	for (size_t k = 0; !why && !found->finding && k < n; k++) {
		why = ask(r, &placements[k], inputs, index, k == 1);
		if (!why)
			compare(found, r, first, judged,
				FINDING_REFERENCE_UNLIKE);
	}
	if (found->finding == FINDING_REFERENCE_UNLIKE && !r->elsewhere)
		for (size_t k = 0; !why && k < ARRAY_SIZE(exact); k++)
			why = ask(r, &exact[k], inputs, index, false);
	return why;
}

const char *reference_again(struct reference *r, unsigned char *inputs,
			    uint32_t index, bool judged)
{
	struct judge_answer found = {0};
	struct first_answer first;
	const char *why;

	/* On a GPU its memory is not known here. */
	if (r->elsewhere && r->elsewhere->fill)
		return NULL;
	take_answer(&first, r);
	why = ask_all(&found, r, &first, inputs, index, judged);
	put_back(r, &first);
	reference_drop_arrays(r);
	r->placement = (struct placement){0};
	r->before = 0;
	if (why || !found.finding)
		return why;
	r->fault = found;
	return reference_at_fault;
}

const char *reference_blame(const struct judge_answer *a, struct reference *r)
{
	if (!r->inputs ||
	    (a->finding != FINDING_VALUE && a->finding != FINDING_NAN &&
	     a->finding != FINDING_UNWRITTEN && a->finding != FINDING_GUARD))
		return NULL;
	return reference_again(r, r->inputs, r->index, true);
}

static size_t value_bytes(const struct expected *e)
{
	return (size_t)e->n *
	       (e->exact ? dtype_bytes(e->dtype) : sizeof *e->reference);
}

static void *values(const struct expected *e)
{
	return e->exact ? (void *)e->exact : (void *)e->reference;
}

size_t reference_answer_bytes(const struct reference *r)
{
	size_t bytes = 0;

	for (size_t o = 0; o < r->n_expected; o++)
		bytes += value_bytes(&r->expected[o]);
	return bytes;
}

void reference_write_down(unsigned char *to, const struct reference *r)
{
	for (size_t o = 0; o < r->n_expected; o++) {
		const struct expected *e = &r->expected[o];

		memcpy(to, values(e), value_bytes(e));
		to += value_bytes(e);
	}
}

static void read_back(struct reference *r, const unsigned char *from)
{
	for (size_t o = 0; o < r->n_expected; o++) {
		struct expected *e = &r->expected[o];

		memcpy(values(e), from, value_bytes(e));
		from += value_bytes(e);
	}
}

const char *reference_hold(struct reference *r, const unsigned char *written)
{
	struct judge_answer found = {0};
	struct first_answer first;

	take_answer(&first, r);
	reference_plan(r);
	read_back(r, written);
	compare(&found, r, &first, true, FINDING_REFERENCE_KEEPS);
	put_back(r, &first);
	if (!found.finding)
		return NULL;
	r->fault = found;
	return reference_at_fault;
}
