/* What `tune` says, with stand-ins for the tuner and the loop. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "tests/unit/agent/tool_world.h"

#define ATTEMPTS 128

/* A tuner whose points are worse from one to the next, until none is left. */
struct run {
	struct world w;
	struct variation_operator tuner;
	struct attempt attempt[ATTEMPTS];
	size_t points; /* it has */
	size_t fail;   /* of these so many fail, the first ones */
	enum varied at_end;
	struct error *(*fault)(void); /* instead of a point; or NULL */
	bool best;
	bool has_others; /* another agent's point comes before each */
};
static struct run *run_now;

static struct attempt *add_attempt(struct run *r)
{
	struct attempt *a = &r->attempt[r->w.population.n];

	a->number = (int64_t)r->w.population.n;
	snprintf(a->id.hex, sizeof a->id.hex, "%040zu", r->w.population.n + 1);
	a->parent = r->attempt[0].id;
	a->operator_state =
		xasprintf("{\"tunables\":{\"A\":\"%d\"}}", (int)a->number);
	a->measurement = measurement_new();
	a->gain = -(double)a->number / 100;
	if ((size_t)a->number <= r->fail) {
		measurement_fail(a->measurement, VERDICT_WRONG, "it is off");
		a->gain = NAN;
	}
	r->w.population.n++;
	population_index(&r->w.population);
	return a;
}

static struct error *tune_step(struct variation_operator *self UNUSED,
			       enum varied *out, struct variation *v)
{
	struct run *r = run_now;

	*out = r->at_end;
	if (r->fault)
		return r->fault();
	if (r->w.population.n > r->points)
		return NULL;
	if (r->has_others)
		add_attempt(r);
	v->made = add_attempt(r)->id;
	put(&r->w, "kernel.c", "a point\n");
	*out = VARIED;
	return NULL;
}

static struct error *take_best(struct variation_operator *self UNUSED,
			       const struct attempt **out,
			       struct variation *v UNUSED)
{
	struct run *r = run_now;

	*out = r->best ? &r->attempt[r->fail + 1] : NULL;
	if (r->best)
		put(&r->w, "kernel.c", "the best\n");
	return NULL;
}

static void goes_on_from(struct variation *v UNUSED, const char *id UNUSED)
{
}

static int setup(void **state)
{
	struct run *r = run_now = xcalloc(1, sizeof *r);

	world_init(&r->w);
	snprintf(r->attempt[0].id.hex, sizeof r->attempt[0].id.hex, "%040d", 1);
	r->attempt[0].measurement = measurement_new();
	r->w.population.attempt = r->attempt;
	r->w.population.cap = ATTEMPTS;
	population_index(&r->w.population);
	r->tuner = (struct variation_operator){.vary = tune_step,
					       .take_best = take_best};
	r->w.v.tuner = &r->tuner;
	r->w.v.goes_on_from = goes_on_from;
	r->points = 100;
	r->best = true;
	r->at_end = VARIED_DEAD_END;
	put(&r->w, "kernel.c", "as it was\n");
	*state = r;
	return 0;
}

static int teardown(void **state)
{
	struct run *r = *state;

	for (size_t i = 0; i < r->w.population.n; i++) {
		measurement_free(r->attempt[i].measurement);
		free(r->attempt[i].operator_state);
	}
	free(r->w.population.slot);
	world_release(&r->w);
	free(r);
	return 0;
}

static void its_attempts_are_a_limit(void **state)
{
	struct run *r = *state;

	assert_non_null(strstr(call(&r->w, "tune", "{\"attempts\":3}"),
			       "3 points, best first; speed over #0:"));
	assert_non_null(strstr(r->w.reply.text.data, "its attempts are spent"));
	assert_int_equal(r->w.population.n, 4);
	assert_int_equal(r->w.box.attempts, 3);
	call(&r->w, "tune", "{}");
	assert_int_equal(r->w.population.n, 20);
}

static void hostile_arguments_are_bounded_or_refused(void **state)
{
	struct run *r = *state;

	r->points = 40;
	call(&r->w, "tune", "{\"attempts\":-9000000000000000}");
	assert_int_equal(r->w.population.n, 2);
	call(&r->w, "tune", "{\"attempts\":9000000000000000}");
	assert_int_equal(r->w.population.n, 41);
	assert_non_null(strstr(call(&r->w, "tune", "{\"attempts\":1e300}"),
			       "must be an integer"));
	assert_non_null(strstr(call(&r->w, "tune", "{\"attempts\":\"two\"}"),
			       "must be an integer"));
	assert_non_null(strstr(call(&r->w, "tune", "{\"seconds\":[1]}"),
			       "must be an integer"));
	assert_non_null(strstr(call(&r->w, "tune", "{\"points\":[[1,2]]}"),
			       "no argument 'points'"));
	assert_non_null(strstr(call(&r->w, "tune", "[]"), "The sweep ended"));
	assert_int_equal(r->w.population.n, 41);
}

