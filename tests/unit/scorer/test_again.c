/* A reference that is asked again: who answers otherwise, leaves its arrays, or is right. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "core/task/task.h"
#include "scorer/runner/reference.h"
#include "scorer/wire/set.h"

#define ROWS 24
#define COLS 40

/* `y`: the input and the sum of its row; `count`: how many are above zero. */
static const char task_text[] =
	"name: rows\n"
	"language: c\n"
	"sources: [k.c]\n"
	"entry: rows\n"
	"arguments:\n"
	"  - {name: x, dtype: f32, shape: [n, m], fill: normal}\n"
	"  - {name: n, dtype: i64, value: n}\n"
	"  - {name: m, dtype: i64, value: m}\n"
	"  - {name: y, dtype: f32, shape: [n, m], direction: out}\n"
	"  - {name: count, dtype: i32, shape: [n], direction: out}\n"
	"  - {name: sum, dtype: f32, shape: [n], direction: inout, fill: "
	"normal}\n"
	"cases: [{n: 24, m: 40}]\n"
	"bytes: n * m\n"
	"reference: {source: r.c, entry: r, rows: true, plain: p}\n";
enum { X, N, M, Y, COUNT, SUM };

static void must(struct error *err)
{
	if (err)
		fail_msg("%s", error_message(err));
}

/* ---- references -------------------------------------------------------------- */

static unsigned calls;

/* Every second call adds up from the other end. */
static double sum_of(const float *x, int64_t m)
{
	double sum = 0;

	for (int64_t k = 0; k < m; k++)
		sum += (double)x[calls % 2 ? m - 1 - k : k];
	return sum;
}

static void right(const float *x, int64_t n, int64_t m, double *y, int *count,
		  double *sum, int64_t begin, int64_t end)
{
	(void)n;
	for (int64_t i = begin; i < end; i++) {
		double s = sum_of(x + i * m, m);

		count[i] = 0;
		for (int64_t k = 0; k < m; k++) {
			y[i * m + k] = (double)x[i * m + k] + s;
			count[i] += x[i * m + k] > 0;
		}
		sum[i] += s;
	}
	calls++;
}

static void plain(const float *x, int64_t n, int64_t m, float *y, int *count,
		  float *sum, int64_t begin, int64_t end)
{
	(void)n;
	for (int64_t i = begin; i < end; i++) {
		float s = 0;

		count[i] = 0;
		for (int64_t k = 0; k < m; k++) {
			s += x[i * m + k];
			count[i] += x[i * m + k] > 0;
		}
		for (int64_t k = 0; k < m; k++)
			y[i * m + k] = x[i * m + k] + s;
		sum[i] += s;
	}
}

/* What a fault is added to: of the third row, element 2 * COLS + 3. */
#define AT (2 * COLS + 3)

#define FAULTY(name, fault)                                                   \
	static void name(const float *x, int64_t n, int64_t m, double *y,     \
			 int *count, double *sum, int64_t begin, int64_t end) \
	{                                                                     \
		right(x, n, m, y, count, sum, begin, end);                    \
		fault;                                                        \
	}

static double *endless(void)
{
	static double at[2] = {INFINITY, NAN};

	return at;
}

/* Large, so that the system hands out zeros. No compiler knows that nobody wrote it. */
static double *some_memory(void)
{
	double *volatile p = malloc((1 << 18) * sizeof *p);

	return p;
}

static double unwritten(void)
{
	double *volatile p = some_memory();
	double v = p[1 << 17];

	free(p);
	return v;
}

FAULTY(counts_calls, y[AT] += calls)
FAULTY(hardly_counts, y[AT] *= 1 + 1e-9 * calls)
FAULTY(counts_in_integers, count[5] += (int)calls)
FAULTY(adds_to_what_was, sum[4] = calls)
FAULTY(takes_unwritten, y[AT] += unwritten())
FAULTY(leaves_an_integer, count[7] = 0; if (n < 0) count[7] = 1)
FAULTY(writes_behind, count[n] = 1)
FAULTY(writes_before, y[-2] = 1)
FAULTY(is_endless, y[AT] = endless()[0]; sum[2] = endless()[1])
FAULTY(is_endless_in_turns, y[AT] = calls % 2 ? INFINITY : -INFINITY)
FAULTY(writes_a_constant, count[8] = 3)

