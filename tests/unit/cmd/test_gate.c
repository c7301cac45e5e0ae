/* The rules of the gate, on figures that a test gives. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cmd/gate/gate.h"

struct figures {
	enum decision decision;
	double lo, ratio, hi;
};

static struct measurement *measured(const struct figures *f)
{
	struct measurement *m = measurement_new();
	struct comparison *c =
		measurement_add_comparison(m, RIVAL_INCUMBENT, "base");

	m->verdict = VERDICT_PASS;
	c->decision = f->decision;
	c->ratio = f->ratio;
	c->ratio95 = (struct interval){f->lo, f->hi};
	c->confirmed = f->decision == DECISION_FASTER;
	return m;
}

/* What the figures of one or two measurements come to. `again` may be NULL. */
static enum gate_answer judged(const struct figures *first,
			       const struct figures *again, double allow,
			       double claim)
{
	const struct gate_rules rules = {.allow = allow, .claim = claim};
	cleanup_gate_change struct gate_change g = {.n = 1};

	g.kernel = xcalloc(1, sizeof *g.kernel);
	g.kernel->first = measured(first);
	g.kernel->again = again ? measured(again) : NULL;
	gate_judge(g.kernel, &rules);
	assert_true(g.kernel->reasons.n > 0);
	return gate_answer(&g);
}

static const struct figures slower = {DECISION_SLOWER, 0.95, 0.96, 0.97};
static const struct figures same = {DECISION_NONE, 0.99, 1.0, 1.01};
static const struct figures coarse = {DECISION_NONE, 0.90, 1.0, 1.2};
static const struct figures faster = {DECISION_FASTER, 1.1, 1.15, 1.2};

static void test_speed(void **state)
{
	(void)state;
	assert_int_equal(judged(&faster, NULL, 0, 0), GATE_YES);
	assert_int_equal(judged(&same, NULL, 0, 0), GATE_YES);
	assert_int_equal(judged(&coarse, NULL, 0, 0), GATE_OPEN);
	assert_int_equal(judged(&slower, &slower, 0, 0), GATE_NO);
}

static void test_loss_is_found_twice(void **state)
{
	(void)state;
	assert_int_equal(judged(&slower, &same, 0, 0), GATE_OPEN);
	assert_int_equal(judged(&slower, NULL, 0, 0), GATE_OPEN);
}

static void test_allowed_loss(void **state)
{
	(void)state;
	assert_int_equal(judged(&slower, NULL, 0.05, 0), GATE_YES);
	assert_int_equal(judged(&slower, NULL, 0.04, 0), GATE_OPEN);
	assert_int_equal(judged(&slower, &slower, 0.02, 0), GATE_NO);
	assert_int_equal(judged(&coarse, NULL, 0.1, 0), GATE_YES);
}

static void test_claim(void **state)
{
	(void)state;
	assert_int_equal(judged(&faster, NULL, 0, 1.2), GATE_YES);
	assert_int_equal(judged(&faster, NULL, 0, 1.21), GATE_NO);
	assert_int_equal(judged(&same, NULL, 0, 1.02), GATE_NO);
	assert_int_equal(judged(&same, NULL, 0, 1), GATE_OPEN);
	assert_int_equal(judged(&coarse, NULL, 0.2, 1.1), GATE_OPEN);
	assert_int_equal(judged(&coarse, NULL, 0.2, 1.3), GATE_NO);
}

/* A gain that the machine can have made is not one that was claimed. */
static void test_unconfirmed_claim(void **state)
{
	const struct gate_rules rules = {.claim = 1.1};
	cleanup_gate_change struct gate_change g = {.n = 1};

	(void)state;
	g.kernel = xcalloc(1, sizeof *g.kernel);
	g.kernel->first = measured(&faster);
	g.kernel->first->comparisons[0].confirmed = false;
	measurement_set(g.kernel->first, "unsteady", "it was busy");
	gate_judge(g.kernel, &rules);
	assert_int_equal(gate_answer(&g), GATE_OPEN);
	assert_non_null(strstr(g.kernel->reasons.v[1], "`it was busy`"));
}

static void test_worst_case(void **state)
{
	const struct gate_rules rules = {.allow = 0};
	cleanup_gate_change struct gate_change g = {.n = 1};
	struct comparison *c;

	(void)state;
	g.kernel = xcalloc(1, sizeof *g.kernel);
	g.kernel->first = measured(&faster);
	c = &g.kernel->first->comparisons[0];
	c->n_cases = 2;
	c->worst_case = 0.9;
	gate_judge(g.kernel, &rules);
	assert_int_equal(gate_answer(&g), GATE_YES);
	g.kernel->no_slower_case = true;
	gate_judge(g.kernel, &rules);
	assert_int_equal(gate_answer(&g), GATE_OPEN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_speed),
		cmocka_unit_test(test_loss_is_found_twice),
		cmocka_unit_test(test_allowed_loss),
		cmocka_unit_test(test_claim),
		cmocka_unit_test(test_unconfirmed_claim),
		cmocka_unit_test(test_worst_case),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