static void the_table_is_bounded_and_sorted(void **state)
{
	struct run *r = *state;
	const char *text = call(&r->w, "tune", "{\"attempts\":90}");
	size_t lines = 0;

	for (const char *p = text; (p = strstr(p, "\n#")); p++)
		lines++;
	assert_int_equal(lines, 30);
	assert_non_null(strstr(text, "(60 more: lineage lists them)"));
	assert_true(strstr(text, "\n#1 ") < strstr(text, "\n#2 "));
	assert_non_null(strstr(text, "0.990x  A 1\n"));
}

static void where_all_fail_the_workspace_is_as_it_was(void **state)
{
	struct run *r = *state;
	cleanup_free char *text = NULL;

	r->points = r->fail = 4;
	r->best = false;
	assert_non_null(strstr(call(&r->w, "tune", "{}"),
			       "None passed: the workspace is as it was."));
	assert_non_null(strstr(r->w.reply.text.data, "A 1: it is off\n"));
	text = get(&r->w, "kernel.c");
	assert_string_equal(text, "as it was\n");
}

static void the_best_lies_in_the_workspace(void **state)
{
	struct run *r = *state;
	cleanup_free char *text = NULL;

	r->points = 3;
	r->fail = 1;
	assert_non_null(strstr(call(&r->w, "tune", "{}"),
			       "the best of these sources, that of #2."));
	text = get(&r->w, "kernel.c");
	assert_string_equal(text, "the best\n");
	/* What is there was scored. */
	assert_int_not_equal(*r->w.box.scored, 0);
}

static void a_space_without_a_new_point_is_said_to_be_that(void **state)
{
	struct run *r = *state;

	r->points = 0;
	assert_non_null(strstr(call(&r->w, "tune", "{}"),
			       "every point that is allowed was measured"));
	assert_null(strstr(r->w.reply.text.data, "best first"));
	assert_false(r->w.reply.failed);
}

static struct error *nothing_declared(void)
{
	return error_new(ERROR_REFUSED, "the sources declare nothing");
}

static struct error *badly_declared(void)
{
	return error_new(ERROR_TASK, "kernel.c:1: a value is listed twice");
}

static void declarations_that_cannot_be_swept_are_the_agents_to_mend(
	void **state)
{
	struct run *r = *state;

	r->fault = nothing_declared;
	assert_string_equal(call(&r->w, "tune", "{}"),
			    "the sources declare nothing");
	assert_true(r->w.reply.failed);
	r->fault = badly_declared;
	assert_string_equal(call(&r->w, "tune", "{}"),
			    "kernel.c:1: a value is listed twice");
	r->w.v.tuner = NULL;
	assert_non_null(strstr(call(&r->w, "tune", "{}"), "no tuner"));
	assert_false(tool_is_offered(tool_find("tune"), &r->w.v));
}

static struct error *cancelled(void)
{
	return error_new(ERROR_INTERRUPTED, "stopped");
}

static void a_cancelled_sweep_says_what_it_has(void **state)
{
	struct run *r = *state;

	call(&r->w, "tune", "{\"attempts\":2}");
	r->fault = cancelled;
	r->w.box.unread = 1;
	assert_non_null(strstr(call(&r->w, "tune", "{}"), "2 points"));
	assert_non_null(
		strstr(r->w.reply.text.data, "the client cancelled the call"));
}

static void what_a_killed_process_measured_counts(void **state)
{
	struct run *r = *state;

	call(&r->w, "tune", "{\"attempts\":3}");
	r->w.box.unread = 1; /* the next process did not see the answer */
	assert_non_null(strstr(call(&r->w, "tune", "{\"attempts\":5}"),
			       "5 points, best first"));
	assert_int_equal(r->w.population.n, 6);
	assert_int_equal(r->w.box.unread, 0);
}

static void points_of_other_agents_are_not_of_the_sweep(void **state)
{
	struct run *r = *state;

	r->has_others = true;
	assert_non_null(strstr(call(&r->w, "tune", "{\"attempts\":3}"),
			       "3 points, best first"));
	assert_int_equal(r->w.population.n, 7);
	assert_int_equal(r->w.box.attempts, 3);
	assert_non_null(strstr(r->w.reply.text.data, "\n#2 "));
	assert_null(strstr(r->w.reply.text.data, "\n#3 "));
	/* A next sweep begins anew. */
	assert_non_null(strstr(call(&r->w, "tune", "{\"attempts\":1}"),
			       "1 point, best first"));
	assert_non_null(strstr(r->w.reply.text.data, "\n#8 "));
	/* What was measured before a kill is kept beside what is new. */
	r->w.box.unread = 7;
	assert_non_null(strstr(call(&r->w, "tune", "{\"attempts\":4}"),
			       "4 points, best first"));
	assert_int_equal(r->w.population.n, 13);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(its_attempts_are_a_limit),
		TEST(hostile_arguments_are_bounded_or_refused),
		TEST(the_table_is_bounded_and_sorted),
		TEST(where_all_fail_the_workspace_is_as_it_was),
		TEST(the_best_lies_in_the_workspace),
		TEST(a_space_without_a_new_point_is_said_to_be_that),
		TEST(declarations_that_cannot_be_swept_are_the_agents_to_mend),
		TEST(a_cancelled_sweep_says_what_it_has),
		TEST(what_a_killed_process_measured_counts),
		TEST(points_of_other_agents_are_not_of_the_sweep),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
