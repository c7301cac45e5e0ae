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

/* The first reason of what was judged last. */
static char said[512];

/* What the figures of up to four measurements come to; NULL: no more. */
static enum gate_answer judged(const struct figures *const *figures,
			       double allow, double claim)
{
	const struct gate_rules rules = {.allow = allow, .claim = claim};
	cleanup_gate_change struct gate_change g = {.n = 1};

	g.kernel = xcalloc(1, sizeof *g.kernel);
	for (; *figures; figures++)
		g.kernel->measured[g.kernel->n_measured++] = measured(*figures);
	gate_judge(g.kernel, &rules);
	assert_true(g.kernel->reasons.n > 0);
	snprintf(said, sizeof said, "%s", g.kernel->reasons.v[0]);
	return gate_answer(&g);
}
#define JUDGED(allow, claim, ...) \
	judged((const struct figures *const[]){__VA_ARGS__, NULL}, allow, claim)

static const struct figures slower = {DECISION_SLOWER, 0.95, 0.96, 0.97};
static const struct figures same = {DECISION_NONE, 0.99, 1.0, 1.01};
static const struct figures coarse = {DECISION_NONE, 0.90, 1.0, 1.2};
static const struct figures luck = {DECISION_SLOWER, 0.97, 0.98, 0.997};
static const struct figures faster = {DECISION_FASTER, 1.1, 1.15, 1.2};
static const struct figures below = {DECISION_NONE, 0.97, 0.98, 0.99};
static const struct figures gain = {DECISION_FASTER, 1.001, 1.02, 1.04};

static void test_speed(void **state)
{
	(void)state;
	assert_int_equal(JUDGED(0, 0, &faster), GATE_YES);
	assert_int_equal(JUDGED(0, 0, &same), GATE_YES);
	assert_int_equal(JUDGED(0, 0, &coarse), GATE_OPEN);
	assert_int_equal(JUDGED(0, 0, &coarse, &faster), GATE_YES);
	/* A gain of one does not outweigh that all together are slower. */
	assert_int_equal(JUDGED(0, 0, &below, &below, &below, &below, &gain),
			 GATE_OPEN);
	assert_int_equal(JUDGED(0, 0, &slower, &slower), GATE_NO);
}

/* One of several measurements may find a gain by chance. */
static void test_says_faster_where_it_is_sure(void **state)
{
	(void)state;
	assert_int_equal(JUDGED(0, 0, &gain), GATE_YES);
	assert_true(starts_with(said, "faster: "));
	assert_int_equal(JUDGED(0, 0, &same, &gain), GATE_YES);
	assert_true(starts_with(said, "same: "));
	assert_int_equal(JUDGED(0, 0, &coarse, &gain), GATE_YES);
	assert_true(starts_with(said, "not slower: "));
	assert_int_equal(JUDGED(0, 0, &coarse, &faster), GATE_YES);
	assert_true(starts_with(said, "faster: "));
}

static void test_loss_is_found_twice(void **state)
{
	(void)state;
	assert_int_equal(JUDGED(0, 0, &slower), GATE_OPEN);
	assert_int_equal(JUDGED(0, 0, &slower, &same), GATE_OPEN);
	assert_int_equal(JUDGED(0, 0, &slower, &same, &slower), GATE_NO);
	assert_int_equal(JUDGED(0, 0, &slower, &faster), GATE_OPEN);
	assert_int_equal(JUDGED(0, 0, &luck, &same, &same), GATE_YES);
}

/* A busy machine: none is believed by itself. */
static void test_loss_by_scatter(void **state)
{
	static const struct figures a = {DECISION_NONE, 0.955, 0.970, 0.985},
				    b = {DECISION_NONE, 0.951, 0.967, 0.983},
				    c = {DECISION_NONE, 0.957, 0.972, 0.987},
				    far = {DECISION_NONE, 0.97, 0.985, 0.999},
				    early = {DECISION_NONE, 0, NAN, INFINITY};

	(void)state;
	assert_int_equal(JUDGED(0, 0, &a, &b, &c), GATE_OPEN);
	/* One whose time was over too early says nothing, and spoils nothing. */
	assert_int_equal(JUDGED(0, 0, &a, &early, &b, &c, &a, &c), GATE_NO);
	assert_int_equal(JUDGED(0, 0, &early), GATE_OPEN);
	assert_int_equal(JUDGED(0, 0, &early, &early), GATE_OPEN);
	assert_int_equal(JUDGED(0, 0, &a, &b, &c, &a, &c), GATE_NO);
	assert_int_equal(JUDGED(0, 0, &a, &b, &c, &far, &c), GATE_OPEN);
	/* Just beyond what is let through, by less than can be told. */
	assert_int_equal(JUDGED(0.03, 0, &a, &a, &a, &a, &a), GATE_OPEN);
	assert_int_equal(JUDGED(0.02, 0, &a, &a, &a, &a, &a), GATE_NO);
}

