#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "scorer/contest/series.h"

#define N 16

/* A contest of one case with two contenders, made by hand. */
struct short_contest {
	struct contest c;
	struct scoring sc;
	struct task task;
	struct task_case one;
	struct contender contender[2];
	struct samples fixed, other_fixed, seconds, excess;
	struct build build[2];
	double fixed_value[N], other_value[N], seconds_value[N],
		excess_value[N], logs[N];
	double *case_log[1];
	uint32_t in_series;
};

static void fill(struct samples *s, double *value, double v, double spread)
{
	for (size_t i = 0; i < N; i++)
		value[i] = v + spread * (i % 2 ? 1 : -1) * (double)(1 + i / 2) /
				       (N / 2.0);
	*s = (struct samples){.value = value, .n = N};
}

/* Seconds of a launch that does nothing, of one of the candidate with that, and
 * how many times as long the rival's kernel takes. */
static void begin(struct short_contest *s, double fixed, double seconds,
		  double ratio)
{
	*s = (struct short_contest){.in_series = 32};
	s->one.weight = 1;
	s->task.n_cases = 1;
	s->task.cases = &s->one;
	s->sc.task = &s->task;
	fill(&s->fixed, s->fixed_value, fixed, fixed / 100);
	fill(&s->seconds, s->seconds_value, seconds, 0);
	for (size_t i = 0; i < N; i++)
		s->logs[i] = log(ratio);
	s->case_log[0] = s->logs;
	s->contender[1].case_log = s->case_log;
	s->contender[1].rounds.n = N;
	s->c = (struct contest){.sc = &s->sc,
				.contender = s->contender,
				.n = 2,
				.seconds = &s->seconds,
				.fixed = &s->fixed,
				.other_fixed = &s->other_fixed,
				.excess = &s->excess,
				.in_series = &s->in_series};
}

static void what_is_fixed_is_taken_off(void **state)
{
	struct short_contest s;

	(void)state;
	begin(&s, 1e-6, 3e-6, 2);
	assert_true(fabs(series_fixed(&s.c, 0) - 1e-6) < 1e-9);
	assert_true(fabs(series_log(&s.c, 0, 0, 3e-6) - log(2e-6)) < 1e-3);
	assert_true(series_fixed_error(&s.c, 0) > 0);
	assert_true(series_fixed_error(&s.c, 0) < 1e-8);
}

/* By chance a launch may take less than one that does nothing. */
static void a_launch_never_takes_nothing(void **state)
{
	struct short_contest s;

	(void)state;
	begin(&s, 1e-6, 0.9e-6, 2);
	assert_true(isfinite(series_log(&s.c, 0, 0, 0.9e-6)));
	assert_true(series_too_short(&s.c, 1));
}

static void a_bound_is_nearer_to_one_on_both_sides(void **state)
{
	struct short_contest s;

	(void)state;
	begin(&s, 3e-6, 4e-6, 2);
	assert_true(series_too_short(&s.c, 1));
	/* 1 us and 2 us, and 3 us each. */
	assert_true(fabs(series_whole_ratio(&s.c, 1, 2) - 5.0 / 4) < 1e-3);
	assert_true(fabs(series_whole_ratio(&s.c, 1, 0.5) - 3.5 / 4) < 1e-3);
	assert_true(fabs(series_whole_ratio(&s.c, 1, 1) - 1) < 1e-9);
	begin(&s, 1e-6, 4e-6, 2);
	assert_false(series_too_short(&s.c, 1));
}

/* A kernel that is not too short may have a rival that is. */
static void the_shorter_of_two_decides(void **state)
{
	struct short_contest s;

	(void)state;
	begin(&s, 1e-6, 4e-6, 0.2);
	assert_true(series_too_short(&s.c, 1));
}

static void the_error_of_what_is_fixed_is_no_error_of_equals(void **state)
{
	struct short_contest s;

	(void)state;
	begin(&s, 1e-6, 3e-6, 1);
	assert_true(series_ratio_error(&s.c, 1) < 1e-9);
	begin(&s, 1e-6, 3e-6, 4);
	assert_true(series_ratio_error(&s.c, 1) > 1e-4);
}

/* Its rival has another runner, whose launches that call nothing take so long. */
static void give_other_runner(struct short_contest *s, double fixed)
{
	static const struct runner_command other;

	fill(&s->other_fixed, s->other_value, fixed, fixed / 100);
	s->build[1].runner = &other;
	s->contender[0].build = &s->build[0];
	s->contender[1].build = &s->build[1];
}

static void each_runner_has_what_is_fixed_of_its_own(void **state)
{
	struct short_contest s;

	(void)state;
	begin(&s, 1e-6, 3e-6, 100);
	give_other_runner(&s, 90e-6);
	assert_true(contest_is_other(&s.c, 1));
	assert_false(contest_is_other(&s.c, 0));
	assert_true(fabs(series_log(&s.c, 0, 0, 3e-6) - log(2e-6)) < 1e-3);
	assert_true(fabs(series_log(&s.c, 1, 0, 100e-6) - log(10e-6)) < 1e-2);
	/* 2 us and 200 us: with 1 and 90 us round them not as far apart. */
	assert_false(series_too_short(&s.c, 1));
	assert_true(fabs(series_whole_ratio(&s.c, 1, 100) - 290.0 / 3) < 1);
	give_other_runner(&s, 300e-6);
	assert_true(series_too_short(&s.c, 1));
}

