/* Sets the allowed error: runs the reference on the inputs, and on more sets
 * until the plain version's error is known well enough. */
#include <math.h>
#include <time.h>

#include "scorer/runner/fill.h"
#include "scorer/runner/reference.h"
#include "scorer/runner/element_runs.h"

#define ENOUGH_ROWS	  16
#define ENOUGH_ELEMENTS	  256
#define CALIBRATE_SETS	  4096
#define CALIBRATE_SECONDS 0.5
/* Before a finding that more draws of the plain version's error could undo, so
 * many times as many draws are made. A finding with an error of more than
 * DOUBTFUL times the allowed one is final. */
#define DOUBT	 256
#define DOUBTFUL 64
/* A plain version off by a quarter of the right values is not a version of the
 * reference. In the shapes of a task that its author looked at it may be off by
 * less (lint.c); here it is asked of all shapes, and of types of few digits. */
#define PLAIN_OFF 0.25
/* Elements that show such an error: few are enough. */
#define PLAIN_ELEMENTS 16

double runner_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Finds or adds a history; if all places are taken, it replaces the oldest. */
static struct error_history *history_of(struct reference *r, uint64_t key,
					uint32_t argument)
{
	struct error_history *h;

	for (size_t i = 0; i < r->n_histories; i++) {
		h = &r->history[i];
		if (h->key == key && h->argument == argument)
			return h;
	}
	if (r->n_histories == REFERENCE_HISTORIES) {
		r->n_histories--;
		memmove(r->history, r->history + 1,
			r->n_histories * sizeof *r->history);
	}
	h = &r->history[r->n_histories++];
	*h = (struct error_history){.key = key, .argument = argument};
	return h;
}

static void remember(struct reference *r, uint64_t key)
{
	for (size_t o = 0; o < r->n_expected; o++)
		if (r->expected[o].plain)
			error_history_add(history_of(r, key,
						     r->expected[o].argument),
					  &r->expected[o]);
}

static bool known_well(const struct error_history *h, int64_t rows)
{
	return h->rows >= rows && h->n >= ENOUGH_ELEMENTS;
}

/* Each kind of rows has different errors, so some rows of each are needed. */
#define ROW_KINDS 4

static int64_t enough_rows(const struct recipe *recipe, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (recipe->fill[i] == FILL_BY_ROW ||
		    recipe->fill[i] == FILL_STRAY_ROWS ||
		    recipe->fill[i] == FILL_ENDS_ROWS)
			return ENOUGH_ROWS * ROW_KINDS;
	return ENOUGH_ROWS;
}

/* Does some floating output of this launch need more draws of its error? */
static bool little_known(struct reference *r, const struct entry_call *c,
			 uint64_t key, int64_t rows)
{
	for (size_t i = 0; i < c->layout.n; i++) {
		const struct tensor_layout *t = &c->layout.arg[i].tensor;

		if (c->layout.arg[i].is_tensor && t->region == REGION_OUTPUT &&
		    dtype_is_float(t->dtype) && !t->has_tolerance &&
		    !known_well(history_of(r, key, (uint32_t)i), rows))
			return true;
	}
	return false;
}

/* Selects rows at random places, a few at each if many are wanted: on a GPU a
 * call of the reference takes hardly longer for them. Short rows in tiles. */
static void scatter(struct reference *r, const struct recipe *recipe,
		    int64_t wanted)
{
	int64_t rows = r->call.layout.rows;
	int64_t length = wanted > PROTOCOL_SEGMENTS ? ROW_KINDS : 1;

	for (size_t i = 0; i < r->call.layout.n; i++) {
		const struct tensor_layout *t = &r->call.layout.arg[i].tensor;

		if (r->call.layout.arg[i].is_tensor &&
		    t->region == REGION_OUTPUT && tensor_row_elements(t) < 64)
			length = MAX(length,
				     64 / MAX(tensor_row_elements(t), 1));
	}
	length = MIN(length, rows);
	r->n_segments = PROTOCOL_SEGMENTS;
	for (uint32_t k = 0; k < r->n_segments; k++) {
		uint64_t places = (uint64_t)(rows - length + 1);
		int64_t at = (int64_t)(recipe_seed(recipe, 0, k) % places);

		r->segment[k] = (struct segment){at, at + length};
	}
}

/* Makes rare kinds of rows as common as others. */
static void show_all_rows(struct recipe *recipe, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (recipe->fill[i] == FILL_STRAY_ROWS)
			recipe->fill[i] = FILL_BY_ROW;
}

static const char *calibrate(struct reference *r, uint64_t key,
			     const struct recipe *recipe, int64_t enough)
{
	cleanup_mapping struct mapping inputs = {0};
	bool rows = r->rows && r->call.layout.rows > 1;
	double end = runner_now() + CALIBRATE_SECONDS;
	unsigned char *base = NULL;
	const char *why = reference_inputs(r, &inputs, &base,
					   entry_call_inputs_bytes(&r->call));
	int hole;

	for (uint64_t k = 1; !why && k <= CALIBRATE_SETS; k++) {
		struct recipe other;

		recipe_other(&other, recipe, k);
		show_all_rows(&other, r->call.layout.n);
		r->n_segments = 0;
		if (rows)
			scatter(r, &other, enough);
		mapping_writable(&inputs, true);
		why = inputs_fill(r, base, &r->call, &other, 0);
		mapping_writable(&inputs, false);
		if (!why)
			why = reference_run(r, base, 0, &hole);
		if (!why)
			remember(r, key);
		if (runner_now() > end ||
		    !little_known(r, &r->call, key, enough))
			break;
	}
	return why;
}

