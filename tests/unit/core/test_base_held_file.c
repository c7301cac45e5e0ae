#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/file.h"
#include "core/base/held_file.h"

static void what_is_held_stays_and_the_rest_goes(void **state)
{
	cleanup_free char *folder = NULL, *held = NULL, *left = NULL;
	cleanup_free char *other = NULL, *beside = NULL, *inside = NULL;
	cleanup_fd int fd = -1, gone = -1;

	(void)state;
	assert_null(dir_make_temp(&folder, "/tmp", "avogit-held-"));
	assert_null(held_file_make(&fd, &held, folder, "far-", ".held"));
	assert_null(held_file_make(&gone, &left, folder, "far-", ".held"));
	beside = xstrndup(left, strlen(left) - strlen(".held"));
	inside = xasprintf("%s/sub", beside);
	assert_null(dir_make(inside));
	other = xasprintf("%s/far-0123.held", folder);
	assert_null(file_write(other, "", 0, false));

	held_file_sweep(folder, "far-", ".held");
	assert_true(file_exists(left));
	assert_true(file_exists(inside));

	/* As when its process has ended. */
	close(gone);
	gone = -1;
	held_file_sweep(folder, "fat-", ".held");
	held_file_sweep(folder, "far-", ".hold");
	assert_true(file_exists(left));
	held_file_sweep(folder, "far-", ".held");
	assert_false(file_exists(left));
	assert_false(file_exists(beside));
	assert_true(file_exists(held));
	assert_true(file_exists(other));
	assert_null(dir_remove(folder));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_held_stays_and_the_rest_goes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
