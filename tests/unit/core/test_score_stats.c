#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "core/score/stats.h"
#include "tests/draws.h"

static void knows_quantiles(void **state)
{
	const double x[] = {4, 1, 3, 2};

	(void)state;
	assert_true(stats_median(x, 4) == 2.5);
	assert_true(stats_quantile(x, 4, 0) == 1);
	assert_true(stats_quantile(x, 4, 1) == 4);
	assert_true(isnan(stats_median(x, 0)));
	assert_true(fabs(stats_sd(x, 4) - 1.2909944) < 1e-6);
}

static void one_zero_makes_a_geometric_mean_zero(void **state)
{
	const double x[] = {2, 8}, y[] = {2, 0}, w[] = {1, 3};

	(void)state;
	assert_true(fabs(stats_geomean(x, NULL, 2) - 4) < 1e-12);
	assert_true(fabs(stats_geomean(x, w, 2) - pow(2 * 512, 0.25)) < 1e-9);
	assert_true(stats_geomean(y, NULL, 2) == 0);
}

/* Student's t for four values: 3.182 standard errors at 95 %. */
static void a_small_sample_has_a_wide_interval(void **state)
{
	const double x[] = {0.9, 1.1, 0.8, 1.2};
	struct interval i = stats_interval(x, 4, 0.95, 1);
	double error = stats_sd(x, 4) / 2;

	(void)state;
	assert_true(fabs(i.hi - 1 - 3.182446 * error) < 1e-4);
	assert_true(fabs(1 - i.lo - 3.182446 * error) < 1e-4);
	i = stats_interval(x, 1, 0.95, 1);
	assert_true(isinf(i.lo) && isinf(i.hi));
}

static void a_burst_on_one_block_moves_little(void **state)
{
	double x[20];
	struct interval quiet, loud;

	(void)state;
	for (size_t i = 0; i < 20; i++)
		x[i] = 0.01 + 0.001 * ((double)(i * 7 % 20) - 9.5);
	quiet = stats_interval(x, 20, 0.95, 1);
	x[3] = 5;
	loud = stats_interval(x, 20, 0.95, 1);
	assert_true(loud.hi - loud.lo < 2 * (quiet.hi - quiet.lo));
}

static struct comparison_state compare(double truth, double noise,
				       struct random *r, size_t *blocks)
{
	const struct comparison_design plan = COMPARISON_DESIGN_DEFAULT;
	struct comparison_state s;
	double x[64];
	size_t n = 0;

	do {
		x[n++] = truth + noise * random_normal(r);
		s = comparison_look(&plan, x, n, n);
	} while (!s.done);
	*blocks = n;
	return s;
}

static void a_large_difference_is_told_at_the_first_look(void **state)
{
	struct comparison_state s;
	struct random r;
	size_t blocks;

	(void)state;
	random_init(&r, 1);
	s = compare(log(2), 0.01, &r, &blocks);
	assert_int_equal(s.decision, DECISION_FASTER);
	assert_int_equal(blocks, 4);
	assert_true(s.ratio95.lo < 2 && 2 < s.ratio95.hi);
	s = compare(log(0.5), 0.01, &r, &blocks);
	assert_int_equal(s.decision, DECISION_SLOWER);
}

