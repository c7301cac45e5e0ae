#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "scorer/contest/half.h"
#include "scorer/contest/gpu_contest_internal.h"

#define LAUNCH	     100e-6
#define NOISE	     1e-6
#define FIRST_LAUNCH 200e-6

/* ---- time that events leave out ------------------------------------------------ */

/* A half: the candidate in slot `mine`, its rival in the other. */
static void take(struct gpu_contest *f, size_t mine, double own, double rival)
{
	struct half b = {.n = 2, .slot = {mine, !mine}};
	double left_out[HALF_MAX_SLOTS];

	for (size_t i = 0; i < b.n; i++) {
		b.seconds[i] = LAUNCH;
		left_out[i] = b.slot[i] ? rival : own;
	}
	gpu_left_out_take(f, &b, left_out);
}

/* Halves in which the candidate's events leave out so much more of a launch. */
static struct gpu_contest halves(size_t n, double share)
{
	struct gpu_contest f = {.contest = NULL};

	for (size_t i = 0; i < n; i++) {
		double noise = NOISE * (i % 4 < 2 ? 1 : -1);

		take(&f, i % 2, 25e-6 + share * LAUNCH + noise, 25e-6);
	}
	return f;
}

static void assert_verdict(const struct gpu_contest *f, enum verdict wanted)
{
	cleanup_score_outcome struct score_outcome o = SCORE_OUTCOME_INIT;

	gpu_left_out_verdict(&o, f);
	assert_int_equal(o.verdict, wanted);
	if (wanted == VERDICT_FORBIDDEN)
		assert_non_null(strstr(o.why, "leave out 9 % of a launch"));
}

static double bias_of(const struct gpu_contest *f)
{
	cleanup_free char *why = NULL;
	double bias = gpu_left_out_bias(&why, f);

	assert_int_equal(bias > 0, why != NULL);
	return bias;
}

static void what_both_clocks_say_alike_is_nothing(void **state)
{
	struct gpu_contest f = halves(16, 0), none = halves(0, 0);

	(void)state;
	assert_true(bias_of(&f) == 0);
	assert_true(bias_of(&none) == 0);
	assert_verdict(&f, VERDICT_PASS);
	free(f.left_out.sample);
}

static void a_little_is_a_bias_and_much_is_forbidden(void **state)
{
	struct gpu_contest little = halves(16, 0.02), much = halves(16, 0.10);

	(void)state;
	assert_true(bias_of(&little) > 0.01 && bias_of(&little) < 0.02);
	assert_verdict(&little, VERDICT_PASS);
	assert_true(bias_of(&much) > 0.09 && bias_of(&much) < 0.11);
	assert_verdict(&much, VERDICT_FORBIDDEN);
	free(little.left_out.sample);
	free(much.left_out.sample);
}

static void chance_and_few_halves_say_nothing(void **state)
{
	struct gpu_contest few = halves(3, 0.10), wild = {.contest = NULL};

	(void)state;
	assert_verdict(&few, VERDICT_PASS);
	assert_true(bias_of(&few) == 0);
	for (size_t i = 0; i < 8; i++)
		take(&wild, 0, i % 2 ? 0 : 20e-6, 0);
	assert_verdict(&wild, VERDICT_PASS);
	assert_true(bias_of(&wild) == 0);
	free(few.left_out.sample);
	free(wild.left_out.sample);
}

/* A rival that is called as a user would has no such clock. */
static void a_rival_without_a_clock_says_nothing(void **state)
{
	struct gpu_contest f = {.contest = NULL};

	(void)state;
	for (size_t i = 0; i < 16; i++)
		take(&f, 0, 50e-6, NAN);
	assert_int_equal(f.left_out.n, 0);
	assert_verdict(&f, VERDICT_PASS);
}

/* Much of the long case is left out, where the short one's clocks are wild. */
static void a_short_case_does_not_drown_a_long_one(void **state)
{
	struct gpu_contest f = halves(16, 0.10);

	(void)state;
	for (size_t i = 0; i < 16; i++) {
		take(&f, 0, i % 2 ? -300e-6 : 300e-6, 0);
		f.left_out.sample[f.left_out.n - 1].which = 1;
	}
	assert_verdict(&f, VERDICT_FORBIDDEN);
	free(f.left_out.sample);
}

/* The first rival is the task's own baseline, the second a candidate. */
static void another_rival_with_a_clock_does_as_well(void **state)
{
	struct gpu_contest f = {.contest = NULL};

	(void)state;
	for (size_t i = 0; i < 16; i++) {
		struct half b = {.n = 3, .slot = {0, 1, 2}};
		const double left_out[] = {i % 4 < 2 ? 10e-6 : 11e-6, NAN,
					   1e-6};

		for (size_t k = 0; k < b.n; k++)
			b.seconds[k] = LAUNCH;
		gpu_left_out_take(&f, &b, left_out);
	}
	assert_verdict(&f, VERDICT_FORBIDDEN);
	free(f.left_out.sample);
}

