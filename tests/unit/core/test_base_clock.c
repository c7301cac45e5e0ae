#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/base/clock.h"

static void a_wait_in_a_test_is_counted_and_not_slept(void **state)
{
	double began = clock_run_seconds(), real = clock_seconds();

	(void)state;
	assert_true(clock_wait(1e6, NULL));
	assert_true(clock_run_seconds() - began >= 1e6);
	assert_true(clock_seconds() - real < 1e5);
}

static void a_wait_ends_when_a_stop_is_asked_for(void **state)
{
	static const volatile int stop = 1;
	double began = clock_run_seconds();

	(void)state;
	assert_false(clock_wait(1e15, &stop));
	assert_true(clock_run_seconds() - began < 1e14);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_wait_in_a_test_is_counted_and_not_slept),
		cmocka_unit_test(a_wait_ends_when_a_stop_is_asked_for),
	};

	setenv("AVOGIT_TEST_CLOCK", "1e8", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