/* Does not touch it. */
static void leaves_one(const float *x, int64_t n, int64_t m, double *y,
		       int *count, double *sum, int64_t begin, int64_t end)
{
	int kept = count[7];

	right(x, n, m, y, count, sum, begin, end);
	count[7] = kept;
}

static void adds_to_one(const float *x, int64_t n, int64_t m, double *y,
			int *count, double *sum, int64_t begin, int64_t end)
{
	unsigned kept = (unsigned)count[7];

	right(x, n, m, y, count, sum, begin, end);
	count[7] = (int)(kept + 1);
}

/* ---- a judge that was asked for all rows --------------------------------------- */

static const struct tolerance by_two = {.factor = 2};
static const struct tolerance by_1e_4 = {
	.absolute = true, .rtol = 1e-4, .atol = 1e-4};

struct world {
	struct task *task;
	struct input_set set;
	struct reference r;
	struct mapping inputs;
	struct judge_answer found;
	struct tolerance tolerance;
};

static int set_up(void **state)
{
	struct world *w = xcalloc(1, sizeof *w);
	struct secret_random secret;
	struct layout_random layout;

	*state = w;
	calls = 0;
	must(task_parse(&w->task, "avogit.yaml", task_text,
			sizeof task_text - 1));
	secret_random_repeat(&secret, 1);
	layout_random_repeat(&layout, 2);
	must(set_init(&w->set, w->task, &w->task->cases[0], FILL_NORMAL, 1,
		      &secret, &layout));
	assert_null(mapping_anonymous(&w->inputs,
				      entry_call_inputs_bytes(&w->set.call)));
	w->tolerance = by_1e_4;
	w->r.inputs = w->inputs.base;
	w->r.f.plain = (function)plain;
	w->r.has_plain = true;
	assert_null(inputs_fill(&w->r, w->r.inputs, &w->set.call,
				&w->set.recipe, 0));
	return 0;
}

static int tear_down(void **state)
{
	struct world *w = *state;

	reference_drop_arrays(&w->r);
	for (size_t o = 0; o < w->r.n_expected; o++)
		expected_release(&w->r.expected[o]);
	mapping_release(&w->inputs);
	task_free(w->task);
	free(w);
	return 0;
}

typedef void reference_function(const float *, int64_t, int64_t, double *,
				int *, double *, int64_t, int64_t);

static const char *compute(struct world *w, reference_function *f)
{
	struct reference_request q = {.call = w->set.call,
				      .recipe = w->set.recipe,
				      .history = w->set.history,
				      .rows = true,
				      .tolerance = w->tolerance};

	w->r.f.entry = (function)f;
	w->found = (struct judge_answer){0};
	return reference_compute(&w->found, &w->r, &q, w->r.inputs);
}

static const char *again(struct world *w, bool judged)
{
	w->r.fault = (struct judge_answer){0};
	return reference_again(&w->r, w->r.inputs, 0, judged);
}

static void is_right(struct world *w, reference_function *f)
{
	for (unsigned k = 0; k < 2; k++) {
		w->tolerance = k ? by_two : by_1e_4;
		assert_null(compute(w, f));
		assert_int_equal(w->found.finding, FINDING_NONE);
		assert_null(again(w, true));
		assert_null(again(w, false));
	}
	w->tolerance = by_1e_4;
}

static void is_at_fault(struct world *w, reference_function *f, bool judged,
			enum finding finding, size_t argument, int64_t element)
{
	assert_null(compute(w, f));
	assert_ptr_equal(again(w, judged), reference_at_fault);
	assert_int_equal(w->r.fault.finding, finding);
	assert_int_equal(w->r.fault.argument, argument);
	assert_int_equal(w->r.fault.access.array, argument + 1);
	assert_int_equal(w->r.fault.element, element);
}

static void one_that_is_right_is_not_blamed(void **state)
{
	is_right(*state, right);
}

