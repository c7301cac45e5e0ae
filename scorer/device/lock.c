#include "scorer/device/lock.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* From the UUID, uses only characters that are valid in a file name. */
static char *lock_path(const char *folder, const char *uuid)
{
	cleanup_free char *name = xstrdup(*uuid ? uuid : "unknown");

	for (char *c = name; *c; c++)
		if (!isalnum((unsigned char)*c) && *c != '-')
			*c = '_';
	return xasprintf("%s/avogit-%s.lock", folder, name);
}

/* In a sticky folder a kernel may refuse to open another user's file with
 * O_CREAT, but not for reading, which is enough for a lock. Does not follow
 * links. */
static int open_lock(const char *path)
{
	const int flags = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;

	for (int i = 0; i < 3; i++) {
		int fd = open(path, O_RDONLY | flags);

		if (fd >= 0 || errno != ENOENT)
			return fd;
		fd = open(path, O_RDONLY | O_CREAT | O_EXCL | flags, 0644);
		if (fd >= 0 || errno != EEXIST)
			return fd;
	}
	return -1;
}

static struct error *open_file(int *fd, const char *path)
{
	cleanup_fd int lock = open_lock(path);
	struct stat st;

	if (lock < 0 || fstat(lock, &st) < 0)
		return error_errno("cannot open %s, the lock of the GPU", path);
	if (!S_ISREG(st.st_mode))
		return error_new(
			ERROR_REFUSED,
			"%s is not a file, so the GPU cannot be locked: "
			"remove it",
			path);
	*fd = steal_fd(&lock);
	return NULL;
}

struct error *gpu_lock_try(int *fd, const char *folder, const char *uuid)
{
	cleanup_free char *path = lock_path(folder, uuid);
	cleanup_fd int lock = -1;

	TRY(open_file(&lock, path));
	if (flock(lock, LOCK_EX | LOCK_NB) == 0)
		*fd = steal_fd(&lock);
	else if (errno != EWOULDBLOCK && errno != EINTR)
		return error_errno("cannot lock %s", path);
	return NULL;
}

struct error *gpu_lock_take(int *fd, const char *folder, const char *uuid,
			    const volatile int *stop_now)
{
	cleanup_free char *path = lock_path(folder, uuid);
	cleanup_fd int lock = -1;

	TRY(open_file(&lock, path));
	while (flock(lock, LOCK_EX) < 0) {
		if (errno != EINTR)
			return error_errno("cannot lock %s", path);
		if (stop_now && *stop_now == 2)
			return error_new(ERROR_INTERRUPTED, "stopped");
	}
	*fd = steal_fd(&lock);
	return NULL;
}