/* A wide interval that holds 1 says nothing, least of all "the same". */
static void only_what_is_close_to_1_is_called_the_same(void **state)
{
	static const struct {
		struct interval ratio95;
		const char *name;
	} table[] = {
		{{0.998, 1.002}, "same"},      {{0.959, 1.034}, "same"},
		{{0.951, 1.049}, "same"},      {{0.949, 1.01}, "undecided"},
		{{0.99, 1.051}, "undecided"},  {{0.018, 3.935}, "undecided"},
		{{0, INFINITY}, "undecided"},  {{1.001, 1.002}, "undecided"},
		{{0.998, 0.999}, "undecided"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		enum decision back = DECISION_FASTER;
		const char *name =
			decision_name(DECISION_NONE, table[i].ratio95);

		assert_string_equal(name, table[i].name);
		assert_true(decision_parse(&back, name));
		assert_int_equal(back, DECISION_NONE);
	}
	assert_string_equal(decision_name(DECISION_FASTER, table[0].ratio95),
			    "faster");
	assert_string_equal(decision_name(DECISION_SLOWER, table[0].ratio95),
			    "slower");
}

/* As two processes of the same code did on a card. */
static void less_than_the_precision_is_no_difference(void **state)
{
	struct comparison_design plan = COMPARISON_DESIGN_DEFAULT;
	const double x[] = {0.00049, 0.0006, 0.00063, 0.00057};
	struct comparison_state s;

	(void)state;
	s = comparison_look(&plan, x, 4, 1);
	assert_true(s.done);
	assert_int_equal(s.decision, DECISION_NONE);
	assert_true(s.ratio95.lo > 1 && s.ratio95.hi < 1.001);
	plan.precision = 0;
	assert_int_equal(comparison_look(&plan, x, 4, 1).decision,
			 DECISION_FASTER);
}

static void who_is_hopeless_is_given_up(void **state)
{
	struct comparison_design plan = COMPARISON_DESIGN_DEFAULT;
	const double x[] = {-0.01, -0.014, -0.006, -0.012};
	struct comparison_state s;

	(void)state;
	assert_false(comparison_look(&plan, x, 4, 1).done);
	plan.hopeless = 0.002;
	s = comparison_look(&plan, x, 4, 1);
	assert_true(s.done);
	assert_int_equal(s.decision, DECISION_SLOWER);
}

static struct comparison_design search_plan(void)
{
	struct comparison_design plan = COMPARISON_DESIGN_DEFAULT;

	plan.max_blocks = 24;
	plan.hopeless = 0.002;
	plan.curtailed = true;
	plan.luck = 0.03;
	return plan;
}

/* So many blocks about `middle`, as far apart as processes are. */
static struct comparison_state look_at(const struct comparison_design *plan,
				       double middle, size_t n)
{
	double x[24];

	for (size_t i = 0; i < n; i++)
		x[i] = middle + (i % 2 ? 0.005 : -0.005);
	return comparison_look(plan, x, n, 1);
}

static void who_could_not_win_any_more_is_given_up(void **state)
{
	struct comparison_design plan = search_plan();
	struct comparison_state s = look_at(&plan, 0, 9);

	(void)state;
	assert_true(s.done && s.ratio95.hi > exp(plan.hopeless));
	assert_int_equal(s.decision, DECISION_NONE);
	assert_false(look_at(&plan, 0.0045, 9).done);
	assert_false(look_at(&plan, 0, 4).done);
	plan.curtailed = false;
	assert_false(look_at(&plan, 0, 9).done);
}

/* Of a hundred comparisons each, with processes half a percent apart. */
static void a_search_drops_equals_soon_and_no_winner(void **state)
{
	const struct comparison_design plan = search_plan();
	const double truths[] = {0, 0.01, 0.02};
	size_t blocks[3] = {0}, won[3] = {0};
	struct random r;

	(void)state;
	random_init(&r, 5);
	for (size_t i = 0; i < 300; i++) {
		struct comparison_state s;
		double x[24];
		size_t n = 0;

		do {
			x[n++] = truths[i % 3] + 0.005 * random_normal(&r);
			s = comparison_look(&plan, x, n, n);
		} while (!s.done);
		blocks[i % 3] += n;
		won[i % 3] += s.decision == DECISION_FASTER;
	}
	assert_true(blocks[0] < 1200);
	assert_true(won[0] <= 3 && won[1] >= 99 && won[2] == 100);
}

static void one_set_of_processes_tells_who_is_far_slower(void **state)
{
	struct comparison_design plan = search_plan();
	const double far[] = {-0.34, -0.32, -0.33, -0.33};
	const double near[] = {-0.032, -0.030, -0.031, -0.031};
	const double noisy[] = {-0.34, -0.05, -0.5, -0.1};
	const double faster[] = {0.34, 0.32, 0.33, 0.33};
	const double close[] = {-0.334, -0.33};
	struct comparison_state s = comparison_glance(&plan, far, 4, 1);
	struct interval rounds = stats_interval(far, 4, 0.95, 1);

	(void)state;
	assert_true(s.done);
	assert_int_equal(s.decision, DECISION_SLOWER);
	assert_true(fabs(s.ratio - exp(-0.33)) < 1e-9);
	/* What luck may have done to all of them is in the interval. */
	assert_true(s.ratio95.lo <= exp(rounds.lo - plan.luck));
	assert_true(s.ratio95.hi >= exp(rounds.hi + plan.luck));
	assert_true(s.ratio95.hi < 1);
	assert_false(comparison_glance(&plan, near, 4, 1).done);
	assert_false(comparison_glance(&plan, noisy, 4, 1).done);
	assert_false(comparison_glance(&plan, faster, 4, 1).done);
	assert_false(comparison_glance(&plan, far, 1, 1).done);
	/* Of two, only where they hardly differ. */
	assert_false(comparison_glance(&plan, far, 2, 1).done);
	assert_true(comparison_glance(&plan, close, 2, 1).done);
	assert_true(comparison_glance(&plan, far, 3, 1).done);
	plan.luck = 0;
	assert_false(comparison_glance(&plan, far, 4, 1).done);
}

/* The promise of the interval and of the test, stopping included. */
static void holds_the_truth_and_calls_few_falsely(void **state)
{
	static const double truths[] = {0, 0.003, 0.01, 0.03};
	struct random r;
	size_t held = 0, called = 0, n = 0, nulls = 0;

	(void)state;
	random_init(&r, 11);
	for (size_t i = 0; i < 1200; i++) {
		double truth = truths[i % 4];
		size_t blocks;
		struct comparison_state s = compare(truth, 0.01, &r, &blocks);

		held += s.ratio95.lo <= exp(truth) &&
			exp(truth) <= s.ratio95.hi;
		n++;
		if (truth == 0) {
			nulls++;
			called += s.decision != DECISION_NONE;
		}
	}
	assert_in_range(1000 * held / n, 930, 980);
	assert_true(1000 * called / nulls <= 25);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(knows_quantiles),
		cmocka_unit_test(one_zero_makes_a_geometric_mean_zero),
		cmocka_unit_test(a_small_sample_has_a_wide_interval),
		cmocka_unit_test(a_burst_on_one_block_moves_little),
		cmocka_unit_test(a_large_difference_is_told_at_the_first_look),
		cmocka_unit_test(only_what_is_close_to_1_is_called_the_same),
		cmocka_unit_test(less_than_the_precision_is_no_difference),
		cmocka_unit_test(who_is_hopeless_is_given_up),
		cmocka_unit_test(who_could_not_win_any_more_is_given_up),
		cmocka_unit_test(a_search_drops_equals_soon_and_no_winner),
		cmocka_unit_test(one_set_of_processes_tells_who_is_far_slower),
		cmocka_unit_test(holds_the_truth_and_calls_few_falsely),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
