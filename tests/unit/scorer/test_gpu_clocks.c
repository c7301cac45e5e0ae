#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "scorer/contest/gpu_contest_internal.h"

#define LAUNCH 100e-6
#define NOISE  1e-6

/* A half: the candidate in slot `mine`, its rival in the other. */
static void take(struct gpu_contest *f, size_t mine, double own, double rival)
{
	struct block b = {.n = 2, .slot = {mine, !mine}};
	double left_out[BLOCK_MAX_SLOTS];

	for (size_t i = 0; i < b.n; i++) {
		b.seconds[i] = LAUNCH;
		left_out[i] = b.slot[i] ? rival : own;
	}
	gpu_hidden_take(f, &b, left_out);
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
	cleanup_outcome struct outcome o = OUTCOME_INIT;

	gpu_left_out_verdict(&o, f);
	assert_int_equal(o.verdict, wanted);
	if (wanted == VERDICT_FORBIDDEN)
		assert_non_null(strstr(o.why, "leave out 9 % of a launch"));
}

static double bias_of(const struct gpu_contest *f)
{
	cleanup_free char *why = NULL;
	double bias = gpu_hidden_bias(&why, f);

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
	free(f.hidden.half);
}

static void a_little_is_a_bias_and_much_is_forbidden(void **state)
{
	struct gpu_contest little = halves(16, 0.02), much = halves(16, 0.10);

	(void)state;
	assert_true(bias_of(&little) > 0.01 && bias_of(&little) < 0.02);
	assert_verdict(&little, VERDICT_PASS);
	assert_true(bias_of(&much) > 0.09 && bias_of(&much) < 0.11);
	assert_verdict(&much, VERDICT_FORBIDDEN);
	free(little.hidden.half);
	free(much.hidden.half);
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
	free(few.hidden.half);
	free(wild.hidden.half);
}

/* A rival that is called as a user would has no such clock. */
static void a_rival_without_a_clock_says_nothing(void **state)
{
	struct gpu_contest f = {.contest = NULL};

	(void)state;
	for (size_t i = 0; i < 16; i++)
		take(&f, 0, 50e-6, NAN);
	assert_int_equal(f.hidden.n, 0);
	assert_verdict(&f, VERDICT_PASS);
}

/* Much of the long case is left out, where the short one's clocks are wild. */
static void a_short_case_does_not_drown_a_long_one(void **state)
{
	struct gpu_contest f = halves(16, 0.10);

	(void)state;
	for (size_t i = 0; i < 16; i++) {
		take(&f, 0, i % 2 ? -300e-6 : 300e-6, 0);
		f.hidden.half[f.hidden.n - 1].which = 1;
	}
	assert_verdict(&f, VERDICT_FORBIDDEN);
	free(f.hidden.half);
}

/* The first rival is the task's own baseline, the second a candidate. */
static void another_rival_with_a_clock_does_as_well(void **state)
{
	struct gpu_contest f = {.contest = NULL};

	(void)state;
	for (size_t i = 0; i < 16; i++) {
		struct block b = {.n = 3, .slot = {0, 1, 2}};
		const double left_out[] = {i % 4 < 2 ? 10e-6 : 11e-6, NAN,
					   1e-6};

		for (size_t k = 0; k < b.n; k++)
			b.seconds[k] = LAUNCH;
		gpu_hidden_take(&f, &b, left_out);
	}
	assert_verdict(&f, VERDICT_FORBIDDEN);
	free(f.hidden.half);
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
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
