#include "agent/tools/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/base/fileset.h"
#include "core/base/random.h"

#define DIR_FLAGS (O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)

/* ---- finding the place --------------------------------------------------- */

static struct error *check_path(const char *path)
{
	if (path_is_safe(path))
		return NULL;
	return error_new(ERROR_REFUSED,
			 "a path is relative to the workspace, without '..', "
			 "'.git' or control characters");
}

static struct error *path_error(const char *path)
{
	if (errno == ENOENT)
		return error_new(ERROR_NOT_FOUND, "there is no %s", path);
	if (errno == ELOOP || errno == ENOTDIR || errno == EISDIR ||
	    errno == ENXIO || errno == EMLINK)
		return error_new(
			ERROR_REFUSED,
			"%s is not a regular file in real folders (links "
			"are not followed)",
			path);
	if (errno == ENAMETOOLONG)
		return error_new(ERROR_REFUSED, "the name %.60s... is too long",
				 path);
	return error_errno("%s", path);
}

/* Opens the folder in the first `len` bytes of `path`; `make` creates it. */
static int step_into(int at, const char *path, size_t len, bool make)
{
	cleanup_free char *part = xstrndup(path, len);

	if (make && mkdirat(at, part, 0777) < 0 && errno != EEXIST)
		return -1;
	return openat(at, part, DIR_FLAGS);
}

/* Opens the folder that contains `path`; *name is the last part of `path`. */
static struct error *open_parent(int *out, const char **name, const char *dir,
				 const char *path, bool make)
{
	cleanup_fd int at = -1;
	const char *part = path;

	TRY(check_path(path));
	at = open(dir, DIR_FLAGS);
	if (at < 0 && errno == ENOENT)
		return error_new(ERROR_NOT_FOUND, "the workspace is gone");
	if (at < 0)
		return path_error(path);
	for (const char *end; (end = strchr(part, '/')); part = end + 1) {
		int next = step_into(at, part, (size_t)(end - part), make);

		if (next < 0)
			return path_error(path);
		close(at);
		at = next;
	}
	*name = part;
	*out = steal_fd(&at);
	return NULL;
}

/* ---- one file ------------------------------------------------------------ */

static struct error *read_all(struct buf *out, int fd, const char *path)
{
	char chunk[16384];
	ssize_t n;

	while ((n = read(fd, chunk, sizeof chunk)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return path_error(path);
		buf_add(out, chunk, (size_t)n);
		if (out->truncated)
			return error_new(ERROR_TOO_BIG,
					 "%s is larger than %zu KiB", path,
					 out->limit >> 10);
	}
	return NULL;
}

struct error *folder_read(struct buf *out, const char *dir, const char *path)
{
	cleanup_fd int at = -1;
	cleanup_fd int fd = -1;
	const char *name;
	struct stat st;