static void infinite_and_no_number_twice_are_the_same(void **state)
{
	is_right(*state, is_endless);
	is_at_fault(*state, is_endless_in_turns, true, FINDING_REFERENCE_UNLIKE,
		    Y, AT);
	is_at_fault(*state, is_endless_in_turns, false,
		    FINDING_REFERENCE_UNLIKE, Y, AT);
}

static void another_answer_is_told_with_its_element(void **state)
{
	for (unsigned judged = 0; judged < 2; judged++) {
		is_at_fault(*state, counts_calls, judged,
			    FINDING_REFERENCE_UNLIKE, Y, AT);
		is_at_fault(*state, counts_in_integers, judged,
			    FINDING_REFERENCE_UNLIKE, COUNT, 5);
		is_at_fault(*state, adds_to_what_was, judged,
			    FINDING_REFERENCE_UNLIKE, SUM, 4);
	}
}

/* What is far below what may pass of a kernel is no other answer. */
static void what_may_pass_may_differ(void **state)
{
	is_right(*state, hardly_counts);
}

/* What a judge that was not asked for anything else wrote down of f. */
static unsigned char *written(struct world *w, reference_function *f)
{
	unsigned char *to;

	calls = 0;
	assert_null(compute(w, f));
	to = xcalloc(reference_answer_bytes(&w->r), 1);
	reference_write_down(to, &w->r);
	return to;
}

static void what_a_process_of_its_own_answers_is_held(void **state)
{
	struct world *w = *state;
	static const struct {
		reference_function *f;
		uint32_t argument;
		int64_t element;
	} keeps[] = {{counts_calls, Y, AT},
		     {counts_in_integers, COUNT, 5},
		     {adds_to_what_was, SUM, 4}};
	static reference_function *const honest[] = {right, hardly_counts,
						     is_endless,
						     writes_a_constant,
						     leaves_an_integer};

	for (size_t i = 0; i < 2 * ARRAY_SIZE(honest); i++) {
		reference_function *f = honest[i / 2];
		cleanup_free unsigned char *alone = NULL;

		w->tolerance = i % 2 ? by_two : by_1e_4;
		alone = written(w, f);
		assert_null(compute(w, f));
		assert_null(reference_hold(&w->r, alone));
	}
	w->tolerance = by_1e_4;
	for (size_t i = 0; i < ARRAY_SIZE(keeps); i++) {
		cleanup_free unsigned char *alone = written(w, keeps[i].f);
		const struct judge_answer *a = &w->r.fault;

		assert_null(compute(w, keeps[i].f));
		/* What was computed stays: it is compared with the same again. */
		for (unsigned k = 0; k < 2; k++) {
			w->r.fault = (struct judge_answer){0};
			assert_ptr_equal(reference_hold(&w->r, alone),
					 reference_at_fault);
			assert_int_equal(a->finding, FINDING_REFERENCE_KEEPS);
			assert_int_equal(a->argument, keeps[i].argument);
			assert_int_equal(a->element, keeps[i].element);
		}
	}
}

static void memory_that_nobody_wrote_is_found(void **state)
{
#if defined(__SANITIZE_ADDRESS__) || !defined(__GLIBC__)
	skip(); /* its malloc fills blocks by itself, or cannot be told to */
#endif
	is_at_fault(*state, takes_unwritten, true, FINDING_REFERENCE_UNLIKE, Y,
		    AT);
}

static void an_integer_that_is_left_is_a_hole(void **state)
{
	is_right(*state, leaves_an_integer);
	is_at_fault(*state, leaves_one, true, FINDING_REFERENCE_HOLE, COUNT, 7);
	is_at_fault(*state, adds_to_one, true, FINDING_REFERENCE_UNLIKE, COUNT,
		    7);
	is_right(*state, writes_a_constant);
}

static void a_write_beside_an_array_is_of_that_array(void **state)
{
	struct world *w = *state;

	assert_ptr_equal(compute(w, writes_behind), reference_at_fault);
	assert_int_equal(w->r.fault.finding, FINDING_REFERENCE_OUTSIDE);
	assert_int_equal(w->r.fault.access.array, COUNT + 1);
	assert_int_equal(w->r.fault.access.at, ROWS * sizeof(int));
	assert_int_equal(w->r.fault.access.bytes, ROWS * sizeof(int));
	assert_int_equal(w->r.fault.access.doing, ACCESS_WRITE);
	assert_int_equal(w->r.fault.access.side, SIDE_REFERENCE);
	assert_ptr_equal(compute(w, writes_before), reference_at_fault);
	assert_int_equal(w->r.fault.access.array, Y + 1);
	assert_int_equal(w->r.fault.access.at, -2 * (int)sizeof(double));
}

