/* The log of a step that may never have been opened. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <unistd.h>

#include "agent/tools/step_log.h"

/* A step may end before it has a log, and is all zeros then: descriptor 0 is not
 * its own, and may be what another thread has just opened. */
static void what_was_never_opened_closes_nothing(void **state)
{
	struct step_log log = {.name = NULL};
	cleanup_fd int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

	(void)state;
	assert_int_equal(dup2(null, 0), 0);
	assert_null(step_log_add(&log, "unread", 6));
	step_log_release(&log);
	assert_true(fcntl(0, F_GETFD) >= 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_never_opened_closes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
