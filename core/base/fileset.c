#include "core/base/fileset.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/base/hash.h"

#define MAX_DEPTH 64

/* Index of `path`, or where it belongs; *found says which. */
static size_t locate(const struct fileset *fs, const char *path, bool *found)
{
	size_t lo = 0, hi = fs->n;

	*found = false;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		int c = strcmp(path, fs->file[mid].path);

		if (c == 0) {
			*found = true;
			return mid;
		}
		if (c < 0)
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo;
}

static bool part_is_safe(const char *part, size_t len)
{
	if (len == 0 || len > 255 || strncmp(part, ".", len) == 0 ||
	    strncmp(part, "..", len) == 0)
		return false;
	return !(len == 4 && strncasecmp(part, ".git", 4) == 0);
}

bool path_is_safe(const char *path)
{
	if (strlen(path) > 4000)
		return false;
	for (const unsigned char *c = (const unsigned char *)path; *c; c++)
		if (*c < ' ' || *c == 127 || *c == '\\')
			return false;
	for (const char *p = path;; p++) {
		size_t len = strcspn(p, "/");

		if (!part_is_safe(p, len))
			return false;
		p += len;
		if (!*p)
			return true;
	}
}

/* A newline in it must not look like a message of its own. */
static struct error *refuse_path(const char *path)
{
	cleanup_free char *shown = xstrdup(path);

	for (char *c = shown; *c; c++)
		if ((unsigned char)*c < ' ')
			*c = '?';
	return error_new(ERROR_REFUSED, "'%s' is no path avogit takes", shown);
}

struct error *fileset_put(struct fileset *fs, const char *path,
			  const void *data, size_t len, bool executable)
{
	bool found;
	size_t i = locate(fs, path, &found);
	struct file_entry *f;

	if (!path_is_safe(path))
		return refuse_path(path);
	if (len > FILESET_MAX_BYTES || fs->bytes > FILESET_MAX_BYTES - len ||
	    (!found && fs->n >= FILESET_MAX_FILES))
		return error_new(ERROR_TOO_BIG,
				 "%s: more than %d files or %zu MiB", path,
				 FILESET_MAX_FILES, FILESET_MAX_BYTES >> 20);
	if (!found) {
		GROW(fs->file, fs->n, fs->cap);
		memmove(&fs->file[i + 1], &fs->file[i],
			(fs->n++ - i) * sizeof *fs->file);
		fs->file[i] = (struct file_entry){.path = xstrdup(path)};
	}
	f = &fs->file[i];
	fs->bytes += len - f->len;
	free(f->data);
	f->data = xcalloc(len + 1, 1);
	if (len)
		memcpy(f->data, data, len);
	f->len = len;
	f->executable = executable;
	return NULL;
}

const struct file_entry *fileset_get(const struct fileset *fs, const char *path)
{
	bool found;
	size_t i = locate(fs, path, &found);

	return found ? &fs->file[i] : NULL;
}

char *path_resolve(const char *prefix, const char *path)
{
	cleanup_free char *joined = xasprintf("%s%s", prefix, path);
	size_t len = 0; /* of the result, written over the text itself */
	bool folder = ends_with(path, "/");

	if (!*path || *path == '/')
		return NULL;
	for (const char *part = joined; *part;) {
		size_t n = strcspn(part, "/");
		const char *next = part + n + (part[n] == '/');

		if (n == 2 && strncmp(part, "..", 2) == 0) {
			if (!len)
				return NULL;
			while (len && joined[--len] != '/')
				;
		} else if (n != 1 || *part != '.') {
			if (len)
				joined[len++] = '/';
			memmove(joined + len, part, n);
			len += n;
			if (!n)
				return NULL;
		}
		part = next;
	}
	joined[len] = '\0';
	if (len && !path_is_safe(joined))
		return NULL;
	return xasprintf("%s%s", joined, folder && len ? "/" : "");
}

ptrdiff_t pattern_recursive(const char *pattern)
{
	const char *at = strstr(pattern, "//");

	if (!at)
		return -1;
	return at == pattern ? 0 : at + 1 - pattern;
}

static bool matches_one(const char *path, const char *pattern)
{
	ptrdiff_t folder = pattern_recursive(pattern);
	size_t len = strlen(pattern);

	if (folder >= 0) {
		const char *name = strrchr(path, '/');

		return strncmp(path, pattern, (size_t)folder) == 0 &&
		       fnmatch(strstr(pattern, "//") + 2,
			       name ? name + 1 : path, 0) == 0;
	}
	/* Most are names of other files. */
	if (*pattern != *path && !strchr("*?[\\", *pattern))
		return false;
	if (str_eq(path, pattern))
		return true;
	if (ends_with(pattern, "/**"))
		len -= 2;
	if (len && pattern[len - 1] == '/')
		return strncmp(path, pattern, len) == 0;
	return fnmatch(pattern, path, FNM_PATHNAME) == 0;
}

bool file_entry_equal(const struct file_entry *a, const struct file_entry *b)
{
	return a && b && a->len == b->len && a->executable == b->executable &&
	       memcmp(a->data, b->data, a->len) == 0;
}

bool path_matches(const char *path, const struct strvec *patterns)
{
	for (size_t i = 0; i < patterns->n; i++)
		if (matches_one(path, patterns->v[i]))
			return true;
	return false;
}