/* ---- the first launch of a batch ------------------------------------------------- */

/* Halves in which the first launches of a batch are so many times the mean;
 * `his` is 0 where there is no rival. */
static struct gpu_contest first_halves(double mine, double his)
{
	struct gpu_contest f = {.contest = NULL};

	for (size_t i = 0; i < 12; i++) {
		struct half b = {.n = his > 0 ? 3 : 2,
				 .slot = {0, SLOT_TWIN, 1}};
		double noise = i % 4 < 2 ? 1.01 : 0.99;
		const double first[] = {mine * noise * FIRST_LAUNCH,
					9 * FIRST_LAUNCH, his * FIRST_LAUNCH};

		for (size_t k = 0; k < b.n; k++)
			b.seconds[k] = FIRST_LAUNCH;
		gpu_first_launch_take(&f, &b, first);
	}
	return f;
}

static void assert_first(double mine, double his, enum verdict wanted,
			 double least, double most)
{
	cleanup_score_outcome struct score_outcome o = SCORE_OUTCOME_INIT;
	cleanup_free char *why = NULL;
	struct gpu_contest f = first_halves(mine, his);
	double bias = gpu_first_launch_bias(&why, &f);

	gpu_first_launch_verdict(&o, &f);
	assert_int_equal(o.verdict, wanted);
	assert_true(bias >= least && bias <= most);
	assert_int_equal(bias > 0, why != NULL);
	free(f.first.sample);
	free(f.first_over_rival.sample);
}

static void launches_that_are_alike_are_nothing(void **state)
{
	(void)state;
	assert_first(1, 1, VERDICT_PASS, 0, 0);
	assert_first(1, 0, VERDICT_PASS, 0, 0);
}

static void a_first_launch_that_takes_more_is_a_bias(void **state)
{
	(void)state;
	assert_first(1.5, 1, VERDICT_PASS, 0.35, 0.45);
	assert_first(1.5, 1.5, VERDICT_PASS, 0, 0);
}

static void one_that_does_the_work_of_others_is_forbidden(void **state)
{
	(void)state;
	assert_first(10, 1, VERDICT_FORBIDDEN, 2.2, 2.4);
	assert_first(10, 0, VERDICT_FORBIDDEN, 0, 0);
}

static void working_ahead_now_and_then_is_seen(void **state)
{
	struct gpu_contest often = first_halves(1, 1),
			   rarely = first_halves(1, 1);
	cleanup_score_outcome struct score_outcome forbidden =
							   SCORE_OUTCOME_INIT,
						   passed = SCORE_OUTCOME_INIT;
	cleanup_free char *why = NULL;

	(void)state;
	for (size_t i = 0; i < often.first_over_rival.n; i += 3)
		often.first.sample[i].share =
			often.first_over_rival.sample[i].share = log(10);
	for (size_t i = 0; i < rarely.first_over_rival.n; i += 6)
		rarely.first.sample[i].share =
			rarely.first_over_rival.sample[i].share = log(10);
	gpu_first_launch_verdict(&forbidden, &often);
	gpu_first_launch_verdict(&passed, &rarely);
	assert_int_equal(forbidden.verdict, VERDICT_FORBIDDEN);
	assert_int_equal(passed.verdict, VERDICT_PASS);
	assert_true(gpu_first_launch_bias(&why, &rarely) > log(10) / 7);
	free(often.first.sample);
	free(often.first_over_rival.sample);
	free(rarely.first.sample);
	free(rarely.first_over_rival.sample);
}

/* So is the contender that comes first on a card that is slow to wake. */
static void a_card_that_is_slow_to_wake_is_nobodys_fault(void **state)
{
	(void)state;
	assert_first(4, 4, VERDICT_PASS, 0, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_both_clocks_say_alike_is_nothing),
		cmocka_unit_test(a_little_is_a_bias_and_much_is_forbidden),
		cmocka_unit_test(chance_and_few_halves_say_nothing),
		cmocka_unit_test(a_rival_without_a_clock_says_nothing),
		cmocka_unit_test(a_short_case_does_not_drown_a_long_one),
		cmocka_unit_test(another_rival_with_a_clock_does_as_well),
		cmocka_unit_test(launches_that_are_alike_are_nothing),
		cmocka_unit_test(a_first_launch_that_takes_more_is_a_bias),
		cmocka_unit_test(one_that_does_the_work_of_others_is_forbidden),
		cmocka_unit_test(working_ahead_now_and_then_is_seen),
		cmocka_unit_test(a_card_that_is_slow_to_wake_is_nobodys_fault),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
