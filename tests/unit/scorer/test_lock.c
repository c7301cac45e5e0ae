#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/file.h"
#include "scorer/device/lock.h"

#define UUID "GPU-12/../ab"

static char *folder;

static int make_folder(void **state)
{
	(void)state;
	return dir_make_temp(&folder, "/tmp", "avogit-lock-") != NULL;
}

static int remove_folder(void **state)
{
	(void)state;
	error_free(dir_remove(folder));
	free(folder);
	return 0;
}

static int look(void)
{
	cleanup_free char *path =
		xasprintf("%s/avogit-GPU-12____ab.lock", folder);

	return open(path, O_RDONLY | O_CLOEXEC);
}

static void nobody_else_has_it_until_it_is_closed(void **state)
{
	cleanup_fd int held = -1;
	cleanup_fd int other = -1;

	(void)state;
	assert_null(gpu_lock_take(&held, folder, UUID, NULL));
	other = look();
	assert_true(other >= 0);
	assert_int_equal(flock(other, LOCK_EX | LOCK_NB), -1);
	close(held);
	held = -1;
	assert_int_equal(flock(other, LOCK_EX | LOCK_NB), 0);
}

static void another_card_is_another_lock(void **state)
{
	cleanup_fd int one = -1;
	cleanup_fd int two = -1;

	(void)state;
	assert_null(gpu_lock_take(&one, folder, "GPU-1", NULL));
	assert_null(gpu_lock_take(&two, folder, "GPU-2", NULL));
}

static void follows_no_link(void **state)
{
	cleanup_free char *path = xasprintf("%s/avogit-GPU-3.lock", folder);
	cleanup_fd int fd = -1;
	struct error *err;

	(void)state;
	assert_int_equal(symlink("/etc/passwd", path), 0);
	err = gpu_lock_take(&fd, folder, "GPU-3", NULL);
	assert_non_null(err);
	error_free(err);
}

static void takes_no_pipe_for_a_lock(void **state)
{
	cleanup_free char *path = xasprintf("%s/avogit-GPU-4.lock", folder);
	cleanup_fd int fd = -1;
	struct error *err;

	(void)state;
	assert_int_equal(mkfifo(path, 0600), 0);
	err = gpu_lock_take(&fd, folder, "GPU-4", NULL);
	assert_non_null(err);
	assert_true(error_is(err, ERROR_REFUSED));
	error_free(err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nobody_else_has_it_until_it_is_closed),
		cmocka_unit_test(another_card_is_another_lock),
		cmocka_unit_test(follows_no_link),
		cmocka_unit_test(takes_no_pipe_for_a_lock),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
