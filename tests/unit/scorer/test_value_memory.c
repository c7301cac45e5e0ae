#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <sys/mman.h>

#include "core/base/secret.h"
#include "scorer/host/reference_memory.h"
#include "scorer/runner/judge.h"
#include "scorer/runner/value_memory.h"
#include "scorer/wire/set.h"

#define ROWS	24
#define COLUMNS 40

static const char task_text[] =
	"name: scale\n"
	"language: c\n"
	"sources: [k.c]\n"
	"entry: scale\n"
	"arguments:\n"
	"  - {name: x, dtype: f32, shape: [n, m], fill: normal}\n"
	"  - {name: unused, dtype: f32, shape: [n], fill: normal}\n"
	"  - {name: y, dtype: f32, shape: [n, m], direction: out, strides: "
	"[m + 3, 1]}\n"
	"  - {name: sum, dtype: f32, shape: [n], direction: inout, fill: "
	"normal}\n"
	"  - {name: count, dtype: i32, shape: [n], direction: out}\n"
	"cases: [{n: 24, m: 40}]\n"
	"bytes: n * m\n"
	"reference: {source: r.c, entry: r, plain: p}\n";
enum { X, OTHER, Y, SUM, COUNT };

/* What stands for the runners of the reference and of the plain version: memory
 * of its own of the same files. */
struct world {
	struct value_memory values; /* first: `ask` casts it back */
	struct task *task;
	struct input_set set;
	struct reference_memory memory;
	struct mapping inputs, outputs[2];
	struct reference reference;
	/* What is wrong with it. */
	bool leaves_hole, ignores_unused, is_constant, plain_is_off;
	bool plain_is_no_number;
	const char *fails;
	unsigned calls[2];
};

static void must(struct error *err)
{
	if (err)
		fail_msg("%s", error_message(err));
}

static void *at(const struct world *w, enum side side, size_t i)
{
	return w->outputs[side].base +
	       w->memory.request.call[side].layout.arg[i].tensor.offset;
}

static double value_of(const struct world *w, enum side side, int64_t row,
		       int64_t column)
{
	const float *x =
		inputs_tensor(w->inputs.base, &w->memory.request.call[0], X, 0);
	const float *u = inputs_tensor(w->inputs.base,
				       &w->memory.request.call[0], OTHER, 0);
	double v = 3.1 * (double)x[row * COLUMNS + column];

	if (w->is_constant)
		return 7;
	if (!w->ignores_unused)
		v += (double)u[row];
	return side == SIDE_PLAIN && w->plain_is_off ? 2 * v : v;
}

static void compute(struct world *w, enum side side)
{
	enum dtype dtype = side == SIDE_REFERENCE ? DTYPE_F64 : DTYPE_F32;

	for (int64_t i = 0; i < ROWS; i++) {
		double sum = dtype_load(dtype, at(w, side, SUM), (size_t)i);

		for (int64_t k = 0; k < COLUMNS; k++) {
			double v = value_of(w, side, i, k);

			sum += v;
			if (w->leaves_hole && i == 20)
				continue;
			if (side == SIDE_PLAIN && w->plain_is_no_number)
				v = NAN;
			dtype_store(dtype, at(w, side, Y),
				    (size_t)(i * (COLUMNS + 3) + k), v);
		}
		dtype_store(dtype, at(w, side, SUM), (size_t)i, sum);
		dtype_store(DTYPE_I32, at(w, side, COUNT), (size_t)i,
			    (double)(int)sum);
	}
}

static const char *ask(struct value_memory *v, enum side side)
{
	struct world *w = (struct world *)v;

	w->calls[side]++;
	if (!w->fails)
		compute(w, side);
	return w->fails;
}

