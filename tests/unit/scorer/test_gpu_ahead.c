#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "scorer/contest/block.h"
#include "scorer/contest/gpu_contest_internal.h"

#define LAUNCH 200e-6

/* Halves in which the first launches of a batch are so many times the mean;
 * `his` is 0 where there is no rival. */
static struct gpu_contest halves(double mine, double his)
{
	struct gpu_contest f = {.contest = NULL};

	for (size_t i = 0; i < 12; i++) {
		struct block b = {.n = his > 0 ? 3 : 2,
				  .slot = {0, SLOT_TWIN, 1}};
		double noise = i % 4 < 2 ? 1.01 : 0.99;
		const double first[] = {mine * noise * LAUNCH, 9 * LAUNCH,
					his * LAUNCH};

		for (size_t k = 0; k < b.n; k++)
			b.seconds[k] = LAUNCH;
		gpu_ahead_take(&f, &b, first);
	}
	return f;
}

static void assert_told(double mine, double his, enum verdict wanted,
			double least, double most)
{
	cleanup_outcome struct outcome o = OUTCOME_INIT;
	cleanup_free char *why = NULL;
	struct gpu_contest f = halves(mine, his);
	double bias = gpu_ahead_bias(&why, &f);

	gpu_first_launch_verdict(&o, &f);
	assert_int_equal(o.verdict, wanted);
	assert_true(bias >= least && bias <= most);
	assert_int_equal(bias > 0, why != NULL);
	free(f.first.half);
	free(f.ahead.half);
}

static void launches_that_are_alike_are_nothing(void **state)
{
	(void)state;
	assert_told(1, 1, VERDICT_PASS, 0, 0);
	assert_told(1, 0, VERDICT_PASS, 0, 0);
}

static void a_first_launch_that_takes_more_is_a_bias(void **state)
{
	(void)state;
	assert_told(1.5, 1, VERDICT_PASS, 0.35, 0.45);
	assert_told(1.5, 1.5, VERDICT_PASS, 0, 0);
}

static void one_that_does_the_work_of_others_is_forbidden(void **state)
{
	(void)state;
	assert_told(10, 1, VERDICT_FORBIDDEN, 2.2, 2.4);
	assert_told(10, 0, VERDICT_FORBIDDEN, 0, 0);
}

static void working_ahead_now_and_then_is_seen(void **state)
{
	struct gpu_contest often = halves(1, 1), rarely = halves(1, 1);
	cleanup_outcome struct outcome forbidden = OUTCOME_INIT,
				       passed = OUTCOME_INIT;
	cleanup_free char *why = NULL;

	(void)state;
	for (size_t i = 0; i < often.ahead.n; i += 3)
		often.first.half[i].share = often.ahead.half[i].share = log(10);
	for (size_t i = 0; i < rarely.ahead.n; i += 6)
		rarely.first.half[i].share = rarely.ahead.half[i].share =
			log(10);
	gpu_first_launch_verdict(&forbidden, &often);
	gpu_first_launch_verdict(&passed, &rarely);
	assert_int_equal(forbidden.verdict, VERDICT_FORBIDDEN);
	assert_int_equal(passed.verdict, VERDICT_PASS);
	assert_true(gpu_ahead_bias(&why, &rarely) > log(10) / 7);
	free(often.first.half);
	free(often.ahead.half);
	free(rarely.first.half);
	free(rarely.ahead.half);
}

/* So is whoever comes first on a card that is slow to wake. */
static void a_card_that_is_slow_to_wake_is_nobodys_fault(void **state)
{
	(void)state;
	assert_told(4, 4, VERDICT_PASS, 0, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(launches_that_are_alike_are_nothing),
		cmocka_unit_test(a_first_launch_that_takes_more_is_a_bias),
		cmocka_unit_test(one_that_does_the_work_of_others_is_forbidden),
		cmocka_unit_test(working_ahead_now_and_then_is_seen),
		cmocka_unit_test(a_card_that_is_slow_to_wake_is_nobodys_fault),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
