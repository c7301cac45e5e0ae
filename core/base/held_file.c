#include "core/base/held_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/base/random.h"

#define NAME_LEN  16
#define MAKE_MOST 100

static bool lock(int fd, int how)
{
	while (flock(fd, how) < 0)
		if (errno != EINTR)
			return false;
	return true;
}

/* A sweep may have come between making it and locking it. */
static bool is_there(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && st.st_nlink > 0;
}

struct error *held_file_make(int *fd, char **path, const char *folder,
			     const char *prefix, const char *suffix)
{
	for (int i = 0; i < MAKE_MOST; i++) {
		char random[NAME_LEN + 1];
		cleanup_free char *name = NULL;
		cleanup_fd int made = -1;

		random_hex(random, NAME_LEN);
		name = xasprintf("%s/%s%s%s", folder, prefix, random, suffix);
		made = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		if (made < 0)
			return error_errno("cannot write %s", name);
		if (!lock(made, LOCK_EX))
			return error_errno("cannot lock %s", name);
		if (!is_there(made))
			continue;
		*fd = steal_fd(&made);
		*path = steal(&name);
		return NULL;
	}
	return error_new(ERROR_SYSTEM, "%s: what is made there vanishes",
			 folder);
}

static void remove_unless_held(const char *path, size_t suffix)
{
	cleanup_free char *beside = xstrndup(path, strlen(path) - suffix);
	cleanup_fd int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);

	if (fd < 0 || !lock(fd, LOCK_EX | LOCK_NB))
		return;
	error_free(dir_remove(beside));
	unlink(path);
}

void held_file_sweep(const char *folder, const char *prefix, const char *suffix)
{
	size_t len = strlen(prefix) + NAME_LEN + strlen(suffix);
	cleanup_dir DIR *d = opendir(folder);
	const struct dirent *one;

	while (d && (one = readdir(d))) {
		cleanup_free char *path = NULL;

		if (strlen(one->d_name) != len ||
		    !starts_with(one->d_name, prefix) ||
		    !ends_with(one->d_name, suffix))
			continue;
		path = xasprintf("%s/%s", folder, one->d_name);
		remove_unless_held(path, strlen(suffix));
	}
}