static int set_up(void **state)
{
	struct world *w = xcalloc(1, sizeof *w);
	struct secret_random secret;
	struct layout_random layout;

	*state = w;
	w->memory = (struct reference_memory)REFERENCE_MEMORY_INIT;
	must(task_parse(&w->task, "avogit.yaml", task_text,
			sizeof task_text - 1));
	secret_random_repeat(&secret, 1);
	layout_random_repeat(&layout, 2);
	must(set_init(&w->set, w->task, &w->task->cases[0], FILL_NORMAL, 2,
		      &secret, &layout));
	must(reference_memory_open(&w->memory, &w->set.call, true));
	value_memory_init(&w->values, NULL);
	w->values.ask = ask;
	assert_null(
		value_memory_map(&w->values, &w->memory.request, w->memory.fd));
	assert_null(mapping_plain(&w->inputs, w->memory.fd[0],
				  w->memory.request.inputs_bytes, PROT_READ));
	for (size_t k = 0; k < 2; k++)
		assert_null(mapping_plain(
			&w->outputs[k], w->memory.fd[1 + k],
			entry_call_outputs_bytes(&w->memory.request.call[k]),
			PROT_READ | PROT_WRITE));
	w->reference.elsewhere = &w->values.elsewhere;
	w->reference.has_plain = true;
	return 0;
}

static int tear_down(void **state)
{
	struct world *w = *state;

	value_memory_release(&w->values);
	mapping_release(&w->inputs);
	for (size_t k = 0; k < 2; k++)
		mapping_release(&w->outputs[k]);
	for (size_t o = 0; o < w->reference.n_expected; o++)
		expected_release(&w->reference.expected[o]);
	for (size_t i = 0; i < TASK_MAX_ARGS; i++)
		for (size_t k = 0; k < 2; k++)
			mapping_release(&w->reference.array[k][i]);
	reference_memory_release(&w->memory);
	task_free(w->task);
	free(w);
	return 0;
}

/* ---- a launch ------------------------------------------------------------- */

/* Computes what is right for image 1 of two; `outputs` becomes what an honest
 * kernel leaves. */
static const char *judge_image(struct world *w, unsigned char *outputs,
			       struct judge_answer *found)
{
	const struct entry_call *c = &w->set.call;
	size_t bytes = entry_call_inputs_bytes(c);
	cleanup_free unsigned char *inputs = xcalloc(2, bytes);
	struct reference_request q = {.call = *c,
				      .recipe = w->set.recipe,
				      .index = 1,
				      .history = w->set.history,
				      .tolerance = {.factor = 2}};
	const char *why = NULL;

	*found = (struct judge_answer){0};
	for (uint32_t k = 0; k < 2 && !why; k++)
		why = inputs_fill(&w->reference, inputs, c, &w->set.recipe, k);
	if (!why)
		why = reference_compute(found, &w->reference, &q, inputs);
	if (why)
		return why;
	for (size_t i = 0; i < c->layout.n; i++) {
		const struct tensor_layout *t = &c->layout.arg[i].tensor;

		if (t->region == REGION_OUTPUT)
			memcpy(outputs + t->offset, at(w, SIDE_PLAIN, i),
			       t->bytes);
	}
	return NULL;
}

static unsigned char *outputs_of(const struct world *w)
{
	return xcalloc(w->set.call.layout.region_bytes[REGION_OUTPUT], 1);
}

static void values_of_other_processes_judge_as_those_of_functions_do(
	void **state)
{
	struct world *w = *state;
	const struct layout *l = &w->set.call.layout;
	cleanup_free unsigned char *outputs = outputs_of(w);
	struct judge_answer a = {0};
	float *y;
	struct judge_answer found;

	assert_null(judge_image(w, outputs, &found));
	assert_int_equal(found.finding, FINDING_NONE);
	assert_null(reference_compare(&a, &w->reference, outputs));
	assert_int_equal(a.finding, FINDING_NONE);
	assert_true(w->calls[SIDE_REFERENCE] && w->calls[SIDE_PLAIN]);
	y = (float *)(outputs + l->arg[Y].tensor.offset);
	y[5 * (COLUMNS + 3) + 7] *= 1.001F;
	assert_null(reference_compare(&a, &w->reference, outputs));
	assert_int_equal(a.finding, FINDING_VALUE);
	assert_int_equal(a.argument, Y);
	assert_int_equal(a.element, 5 * COLUMNS + 7);
}

static void integers_of_other_processes_are_compared_as_they_are(void **state)
{
	struct world *w = *state;
	const struct layout *l = &w->set.call.layout;
	cleanup_free unsigned char *outputs = outputs_of(w);
	struct judge_answer a = {0};
	struct judge_answer found;

	assert_null(judge_image(w, outputs, &found));
	((int32_t *)(outputs + l->arg[COUNT].tensor.offset))[9]++;
	assert_null(reference_compare(&a, &w->reference, outputs));
	assert_int_equal(a.finding, FINDING_VALUE);
	assert_int_equal(a.argument, COUNT);
	assert_int_equal(a.element, 9);
}