static void two_errors_of_two_runners_do_not_cancel(void **state)
{
	struct short_contest s;

	(void)state;
	begin(&s, 1e-6, 3e-6, 1);
	give_other_runner(&s, 1e-6);
	assert_true(series_ratio_error(&s.c, 1) > 1e-4);
}

/* A program in Python can be replaced by a shorter one. */
static void all_that_is_fixed_of_a_runner_crowns_nothing(void **state)
{
	cleanup_free char *why = NULL;
	struct short_contest s;

	(void)state;
	begin(&s, 100e-6, 1100e-6, 2);
	s.in_series = 1;
	s.task.language = LANGUAGE_RUNNER;
	assert_true(fabs(series_bias(&why, &s.c) - log1p(0.1)) < 1e-3);
	assert_non_null(why);
}

static void half_of_what_is_fixed_crowns_nothing(void **state)
{
	cleanup_free char *why = NULL;
	struct short_contest s;

	(void)state;
	begin(&s, 1e-6, 3e-6, 2); /* 2 us */
	fill(&s.excess, s.excess_value, -2e-6, 1e-9);
	assert_true(fabs(series_bias(&why, &s.c) - log1p(0.25)) < 1e-2);
	assert_non_null(why);
	s.in_series = 1;
	free(steal(&why));
	assert_true(series_bias(&why, &s.c) <= 0);
	assert_null(why);
}

/* In a series it takes 5 us and its rival 20 us; alone both take 20 us. */
static void what_only_a_series_gains_is_no_gain(void **state)
{
	cleanup_free char *why = NULL;
	struct short_contest s;

	(void)state;
	begin(&s, 1e-7, 5.1e-6, 4);
	fill(&s.excess, s.excess_value, 0, 1e-6);
	assert_true(series_bias(&why, &s.c) >= log(4));
	assert_non_null(why);
	/* Alone it is faster by as much: only what is fixed is left. */
	fill(&s.excess, s.excess_value, -15e-6, 1e-8);
	free(steal(&why));
	assert_true(series_bias(&why, &s.c) < 0.05);
}

static void without_launches_alone_no_gain_of_a_series_counts(void **state)
{
	cleanup_free char *why = NULL;
	struct short_contest s;

	(void)state;
	begin(&s, 1e-7, 5.1e-6, 4);
	fill(&s.excess, s.excess_value, -15e-6, 1e-8);
	s.excess.n = SERIES_LEAST_ALONE - 1;
	assert_true(isinf(series_bias(&why, &s.c)));
	assert_non_null(strstr(why, "no launch alone"));
}

/* It makes its launches alone last now one time, now another. */
static void what_blurs_the_launches_alone_is_against_the_candidate(void **state)
{
	cleanup_free char *why = NULL;
	struct short_contest s;

	(void)state;
	begin(&s, 1e-7, 5.1e-6, 4);
	fill(&s.excess, s.excess_value, 0, 1e-3);
	assert_true(series_bias(&why, &s.c) >= log(4));
}

static void half_of_the_images_are_drawn_each_once(void **state)
{
	struct secret_random secret;
	struct input_set s = INPUT_SET_INIT;
	size_t first[2 * N] = {0};

	(void)state;
	secret_random_repeat(&secret, 7);
	s.call.batch = 2 * N;
	for (size_t i = 0; i < 200; i++) {
		uint32_t has = 0;

		set_draw_series(&s, &secret);
		assert_int_equal(s.series.n, N);
		for (uint32_t k = 0; k < 2 * N; k++)
			has += series_has(&s.series, k);
		assert_int_equal(has, N);
		first[s.series.image[0]]++;
	}
	for (size_t k = 0; k < 2 * N; k++)
		assert_true(first[k] < 40);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_fixed_is_taken_off),
		cmocka_unit_test(a_launch_never_takes_nothing),
		cmocka_unit_test(a_bound_is_nearer_to_one_on_both_sides),
		cmocka_unit_test(the_shorter_of_two_decides),
		cmocka_unit_test(
			the_error_of_what_is_fixed_is_no_error_of_equals),
		cmocka_unit_test(each_runner_has_what_is_fixed_of_its_own),
		cmocka_unit_test(two_errors_of_two_runners_do_not_cancel),
		cmocka_unit_test(all_that_is_fixed_of_a_runner_crowns_nothing),
		cmocka_unit_test(half_of_what_is_fixed_crowns_nothing),
		cmocka_unit_test(what_only_a_series_gains_is_no_gain),
		cmocka_unit_test(
			without_launches_alone_no_gain_of_a_series_counts),
		cmocka_unit_test(
			what_blurs_the_launches_alone_is_against_the_candidate),
		cmocka_unit_test(half_of_the_images_are_drawn_each_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
