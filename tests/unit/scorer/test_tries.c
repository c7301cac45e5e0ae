#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "scorer/tries.h"

/* A session that found 1.3x on average, on a machine that could have made it. */
static const double busy[SESSIONS_MOST] = {1.28, 1.33, 1.31, 1.27,
					   1.32, 1.30, 1.29, 1.31};
/* One that says the same in the mean, and scatters over more than that. */
static const double wild[SESSIONS_MOST] = {0.8, 2.1, 1.1, 1.6,
					   0.9, 1.9, 1.0, 1.7};

static void add(struct tries *t, double ratio, double alike)
{
	double cases[2] = {ratio * 1.5, ratio / 1.5};
	const struct comparison c = {.ratio = ratio,
				     .ratio95 = {ratio / 1.2, ratio * 1.2},
				     .decision = DECISION_FASTER,
				     .blocks = 10,
				     .case_ratio = cases,
				     .n_cases = 2};

	tries_add(t, &c, alike);
}

/* After how many sessions all agree; 0: they never do. */
static size_t agreed(const double *ratio, double alike)
{
	cleanup_tries struct tries t = {.floor = 0};

	for (size_t i = 0; i < SESSIONS_MOST; i++) {
		add(&t, ratio[i], alike);
		if (tries_agree(&t))
			return i + 1;
	}
	return 0;
}

static void a_gain_that_all_found_is_believed(void **state)
{
	(void)state;
	assert_in_range(agreed(busy, 0), 4, 6);
	assert_int_equal(agreed(wild, 0), 0);
}

/* It is no luck of a session, so no number of them outweighs it. */
static void what_all_may_have_alike_is_not(void **state)
{
	(void)state;
	assert_in_range(agreed(busy, log(1.1)), 4, 6);
	assert_int_equal(agreed(busy, log(1.3)), 0);
}

static void the_figures_are_those_of_all(void **state)
{
	cleanup_tries struct tries t = {.floor = 0};
	cleanup_measurement struct measurement *m = measurement_new();
	struct comparison *c =
		measurement_add_comparison(m, RIVAL_CHAMPION, "champion");

	(void)state;
	c->n_cases = 2;
	c->case_ratio = xcalloc(2, sizeof *c->case_ratio);
	for (size_t i = 0; i < SESSIONS_MOST; i++)
		add(&t, busy[i], 0);
	tries_tell(m, &t);
	assert_true(fabs(c->ratio - 1.301) < 0.002);
	assert_true(c->ratio95.lo > 1.2 && c->ratio95.hi < 1.4);
	assert_int_equal(c->decision, DECISION_FASTER);
	assert_int_equal(c->blocks, 80);
	assert_true(fabs(c->case_ratio[0] - 1.5 * 1.301) < 0.004);
	assert_true(fabs(c->worst_case - 1.301 / 1.5) < 0.002);
	assert_string_equal(measurement_get(m, "sessions"), "8");
	tries_release(&t);
	t = (struct tries){.floor = 0};
	add(&t, wild[0], 0);
	add(&t, wild[1], 0);
	tries_tell(m, &t);
	assert_int_equal(c->decision, DECISION_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_gain_that_all_found_is_believed),
		cmocka_unit_test(what_all_may_have_alike_is_not),
		cmocka_unit_test(the_figures_are_those_of_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