bool path_is_named(const char *path, const struct strvec *patterns)
{
	for (size_t i = 0; i < patterns->n; i++)
		if (pattern_recursive(patterns->v[i]) < 0 &&
		    matches_one(path, patterns->v[i]))
			return true;
	return false;
}

static struct error *make_parents(const char *path)
{
	cleanup_free char *dir = xstrdup(path);
	char *slash = strrchr(dir, '/');

	if (!slash || slash == dir)
		return NULL;
	*slash = '\0';
	return dir_make(dir);
}

struct error *fileset_write(const struct fileset *fs, const char *dir)
{
	for (size_t i = 0; i < fs->n; i++) {
		const struct file_entry *f = &fs->file[i];
		cleanup_free char *path = xasprintf("%s/%s", dir, f->path);

		TRY(make_parents(path));
		TRY(file_write(path, f->data, f->len, f->executable));
	}
	return NULL;
}

static struct error *read_file(struct fileset *fs, int dir, const char *name,
			       const char *path)
{
	cleanup_fd int fd = openat(dir, name,
				   O_RDONLY | O_CLOEXEC | O_NOFOLLOW |
					   O_NONBLOCK | O_NOCTTY);
	cleanup_free char *data = NULL;
	struct stat st;
	size_t len = 0;

	if (fd < 0 || fstat(fd, &st) < 0)
		return error_errno("%s", path);
	if (!S_ISREG(st.st_mode))
		return error_new(ERROR_REFUSED, "%s is not a regular file",
				 path);
	if ((size_t)st.st_size > FILESET_MAX_BYTES)
		return error_new(ERROR_TOO_BIG, "%s is larger than %zu MiB",
				 path, FILESET_MAX_BYTES >> 20);
	data = xcalloc((size_t)st.st_size + 1, 1);
	while (len < (size_t)st.st_size) {
		ssize_t n = read(fd, data + len, (size_t)st.st_size - len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return error_errno("%s", path);
		if (n == 0)
			break; /* it shrank: what is there counts */
		len += (size_t)n;
	}
	return fileset_put(fs, path, data, len, st.st_mode & S_IXUSR);
}

struct fileset_walk {
	struct fileset *into;
	const struct strvec *patterns;
};

static struct error *read_dir(const struct fileset_walk *w, int fd,
			      const char *prefix, unsigned depth);

static struct error *read_entry(const struct fileset_walk *w, int dir,
				const char *name, const char *path,
				unsigned depth)
{
	struct stat st;
	cleanup_fd int sub = -1;

	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT ? NULL : error_errno("%s", path);
	if (S_ISDIR(st.st_mode)) {
		sub = openat(dir, name,
			     O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
		if (sub < 0)
			return error_errno("%s", path);
		return read_dir(w, steal_fd(&sub), path, depth + 1);
	}
	if (!path_matches(path, w->patterns))
		return NULL;
	if (!S_ISREG(st.st_mode) && !path_is_named(path, w->patterns))
		return NULL;
	if (!S_ISREG(st.st_mode))
		return error_new(ERROR_REFUSED,
				 "%s is a %s, and only regular files are read",
				 path, S_ISLNK(st.st_mode) ? "link" : "device");
	return read_file(w->into, dir, name, path);
}

/* Takes fd. */
static struct error *read_dir(const struct fileset_walk *w, int fd,
			      const char *prefix, unsigned depth)
{
	CLEANUP(dir) DIR *d = fdopendir(fd);
	const struct dirent *e;

	if (!d) {
		close(fd);
		return error_errno("%s", prefix);
	}
	if (depth > MAX_DEPTH)
		return error_new(ERROR_TOO_BIG, "%s: folders nest too deep",
				 prefix);
	while ((errno = 0, e = readdir(d))) {
		cleanup_free char *path = NULL;

		if (str_eq(e->d_name, ".") || str_eq(e->d_name, "..") ||
		    strcasecmp(e->d_name, ".git") == 0)
			continue;
		path = xasprintf("%s%s%s", prefix, *prefix ? "/" : "",
				 e->d_name);
		TRY(read_entry(w, dirfd(d), e->d_name, path, depth));
	}
	return errno ? error_errno("%s", prefix) : NULL;
}

struct error *fileset_read(struct fileset *fs, const char *dir,
			   const struct strvec *patterns)
{
	const struct fileset_walk w = {fs, patterns};
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return error_errno("%s", dir);
	return read_dir(&w, fd, "", 0);
}

void fileset_id(char out[FILESET_ID_LEN + 1], const struct fileset *fs)
{
	struct hash *h = hash_new();

	for (size_t i = 0; i < fs->n; i++) {
		const struct file_entry *f = &fs->file[i];
		uint64_t len = f->len;

		hash_adds(h, f->path);
		hash_adds(h, f->executable ? "x" : "-");
		hash_add(h, &len, sizeof len);
		hash_add(h, f->data, f->len);
	}
	hash_finish(out, h);
}

struct error *fileset_copy(struct fileset *into, const struct fileset *from)
{
	for (size_t i = 0; i < from->n; i++) {
		const struct file_entry *f = &from->file[i];

		TRY(fileset_put(into, f->path, f->data, f->len, f->executable));
	}
	return NULL;
}

void fileset_release(struct fileset *fs)
{
	for (size_t i = 0; i < fs->n; i++) {
		free(fs->file[i].path);
		free(fs->file[i].data);
	}
	free(fs->file);
	*fs = (struct fileset)FILESET_INIT;
}
