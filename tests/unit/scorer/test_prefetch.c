/* How early candidates are chosen, so that none is waited for. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "scorer/build/prefetch.h"

static void one_is_enough_where_scores_take_longer(void **state)
{
	const struct prefetch a = {.seconds = 2};

	(void)state;
	assert_int_equal(prefetch_wanted(&a, 5, 6), 1);
	assert_int_equal(prefetch_wanted(&a, 2, 6), 1);
}

static void as_many_as_scores_in_the_time_of_a_build(void **state)
{
	const struct prefetch a = {.seconds = 2};

	(void)state;
	assert_int_equal(prefetch_wanted(&a, 1.9, 6), 2);
	assert_int_equal(prefetch_wanted(&a, 0.7, 6), 3);
	assert_int_equal(prefetch_wanted(&a, 0.001, 6), 6);
}

static void no_more_than_compilers_run_at_once(void **state)
{
	const struct prefetch a = {.seconds = 2};

	(void)state;
	assert_int_equal(prefetch_wanted(&a, 0.5, 2), 2);
	assert_int_equal(prefetch_wanted(&a, 0.5, 1), 1);
	assert_int_equal(prefetch_wanted(&a, 0.5, 0), 1);
}

static void one_before_anything_is_known(void **state)
{
	const struct prefetch unbuilt = {0}, unscored = {.seconds = 2};

	(void)state;
	assert_int_equal(prefetch_wanted(&unbuilt, 1, 6), 1);
	assert_int_equal(prefetch_wanted(&unscored, 0, 6), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_is_enough_where_scores_take_longer),
		cmocka_unit_test(as_many_as_scores_in_the_time_of_a_build),
		cmocka_unit_test(no_more_than_compilers_run_at_once),
		cmocka_unit_test(one_before_anything_is_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