#define GATES 10000

static double normal(struct random *r)
{
	double sum = -6;

	for (size_t i = 0; i < 12; i++)
		sum += random_unit(r);
	return sum;
}

/* Of a kernel that is the same, on a machine whose figures are a percent off, and
 * by which no single measurement decides: at most three of ten thousand are
 * expected (docs/gate.md). */
static void test_same_kernel_does_not_lose(void **state)
{
	const struct gate_rules rules = {.allow = 0};
	struct random r;
	size_t lost = 0;

	(void)state;
	random_init(&r, 21);
	for (size_t i = 0; i < GATES; i++) {
		cleanup_gate_change struct gate_change g = {.n = 1};
		struct gate_kernel *k = xcalloc(1, sizeof *k);
		enum gate_speed found = GATE_SPEED_OPEN;

		g.kernel = k;
		while (k->n_measured < GATE_MOST && found != GATE_SPEED_LOSES) {
			double x = exp(0.01 * normal(&r));
			struct figures f = {DECISION_NONE, 0.9 * x, x, 1.1 * x};

			k->measured[k->n_measured++] = measured(&f);
			found = gate_weigh(k, &rules).speed;
		}
		lost += found == GATE_SPEED_LOSES;
	}
	assert_true(lost <= 6);
}

/* An interval that is narrow enough to hide no loss of 2 %. */
static void test_no_loss(void **state)
{
	static const struct figures hides = {DECISION_NONE, 0.975, 0.995,
					     1.015},
				    beside = {DECISION_NONE, 0.99, 0.994,
					      0.998},
				    above = {DECISION_NONE, 0.995, 1.0, 1.006},
				    wide = {DECISION_NONE, 0.985, 1.05, 1.12};

	(void)state;
	assert_int_equal(JUDGED(0, 0, &hides), GATE_OPEN);
	/* What is asked again and again must be sure. */
	assert_int_equal(JUDGED(0, 0, &hides, &hides), GATE_OPEN);
	assert_int_equal(JUDGED(0, 0, &hides, &hides, &hides, &hides),
			 GATE_YES);
	assert_int_equal(JUDGED(0, 0, &wide), GATE_OPEN);
	assert_int_equal(JUDGED(0, 0, &beside), GATE_OPEN);
	assert_int_equal(JUDGED(0, 0, &beside, &above), GATE_YES);
}

static void test_allowed_loss(void **state)
{
	(void)state;
	assert_int_equal(JUDGED(0.05, 0, &slower), GATE_YES);
	assert_int_equal(JUDGED(0.04, 0, &slower), GATE_OPEN);
	assert_int_equal(JUDGED(0.02, 0, &slower, &slower), GATE_NO);
	assert_int_equal(JUDGED(0.1, 0, &coarse), GATE_YES);
}

static void test_claim(void **state)
{
	(void)state;
	assert_int_equal(JUDGED(0, 1.2, &faster), GATE_YES);
	assert_int_equal(JUDGED(0, 1.21, &faster), GATE_NO);
	assert_int_equal(JUDGED(0, 1.02, &same), GATE_NO);
	assert_int_equal(JUDGED(0, 1, &same), GATE_OPEN);
	assert_int_equal(JUDGED(0.2, 1.1, &coarse), GATE_OPEN);
	assert_int_equal(JUDGED(0.2, 1.3, &coarse), GATE_NO);
}

/* A gain that the machine can have made is not one that was claimed. */
static void test_unconfirmed_claim(void **state)
{
	const struct gate_rules rules = {.claim = 1.1};
	cleanup_gate_change struct gate_change g = {.n = 1};

	(void)state;
	g.kernel = xcalloc(1, sizeof *g.kernel);
	g.kernel->measured[0] = measured(&faster);
	g.kernel->n_measured = 1;
	g.kernel->measured[0]->comparisons[0].confirmed = false;
	measurement_set(g.kernel->measured[0], "unsteady", "it was busy");
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
	g.kernel->measured[0] = measured(&faster);
	g.kernel->n_measured = 1;
	c = &g.kernel->measured[0]->comparisons[0];
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
		cmocka_unit_test(test_says_faster_where_it_is_sure),
		cmocka_unit_test(test_loss_is_found_twice),
		cmocka_unit_test(test_loss_by_scatter),
		cmocka_unit_test(test_same_kernel_does_not_lose),
		cmocka_unit_test(test_no_loss),
		cmocka_unit_test(test_allowed_loss),
		cmocka_unit_test(test_claim),
		cmocka_unit_test(test_unconfirmed_claim),
		cmocka_unit_test(test_worst_case),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
