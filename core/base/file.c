#include "core/base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <ftw.h>
#include <limits.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/random.h"

struct error *file_read_fd(struct buf *b, int fd, const char *path)
{
	char chunk[16384];
	ssize_t n;

	while ((n = read(fd, chunk, sizeof chunk)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return error_errno("%s", path);
		buf_add(b, chunk, (size_t)n);
		if (b->truncated)
			return error_new(ERROR_TOO_BIG,
					 "%s is larger than %zu bytes", path,
					 b->limit);
	}
	return NULL;
}

struct error *file_read(struct buf *b, const char *path)
{
	/* Of a pipe that nothing is written to, reading would never end. */
	cleanup_fd int fd =
		open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct stat st;

	buf_clear(b);
	if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
		return error_new(ERROR_NOT_FOUND, "%s does not exist", path);
	if (fd < 0 || fstat(fd, &st) < 0)
		return error_errno("%s", path);
	if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
		return error_new(ERROR_REFUSED, "%s is not a regular file",
				 path);
	return file_read_fd(b, fd, path);
}

struct error *write_all(int fd, const void *data, size_t len)
{
	const char *p = data;

	while (len) {
		ssize_t n = write(fd, p, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return error_errno("write");
		p += n;
		len -= (size_t)n;
	}
	return NULL;
}

static struct error *write_to(const char *path, const void *data, size_t len,
			      mode_t mode, bool sync)
{
	cleanup_fd int fd = open(
		path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW,
		mode);

	if (fd < 0)
		return error_errno("%s", path);
	TRY(error_wrap(write_all(fd, data, len), "%s", path));
	if (sync && fsync(fd) < 0)
		return error_errno("%s", path);
	if (close(steal_fd(&fd)) < 0)
		return error_errno("%s", path);
	return NULL;
}

struct error *file_write(const char *path, const void *data, size_t len,
			 bool executable)
{
	return write_to(path, data, len, executable ? 0777 : 0666, false);
}

static struct error *write_beside(const char *path, const void *data,
				  size_t len, mode_t mode)
{
	char suffix[9];
	cleanup_free char *temp = NULL;
	struct error *err;

	random_hex(suffix, 8);
	temp = xasprintf("%s.%s.new", path, suffix);
	err = write_to(temp, data, len, mode, true);
	if (!err && rename(temp, path) < 0)
		err = error_errno("%s", path);
	if (err)
		unlink(temp);
	return err;
}

struct error *file_write_atomic(const char *path, const void *data, size_t len)
{
	return write_beside(path, data, len, 0666);
}

struct error *dir_make(const char *path)
{
	cleanup_free char *part = xstrdup(path);

	for (char *p = part + 1;; p++) {
		char was = *p;

		if (was != '/' && was != '\0')
			continue;
		*p = '\0';
		if (mkdir(part, 0777) < 0 && errno != EEXIST)
			return error_errno("%s", part);
		*p = was;
		if (!was)
			return NULL;
	}
}

/* "a" of "a/b"; NULL: it is in the working folder, or in the root. */
static char *folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash > path ? xstrndup(path, (size_t)(slash - path))
				     : NULL;
}

struct error *dir_make_private(const char *path)
{
	cleanup_free char *above = folder_of(path);

	if (above)
		TRY(dir_make(above));
	if (mkdir(path, 0700) < 0 && errno != EEXIST)
		return error_errno("%s", path);
	return NULL;
}

struct error *file_write_private(const char *path, const void *data, size_t len)
{
	cleanup_free char *folder = folder_of(path);

	if (folder)
		TRY(dir_make_private(folder));
	return write_beside(path, data, len, 0600);
}

static int remove_one(const char *path, const struct stat *st UNUSED, int flag,
		      struct FTW *ftw UNUSED)
{
	int rc = flag == FTW_DP ? rmdir(path) : unlink(path);

	return rc < 0 && errno != ENOENT ? -1 : 0;
}

struct error *dir_remove(const char *path)
{
	if (nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT) < 0 &&
	    errno != ENOENT)
		return error_errno("%s", path);
	return NULL;
}

struct error *dir_hand_over(const char *path, uid_t uid)
{
	char *const roots[] = {(char *)(uintptr_t)path, NULL};
	struct error *err = NULL;
	FTSENT *entry;
	FTS *walk;

	if (!uid)
		return NULL;
	walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	if (!walk)
		return error_errno("%s", path);
	while (!err && (entry = fts_read(walk)))
		if (entry->fts_info != FTS_DP &&
		    lchown(entry->fts_accpath, uid, uid) < 0)
			err = error_errno("%s", entry->fts_accpath);
	fts_close(walk);
	return err;
}

struct error *dir_make_temp(char **out, const char *under, const char *prefix)
{
	cleanup_free char *path = xasprintf("%s/%sXXXXXX", under, prefix);

	if (!mkdtemp(path))
		return error_errno("%s", path);
	*out = steal(&path);
	return NULL;
}

bool file_exists(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0;
}

struct error *memfd_copy(int *out, const char *name, int from, size_t bytes)
{
	cleanup_fd int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
	off_t at = 0;

	if (fd < 0 || ftruncate(fd, (off_t)bytes) < 0)
		return error_errno("cannot make a memory file for %s", name);
	while ((size_t)at < bytes) {
		ssize_t n = sendfile(fd, from, &at, bytes - (size_t)at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return error_errno("cannot copy %s", name);
		if (n == 0)
			return error_new(ERROR_SYSTEM, "%s became shorter",
					 name);
	}
	*out = steal_fd(&fd);
	return NULL;
}

struct error *memfd_with(int *out, const char *name, const void *data,
			 size_t len, bool sealed)
{
	const int seals = F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW |
			  F_SEAL_SEAL;
	cleanup_fd int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd < 0)
		return error_errno("memfd");
	TRY(error_wrap(write_all(fd, data, len), "memfd"));
	if (lseek(fd, 0, SEEK_SET) < 0)
		return error_errno("memfd");
	if (sealed && fcntl(fd, F_ADD_SEALS, seals) < 0)
		return error_errno("memfd");
	*out = steal_fd(&fd);
	return NULL;
}

/* FOLDER/bin/avogit without so many of its last parts; NULL: it has fewer. */
static char *above_self(int parts)
{
	char self[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", self, sizeof self - 1);

	self[MAX(len, 0)] = '\0';
	while (parts-- > 0) {
		char *slash = strrchr(self, '/');

		if (!slash)
			return NULL;
		*slash = '\0';
	}
	return xstrdup(self);
}

char *file_carried(const char *name)
{
	for (int up = 1; up <= 2; up++) {
		cleanup_free char *folder = above_self(up);
		cleanup_free char *path = NULL;

		if (!folder)
			return NULL;
		path = xasprintf("%s/libexec/avogit/%s", folder, name);
		if (access(path, X_OK) == 0)
			return steal(&path);
	}
	return NULL;
}

char *file_carried_beside(const char *name)
{
	cleanup_free char *folder = above_self(2);
	cleanup_free char *path = NULL;

	if (!folder)
		return NULL;
	path = xasprintf("%s/%s", folder, name);
	return access(path, R_OK) == 0 ? steal(&path) : NULL;
}