static void what_the_other_process_did_not_write_is_a_hole(void **state)
{
	struct world *w = *state;
	cleanup_free unsigned char *outputs = outputs_of(w);
	struct judge_answer found;

	w->leaves_hole = true;
	assert_null(judge_image(w, outputs, &found));
	assert_int_equal(found.finding, FINDING_REFERENCE_HOLE);
	assert_int_equal(found.argument, Y);
}

static void a_call_that_fails_ends_the_judging_with_its_words(void **state)
{
	struct world *w = *state;
	cleanup_free unsigned char *outputs = outputs_of(w);
	struct judge_answer found;

	w->fails = "no such luck";
	assert_string_equal(judge_image(w, outputs, &found), "no such luck");
}

static void memory_of_another_launch_is_refused(void **state)
{
	struct world *w = *state;
	cleanup_free unsigned char *outputs = outputs_of(w);
	struct judge_answer found;

	w->values.call[SIDE_PLAIN].layout.arg[Y].tensor.bytes -= 8;
	assert_non_null(judge_image(w, outputs, &found));
	w->values.inputs.bytes -= LAYOUT_PAGE;
	assert_non_null(judge_image(w, outputs, &found));
	w->values.inputs.bytes += LAYOUT_PAGE;
}

/* ---- the task --------------------------------------------------------------- */

static struct judge_answer lint_of(struct world *w)
{
	struct lint_request q = {.call = w->set.call,
				 .recipe = w->set.recipe,
				 .tolerance = {.factor = 2}};
	struct judge_answer a = {0};

	q.call.batch = 1;
	assert_null(lint(&a, &w->reference, &q));
	return a;
}

static void a_task_that_can_tell_right_from_wrong_passes(void **state)
{
	assert_int_equal(lint_of(*state).finding, FINDING_NONE);
}

static void an_output_that_is_constant_is_found(void **state)
{
	struct world *w = *state;

	w->is_constant = true;
	assert_int_equal(lint_of(w).finding, FINDING_CONSTANT);
}

static void an_input_without_influence_is_found(void **state)
{
	struct world *w = *state;
	struct judge_answer a;

	w->ignores_unused = true;
	a = lint_of(w);
	assert_int_equal(a.finding, FINDING_NO_INFLUENCE);
	assert_int_equal(a.argument, OTHER);
}

static void a_plain_version_of_something_else_is_found(void **state)
{
	struct world *w = *state;

	w->plain_is_off = true;
	assert_int_equal(lint_of(w).finding, FINDING_PLAIN_OFF);
}

/* In a shape that only a scoring draws: what it allows would be anything. */
static void so_it_is_where_a_launch_is_judged(void **state)
{
	struct world *w = *state;
	cleanup_free unsigned char *outputs = outputs_of(w);
	struct judge_answer found;

	w->plain_is_off = true;
	assert_null(judge_image(w, outputs, &found));
	assert_int_equal(found.finding, FINDING_PLAIN_OFF);
	assert_int_equal(found.argument, Y);
	w->plain_is_off = false;
	w->plain_is_no_number = true;
	assert_null(judge_image(w, outputs, &found));
	assert_int_equal(found.finding, FINDING_PLAIN_OFF);
	assert_true(isinf(found.got));
	/* Of numbers that cancel the plain version may be far off. */
	w->set.recipe.fill[X] = FILL_SHIFTED;
	assert_null(judge_image(w, outputs, &found));
	assert_int_equal(found.finding, FINDING_NONE);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(values_of_other_processes_judge_as_those_of_functions_do),
		TEST(integers_of_other_processes_are_compared_as_they_are),
		TEST(what_the_other_process_did_not_write_is_a_hole),
		TEST(a_call_that_fails_ends_the_judging_with_its_words),
		TEST(memory_of_another_launch_is_refused),
		TEST(a_task_that_can_tell_right_from_wrong_passes),
		TEST(an_output_that_is_constant_is_found),
		TEST(an_input_without_influence_is_found),
		TEST(a_plain_version_of_something_else_is_found),
		TEST(so_it_is_where_a_launch_is_judged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