	buf_clear(out);
	TRY(open_parent(&at, &name, dir, path, false));
	fd = openat(at, name,
		    O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	if (fd < 0 || fstat(fd, &st) < 0)
		return path_error(path);
	if (!S_ISREG(st.st_mode))
		return error_new(ERROR_REFUSED, "%s is not a regular file",
				 path);
	return read_all(out, fd, path);
}

/* Gives the file the mode of the file that it replaces, and the owner of its
 * folder if we are root. */
static void dress(int fd, int at, const char *name, bool executable)
{
	struct stat st;

	if (fstatat(at, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	    S_ISREG(st.st_mode))
		fchmod(fd, st.st_mode & 0777);
	else if (executable)
		fchmod(fd, 0755);
	if (geteuid() == 0 && fstat(at, &st) == 0 &&
	    fchown(fd, st.st_uid, st.st_gid) < 0)
		errno = 0; /* the file stays root's, and readable */
}

static struct error *replace(int at, const char *name, const char *temp,
			     const void *data, size_t len, bool executable)
{
	cleanup_fd int fd = openat(
		at, temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
		0666);
	struct error *err = NULL;
	struct stat st;

	if (fd < 0)
		return path_error(name);
	dress(fd, at, name, executable);
	err = write_all(fd, data, len);
	if (!err && fstatat(at, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	    !S_ISREG(st.st_mode))
		err = error_new(ERROR_REFUSED, "it is not a regular file");
	if (!err && renameat(at, temp, at, name) < 0)
		err = path_error(name);
	if (err)
		unlinkat(at, temp, 0);
	return err;
}

struct error *folder_write(const char *dir, const char *path, const void *data,
			   size_t len, bool executable)
{
	cleanup_fd int at = -1;
	cleanup_free char *temp = NULL;
	const char *name;
	char suffix[9];

	TRY(open_parent(&at, &name, dir, path, true));
	random_hex(suffix, 8);
	temp = xasprintf(".%s.new", suffix);
	return error_wrap(replace(at, name, temp, data, len, executable), "%s",
			  path);
}

struct error *folder_remove(const char *dir, const char *path)
{
	cleanup_fd int at = -1;
	const char *name;
	struct error *err = open_parent(&at, &name, dir, path, false);

	if (error_is(err, ERROR_NOT_FOUND)) {
		error_free(err);
		return NULL;
	}
	TRY(err);
	if (unlinkat(at, name, 0) < 0 && errno != ENOENT)
		return path_error(path);
	return NULL;
}

/* ---- all files ----------------------------------------------------------- */

static void add_item(struct folder_list *l, const char *path,
		     const struct stat *st)
{
	if (l->n >= FOLDER_LIST_MAX) {
		l->truncated = true;
		return;
	}
	GROW(l->item, l->n, l->cap);
	l->item[l->n++] =
		(struct folder_item){xstrdup(path), st->st_size, st->st_mode};
}

static void list(struct folder_list *l, int fd, const char *prefix,
		 unsigned depth);

static void list_entry(struct folder_list *l, int at, const char *name,
		       const char *path, unsigned depth)
{
	struct stat st;
	int sub;

	if (fstatat(at, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return; /* removed meanwhile */
	if (!S_ISDIR(st.st_mode)) {
		add_item(l, path, &st);
		return;
	}
	sub = openat(at, name, DIR_FLAGS);
	if (sub >= 0)
		list(l, sub, path, depth + 1);
}

/* Takes fd. */
static void list(struct folder_list *l, int fd, const char *prefix,
		 unsigned depth)
{
	CLEANUP(dir) DIR *d = fdopendir(fd);
	const struct dirent *e;

	if (!d) {
		close(fd);
		return;
	}
	if (depth > FOLDER_DEPTH) {
		l->truncated = true;
		return;
	}
	while (!l->truncated && (e = readdir(d))) {
		cleanup_free char *path = xasprintf(
			"%s%s%s", prefix, *prefix ? "/" : "", e->d_name);

		if (path_is_safe(path))
			list_entry(l, dirfd(d), e->d_name, path, depth);
	}
}

static int by_path(const void *a, const void *b)
{
	const struct folder_item *x = a, *y = b;

	return strcmp(x->path, y->path);
}

static struct error *open_folder(int *out, const char *dir, const char *path)
{
	cleanup_fd int at = -1;
	const char *name = path;

	if (!*path) {
		*out = open(dir, DIR_FLAGS);
		return *out < 0 ? path_error("the workspace") : NULL;
	}
	TRY(open_parent(&at, &name, dir, path, false));
	*out = openat(at, name, DIR_FLAGS);
	return *out < 0 ? path_error(path) : NULL;
}

struct error *folder_list(struct folder_list *out, const char *dir,
			  const char *path)
{
	struct folder_list l = {0};
	int fd = -1;

	TRY(open_folder(&fd, dir, path));
	list(&l, fd, path, 0);
	if (l.n)
		qsort(l.item, l.n, sizeof *l.item, by_path);
	*out = l;
	return NULL;
}

bool folder_is_folder(const char *dir, const char *path)
{
	cleanup_fd int fd = -1;

	error_free(open_folder(&fd, dir, path));
	return fd >= 0;
}

void folder_list_release(struct folder_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->item[i].path);
	free(l->item);
	*l = (struct folder_list){0};
}
