#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "scorer/device/copy_rate.h"
#include "scorer/scoring.h"

#define US 1e-6
#define MB 1e6

/* Two cases; of each what is fixed in a launch (below 0: it was taken off), and what
 * the kernel takes. */
static const char *doubt(struct measurement *m, const struct task *t,
			 const double fixed[2],
			 const struct timed_case timed[2])
{
	static const char *const name[] = {"n=1", "n=2"};

	m->rate_is_bytes = true;
	for (size_t i = 0; i < 2; i++) {
		struct case_result *r = measurement_add_case(m, name[i]);
		double own = (timed[i].own.lo + timed[i].own.hi) / 2;

		r->seconds = own;
		r->fixed = MAX(-fixed[i], 0);
		if (fixed[i] > own) {
			r->overhead = fixed[i];
			r->seconds += fixed[i];
		}
	}
	score_doubt(m, t, timed);
	return measurement_get(m, DOUBT_KEY);
}

static void assert_doubt(const struct task *t, const double fixed[2],
			 const struct timed_case timed[2], const char *says)
{
	cleanup_measurement struct measurement *m = measurement_new();
	const char *why = doubt(m, t, fixed, timed);

	if (!says) {
		assert_null(why);
		return;
	}
	assert_non_null(why);
	assert_non_null(strstr(why, says));
	assert_non_null(strstr(why, "`fill`"));
}

static const double nothing[2], much[2] = {20 * US, 20 * US};
static const struct task one = {.language = LANGUAGE_C, .threads = 1};

static void no_cpu_reads_a_megabyte_in_no_time(void **state)
{
	static const struct timed_case at_once[] = {{MB, {0, 0.05 * US}, 6},
						    {MB, {0, 0.05 * US}, 6}};

	(void)state;
	assert_true(copy_rate() > 1e9 && copy_rate() < 4e12);
	assert_doubt(&one, much, at_once, "before the end of its inputs");
}

static void what_may_have_read_all_of_it_is_short(void **state)
{
	static const struct timed_case soon[] = {{1000, {0, 5 * US}, 6},
						 {1000, {0, 5 * US}, 6}};
	static const struct timed_case lost[] = {{1000, {0, 80 * US}, 6},
						 {1000, {0, 80 * US}, 6}};
	static const struct timed_case told[] = {{1000, {20 * US, 60 * US}, 6},
						 {1000, {20 * US, 60 * US}, 6}};
	static const double third[2] = {-20 * US, -20 * US};
	static const struct task runner = {.language = LANGUAGE_RUNNER};
	static const struct timed_case at_once[] = {{MB, {0, 0.05 * US}, 6},
						    {MB, {0, 0.05 * US}, 6}};

	(void)state;
	assert_doubt(&one, much, soon, "larger `cases`");
	assert_doubt(&one, third, lost, "larger `cases`");
	assert_doubt(&one, third, told, NULL);
	assert_doubt(&runner, third, lost, NULL);
	/* Another machine than this CPU may have done it. */
	assert_doubt(&runner, much, at_once, "larger `cases`");
}

static void time_that_does_not_grow_is_said(void **state)
{
	static const struct timed_case flat[] = {
		{MB, {50 * US, 52 * US}, 6}, {16 * MB, {51 * US, 53 * US}, 6}};
	static const struct timed_case grows[] = {
		{MB, {50 * US, 52 * US}, 6},
		{16 * MB, {300 * US, 310 * US}, 6}};
	static const struct timed_case unsure[] = {
		{MB, {5 * US, 90 * US}, 6}, {16 * MB, {5 * US, 90 * US}, 6}};
	static const struct timed_case few[] = {
		{MB, {50 * US, 52 * US}, 4}, {16 * MB, {51 * US, 53 * US}, 4}};
	static const struct task threads = {.language = LANGUAGE_C,
					    .threads = 2};
	int64_t small[] = {1000, 64}, large[] = {16, 1024},
		both[] = {1000, 1024};
	struct task_case other[] = {{.value = small}, {.value = large}};
	struct task_case more[] = {{.value = small}, {.value = both}};
	const struct task two_sizes = {.language = LANGUAGE_C,
				       .threads = 1,
				       .symbols = {.n = 2},
				       .cases = other};
	const struct task larger = {.language = LANGUAGE_C,
				    .threads = 1,
				    .symbols = {.n = 2},
				    .cases = more};

	(void)state;
	assert_doubt(&one, nothing, flat, "has 16 times the bytes of case n=1");
	assert_doubt(&one, nothing, grows, NULL);
	assert_doubt(&one, nothing, unsure, NULL);
	assert_doubt(&threads, nothing, flat, NULL);
	assert_doubt(&one, nothing, few, NULL);
	assert_doubt(&two_sizes, nothing, flat, NULL);
	assert_doubt(&larger, nothing, flat, "has 16 times the bytes");
}

static void what_does_more_arithmetic_in_the_same_time_is_not_blamed(
	void **state)
{
	cleanup_measurement struct measurement *m = measurement_new();
	static const struct timed_case flat[] = {
		{MB, {50 * US, 52 * US}, 6}, {4 * MB, {51 * US, 53 * US}, 6}};

	(void)state;
	for (size_t i = 0; i < 2; i++)
		measurement_add_case(m, i ? "m=4" : "m=1")->seconds = 51 * US;
	score_doubt(m, &one, flat);
	assert_null(measurement_get(m, DOUBT_KEY));
}

static void few_times_blame_no_kernel(void **state)
{
	static const struct timed_case at_once[] = {{MB, {0, 0.05 * US}, 3},
						    {MB, {0, 0.05 * US}, 3}};

	(void)state;
	assert_doubt(&one, much, at_once, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_cpu_reads_a_megabyte_in_no_time),
		cmocka_unit_test(what_may_have_read_all_of_it_is_short),
		cmocka_unit_test(time_that_does_not_grow_is_said),
		cmocka_unit_test(
			what_does_more_arithmetic_in_the_same_time_is_not_blamed),
		cmocka_unit_test(few_times_blame_no_kernel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