static void allow(struct reference *r)
{
	for (size_t o = 0; o < r->n_expected; o++) {
		struct expected *e = &r->expected[o];

		if (!e->exact && !e->tolerance.absolute)
			expected_allow(e, history_of(r, r->key, e->argument),
				       &e->tolerance);
	}
}

/* Contents for which plain code in the kernel's own precision is about right:
 * no sums of large numbers that cancel, no products below what a type has. */
static bool is_benign(enum fill f)
{
	return f == FILL_NORMAL || f == FILL_UNIFORM || f == FILL_SMALL_INTS ||
	       f == FILL_SPARSE || f == FILL_RANGE;
}

static bool has_benign_inputs(const struct reference *r)
{
	for (size_t i = 0; i < r->call.layout.n; i++) {
		const struct tensor_layout *t = &r->call.layout.arg[i].tensor;

		if (r->call.layout.arg[i].is_tensor &&
		    (t->region == REGION_INPUT ||
		     t->direction == DIRECTION_INOUT) &&
		    !is_benign(r->recipe.fill[i]))
			return false;
	}
	return true;
}

/* What is allowed is some times the plain version's error. So where that is an
 * error of another kind, such as two sizes taken for each other, which squares do
 * not show, everything would be right. */
static void find_plain_off(struct judge_answer *a, struct reference *r)
{
	double n;

	if (!has_benign_inputs(r))
		return;
	for (size_t o = 0; o < r->n_expected; o++) {
		const struct expected *e = &r->expected[o];
		const struct error_history *h;
		bool silent;

		if (!e->plain)
			continue;
		h = history_of(r, r->key, e->argument);
		n = (double)h->n;
		/* Where it is no number, any is right. */
		silent = (double)h->silent > PLAIN_OFF * n;
		if (h->n < PLAIN_ELEMENTS ||
		    (!silent &&
		     !(h->squares > PLAIN_OFF * PLAIN_OFF * h->reference)))
			continue;
		a->finding = FINDING_PLAIN_OFF;
		a->argument = e->argument;
		a->got = silent ? (double)INFINITY : sqrt(h->squares / n);
		a->expected = sqrt(h->reference / n);
		return;
	}
}

static void take_request(struct reference *r, const struct reference_request *q)
{
	r->call = q->call;
	r->recipe = q->recipe;
	r->key = q->history;
	r->index = q->index;
	r->rows = q->rows;
	r->tolerance = q->tolerance;
}

/* What is right, of the rows that are asked for. */
static const char *answer(struct judge_answer *a, struct reference *r,
			  const struct reference_request *q,
			  unsigned char *inputs)
{
	const char *why;
	int hole = -1;

	memcpy(r->segment, q->segment, sizeof r->segment);
	r->n_segments = q->n_segments;
	why = reference_run(r, inputs, q->index, &hole);
	if (why || hole < 0)
		return why;
	a->finding = FINDING_REFERENCE_HOLE;
	a->argument = (uint32_t)hole;
	return NULL;
}

const char *reference_answer(struct judge_answer *a, struct reference *r,
			     const struct reference_request *q,
			     unsigned char *inputs)
{
	take_request(r, q);
	return answer(a, r, q, inputs);
}

const char *reference_compute(struct judge_answer *a, struct reference *r,
			      const struct reference_request *q,
			      unsigned char *inputs)
{
	bool relative = r->has_plain && !q->tolerance.absolute;
	int64_t enough = enough_rows(&q->recipe, q->call.layout.n);
	bool whole = q->n_segments == 0 && q->call.layout.rows >= enough &&
		     enough == ENOUGH_ROWS;
	const char *why = NULL;

	take_request(r, q);
	if (relative && !whole && little_known(r, &q->call, r->key, enough))
		why = calibrate(r, r->key, &q->recipe, enough);
	if (why)
		return why;
	why = answer(a, r, q, inputs);
	if (why || a->finding)
		return why;
	remember(r, r->key);
	find_plain_off(a, r);
	allow(r);
	return NULL;
}

/* Is the error only a little too large, and little known of the plain
 * version's? */
static bool doubtful(struct reference *r, const struct judge_answer *a)
{
	int64_t enough = DOUBT * enough_rows(&r->recipe, r->call.layout.n);

	return a->finding == FINDING_VALUE && a->worst <= DOUBTFUL &&
	       r->has_plain && !r->tolerance.absolute &&
	       !r->call.layout.arg[a->argument].tensor.has_tolerance &&
	       little_known(r, &r->call, r->key, enough);
}

/* Measures more of the plain version's errors; the right values of the launch
 * stay, the allowed error grows. */
static const char *learn_more(struct reference *r)
{
	struct expected expected[TASK_MAX_ARGS];
	struct segment segment[PROTOCOL_SEGMENTS];
	size_t n_expected = r->n_expected;
	uint32_t n_segments = r->n_segments;
	const char *why;

	memcpy(expected, r->expected, sizeof expected);
	memcpy(segment, r->segment, sizeof segment);
	memset(r->expected, 0, sizeof r->expected);
	r->n_expected = 0;
	why = calibrate(r, r->key, &r->recipe,
			DOUBT * enough_rows(&r->recipe, r->call.layout.n));
	for (size_t o = 0; o < r->n_expected; o++)
		expected_release(&r->expected[o]);
	memcpy(r->expected, expected, sizeof expected);
	memcpy(r->segment, segment, sizeof segment);
	r->n_expected = n_expected;
	r->n_segments = n_segments;
	if (!why)
		allow(r);
	return why;
}

const char *reference_compare(struct judge_answer *a, struct reference *r,
			      const unsigned char *outputs)
{
	struct judge_answer found = *a;
	const char *why = NULL;

	reference_look(&found, r, outputs);
	if (doubtful(r, &found)) {
		why = learn_more(r);
		found = *a;
		reference_look(&found, r, outputs);
	}
	*a = found;
	return why;
}