/* Of rows that were selected the element is that of the tensor. */
static void an_element_of_chosen_rows_is_one_of_the_tensor(void **state)
{
	struct world *w = *state;

	assert_null(compute(w, counts_calls));
	w->r.segment[0] = (struct segment){0, 1};
	w->r.segment[1] = (struct segment){2, 4};
	w->r.n_segments = 2;
	reference_plan(&w->r);
	assert_null(reference_side(&w->r, SIDE_REFERENCE, w->r.inputs, 0));
	assert_ptr_equal(again(w, false), reference_at_fault);
	assert_int_equal(w->r.fault.argument, Y);
	assert_int_equal(w->r.fault.element, AT);
}

/* The same values, and nothing that was made for the question. */
static void what_was_answered_first_stays(void **state)
{
	struct world *w = *state;
	static struct expected before[TASK_MAX_ARGS];
	static double y[ROWS * COLS];
	struct expected *e = w->r.expected;

	for (unsigned k = 0; k < 2; k++) {
		reference_function *f = k ? counts_calls : right;
		const char *why;

		assert_null(compute(w, f));
		memcpy(before, e, sizeof before);
		memcpy(y, e[0].reference, sizeof y);
		why = again(w, true);
		assert_ptr_equal(why, k ? reference_at_fault : NULL);
		assert_memory_equal(before, e, sizeof before);
		assert_memory_equal(y, e[0].reference, sizeof y);
		assert_int_equal(w->r.n_expected, 3);
		assert_false(w->r.placement.copies);
		assert_int_equal(w->r.before, 0);
		for (size_t i = 0; i < TASK_MAX_ARGS; i++)
			assert_null(w->r.input[i].base);
	}
}

static void only_where_a_candidate_failed_is_it_asked(void **state)
{
	static const enum finding of_task[] = {
		FINDING_NONE, FINDING_REFERENCE_HOLE, FINDING_CONSTANT,
		FINDING_NO_INFLUENCE, FINDING_PLAIN_OFF};
	static const enum finding of_candidate[] = {
		FINDING_VALUE, FINDING_NAN, FINDING_UNWRITTEN, FINDING_GUARD};
	struct world *w = *state;
	struct judge_answer a = {0};
	unsigned before;

	assert_null(compute(w, counts_calls));
	before = calls;
	for (size_t i = 0; i < ARRAY_SIZE(of_task); i++) {
		a.finding = of_task[i];
		assert_null(reference_blame(&a, &w->r));
	}
	assert_int_equal(calls, before);
	for (size_t i = 0; i < ARRAY_SIZE(of_candidate); i++) {
		a.finding = of_candidate[i];
		assert_ptr_equal(reference_blame(&a, &w->r),
				 reference_at_fault);
	}
	w->r.inputs = NULL;
	assert_null(reference_blame(&a, &w->r));
}

int main(void)
{
#define OF_WORLD(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		OF_WORLD(one_that_is_right_is_not_blamed),
		OF_WORLD(infinite_and_no_number_twice_are_the_same),
		OF_WORLD(another_answer_is_told_with_its_element),
		OF_WORLD(what_may_pass_may_differ),
		OF_WORLD(what_a_process_of_its_own_answers_is_held),
		OF_WORLD(memory_that_nobody_wrote_is_found),
		OF_WORLD(an_integer_that_is_left_is_a_hole),
		OF_WORLD(a_write_beside_an_array_is_of_that_array),
		OF_WORLD(an_element_of_chosen_rows_is_one_of_the_tensor),
		OF_WORLD(what_was_answered_first_stays),
		OF_WORLD(only_where_a_candidate_failed_is_it_asked),
	};

	return cmocka_run_group_tests_name("again", tests, NULL, NULL);
}
